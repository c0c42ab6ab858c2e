// Whether the files of an open store still stand where they were opened. A file that was removed or replaced takes changes without a word, and
// nobody finds them again.
import { statSync } from 'node:fs';
import { type Failure, failure } from '../model/errors.ts';

const identity = (file: string): string | undefined => {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}`;
};

/** For the database at `path`, which is open: looks whether it and its log are where they were; Failure STORE_GONE where they are not. */
export function storePlace(path: string): () => Failure | undefined {
  const log = `${path}-wal`;
  const own = identity(path);
  let ownLog: string | undefined;
  return () => {
    const logNow = identity(log);
    // The log is there from the first transaction on.
    ownLog ??= logNow;
    return identity(path) === own && logNow === ownLog ? undefined : failure('STORE_GONE', { file: path });
  };
}
