// The file of a store: opened with the pragmas of all of them, refused where it is damaged, and known by a mark beside it, so that a file
// that was emptied or lost is not taken for a new one.
import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFolder } from '../lib/make-folder.ts';
import { writeDurably } from '../lib/whole-writes.ts';
import { Failure } from '../model/errors.ts';
import { isBusy, isDamage, StoreUnusable, storeFault } from './store-faults.ts';

/** Where the store lives that is kept in no file. */
export const inMemory = ':memory:';

/** The mark beside a store. */
export const markOf = (path: string): string => `${path}-kept`;

const markText = (name: string): string =>
  `${name} beside this file is a store. While this file is here, one that is empty or gone is not taken for a new one.\n`;

/** Up to here a file is looked through at each start; larger ones would keep everybody waiting. */
const lookedThroughBytes = 64 * 1024 * 1024;
/** How long the start waits for another program's lock. */
const startBusyMs = 5000;
/** How long a read may wait in this thread: changes ask again without stopping it. */
const busyMs = 1;

/**
 * Opens (and creates) the file of a store; `:memory:` keeps it in memory. What is created here, file or folder, is private to the user: it
 * holds keys and tokens.
 * @throws StoreUnusable when it cannot be opened, is damaged, or is empty where a store was
 */
export function openStoreFile(path: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    if (path !== inMemory) makeFile(path);
    database = new DatabaseSync(path, { timeout: startBusyMs });
    // What a commit leaves to be brought to the disk, its group does (log-sync.ts).
    database.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -8000; PRAGMA wal_autocheckpoint = 2000;',
    );
    if (path !== inMemory) {
      mustBeSound(database, path);
      mustNotBeEmptied(database, path);
    }
    return database;
  } catch (error) {
    database?.close();
    throw error instanceof StoreUnusable ? error : unusable(path, error);
  }
}

/**
 * The start is over: reads stop the thread for moments only, and what a change may have to take back stays in memory (a temporary file costs more
 * than the change, and may be full). Where there is no mark yet, the store is brought to the disk and marked.
 */
export function keepStoreFile(database: DatabaseSync, path: string): void {
  database.exec(`PRAGMA busy_timeout = ${busyMs}; PRAGMA temp_store = MEMORY`);
  if (path === inMemory || existsSync(markOf(path))) return;
  database.exec('PRAGMA wal_checkpoint(FULL)');
  writeDurably(markOf(path), markText(path.slice(dirname(path).length + 1)), { mode: 0o600 });
}

/** What nobody but the owner may, and a group that the administrator lets read. */
const ofOthers = 0o027;

function makeFile(path: string): void {
  if (!existsSync(path) && existsSync(markOf(path))) throw emptied(path, 'is gone');
  makeFolder(dirname(path), 0o700);
  if (existsSync(path) && statSync(path).isDirectory()) throw new Error('it is a folder');
  // SQLite would create the file as the umask says; its -wal and -shm files take over the mode of the file.
  closeSync(openSync(path, 'a', 0o600));
  // One of an earlier version, or of another program, may be open to others; there are tokens in it.
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
    if ((mode & ofOthers) !== 0) chmodSync(file, mode & 0o777 & ~ofOthers);
  }
}

function mustBeSound(database: DatabaseSync, path: string): void {
  if (statSync(path).size > lookedThroughBytes) {
    // A file that was cut is found by its first page.
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return;
  }
  const found = database.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
  if (found !== 'ok') throw damaged(path, String(found).replaceAll(/\s+/g, ' '));
}

function mustNotBeEmptied(database: DatabaseSync, path: string): void {
  const holds = database.prepare('SELECT count(*) AS tables FROM sqlite_schema').get()?.['tables'];
  if (holds === 0 && existsSync(markOf(path))) throw emptied(path, 'is empty');
}

const emptied = (path: string, how: string): StoreUnusable =>
  new StoreUnusable(
    `${path} ${how}, though a store was kept there (${markOf(path)} says so): starting with nothing would forget what was promised.`,
    'Put a copy of it back; or begin a new one: "heddle doctor --store --repair" with the same options (--data, --conf).',
  );

function unusable(path: string, error: unknown): StoreUnusable {
  const reason = error instanceof Error ? error.message : String(error);
  if (isBusy(error))
    return new StoreUnusable(
      `${path} cannot be opened: another program holds a lock on it.`,
      `End that program ("fuser ${path}" or "lsof ${path}" names it) and start again.`,
      { cause: error },
    );
  if (isDamage(error)) return damaged(path, reason, error);
  const fault = storeFault(error, path);
  if (fault instanceof Failure)
    return new StoreUnusable(fault.message, remediesOfStart[fault.code] ?? fault.entry.remedy ?? '', { cause: error });
  return new StoreUnusable(`${path} cannot be opened as a store (${reason}).`, whatHelps, { cause: error });
}

/** What helps a role that does not start, where that is not what helps one that goes on. */
const remediesOfStart: Readonly<Record<string, string>> = {
  STORE_DISK_FULL: 'Make room on that disk, or name a place on another one (--data), and start again.',
  STORE_DISK_FAILED: 'Look at that disk, or name a place on another one (--data), and start again.',
};

/** An error while a store is made ready, as who starts the role is told of it; what is no fault of the store or its disk is given back as it is. */
export const faultOfStart = (path: string, error: unknown): unknown =>
  !(error instanceof StoreUnusable) && storeFault(error, path) instanceof Failure ? unusable(path, error) : error;

const damaged = (path: string, reason: string, cause?: unknown): StoreUnusable =>
  new StoreUnusable(`${path} is damaged (${reason}).`, whatHelps, { cause });

/** What helps where a store cannot be read as it is. */
export const whatHelps =
  '"heddle doctor --store" with the same options (--data, --conf) says what can be saved, with --repair it is saved; or put a copy back.';
