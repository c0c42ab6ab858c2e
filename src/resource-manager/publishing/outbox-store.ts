// What is owed to others, in the resource manager's database.

import type { Database } from '../../storage/sqlite.ts';
import type { KeptAmount, KeptMessages, OutboxStore } from './outbox.ts';

const givenUpName = (receiver: string): string => `given up for ${receiver}`;

/** The rows of `outbox`. */
export class SqliteOutboxStore implements OutboxStore {
  readonly #database: Database;
  readonly #patienceMs: number;
  readonly #statements;
  #lastNumber: number;

  /**
   * The schema is that of the resource manager's store. `patienceMs`: how long messages wait for a commit that is made for something else, and what
   * was taken does: what is written in the turn that tells of it goes with it anyhow, and of all else a restart tells again.
   */
  constructor(database: Database, patienceMs = 0) {
    this.#database = database;
    this.#patienceMs = patienceMs;
    this.#statements = {
      keep: database.prepare(
        'INSERT OR REPLACE INTO outbox (number, receiver, kept_ms, messages, characters, texts) VALUES (?, ?, ?, ?, ?, ?)',
      ),
      next: database.prepare('SELECT number, messages, texts FROM outbox WHERE receiver = ? AND number > ? ORDER BY number'),
      forget: database.prepare('DELETE FROM outbox WHERE receiver = ? AND number <= ?'),
      kept: database.prepare(
        `SELECT coalesce(sum(messages), 0) AS messages, coalesce(sum(characters), 0) AS characters, coalesce(max(number), 0) AS number
         FROM outbox WHERE receiver = ? AND kept_ms < ?`,
      ),
      givenUp: database.prepare('SELECT value FROM meta WHERE key = ?'),
      addGivenUp: database.prepare(
        `INSERT INTO meta (key, value) VALUES (?, ?)
         ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(meta.value AS INTEGER) + CAST(excluded.value AS INTEGER) AS TEXT)`,
      ),
    };
    this.#lastNumber = (database.prepare('SELECT coalesce(max(number), 0) AS number FROM outbox').get() as { number: number }).number;
  }

  keep(receiver: string, keptMs: number, take: () => readonly KeptMessages[]): Promise<void> {
    return this.#database.write(() => {
      for (const { number, messages, texts } of take())
        this.#statements.keep.run(number, receiver, Math.trunc(keptMs), messages, texts.length, texts);
    }, this.#patienceMs);
  }

  nextNumber(): number {
    return ++this.#lastNumber;
  }

  next(receiver: string, after: number, messages: number, characters: number): KeptMessages[] {
    const found: KeptMessages[] = [];
    let messagesLeft = messages;
    let charactersLeft = characters;
    for (const row of this.#statements.next.iterate(receiver, after) as Iterable<unknown> as Iterable<KeptMessages>) {
      messagesLeft -= row.messages;
      charactersLeft -= row.texts.length;
      if (found.length > 0 && (messagesLeft < 0 || charactersLeft < 0)) break;
      found.push(row);
    }
    return found;
  }

  forget(receiver: string, upTo: number, givenUp: number): Promise<void> {
    return this.#database.write(
      () => {
        this.#statements.forget.run(receiver, upTo);
        if (givenUp > 0) this.#statements.addGivenUp.run(givenUpName(receiver), String(givenUp));
      },
      givenUp > 0 ? 0 : this.#patienceMs,
    );
  }

  setAside(number: number): void {
    this.#database.reject({ table: 'outbox', key: { number }, fault: 'texts is no JSON' });
  }

  kept(receiver: string, beforeMs = Number.MAX_SAFE_INTEGER): KeptAmount & { readonly number: number } {
    return this.#statements.kept.get(receiver, Math.trunc(beforeMs)) as unknown as KeptAmount & { readonly number: number };
  }

  givenUp(receiver: string): number {
    const row = this.#statements.givenUp.get(givenUpName(receiver)) as { value: string } | undefined;
    return Number(row?.value ?? 0);
  }
}
