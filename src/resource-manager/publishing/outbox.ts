// What is owed to a server that may be away, kept in a store until the server took it, over restarts too. In order, in batches, repeated until
// taken (docs/protocol.md, P12), bounded in size and age. The sender never waits; what is told within one turn of the event loop is one write, in that turn's commit.
import type { Delivery } from '../../client/delivery-queue.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { Timers } from '../../lib/timers.ts';

/** Messages that are kept together: `texts` is JSON, joined by commas. */
export interface KeptMessages {
  /** Grows from one to the next. What is kept again under its number is kept once. */
  readonly number: number;
  /** How many they are. */
  readonly messages: number;
  readonly texts: string;
}

/** How much is kept; characters are those of the texts. */
export interface KeptAmount {
  readonly messages: number;
  readonly characters: number;
}

/** Where messages are kept. Reads are immediate and see what is durable; writes resolve when durable. */
export interface OutboxStore {
  /** A number beyond all that were given before. */
  nextNumber(): number;
  /** Keeps what `take` gives when the turn is committed, in one transaction with everything else that is written in this turn. */
  keep(receiver: string, keptMs: number, take: () => readonly KeptMessages[]): Promise<void>;
  /** The earliest after a number, as far as both limits reach, at least one. */
  next(receiver: string, after: number, messages: number, characters: number): KeptMessages[];
  /** Forgets everything of a receiver up to a number; `givenUp` of the messages were not taken. */
  forget(receiver: string, upTo: number, givenUp: number): Promise<void>;
  /** Sets a row aside whose texts cannot be read, and names it in the log. */
  setAside(number: number): void;
  /** Everything that is kept, or what of it was kept before a moment, with the last number of that. */
  kept(receiver: string, beforeMs?: number): KeptAmount & { readonly number: number };
  /** Messages given up, in this process and before. */
  givenUp(receiver: string): number;
}

export interface OutboxOptions {
  /** Name of the receiver: in the store, in log lines, in metrics. */
  readonly receiver: string;
  readonly store: OutboxStore;
  /** Sends texts of messages (JSON, joined by commas). A thrown error means: send again. Is not called twice at once. */
  readonly send: (texts: string) => Promise<Delivery>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Most characters kept; the oldest are given up. */
  readonly maximumCharacters: number;
  /** What is older is given up, ms. */
  readonly maximumAgeMs: number;
  /** Most messages and characters of a batch; default 500 and 4,000,000. */
  readonly batchMessages?: number;
  readonly batchCharacters?: number;
  /** How long what is durable waits for what follows it, ms: what happens to one application within that is one request. Default 0. */
  readonly lingerMs?: number;
  /** First and longest pause before a repetition, ms; default 250 and 15,000. */
  readonly firstPauseMs?: number;
  readonly longestPauseMs?: number;
}

const preset = { batchMessages: 500, batchCharacters: 4_000_000, lingerMs: 0, firstPauseMs: 250, longestPauseMs: 15_000 };
/** How soon what could not be stored is stored again. */
const keepRetryMs = 1000;
/** How long what was taken may stay in the store when nothing else is written. */
const forgetMs = 1000;
/** How often what is too old is looked for. */
const ageCheckMs = 600_000;
/** From when on a receiver that takes nothing is worth a line in the log. */
const silenceMs = 10_000;
/** What room is made when there is none, as a share of the whole. */
const roomShare = 0.1;

/** A durable, ordered, bounded queue in front of a server. */
export class Outbox<Message> {
  readonly #options: Required<OutboxOptions>;
  readonly #timers: Timers;
  /** Told, and not durable yet; in order. */
  #untold: string[] = [];
  /** Told before these, and not known to be durable: their write failed, before it wrote or after. */
  #failed: readonly KeptMessages[] = [];
  #keeping = false;
  #unkept = false;
  /** Everything up to this number was taken or given up, though its row may still be there. */
  #doneUpTo = 0;
  #forgottenUpTo = 0;
  /** Given up, and not counted in the store yet. */
  #uncountedGivenUp = 0;
  #kept: { messages: number; characters: number };
  #busy = false;
  #closed = false;
  /** Whether something that was told is to be sent without waiting for what follows. */
  #urgent = false;
  #pauseMs = 0;
  #silent: { readonly sinceMs: number; said: boolean } | undefined;
  #givenUp: number;
  #idleWaiters: (() => void)[] = [];

