// A database whose disk can be full.
import { failure } from '../../model/errors.ts';
import type { Database } from '../sqlite.ts';

/** While `isFull`, every change is refused after it was made, with all others of its transaction, and undone. */
export function onSmallDisk(database: Database): { readonly database: Database; readonly disk: { isFull: boolean } } {
  const disk = { isFull: false };
  const onDisk: Database = {
    prepare: (sql) => database.prepare(sql),
    write: (change, patienceMs) =>
      database.write(() => {
        change();
        if (disk.isFull) throw failure('STORE_DISK_FULL', { folder: '/disk', file: '/disk/state.sqlite' });
      }, patienceMs),
    hurry: () => database.hurry(),
    flush: () => database.flush(),
    displaced: () => database.displaced(),
    trouble: () => database.trouble(),
    watch: (watch) => database.watch(watch),
    commitTimes: database.commitTimes,
    get pendingWrites() {
      return database.pendingWrites;
    },
    migrate: (migrations) => database.migrate(migrations),
    lookThrough: (checks) => database.lookThrough(checks),
    reject: (broken) => database.reject(broken),
    close: () => database.close(),
  };
  return { database: onDisk, disk };
}
