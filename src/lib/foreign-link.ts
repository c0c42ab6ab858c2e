// Files of strangers in a folder that its user can write to: where the kernel does not forbid it (fs.protected_hardlinks=0), a hard link brings any
// file of the disk there, and who reads it as root would show it.
import type { Stats } from 'node:fs';

/**
 * Whether a file may be another user's that was linked into the folder: it has other names, and does not belong to the folder's owner. Files that
 * the reader itself wrote there have one name.
 */
export const isForeignLink = (file: Pick<Stats, 'nlink' | 'uid'>, folder: Pick<Stats, 'uid'>): boolean =>
  file.nlink > 1 && file.uid !== folder.uid;
