// Values that are written one by one. A write that failed may have been made all the same, as where the disk failed after it: what is refused is
// taken back in the store too, so that the next start does not find what nobody was promised (docs/protocol.md, P1).
import { UnsavedValues } from '../../lib/unsaved-values.ts';
import type { Database } from '../../storage/sqlite.ts';

/** How a value is read and written. */
export interface SingleValue {
  /** Undefined: there is none. */
  read(): string | undefined;
  put(value: string): void;
  drop(): void;
}

/** Within which time a value that was refused is taken back; before, with whatever is written next. */
const takeBackMs = 1000;

/** Writes values, and takes back those that could not be. */
export class SingleValues {
  readonly #database: Pick<Database, 'write'>;
  readonly #unsaved = new UnsavedValues<string>();
  #closed = false;

  constructor(database: Pick<Database, 'write'>) {
    this.#database = database;
  }

  /** Writes the value of a name, or removes it for undefined. Resolves when that is durable. */
  write(name: string, value: string | undefined, at: SingleValue, patienceMs = 0): Promise<void> {
    let before: string | undefined;
    try {
      if (!this.#unsaved.isPending(name)) before = at.read();
    } catch (error) {
      return Promise.reject(error);
    }
    const unsaved = this.#unsaved.begin(name, before);
    const write = () => (value === undefined ? at.drop() : at.put(value));
    return this.#database.write(write, patienceMs).then(
      () => unsaved.kept(value),
      (error: unknown) => {
        unsaved.refused((kept) => {
          if (!this.#closed) this.write(name, kept, at, takeBackMs).catch(() => undefined);
        });
        throw error;
      },
    );
  }

  /** Nothing is taken back any more. */
  close(): void {
    this.#closed = true;
  }
}
