// Domains of timeline v1: who owns them, who may read and write what lies in them. Few, asked for on every access: kept in memory too.
import type { Database, Statement } from '../../storage/sqlite.ts';
import type { TimelineDomain } from '../../wire/timeline/entity.ts';

export const defaultDomainId = 'DEFAULT';

/** A stored domain. */
export type StoredDomain = TimelineDomain & { owner: string; createdtime: number; modifiedtime: number };

interface DomainRow {
  id: string;
  description: string | null;
  owner: string;
  readers: string | null;
  writers: string | null;
  createdMs: number;
  modifiedMs: number;
}

const columns = 'id, description, owner, readers, writers, created_ms AS createdMs, modified_ms AS modifiedMs';

/** Empty text is not there any more when it is read. */
const fromRow = (row: DomainRow): StoredDomain => ({
  id: row.id,
  description: row.description || undefined,
  owner: row.owner,
  readers: row.readers || undefined,
  writers: row.writers || undefined,
  createdtime: row.createdMs,
  modifiedtime: row.modifiedMs,
});

export class DomainStore {
  readonly #get: Statement;
  readonly #ofOwner: Statement;
  readonly #put: Statement;
  readonly #cache = new Map<string, StoredDomain>();
  readonly #cacheSize = 1_000;

  constructor(database: Database) {
    this.#get = database.prepare(`SELECT ${columns} FROM domains WHERE id = ?`);
    this.#ofOwner = database.prepare(`SELECT ${columns} FROM domains WHERE owner = ? ORDER BY created_ms DESC, modified_ms DESC, id`);
    this.#put = database.prepare(
      `INSERT INTO domains (id, description, owner, readers, writers, created_ms, modified_ms) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET description = excluded.description, owner = excluded.owner, readers = excluded.readers,
         writers = excluded.writers, modified_ms = excluded.modified_ms`,
    );
  }

  /** The domain of an id, or undefined. */
  get(id: string): StoredDomain | undefined {
    const known = this.#cache.get(id);
    if (known) return known;
    const row = this.#get.get(id) as DomainRow | undefined;
    if (!row) return undefined;
    const domain = fromRow(row);
    if (this.#cache.size >= this.#cacheSize) this.#cache.clear();
    this.#cache.set(id, domain);
    return domain;
  }

  /** The domains of an owner, newest first. */
  ofOwner(owner: string): StoredDomain[] {
    return (this.#ofOwner.all(owner) as unknown as DomainRow[]).map(fromRow);
  }

  /** Reads it again when it is asked for next: what was put could not be kept, and others may have read it meanwhile. */
  forget(id: string): void {
    this.#cache.delete(id);
  }

  /** Creates or replaces a domain; its creation time stays. Must run inside `Database.write`. */
  put(domain: TimelineDomain & { owner: string }, nowMs: number): void {
    this.#cache.delete(domain.id);
    this.#put.run(domain.id, domain.description ?? null, domain.owner, domain.readers ?? null, domain.writers ?? null, nowMs, nowMs);
  }
}