  /** Goes on with what an earlier process kept. */
  constructor(options: OutboxOptions) {
    this.#options = { ...preset, ...options };
    this.#timers = new Timers(options.clock);
    const { messages, characters } = options.store.kept(options.receiver);
    this.#kept = { messages, characters };
    this.#givenUp = options.store.givenUp(options.receiver);
    this.#checkAge();
    if (messages > 0) void this.#run();
  }

  /** Name of the receiver. */
  get receiver(): string {
    return this.#options.receiver;
  }

  /** Messages that were not taken yet. */
  get size(): number {
    return this.#kept.messages + this.#untold.length + amountOf(this.#failed).messages;
  }

  /** Whether something that was told before this turn is not durable yet: the store could not keep it, and is asked again. */
  get isBehind(): boolean {
    return this.#unkept;
  }

  /** Messages given up, over restarts: refused, too old, or pushed out by newer ones. */
  get givenUp(): number {
    return this.#givenUp;
  }

  /**
   * Adds messages behind the others; returns at once. They are durable with the commit of this turn. `urgency` 'now': they, and what is before them,
   * are sent as soon as they are durable, and wait for nothing that follows.
   */
  push(messages: readonly Message[], urgency: 'now' | 'soon' = 'soon'): void {
    if (this.#closed) return;
    if (urgency === 'now') this.#urgent = true;
    for (const message of messages) this.#untold.push(JSON.stringify(message));
    if (this.#untold.length > 0 && !this.#keeping) this.#keep();
  }

  /** Resolves when nothing is left to send (or the outbox was closed). */
  idle(): Promise<void> {
    if (this.#closed || (this.size === 0 && !this.#busy)) return Promise.resolve();
    return new Promise((done) => this.#idleWaiters.push(done));
  }

  /** Gives a receiver that takes what it is sent up to `withinMs` to take the rest. What it did not take stays for the next process. */
  async close(withinMs = 2_000): Promise<void> {
    if (this.#closed) return;
    if (this.#silent === undefined && this.size > 0) {
      this.#urgent = true;
      this.#sendSoon();
      let limit: NodeJS.Timeout | undefined;
      const late = new Promise<void>((done) => {
        limit = setTimeout(done, withinMs);
      });
      await Promise.race([this.idle(), late]);
      clearTimeout(limit);
    }
    if ((this.#untold.length > 0 || this.#failed.length > 0) && !this.#keeping) this.#keep();
    this.#forgetDone();
    this.#closed = true;
    this.#timers.close();
    this.#wake();
  }

  // ---- what is told becomes durable

  #keep(): void {
    const { store, receiver, clock, logger } = this.#options;
    this.#keeping = true;
    this.#timers.cancel('keep');
    let rows: readonly KeptMessages[] = [];
    const take = (): readonly KeptMessages[] => {
      const untold = this.#untold;
      this.#untold = [];
      // What comes from here on belongs to the next commit.
      this.#keeping = false;
      rows = [...this.#notTakenYet(), ...this.#rowsOf(untold)];
      return rows;
    };
    this.#forgetDone();
    store.keep(receiver, clock.now(), take).then(
      () => this.#isKept(rows),
      (error: unknown) => {
        // A disk that stays full is told of once.
        if (!this.#unkept) logger.error({ err: error, to: receiver }, 'what is owed could not be stored; it is tried again');
        this.#unkept = true;
        this.#failed = [...rows, ...this.#failed];
        this.#keeping = !this.#closed;
        this.#timers.set('keep', keepRetryMs, () => this.#keep());
      },
    );
  }

  /** What is to be written again: all whose write failed, but for what was written all the same and taken since. */
  #notTakenYet(): readonly KeptMessages[] {
    const isDone = ({ number }: KeptMessages) => number <= this.#doneUpTo;
    // It was counted as gone, and never as kept.
    this.#count(amountOf(this.#failed.filter(isDone)), 1);
    const left = this.#failed.filter((row) => !isDone(row));
    this.#failed = [];
    return left;
  }

  /** Texts in rows of at most one batch each. */
  #rowsOf(texts: readonly string[]): KeptMessages[] {
    const { batchMessages, batchCharacters, store } = this.#options;
    const rows: KeptMessages[] = [];
    let row: string[] = [];
    let characters = 0;
    const end = (): void => {
      if (row.length > 0) rows.push({ number: store.nextNumber(), messages: row.length, texts: row.join(',') });
      row = [];
      characters = 0;
    };
    for (const text of texts) {
      if (row.length === batchMessages || (row.length > 0 && characters + text.length > batchCharacters)) end();
      row.push(text);
      characters += text.length;
    }
    end();
    return rows;
  }

  #isKept(rows: readonly KeptMessages[]): void {
    this.#unkept = false;
    this.#count(amountOf(rows), 1);
    const surplus = this.#kept.characters - this.#options.maximumCharacters;
    if (surplus > 0 && !this.#busy) this.#makeRoom(surplus);
    this.#sendSoon();
  }

  #sendSoon(): void {
    if (this.#busy || this.#timers.has('again')) return;
    const { lingerMs } = this.#options;
    if (lingerMs > 0 && !this.#urgent) {
      if (!this.#timers.has('linger')) this.#timers.set('linger', lingerMs, () => void this.#run());
      return;
    }
    this.#timers.cancel('linger');
    void this.#run();
  }

  #count({ messages, characters }: KeptAmount, sign: 1 | -1): void {
    this.#kept.messages += sign * messages;
    this.#kept.characters += sign * characters;
  }

  // ---- what is durable is sent

  async #run(): Promise<void> {
    const { store, receiver, batchMessages, batchCharacters } = this.#options;
    this.#busy = true;
    while (!this.#closed) {
      const rows = store.next(receiver, this.#doneUpTo, batchMessages, batchCharacters);
      if (rows.length === 0) {
        this.#giveUpLost();
        break;
      }
      const refused = await this.#deliver(rows);
      if (this.#closed) break;
      if (refused === undefined) {
        this.#busy = false;
        this.#checkBounds();
        return;
      }
      this.#forget(rows, refused);
    }
    this.#busy = false;
    if (this.size > 0) return;
    this.#urgent = false;
    this.#wake();
  }

  /** How many messages were refused for good; undefined: the receiver took nothing, and is asked again after a pause. */
  async #deliver(rows: readonly KeptMessages[]): Promise<number | undefined> {
    const delivery = await this.#send(rows.map(({ texts }) => texts).join(','));
    if (delivery.kind === 'taken') return delivery.refused ?? 0;
    if (delivery.kind === 'again') return undefined;
    const read = new Map(rows.map((row) => [row, messagesOf(row.texts)]));
    const messages = [...read.values()].flatMap((some) => some ?? []);
    let refused = this.#refuseUnreadable(rows.filter((row) => read.get(row) === undefined));
    if (messages.length === 1 && refused === 0) return this.#refuse(delivery.reason);
    // One of them may be why the others were refused.
    for (const message of messages) {
      const single = await this.#send(JSON.stringify(message));
      if (single.kind === 'again' || this.#closed) return undefined;
      refused += single.kind === 'refused' ? this.#refuse(single.reason) : (single.refused ?? 0);
    }
    return refused;
  }

  /** What the store's damage left of a row is no message any more. */
  #refuseUnreadable(rows: readonly KeptMessages[]): number {
    const { messages } = amountOf(rows);
    for (const { number } of rows) this.#options.store.setAside(number);
    this.#sayGivenUp(messages, 'what was kept of them cannot be read');
    return messages;
  }

  #refuse(reason: string): number {
    this.#options.logger.warn({ to: this.receiver, reason }, 'a message was refused and is given up');
    return 1;
  }

  async #send(texts: string): Promise<Delivery> {
    const { send, logger, firstPauseMs, longestPauseMs } = this.#options;
    let delivery: Delivery;
    let reason: string | undefined;
    try {
      delivery = await send(texts);
    } catch (error) {
      reason = (error as Error).message;
      delivery = { kind: 'again' };
    }
    if (this.#closed) return delivery;
    if (delivery.kind !== 'again') {
      if (this.#silent?.said) logger.info({ to: this.receiver, kept: this.size }, 'what is owed is taken again');
      this.#silent = undefined;
      this.#pauseMs = 0;
      return delivery;
    }
    this.#stillSilent(reason ?? delivery.reason);
    this.#pauseMs = Math.min(this.#pauseMs === 0 ? firstPauseMs : this.#pauseMs * 2, longestPauseMs);
    this.#timers.set('again', Math.max(this.#pauseMs, delivery.afterMs ?? 0), () => void this.#run());
    return delivery;
  }

  #stillSilent(reason: string | undefined): void {
    const { clock, logger } = this.#options;
    this.#silent ??= { sinceMs: clock.steadyMs(), said: false };
    if (this.#silent.said || clock.steadyMs() - this.#silent.sinceMs < silenceMs) return;
    this.#silent.said = true;
    logger.warn({ to: this.receiver, kept: this.size, reason }, 'what is owed is not taken; it is kept and told when it can be');
  }

  // ---- what is done with

  #forget(rows: readonly KeptMessages[], refused: number): void {
    const last = rows.at(-1);
    if (!last) return;
    this.#count(amountOf(rows), -1);
    this.#done(last.number, refused);
  }

  /** Nothing is left in the store: what should be was lost with its rows, as where one could not be read and was set aside. */
  #giveUpLost(): void {
    const { messages } = this.#kept;
    // What was sent before it is known to be durable is counted as gone first.
    if (messages <= 0) return;
    this.#kept = { messages: 0, characters: 0 };
    this.#done(this.#doneUpTo, messages);
    this.#sayGivenUp(messages, 'their rows are gone from the store');
  }

  #done(upTo: number, givenUp: number): void {
    this.#doneUpTo = upTo;
    this.#givenUp += givenUp;
    this.#uncountedGivenUp += givenUp;
    if (givenUp > 0) this.#forgetDone();
    else if (!this.#timers.has('forget')) this.#timers.set('forget', forgetMs, () => this.#forgetDone());
  }

  /** What was taken goes with a commit that is made anyhow, or after a second; what is given up at once. A kill before that, or a failure, sends what was taken again: that does no harm. */
  #forgetDone(): void {
    const { store, receiver, logger } = this.#options;
    if (this.#doneUpTo === this.#forgottenUpTo && this.#uncountedGivenUp === 0) return;
    this.#timers.cancel('forget');
    this.#forgottenUpTo = this.#doneUpTo;
    store.forget(receiver, this.#doneUpTo, this.#uncountedGivenUp).catch((error: unknown) => {
      if (!this.#closed) logger.warn({ err: error, to: receiver }, 'what was taken could not be forgotten');
    });
    this.#uncountedGivenUp = 0;
  }

  #checkBounds(): void {
    const surplus = this.#kept.characters - this.#options.maximumCharacters;
    if (surplus > 0) this.#makeRoom(surplus);
    if (!this.#timers.has('age')) this.#checkAge();
  }

  /** Gives up the oldest. Is not called while something is being sent. */
  #makeRoom(surplus: number): void {
    const { store, receiver, batchMessages, batchCharacters, maximumCharacters } = this.#options;
    let left = surplus + maximumCharacters * roomShare;
    let messages = 0;
    while (left > 0) {
      const rows = store.next(receiver, this.#doneUpTo, batchMessages, Math.min(batchCharacters, left));
      if (rows.length === 0) break;
      const amount = amountOf(rows);
      left -= amount.characters;
      messages += amount.messages;
      this.#forget(rows, amount.messages);
    }
    this.#sayGivenUp(messages, 'more is kept than heddle.timeline.outbox.maximum-size allows');
  }

  #checkAge(): void {
    const { store, receiver, clock, maximumAgeMs } = this.#options;
    if (this.#kept.messages === 0) return;
    this.#timers.set('age', ageCheckMs, () => {
      if (!this.#busy) this.#checkAge();
    });
    const old = store.kept(receiver, clock.now() - maximumAgeMs);
    if (old.messages === 0 || old.number <= this.#doneUpTo) return;
    this.#count(old, -1);
    this.#done(old.number, old.messages);
    this.#sayGivenUp(old.messages, 'it is older than heddle.timeline.outbox.maximum-age');
  }

  #sayGivenUp(count: number, reason: string): void {
    if (count > 0) this.#options.logger.warn({ to: this.receiver, count, reason }, 'messages given up');
  }

  #wake(): void {
    for (const done of this.#idleWaiters.splice(0)) done();
  }
}

/** Undefined where a text is no JSON. */
function messagesOf(texts: string): unknown[] | undefined {
  try {
    return JSON.parse(`[${texts}]`) as unknown[];
  } catch {
    return undefined;
  }
}

const amountOf = (rows: readonly KeptMessages[]): KeptAmount => ({
  messages: rows.reduce((sum, { messages }) => sum + messages, 0),
  characters: rows.reduce((sum, { texts }) => sum + texts.length, 0),
});
