// Messages on their way to a server that may be slow or away: kept in order, sent in batches, repeated until taken, bounded in number.
// What does not fit is dropped oldest first and counted, so that a sender never waits and never grows.

import type { Clock, Timer } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import { pause } from '../lib/pause.ts';

/**
 * What became of a batch: taken (but for `refused` of its messages; `denied`: some because of who sent them), refused for good, or to be sent
 * again after a pause.
 */
export type Delivery =
  | { kind: 'taken'; refused?: number; denied?: boolean }
  /** `status` of the answer. */
  | { kind: 'refused'; status: number; reason: string }
  | { kind: 'again'; afterMs?: number; reason?: string };

export interface DeliveryQueueOptions<Message> {
  /** Name of the receiver in log lines. */
  readonly name: string;
  /** Sends a batch; a thrown error means: send again. Must not be called twice at once, and is not. */
  readonly send: (batch: readonly Message[]) => Promise<Delivery>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Most messages kept; default 50,000. */
  readonly maximumKept?: number;
  /** Most messages in a batch; default 500. */
  readonly batchSize?: number;
  /** First and longest pause before a repetition, ms; default 250 and 15,000. */
  readonly firstPauseMs?: number;
  readonly longestPauseMs?: number;
}

/** How often it is told that messages were given up. */
const toldAgainMs = 60_000;

/** An ordered, bounded queue in front of a server. */
export class DeliveryQueue<Message> {
  readonly #options: Required<DeliveryQueueOptions<Message>>;
  #kept: Message[] = [];
  #sending = 0;
  #busy = false;
  #closed = false;
  #pauseMs = 0;
  #timer: Timer | undefined;
  #dropped = 0;
  /** Given up since it was told last, and when that was. */
  #untold = 0;
  #toldMs = Number.NEGATIVE_INFINITY;
  #idleWaiters: (() => void)[] = [];

  constructor(options: DeliveryQueueOptions<Message>) {
    this.#options = { maximumKept: 50_000, batchSize: 500, firstPauseMs: 250, longestPauseMs: 15_000, ...options };
  }

  /** Messages kept, those being sent included. */
  get size(): number {
    return this.#kept.length;
  }

  /** Messages given up since the start: refused, or pushed out by newer ones. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Adds messages behind the others; returns at once. */
  push(messages: readonly Message[]): void {
    if (this.#closed || messages.length === 0) return;
    for (const message of messages) this.#kept.push(message);
    const surplus = this.#kept.length - this.#options.maximumKept;
    if (surplus > 0) {
      this.#kept.splice(this.#sending, surplus);
      this.#drop(surplus, 'the queue is full');
    }
    if (!this.#busy && !this.#timer) void this.#run();
  }

  /** Resolves when nothing is left to send (or the queue was closed). */
  idle(): Promise<void> {
    if (this.#kept.length === 0 || this.#closed) return Promise.resolve();
    return new Promise((done) => this.#idleWaiters.push(done));
  }

  /** Gives what is left up to `withinMs` to be sent, then forgets it. */
  async close(withinMs = 2_000): Promise<void> {
    if (this.#closed) return;
    if (this.#kept.length > 0) {
      await new Promise<void>((done) => {
        const timer = setTimeout(done, withinMs);
        void this.idle().then(() => {
          clearTimeout(timer);
          done();
        });
      });
    }
    this.#closed = true;
    this.#timer?.cancel();
    if (this.#kept.length > 0) this.#drop(this.#kept.length, 'closed before it was sent');
    this.#kept = [];
    this.#wake();
  }

  async #run(): Promise<void> {
    this.#busy = true;
    // The batch leaves in the next turn, so that what one turn pushes travels together.
    await pause();
    while (this.#kept.length > 0 && !this.#closed) {
      const batch = this.#kept.slice(0, this.#options.batchSize);
      this.#sending = batch.length;
      let delivery: Delivery;
      try {
        delivery = await this.#options.send(batch);
      } catch (error) {
        this.#options.logger.debug({ to: this.#options.name, reason: (error as Error).message }, 'delivery failed, will be repeated');
        delivery = { kind: 'again' };
      }
      this.#sending = 0;
      if (this.#closed) break;
      if (delivery.kind === 'again') {
        this.#pauseMs = Math.min(this.#pauseMs === 0 ? this.#options.firstPauseMs : this.#pauseMs * 2, this.#options.longestPauseMs);
        this.#timer = this.#options.clock.setTimer(Math.max(this.#pauseMs, delivery.afterMs ?? 0), () => {
          this.#timer = undefined;
          void this.#run();
        });
        break;
      }
      this.#pauseMs = 0;
      this.#kept.splice(0, batch.length);
      if (delivery.kind === 'refused') this.#drop(batch.length, delivery.reason);
    }
    this.#busy = false;
    if (this.#kept.length === 0) this.#wake();
  }

  #drop(count: number, reason: string): void {
    this.#dropped += count;
    this.#untold += count;
    // A receiver that takes nothing would otherwise be told of with each batch.
    const nowMs = this.#options.clock.steadyMs();
    if (nowMs - this.#toldMs < toldAgainMs && !this.#closed) return;
    this.#options.logger.warn({ to: this.#options.name, count: this.#untold, reason }, 'messages given up');
    [this.#untold, this.#toldMs] = [0, nowMs];
  }

  #wake(): void {
    for (const done of this.#idleWaiters.splice(0)) done();
  }
}
