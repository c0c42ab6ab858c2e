// Webhooks in the resource manager's database: the hooks as records, what each is owed as rows.
import { fields, type JsonOf, many, number, optional, text, truth } from '../../lib/json-shape.ts';
import type { Database } from '../../storage/sqlite.ts';
import type { ResourceManagerStore } from '../store/resource-manager-store.ts';
import { storedJson } from '../store/stored-json.ts';

/** Under which kinds the store has hooks, and how many of their dead letters were dropped; the key is the hook's id. */
export const webhookKind = 'webhook';
export const droppedKind = 'webhook-dropped';
/** Under which kind it has what receivers take nothing. */
export const failingKind = 'webhook-failing';

const names = optional(many(text()));
/** What is kept of a hook. */
export const keptWebhook = fields({
  id: text({ minLength: 1, maxLength: 64 }),
  user: text({ minLength: 1, maxLength: 1024 }),
  url: text({ minLength: 1, maxLength: 2000 }),
  secret: text({ minLength: 1, maxLength: 200 }),
  createdMs: number(),
  /** Whether its maker had proved who they are, instead of only naming themselves. */
  proved: truth(),
  applications: names,
  users: names,
  queues: names,
  kinds: names,
});
export type KeptWebhook = JsonOf<typeof keptWebhook>;

/** Since when a receiver takes nothing, ms since the epoch, and why it did not at first. */
const keptFailing = fields({ sinceMs: number(), reason: text() });
export type KeptFailing = JsonOf<typeof keptFailing>;

/** Whose application an event tells of, as far as it says who may view it. */
export const storedSubject = fields({
  user: text(),
  queue: text(),
  admitted: truth(),
  submission: fields({ viewAcl: optional(text()) }),
});

/** An event that a hook is owed. */
export interface OwedEvent {
  /** Grows from one to the next; names the delivery. */
  readonly number: number;
  readonly hook: string;
  readonly kind: string;
  /** When it happened, ms since the epoch. */
  readonly madeMs: number;
  /** Whose application it tells of, as JSON; empty: it is about none. */
  readonly subject: string;
  /** JSON. */
  readonly body: string;
  readonly tries: number;
}

/** One that was given up. */
export interface DeadLetter {
  readonly number: number;
  readonly kind: string;
  readonly madeMs: number;
  readonly tries: number;
  readonly deadMs: number;
  readonly reason: string;
}

/** How many there are, and how long their bodies together. */
export interface Amount {
  readonly events: number;
  readonly characters: number;
}

/** Which of the owed are given up: of those after a number, all up to another and all that happened before a moment. */
export interface Buried {
  readonly after: number;
  readonly upTo: number;
  readonly beforeMs: number;
  readonly nowMs: number;
  readonly reason: string;
}

const amount = 'count(*) AS events, coalesce(sum(characters), 0) AS characters';
const owed = 'hook = ? AND dead_ms IS NULL AND number > ?';
const buried = `${owed} AND (number <= ? OR made_ms < ?)`;

/** The rows of `webhook_events` and the hooks. Reads are immediate and see what is durable; writes resolve when durable. */
export class WebhookStore {
  readonly #database: Database;
  readonly #records: Pick<ResourceManagerStore, 'records' | 'putRecord' | 'dropRecord'>;
  readonly #statements;
  #lastNumber: number;

