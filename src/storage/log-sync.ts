// Brings the write-ahead log of a database onto the disk, in a thread of the system's pool. SQLite itself would do so inside of COMMIT
// (`synchronous = FULL`) and stop all answers for as long as the disk takes; here it only does so where the order of writes matters.
import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import type { LogSync } from './group-commit.ts';

/** For the database at `path`, whose log is there from its first transaction on. */
export function logSync(path: string): LogSync {
  let file: number | undefined;
  // Closing it gives up no lock of SQLite: those are on other files.
  const opened = (): number => (file ??= openSync(`${path}-wal`, 'r+'));
  return {
    start(done) {
      try {
        fdatasync(opened(), (error) => done(error ?? undefined));
      } catch (error) {
        setImmediate(() => done(error));
      }
    },
    now: () => fdatasyncSync(opened()),
    close() {
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}
