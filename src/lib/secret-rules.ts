// What makes a file of a secret unsafe: its rights, and bytes that are easy to guess.
import type { Stats } from 'node:fs';

/** Fewest bytes of a secret. */
export const fewestSecretBytes = 16;

/**
 * What lets others have the secret in a file, as a sentence without its subject; undefined: nothing. A group may read what belongs to another user (root gives it to the group of
 * the servers), and nobody but the owner may write it.
 */
export function exposureOf({ mode, uid }: Pick<Stats, 'mode' | 'uid'>, ownUserId: number = process.geteuid?.() ?? uid): string | undefined {
  if ((mode & 0o022) !== 0) return 'can be written by others';
  if ((mode & 0o004) !== 0 || ((mode & 0o040) !== 0 && uid === ownUserId && uid !== 0)) return 'can be read by others';
  return uid === ownUserId || uid === 0 || ownUserId === 0 ? undefined : `belongs to the unix user ${uid}`;
}

/** Whether bytes are too easy to guess to be a secret: too few, or the same again and again. */
export const isWeak = (secret: Buffer): boolean => secret.length < fewestSecretBytes || new Set(secret).size < 4;
