// A secret shared by the roles of one data folder, made at the first start and readable by its owner only.
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Random } from '../lib/random.ts';

/** The secret in `path` (32 bytes), created when absent. Two roles starting at once agree on one. */
export function readOrCreateSecret(path: string, random: Random): Buffer {
  if (!existsSync(path)) create(path, random);
  const secret = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64');
  if (secret.length >= 16) return secret;
  throw new Error(`${path} holds no secret of at least 16 bytes: delete the file, a new one is made at the next start`);
}

/** Writes the secret beside its place and links it there, so that no process reads a half-written one; the first link wins. */
function create(path: string, random: Random): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${random.bytes(8).toString('hex')}`;
  writeFileSync(draft, random.bytes(32).toString('base64'), { mode: 0o600, flag: 'wx' });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
}
