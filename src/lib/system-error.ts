// Errors of files in words: Node's messages name calls and codes ("ENOENT: no such file or directory, open 'a'").

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a file stands where a folder is needed',
  EISDIR: 'is a folder, and no file',
  EEXIST: 'is there already',
  ENOTEMPTY: 'is a folder with something in it',
  EACCES: 'this user may not use it',
  EPERM: 'this user may not do that with it',
  EROFS: 'it lies on a disk that cannot be written',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EIO: 'the disk does not read or write it',
  ELOOP: 'symbolic links lead in a circle',
  ENAMETOOLONG: 'the name is too long',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open on this machine',
  EBUSY: 'something else uses it',
  EXDEV: 'the places lie on different disks',
};

/**
 * What an error says, without the name of a call or a code where it is one of a file.
 * @param path begins what is said; nothing where it is empty. By default the place that the error names, where it names one
 */
export function systemErrorText(error: unknown, path?: string): string {
  const { code = '', syscall, message, ...known } = (error ?? {}) as Partial<NodeJS.ErrnoException> & { dest?: string };
  const reason = syscall === undefined ? undefined : reasons[code];
  if (reason === undefined) return `${path ? `${path}: ` : ''}${message ?? String(error)}`;
  const place = path ?? [(error as NodeJS.ErrnoException).path, known.dest].filter((one) => one !== undefined).join(' to ');
  return place === '' ? reason : `${place}: ${reason}`;
}
