// A secret shared by the roles of one data folder, made at the first start and readable by its owner only.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Random } from '../lib/random.ts';

/** The secret in `path` (32 bytes), created when absent. Two roles starting at once agree on one. */
export function readOrCreateSecret(path: string, random: Random): Buffer {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(path, random.bytes(32).toString('base64'), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const secret = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64');
  if (secret.length >= 16) return secret;
  throw new Error(`${path} holds no secret of at least 16 bytes: delete the file, a new one is made at the next start`);
}