  /** The schema is that of the resource manager's store. */
  constructor(database: Database, records: Pick<ResourceManagerStore, 'records' | 'putRecord' | 'dropRecord'>) {
    this.#database = database;
    this.#records = records;
    const prepare = (sql: string) => database.prepare(sql);
    this.#statements = {
      keep: prepare(
        'INSERT OR REPLACE INTO webhook_events (number, hook, kind, made_ms, subject, body, characters, tries) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      ),
      next: prepare(
        `SELECT number, hook, kind, made_ms AS madeMs, subject, body, tries FROM webhook_events WHERE ${owed} ORDER BY number LIMIT ?`,
      ),
      owed: prepare(`SELECT ${amount} FROM webhook_events WHERE ${owed}`),
      nth: prepare(`SELECT number FROM webhook_events WHERE ${owed} ORDER BY number LIMIT 1 OFFSET ?`),
      forget: prepare('DELETE FROM webhook_events WHERE hook = ? AND dead_ms IS NULL AND number <= ?'),
      tried: prepare('UPDATE webhook_events SET tries = ? WHERE number = ?'),
      buried: prepare(`SELECT ${amount} FROM webhook_events WHERE ${buried}`),
      bury: prepare(`UPDATE webhook_events SET dead_ms = ?, reason = ? WHERE ${buried}`),
      deadAmount: prepare(`SELECT ${amount} FROM webhook_events WHERE hook = ? AND dead_ms IS NOT NULL`),
      dead: prepare(
        `SELECT number, kind, made_ms AS madeMs, tries, dead_ms AS deadMs, reason FROM webhook_events
         WHERE hook = ? AND dead_ms IS NOT NULL ORDER BY number DESC LIMIT ?`,
      ),
      oldestDead: prepare('SELECT number, characters FROM webhook_events WHERE hook = ? AND dead_ms IS NOT NULL ORDER BY number'),
      drop: prepare('DELETE FROM webhook_events WHERE number = ?'),
      revive: prepare(
        `INSERT INTO webhook_events (number, hook, kind, made_ms, subject, body, characters, tries)
         SELECT ?, hook, kind, ?, subject, body, characters, 0 FROM webhook_events WHERE hook = ? AND dead_ms IS NOT NULL AND number = ?`,
      ),
      addDropped: prepare(
        `INSERT INTO records (kind, key, value) VALUES (?, ?, ?)
         ON CONFLICT (kind, key) DO UPDATE SET value = CAST(CAST(records.value AS INTEGER) + CAST(excluded.value AS INTEGER) AS TEXT)`,
      ),
      removeOwed: prepare('DELETE FROM webhook_events WHERE hook = ? AND dead_ms IS NULL'),
      removeDead: prepare('DELETE FROM webhook_events WHERE hook = ? AND dead_ms IS NOT NULL'),
      last: prepare("SELECT coalesce(max(seq), 0) AS number FROM sqlite_sequence WHERE name = 'webhook_events'"),
    };
    this.#lastNumber = this.#lastGiven();
  }

  #lastGiven(): number {
    return (this.#statements.last.get() as { number: number }).number;
  }

  /** A number beyond all that were given before, in earlier processes too as far as anything was kept under them. */
  nextNumber(): number {
    return ++this.#lastNumber;
  }

