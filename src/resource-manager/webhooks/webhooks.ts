// The webhooks of a cluster: who made which, and what happens is kept for each that wants it, in the commit of the turn
// (docs/protocol.md, P18).
import type { Random } from '../../lib/random.ts';
import { Timers } from '../../lib/timers.ts';
import { failure } from '../../model/errors.ts';
import type { WebhookFigures } from '../commands/webhooks.ts';
import type { ClusterEvent } from '../views/cluster-events.ts';
import { WebhookLane, type WebhookPorts } from './webhook-lane.ts';
import type { Amount, DeadLetter, KeptWebhook, OwedEvent } from './webhook-store.ts';

/** What a hook is made of. */
export type NewWebhook = Omit<KeptWebhook, 'id' | 'createdMs'>;

/** A hook and how it fares. */
export interface WebhookStanding {
  readonly hook: KeptWebhook;
  readonly figures: WebhookFigures;
}

/** How soon what could not be stored is stored again. */
const keepRetryMs = 1000;
/** Most dead letters that are shown, and redelivered at once. */
const mostShown = 1000;

/** All hooks. Hearing costs a look at each; where there are none, nothing. */
export class Webhooks {
  readonly #ports: WebhookPorts & { readonly random: Random };
  readonly #lanes = new Map<string, WebhookLane>();
  readonly #timers: Timers;
  /** Heard, and not durable yet; in order. */
  #untold: Omit<OwedEvent, 'number' | 'tries'>[] = [];
  /** Heard before these, whose write failed, before it wrote or after. */
  #failed: readonly OwedEvent[] = [];
  #keeping = false;
  #unkept = false;
  #closed = false;

  /** Goes on with what an earlier process kept. */
  constructor(ports: WebhookPorts & { readonly random: Random }) {
    this.#ports = ports;
    this.#timers = new Timers(ports.clock);
    for (const hook of ports.store.hooks()) this.#lanes.set(hook.id, new WebhookLane(hook, ports));
  }

  /** Whether something that was heard before this turn is not durable yet: the store could not keep it, and is asked again. */
  get isBehind(): boolean {
    return this.#unkept;
  }

  /** An event, with the id that it has in the stream. It is durable with the commit of this turn. */
  hear(id: string, timeMs: number, event: ClusterEvent): void {
    if (this.#lanes.size === 0 || this.#closed) return;
    let written: { readonly subject: string; readonly body: string } | undefined;
    for (const lane of this.#lanes.values()) {
      if (!lane.wants(event)) continue;
      const { kind, subject, facts, details } = event;
      written ??= {
        subject: subject === undefined ? '' : JSON.stringify(subject),
        body: JSON.stringify({ id, kind, time: timeMs, ...facts, ...details }),
      };
      this.#untold.push({ hook: lane.hook.id, kind, madeMs: timeMs, ...written });
    }
    if (written !== undefined && !this.#keeping) this.#keep();
  }

  /** All hooks, the oldest first. */
  list(): WebhookStanding[] {
    const all = [...this.#lanes.values()].map(({ hook, figures }) => ({ hook, figures }));
    return all.sort((one, other) => one.hook.createdMs - other.hook.createdMs || (one.hook.id < other.hook.id ? -1 : 1));
  }

  /** The newest dead letters of a hook, the newest first. */
  deadLetters(id: string): readonly DeadLetter[] {
    return this.#ports.store.deadLetters(id, mostShown);
  }

  /** Makes a hook; resolves when it is durable. All that happens from then on reaches it. */
  async create(wanted: NewWebhook): Promise<WebhookStanding> {
    const { store, clock, random } = this.#ports;
    const hook: KeptWebhook = { ...wanted, id: random.bytes(8).toString('hex'), createdMs: clock.now() };
    await store.putHook(hook);
    const lane = new WebhookLane(hook, this.#ports);
    this.#lanes.set(hook.id, lane);
    return { hook, figures: lane.figures };
  }

  /** Removes a hook and all that it is owed, once that is durable: where it cannot be, the hook goes on. */
  async remove(id: string): Promise<void> {
    const { store, logger } = this.#ports;
    await store.removeHook(id);
    this.#lanes.get(id)?.close();
    this.#lanes.delete(id);
    this.#untold = this.#untold.filter(({ hook }) => hook !== id);
    this.#failed = this.#failed.filter(({ hook }) => hook !== id);
    // What was heard meanwhile may be kept behind it.
    store
      .removeHook(id)
      .catch((error: unknown) => logger.warn({ err: error, webhook: id }, 'events of a removed webhook stay in the store'));
  }

  /** Dead letters (absent: all) are owed again; resolves to how many. @throws Failure UNAVAILABLE while nothing can be stored */
  async redeliver(id: string, deliveries: readonly number[] | undefined): Promise<number> {
    const { store, clock } = this.#ports;
    const wanted = deliveries ?? store.deadLetters(id, mostShown).map(({ number }) => number);
    if (this.#unkept) throw failure('UNAVAILABLE', { what: 'The store of what webhooks are owed' });
    const amount = await store.revive(id, wanted, clock.now());
    this.#lanes.get(id)?.revived(amount);
    return amount.events;
  }

  /** Sends nothing any more; what was heard becomes durable, and what was not taken stays for the next process. */
  close(): void {
    if (this.#untold.length > 0 && !this.#keeping) this.#keep();
    this.#closed = true;
    for (const lane of this.#lanes.values()) lane.close();
    this.#timers.close();
  }

  #keep(): void {
    const { store, logger } = this.#ports;
    this.#keeping = true;
    let rows: readonly OwedEvent[] = [];
    const take = (): readonly OwedEvent[] => {
      // What comes from here on belongs to the next commit.
      this.#keeping = false;
      const untold = this.#untold.map((event) => ({ ...event, number: store.nextNumber(), tries: 0 }));
      rows = [...this.#failed, ...untold].filter(({ hook }) => this.#lanes.has(hook));
      this.#failed = [];
      this.#untold = [];
      return rows;
    };
    store.keep(take).then(
      () => this.#isKept(rows),
      (error: unknown) => {
        if (!this.#unkept) logger.error({ err: error }, 'what webhooks are owed could not be stored; it is tried again');
        this.#unkept = true;
        this.#failed = [...rows, ...this.#failed];
        this.#keeping = !this.#closed;
        this.#timers.set('keep', keepRetryMs, () => this.#keep());
      },
    );
  }

  #isKept(rows: readonly OwedEvent[]): void {
    this.#unkept = false;
    const amounts = new Map<string, Amount>();
    for (const { hook, body } of rows) {
      const { events, characters } = amounts.get(hook) ?? { events: 0, characters: 0 };
      amounts.set(hook, { events: events + 1, characters: characters + body.length });
    }
    if (this.#closed) return;
    for (const [hook, amount] of amounts) this.#lanes.get(hook)?.kept(amount);
  }
}
