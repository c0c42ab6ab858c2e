// What goes wrong with the file of a store: told to whoever starts it, and to callers whose change cannot be kept.
import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure, failure } from '../model/errors.ts';

/** A store with which nothing can be started. The message names the file, what is wrong and, in a line of its own, what to do; it needs no stack. */
export class StoreUnusable extends Error {
  override readonly name = 'StoreUnusable';

  constructor(sentence: string, remedy: string, options?: ErrorOptions) {
    super(`${sentence}\n  ${remedy}`, options);
  }
}

/** Primary result codes of SQLite, https://sqlite.org/rescode.html. */
const sqlite = { busy: 5, locked: 6, readOnly: 8, inputOutput: 10, corrupt: 11, full: 13, cannotOpen: 14, notADatabase: 26 } as const;

/** The primary code of an error of SQLite; undefined for others. */
export function sqliteCode(error: unknown): number | undefined {
  const { code, errcode } = (error ?? {}) as { code?: string; errcode?: number };
  return code === 'ERR_SQLITE_ERROR' && errcode !== undefined ? errcode & 0xff : undefined;
}

/** Whether another connection holds the lock that is needed. */
export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === sqlite.busy || code === sqlite.locked;
}

/** Whether the file itself is no sound database. */
export function isDamage(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === sqlite.corrupt || code === sqlite.notADatabase;
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Whether nothing more fits on the disk of a folder, as far as the system says. */
function isFull(folder: string): boolean {
  try {
    return statfsSync(folder).bavail === 0;
  } catch {
    return false;
  }
}

/** Whether it is the file or its disk that failed, and not what was asked of it. */
export const isStoreFault = (fault: unknown): fault is Failure => fault instanceof Failure && fault.code.startsWith('STORE_');

/**
 * An error of SQLite or of the disk as what callers are told of it: Failure STORE_BUSY, STORE_DISK_FULL, STORE_DISK_FAILED or STORE_DAMAGED,
 * each a 503. Anything else, a broken rule of the schema for one, is given back as it is.
 */
export function storeFault(error: unknown, file: string): unknown {
  if (error instanceof Failure) return error;
  const folder = dirname(file);
  const system = (error as NodeJS.ErrnoException | undefined)?.code;
  if (system === 'ENOSPC' || system === 'EDQUOT') return failure('STORE_DISK_FULL', { folder, file });
  if (system === 'EIO' || system === 'EROFS') return failure('STORE_DISK_FAILED', { folder, file, reason: reasonOf(error) });
  switch (sqliteCode(error)) {
    case sqlite.busy:
    case sqlite.locked:
      return failure('STORE_BUSY', { file });
    case sqlite.full:
      return failure('STORE_DISK_FULL', { folder, file });
    // Where the index of the log cannot grow, a full disk is told as a fault of input and output.
    case sqlite.inputOutput:
    case sqlite.cannotOpen:
      if (isFull(folder)) return failure('STORE_DISK_FULL', { folder, file });
      return failure('STORE_DISK_FAILED', { folder, file, reason: reasonOf(error) });
    case sqlite.readOnly:
      return failure('STORE_DISK_FAILED', { folder, file, reason: reasonOf(error) });
    case sqlite.corrupt:
    case sqlite.notADatabase:
      return failure('STORE_DAMAGED', { file, reason: reasonOf(error) });
    default:
      return error;
  }
}
