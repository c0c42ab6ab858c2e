// One hook: which events it wants, and how they reach it, in order, again and again, until they are taken or given up.
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { Timers } from '../../lib/timers.ts';
import type { WebhookFigures } from '../commands/webhooks.ts';
import type { Access, ViewedApplication } from '../security/access.ts';
import { type ClusterEvent, type EventFilter, eventFilter, passesEventFilter } from '../views/cluster-events.ts';
import { type Message, type Outcome, sendWebhook } from './webhook-sender.ts';
import type { Amount, KeptFailing, KeptWebhook, OwedEvent, WebhookStore } from './webhook-store.ts';
import type { WebhookTargets } from './webhook-targets.ts';

/** What hooks work with. */
export interface WebhookPorts {
  readonly store: WebhookStore;
  readonly access: Pick<Access, 'mayView' | 'isAdministrator'>;
  readonly targets: WebhookTargets;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether the cluster believes names that nobody proved: only then hooks count whose makers only named themselves. */
  readonly believesNames: boolean;
  /** Most that is kept for one hook; default: `webhookLimits`. */
  readonly limits?: Partial<WebhookLimits>;
}

/** What one hook may hold. */
export interface WebhookLimits {
  /** Events that it is owed; beyond it the oldest are given up. */
  readonly owed: Amount;
  /** Dead letters; beyond it the oldest are dropped. */
  readonly dead: Amount;
}

export const webhookLimits: WebhookLimits = {
  owed: { events: 10_000, characters: 16_000_000 },
  dead: { events: 1000, characters: 4_000_000 },
};

/** Pauses between the tries of one delivery, ms: eight tries within 47 minutes. */
export const pausesMs = [1000, 10_000, 60_000, 300_000, 600_000, 900_000, 900_000] as const;
const mostTries = pausesMs.length + 1;
/** What is older when a try fails is given up with it, ms: a receiver that is away does not hold up what happens now for days. */
const oldestMs = 3_600_000;
/** How long what was taken may stay in the store when nothing else is written. */
const forgetMs = 1000;
const batchEvents = 100;
/** What room is made when there is none, as a share of the whole. */
const roomShare = 0.1;

/** The way to one receiver. */
export class WebhookLane {
  readonly hook: KeptWebhook;
  readonly #ports: WebhookPorts;
  readonly #limits: WebhookLimits;
  readonly #filter: EventFilter;
  readonly #timers: Timers;
  readonly #closing = new AbortController();
  #busy = false;
  /** Everything up to this number was taken or given up, though its row may still be there. */
  #doneUpTo = 0;
  #forgottenUpTo = 0;
  #owed: { events: number; characters: number };
  #deadLetters: number;
  #dropped: number;
  #delivered = 0;
  #failures = 0;
  #withheld = 0;
  #failuresInARow = 0;
  #lastDeliveredMs: number | undefined;
  #failingSinceMs: number | undefined;
  #lastFailure: string | undefined;

