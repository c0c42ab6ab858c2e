// Sorted runs of keys (info-key.ts) in the database: each is written once, in its order, in texts of many keys, and read from any key on.
import type { Database, Statement } from '../../storage/sqlite.ts';
import { StoredValues } from './stored-value.ts';

/** A run: the keys of entities that were made one after the other. */
export interface Run {
  readonly run: number;
  /** The first and the last entity. */
  readonly first: number;
  readonly last: number;
  /** How many keys were written. */
  readonly keys: number;
  /** The latest start time of its entities. */
  readonly latestMs: number;
}

/** Longest text of keys, in characters: it stands in one page of the database. */
const longestChunk = 3500;
/** What a key takes in a text besides itself. */
const aroundKey = 3;

interface Chunk {
  readonly key: number;
  readonly first: string;
  readonly keys: string;
}

export class InfoRuns {
  readonly #sql: ReturnType<typeof prepareStatements>;
  readonly #values: StoredValues;

  constructor(database: Database) {
    this.#sql = prepareStatements((text) => database.prepare(text));
    this.#values = new StoredValues(database);
  }

  /** The runs that are whole. */
  listed(): Run[] {
    return this.#sql.runs.all() as unknown as Run[];
  }

  /** The numbers of all runs of which there are keys. */
  *numbers(): Generator<number, undefined> {
    for (let row = this.#sql.numberAfter.get(0); row; row = this.#sql.numberAfter.get(row['run'] ?? 0)) yield Number(row['run']);
  }

  list({ run, first, last, keys, latestMs }: Run): void {
    this.#sql.list.run(run, first, last, keys, latestMs);
  }

  /** Takes a run from the list; its keys stay until they are dropped. */
  unlist(run: number): void {
    this.#sql.unlist.run(run);
  }

  /** Drops keys of a run that is not listed, about `most`. Returns how many texts of them went; 0: there are no more. */
  drop(run: number, most: number): number {
    return Number(this.#sql.drop.run(run, most).changes);
  }

  /** Until which entity all are in runs, or were looked up before there were runs. */
  indexed(): number {
    return Number(this.#sql.indexed.get()?.['entity'] ?? 0);
  }

  setIndexed(entity: number): void {
    if (this.#sql.setIndexed.run(entity).changes === 0) this.#sql.firstIndexed.run(entity);
  }

  /** Keys of a run in their order, from one on. They may be read on after others were written. */
  *keysFrom(run: number, from: string): Generator<string, undefined> {
    let chunk = (this.#sql.chunkAt.get(run, from) ?? this.#sql.chunkAfter.get(run, from)) as unknown as Chunk | undefined;
    while (chunk) {
      for (const key of this.#keysOf(chunk)) if (key >= from) yield key;
      chunk = this.#sql.chunkAfter.get(run, chunk.first) as unknown as Chunk | undefined;
    }
  }

  /** Takes a key out of a run, where it is there. */
  remove(run: number, key: string): void {
    const chunk = this.#sql.chunkAt.get(run, key) as unknown as Chunk | undefined;
    if (!chunk) return;
    const keys = this.#keysOf(chunk);
    const left = keys.filter((one) => one !== key);
    if (left.length < keys.length) this.#sql.setKeys.run(JSON.stringify(left), chunk.key);
  }

  /** Writes keys behind those that a run has. */
  append(run: number, keys: readonly string[]): void {
    let from = 0;
    let length = 0;
    for (const [at, { length: own }] of keys.entries()) {
      if (length > 0 && length + own + aroundKey > longestChunk) {
        this.#write(run, keys.slice(from, at));
        from = at;
        length = 0;
      }
      length += own + aroundKey;
    }
    if (from < keys.length) this.#write(run, keys.slice(from));
  }

  #write(run: number, keys: readonly string[]): void {
    this.#sql.append.run(run, keys[0] ?? '', JSON.stringify(keys));
  }

  /** A text that cannot be read is set aside: what it held is not found by its values any more. */
  #keysOf({ key, keys }: Chunk): readonly string[] {
    const read = this.#values.read(keys, 'info_chunks', { key });
    return Array.isArray(read) ? read.filter((one) => typeof one === 'string') : [];
  }
}

function prepareStatements(prepare: (sql: string) => Statement) {
  const chunk = 'SELECT key, first, keys FROM info_chunks WHERE run = ?';
  return {
    runs: prepare('SELECT run, first, last, keys, latest_ms AS latestMs FROM info_runs ORDER BY last'),
    numberAfter: prepare('SELECT run FROM info_chunks WHERE run > ? ORDER BY run LIMIT 1'),
    list: prepare('INSERT INTO info_runs (run, first, last, keys, latest_ms) VALUES (?, ?, ?, ?, ?)'),
    unlist: prepare('DELETE FROM info_runs WHERE run = ?'),
    drop: prepare('DELETE FROM info_chunks WHERE key IN (SELECT key FROM info_chunks WHERE run = ? LIMIT ?)'),
    indexed: prepare('SELECT entity FROM info_indexed'),
    setIndexed: prepare('UPDATE info_indexed SET entity = ?'),
    firstIndexed: prepare('INSERT INTO info_indexed (entity) VALUES (?)'),
    chunkAt: prepare(`${chunk} AND first <= ? ORDER BY first DESC LIMIT 1`),
    chunkAfter: prepare(`${chunk} AND first > ? ORDER BY first LIMIT 1`),
    setKeys: prepare('UPDATE info_chunks SET keys = ? WHERE key = ?'),
    append: prepare('INSERT INTO info_chunks (run, first, keys) VALUES (?, ?, ?)'),
  };
}