  hooks(): KeptWebhook[] {
    return [...this.#records.records(webhookKind).values()].map((written) => storedJson(keptWebhook, written, 'a webhook'));
  }

  putHook(hook: KeptWebhook): Promise<void> {
    return this.#records.putRecord(webhookKind, hook.id, JSON.stringify(hook));
  }

  /** Removes a hook with all that it is owed, in one transaction. */
  async removeHook(id: string): Promise<void> {
    await Promise.all([
      this.#records.dropRecord(webhookKind, id),
      this.#records.dropRecord(droppedKind, id),
      this.#records.dropRecord(failingKind, id),
      this.#database.write(() => {
        this.#statements.removeOwed.run(id);
        this.#statements.removeDead.run(id);
      }),
    ]);
  }

  /** Keeps what `take` gives when the turn is committed, in one transaction with everything else that is written in this turn. */
  keep(take: () => readonly OwedEvent[]): Promise<void> {
    return this.#database.write(() => {
      for (const { number: given, hook, kind, madeMs, subject, body, tries } of take())
        this.#statements.keep.run(given, hook, kind, Math.trunc(madeMs), subject, body, body.length, tries);
    });
  }

  /** The earliest of a hook after a number. */
  next(hook: string, after: number, most: number): OwedEvent[] {
    return this.#statements.next.all(hook, after, most) as unknown as OwedEvent[];
  }

  /** All that a hook is owed after a number. */
  owed(hook: string, after: number): Amount {
    return this.#statements.owed.get(hook, after) as unknown as Amount;
  }

  /** The number of the `index`th that a hook is owed, from 0; undefined where they are fewer. */
  numberOf(hook: string, after: number, index: number): number | undefined {
    return (this.#statements.nth.get(hook, after, index) as { number: number } | undefined)?.number;
  }

  /** Forgets what was taken: all up to a number but dead letters. */
  forget(hook: string, upTo: number): Promise<void> {
    return this.#database.write(() => void this.#statements.forget.run(hook, upTo));
  }

  /** Notes how often a delivery was tried. */
  tried(delivery: number, tries: number): Promise<void> {
    return this.#database.write(() => void this.#statements.tried.run(tries, delivery));
  }

  /** Gives up what is meant; beyond the limits the oldest dead letters go. Resolves to what was given up, and how many were dropped. */
  async bury(hook: string, meant: Buried, limits: Amount): Promise<{ readonly gone: Amount; readonly dropped: number }> {
    const which = [hook, meant.after, meant.upTo, Math.trunc(meant.beforeMs)] as const;
    let gone: Amount = { events: 0, characters: 0 };
    let dropped = 0;
    await this.#database.write(() => {
      gone = this.#statements.buried.get(...which) as unknown as Amount;
      this.#statements.bury.run(Math.trunc(meant.nowMs), meant.reason, ...which);
      dropped = this.#dropBeyond(hook, limits);
    });
    return { gone, dropped };
  }

  #dropBeyond(hook: string, limits: Amount): number {
    let { events, characters } = this.deadAmount(hook);
    let dropped = 0;
    if (events <= limits.events && characters <= limits.characters) return 0;
    for (const row of this.#statements.oldestDead.all(hook) as unknown as { number: number; characters: number }[]) {
      if (events <= limits.events && characters <= limits.characters) break;
      this.#statements.drop.run(row.number);
      events--;
      characters -= row.characters;
      dropped++;
    }
    this.#statements.addDropped.run(droppedKind, hook, String(dropped));
    return dropped;
  }

  deadAmount(hook: string): Amount {
    return this.#statements.deadAmount.get(hook) as unknown as Amount;
  }

  /** Dead letters that were dropped since the hook was made. */
  dropped(hook: string): number {
    return Number(this.#records.records(droppedKind).get(hook) ?? 0);
  }

  /** Since when the receiver of a hook takes nothing; undefined: it takes what it is sent. */
  failing(hook: string): KeptFailing | undefined {
    const written = this.#records.records(failingKind).get(hook);
    return written === undefined ? undefined : storedJson(keptFailing, written, 'how a webhook fares');
  }

  /** Keeps that from now on. */
  putFailing(hook: string, failing: KeptFailing | undefined): Promise<void> {
    return failing ? this.#records.putRecord(failingKind, hook, JSON.stringify(failing)) : this.#records.dropRecord(failingKind, hook);
  }

  /** The newest dead letters, the newest first. */
  deadLetters(hook: string, most: number): DeadLetter[] {
    return this.#statements.dead.all(hook, most) as unknown as DeadLetter[];
  }

  /** Dead letters become new deliveries behind all that is owed, the oldest first; resolves to them. */
  async revive(hook: string, deliveries: readonly number[], nowMs: number): Promise<Amount> {
    const before = this.deadAmount(hook);
    let after = before;
    await this.#database.write(() => {
      for (const delivery of [...deliveries].sort((one, other) => one - other)) {
        const { changes } = this.#statements.revive.run(this.nextNumber(), Math.trunc(nowMs), hook, delivery);
        if (Number(changes) > 0) this.#statements.drop.run(delivery);
      }
      after = this.deadAmount(hook);
    });
    return { events: before.events - after.events, characters: before.characters - after.characters };
  }
}