  /** Goes on with what an earlier process kept. */
  constructor(hook: KeptWebhook, ports: WebhookPorts) {
    this.hook = hook;
    this.#ports = ports;
    this.#limits = { ...webhookLimits, ...ports.limits };
    this.#filter = eventFilter(hook);
    this.#timers = new Timers(ports.clock);
    this.#owed = { ...ports.store.owed(hook.id, 0) };
    this.#deadLetters = ports.store.deadAmount(hook.id).events;
    this.#dropped = ports.store.dropped(hook.id);
    const failing = ports.store.failing(hook.id);
    this.#failingSinceMs = failing?.sinceMs;
    this.#lastFailure = failing?.reason;
    if (this.#owed.events > 0) void this.#run();
  }

  get figures(): WebhookFigures {
    return {
      waiting: this.#owed.events,
      delivered: this.#delivered,
      failures: this.#failures,
      withheld: this.#withheld,
      deadLetters: this.#deadLetters,
      dropped: this.#dropped,
      lastDeliveredMs: this.#lastDeliveredMs,
      failingSinceMs: this.#failingSinceMs,
      lastFailure: this.#lastFailure,
    };
  }

  /** Whether the event passes the hook's filter, and its user may see it now. */
  wants(event: ClusterEvent): boolean {
    return passesEventFilter(this.#filter, event) && this.#mayKnow(event.subject);
  }

  /** Administrators know of everything, others of what they may view; who only named themselves of nothing, where names are not believed. */
  #mayKnow(subject: ViewedApplication | undefined): boolean {
    const { access, believesNames } = this.#ports;
    const { user, proved } = this.hook;
    if (!proved && !believesNames) return false;
    return subject === undefined ? access.isAdministrator(user) : access.mayView(subject, user);
  }

  /** Rows of the hook are durable. */
  kept({ events, characters }: Amount): void {
    this.#owed.events += events;
    this.#owed.characters += characters;
    if (!this.#timers.has('again') || this.#surplus > 0) void this.#run();
  }

  /** Dead letters are owed again: the receiver is tried now. */
  revived(amount: Amount): void {
    this.#deadLetters -= amount.events;
    this.#timers.cancel('again');
    this.kept(amount);
  }

  /** Sends nothing any more; what is not taken stays. */
  close(): void {
    this.#forget();
    this.#closing.abort();
    this.#timers.close();
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  // ---- what is durable is sent

  async #run(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    try {
      for (;;) {
        await this.#makeRoom();
        if (this.#isClosed || this.#timers.has('again')) return;
        const rows = this.#ports.store.next(this.hook.id, this.#doneUpTo, batchEvents);
        if (rows.length === 0) return;
        for (const row of rows) if (!(await this.#deliver(row))) return;
      }
    } catch (error) {
      this.#ports.logger.error(
        { err: error, webhook: this.hook.id },
        'what a webhook is owed cannot be read or changed; it is tried again',
      );
      this.#timers.set('again', pausesMs[1], () => void this.#run());
    } finally {
      this.#busy = false;
    }
  }

  /** Whether the next one may be sent now. */
  async #deliver(row: OwedEvent): Promise<boolean> {
    const { store, targets, clock } = this.#ports;
    const { id, url, secret } = this.hook;
    if (!this.#mayKnow(subjectOf(row))) {
      this.#withheld++;
      this.#done(row);
      return true;
    }
    const message: Message = { url, secret, kind: row.kind, delivery: `${id}-${row.number}`, body: row.body };
    const outcome = await sendWebhook(message, targets, clock, this.#closing.signal);
    if (this.#isClosed) return false;
    if (outcome.kind === 'taken') {
      this.#taken(row);
      return true;
    }
    this.#failures++;
    this.#lastFailure = outcome.reason;
    const tries = row.tries + 1;
    void store.tried(row.number, tries).catch(() => undefined);
    if (outcome.kind === 'refused') {
      await this.#bury(row.number, 0, outcome.reason);
      return true;
    }
    await this.#failed(row, tries, outcome);
    return false;
  }

  #taken(row: OwedEvent): void {
    const { clock, logger } = this.#ports;
    if (this.#failingSinceMs !== undefined) {
      logger.info({ webhook: this.hook.id }, 'a webhook takes events again');
      this.#failingSinceMs = undefined;
      this.#keepFailing(undefined);
    }
    this.#failuresInARow = 0;
    this.#delivered++;
    this.#lastDeliveredMs = clock.now();
    this.#done(row);
  }

  async #failed(row: OwedEvent, tries: number, { reason }: Exclude<Outcome, { kind: 'taken' }>): Promise<void> {
    const { clock, logger } = this.#ports;
    if (this.#failingSinceMs === undefined) {
      logger.warn({ webhook: this.hook.id, reason }, 'a webhook takes nothing; it is tried again');
      this.#failingSinceMs = clock.now();
      this.#keepFailing({ sinceMs: this.#failingSinceMs, reason });
    }
    const pauseMs = pausesMs[Math.min(this.#failuresInARow++, pausesMs.length - 1)]!;
    this.#timers.set('again', pauseMs, () => void this.#run());
    const beforeMs = clock.now() - oldestMs;
    if (tries >= mostTries || row.madeMs < beforeMs) await this.#bury(row.number, beforeMs, reason);
  }

  /** Where that is lost it begins anew with the next process. */
  #keepFailing(failing: KeptFailing | undefined): void {
    void this.#ports.store.putFailing(this.hook.id, failing).catch(() => undefined);
  }

  #done({ number, body }: OwedEvent): void {
    this.#doneUpTo = number;
    this.#owed.events--;
    this.#owed.characters -= body.length;
    if (!this.#timers.has('forget')) this.#timers.set('forget', forgetMs, () => this.#forget());
  }

  /** What was taken goes after a second, many at a time. A kill before that sends it again. */
  #forget(): void {
    const { store, logger } = this.#ports;
    if (this.#doneUpTo === this.#forgottenUpTo || this.#isClosed) return;
    this.#timers.cancel('forget');
    this.#forgottenUpTo = this.#doneUpTo;
    store.forget(this.hook.id, this.#doneUpTo).catch((error: unknown) => {
      logger.warn({ err: error, webhook: this.hook.id }, 'what a webhook took could not be forgotten; it may be sent again');
    });
  }

  /** Gives up what is owed up to a number, and all that happened before a moment. */
  async #bury(upTo: number, beforeMs: number, reason: string): Promise<void> {
    const { store, clock, logger } = this.#ports;
    const meant = { after: this.#doneUpTo, upTo, beforeMs, nowMs: clock.now(), reason };
    const { gone, dropped } = await store.bury(this.hook.id, meant, this.#limits.dead);
    this.#owed.events -= gone.events;
    this.#owed.characters -= gone.characters;
    this.#deadLetters += gone.events - dropped;
    this.#dropped += dropped;
    logger.warn({ webhook: this.hook.id, events: gone.events, dropped, reason }, 'events of a webhook are given up');
  }

  /** How much more is owed than may be, as a share of that. */
  get #surplus(): number {
    const { owed } = this.#limits;
    return Math.max(this.#owed.events / owed.events, this.#owed.characters / owed.characters) - 1;
  }

  /** Gives up the oldest where more is owed than may be. Is not called while something is being sent. */
  async #makeRoom(): Promise<void> {
    const surplus = this.#surplus;
    if (surplus <= 0 || this.#isClosed) return;
    const share = Math.min(1, (surplus + roomShare) / (surplus + 1));
    const count = Math.min(this.#owed.events, Math.max(1, Math.ceil(this.#owed.events * share)));
    const upTo = this.#ports.store.numberOf(this.hook.id, this.#doneUpTo, count - 1);
    if (upTo !== undefined) await this.#bury(upTo, 0, 'more was waiting than may');
  }
}

const subjectOf = ({ subject }: OwedEvent): ViewedApplication | undefined =>
  subject === '' ? undefined : (JSON.parse(subject) as ViewedApplication);
