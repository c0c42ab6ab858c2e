// Secrets that lie in files: those that roles of one data folder share, made at the first start, and those that an administrator puts there.
import { closeSync, existsSync, fstatSync, linkSync, openSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../lib/make-folder.ts';
import type { Random } from '../lib/random.ts';
import { exposureOf, fewestSecretBytes, isWeak } from '../lib/secret-rules.ts';
import { syncFolderNow, writeSynced } from '../lib/whole-writes.ts';

const longestFileBytes = 64 * 1024;

/** A file that is no secret any more, or never was; the message names it and says what to do. */
export class SecretUnusable extends Error {
  override readonly name = 'SecretUnusable';
}

/** The bytes of a file that only its owner can read. @throws SecretUnusable; the file system's errors */
export function readSecretFile(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const stats = fstatSync(file);
    if (stats.isDirectory()) throw new SecretUnusable(`${path} is a folder; a file with a secret belongs there: remove the folder`);
    if (stats.isFile() && stats.size > longestFileBytes) throw new SecretUnusable(`${path} is too long for a secret`);
    const exposure = exposureOf(stats);
    if (stats.isFile() && exposure !== undefined)
      throw new SecretUnusable(
        `${path} ${exposure}: its secret may be known. Write a new one there and say "chmod 600 ${path}", as its owner.`,
      );
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** The secret that a text says in base64; undefined where it is another text, or weak. */
export function secretOfBase64(text: string): Buffer | undefined {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return undefined;
  const secret = Buffer.from(text, 'base64');
  return isWeak(secret) ? undefined : secret;
}

/** Makes the file with 32 random bytes in base64 where there is none. Two roles starting at once agree on one. */
export function ensureSecretFile(path: string, random: Random): void {
  if (!existsSync(path)) create(path, random);
}

/** The secret of a file that Heddle makes for itself (32 bytes, in base64), created when absent. @throws SecretUnusable */
export function readOrCreateSecret(path: string, random: Random): Buffer {
  ensureSecretFile(path, random);
  const secret = secretOfBase64(readSecretFile(path).toString('utf8').trim());
  if (secret) return secret;
  throw new SecretUnusable(
    `${path} holds no secret of at least ${fewestSecretBytes} random bytes in base64: delete the file, a new one is made at the next start`,
  );
}

/**
 * The bytes that a file holds, all of them: Hadoop's servers sign with them, whatever they are (FileSignerSecretProvider). Created when absent.
 * @throws SecretUnusable
 */
export function readOrCreateSignatureSecret(path: string, random: Random): Buffer {
  ensureSecretFile(path, random);
  const secret = readSecretFile(path);
  if (!isWeak(secret)) return secret;
  throw new SecretUnusable(
    `${path} holds a secret that is easy to guess: write at least ${fewestSecretBytes} random bytes, the same on all servers`,
  );
}

/** Writes the secret beside its place and links it there, so that no process reads a half-written one; the first link wins. */
function create(path: string, random: Random): void {
  const folder = dirname(path);
  const isNew = !existsSync(folder);
  makeFolder(folder, 0o700);
  const draft = `${path}.${random.bytes(8).toString('hex')}`;
  writeSynced(draft, random.bytes(32).toString('base64'), { mode: 0o600, flag: 'wx' });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  // Its name, and that of a folder that was made for it: what is signed with it is on the disks of others soon.
  syncFolderNow(folder);
  if (isNew) syncFolderNow(dirname(folder));
}
