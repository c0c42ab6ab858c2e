// The last events of the cluster, in memory: numbered, bounded in number and age, read from any place on. Readers that are slow or away
// cost nothing: each brings its place along, and hears where something of what it asks for is forgotten.
import type { Clock } from '../../lib/clock.ts';
import { woken } from '../../lib/woken.ts';

/** What is kept of something that happened. */
export interface KeptEvent<Event> {
  /** Grows by one from event to event; the first of a log is 1. */
  readonly number: number;
  /** When, ms since the epoch. */
  readonly timeMs: number;
  readonly event: Event;
  /** The number of the event before it with the same subject; 0: none. */
  readonly earlier: number;
}

/** What a reader gets. */
export interface EventSlice<Event> {
  readonly events: readonly KeptEvent<Event>[];
  /** The number of the last event that was looked at: where to read on. */
  readonly upTo: number;
  /** Whether events between the reader's place and the first of these are forgotten. */
  readonly missed: boolean;
}

/** How much is kept. */
export interface EventLogOptions<Event> {
  readonly clock: Clock;
  /** Whose event it is: those of one subject are found without a look at the others. */
  readonly subjectOf: (event: Event) => string | undefined;
  readonly maximumEvents: number;
  readonly maximumAgeMs: number;
}

/** A bounded log. Adding costs the same whatever is kept and whoever reads. */
export class EventLog<Event> {
  readonly #options: EventLogOptions<Event>;
  /** A ring: event number n is at n modulo the length; grows up to the maximum. */
  #ring: (KeptEvent<Event> | undefined)[];
  #first = 1;
  #last = 0;
  /** The number of each subject's last event, of those that are kept. */
  readonly #lastOf = new Map<string, number>();
  #waiting = new Set<() => void>();
  #wakes = false;

  constructor(options: EventLogOptions<Event>) {
    this.#options = options;
    this.#ring = new Array(Math.min(64, options.maximumEvents)).fill(undefined);
  }

  /** The number of the last event; 0 before the first. */
  get last(): number {
    return this.#last;
  }

  /** The number before the oldest event that is kept: whoever reads from here on gets all of them. */
  get oldest(): number {
    this.#forgetOld();
    return this.#first - 1;
  }

  /** Adds it; gives it with its number. */
  add(event: Event): KeptEvent<Event> {
    if (this.#last - this.#first + 1 === this.#ring.length) this.#makeRoom();
    const number = ++this.#last;
    const subject = this.#options.subjectOf(event);
    const earlier = subject === undefined ? 0 : (this.#lastOf.get(subject) ?? 0);
    if (subject !== undefined) this.#lastOf.set(subject, number);
    const kept = { number, timeMs: this.#options.clock.now(), event, earlier };
    this.#ring[number % this.#ring.length] = kept;
    if (this.#waiting.size > 0 && !this.#wakes) this.#wakeSoon();
    return kept;
  }

  #wakeSoon(): void {
    // All that happens in this turn is one look for each reader.
    this.#wakes = true;
    setImmediate(() => {
      this.#wakes = false;
      const woken = this.#waiting;
      this.#waiting = new Set();
      for (const wake of woken) wake();
    });
  }

  /** At most `most` events after a number. */
  read(after: number, most: number): EventSlice<Event> {
    this.#forgetOld();
    const from = Math.max(after + 1, this.#first);
    const to = Math.min(this.#last, from + most - 1);
    const events: KeptEvent<Event>[] = [];
    for (let number = from; number <= to; number++) events.push(this.#ring[number % this.#ring.length]!);
    return { events, upTo: Math.max(to, Math.min(after, this.#last), this.#first - 1), missed: after + 1 < this.#first };
  }

  /** The events of one subject, the newest first. Costs what it returns. */
  of(subject: string): readonly KeptEvent<Event>[] {
    this.#forgetOld();
    const events: KeptEvent<Event>[] = [];
    for (let number = this.#lastOf.get(subject) ?? 0; number >= this.#first; number = events.at(-1)!.earlier)
      events.push(this.#ring[number % this.#ring.length]!);
    return events;
  }

  /** Resolves when there are events after a number, after `waitMs`, or when the signal fires. */
  async beyond(after: number, waitMs: number, signal: AbortSignal): Promise<void> {
    if (this.#last > after) return;
    await woken({ waitMs, clock: this.#options.clock, signal }, (wake) => {
      this.#waiting.add(wake);
      return () => this.#waiting.delete(wake);
    });
  }

  #makeRoom(): void {
    const { maximumEvents } = this.#options;
    if (this.#ring.length >= maximumEvents) {
      this.#forgetFirst();
      return;
    }
    const larger = new Array<KeptEvent<Event> | undefined>(Math.min(maximumEvents, this.#ring.length * 2)).fill(undefined);
    for (let number = this.#first; number <= this.#last; number++) larger[number % larger.length] = this.#ring[number % this.#ring.length];
    this.#ring = larger;
  }

  #forgetOld(): void {
    const keptFromMs = this.#options.clock.now() - this.#options.maximumAgeMs;
    while (this.#first <= this.#last && this.#ring[this.#first % this.#ring.length]!.timeMs < keptFromMs) this.#forgetFirst();
  }

  #forgetFirst(): void {
    const subject = this.#options.subjectOf(this.#ring[this.#first % this.#ring.length]!.event);
    if (subject !== undefined && this.#lastOf.get(subject) === this.#first) this.#lastOf.delete(subject);
    this.#ring[this.#first % this.#ring.length] = undefined;
    this.#first++;
  }
}
