// What a server answered since it started, and how long that took.
import { Histogram } from '../lib/histogram.ts';
import { SocketBytes } from '../lib/socket-bytes.ts';
import type { Sample } from './sample.ts';

const classes = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;

/** How long requests took, of all that a service knows the path of. */
export interface RequestDurations {
  readonly totalMs: number;
  readonly longestMs: number;
  readonly meanMs: number;
  readonly deviationMs: number;
}

/** The figures of one service. */
export class RequestFigures {
  /** 0 until it listens. */
  port = 0;
  /** Requests under way, and how many there ever were at once. */
  active = 0;
  mostActive = 0;
  /** What its connections received and sent, heads and WebSockets included. */
  readonly bytes = new SocketBytes();
  readonly #sinceMs = performance.now();
  #ended = 0;
  #totalMs = 0;
  #squaredMs = 0;
  #longestMs = 0;
  readonly times = new Histogram(
    'heddle_http_request_seconds',
    'From a request until its answer is made; without what waits by its nature.',
  );
  readonly #answers = [0, 0, 0, 0, 0];

  /** An answer leaves. */
  answered(status: number): void {
    const index = Math.trunc(status / 100) - 1;
    if (index in this.#answers) this.#answers[index]!++;
  }

  /** A request is looked at; `ended` follows. */
  begun(): void {
    this.active++;
    if (this.active > this.mostActive) this.mostActive = this.active;
  }

  /** Its answer is made. `waits`: it waited for what was still to happen. */
  ended(tookMs: number, waits: boolean): void {
    this.active--;
    this.#ended++;
    this.#totalMs += tookMs;
    this.#squaredMs += tookMs * tookMs;
    if (tookMs > this.#longestMs) this.#longestMs = tookMs;
    if (!waits) this.times.add(tookMs);
  }

  /** Answers with a status of the hundred: `answersOf(4)`. */
  answersOf(hundred: 1 | 2 | 3 | 4 | 5): number {
    return this.#answers[hundred - 1]!;
  }

  /** Since when it counts. */
  get countedMs(): number {
    return performance.now() - this.#sinceMs;
  }

  get durations(): RequestDurations {
    const count = this.#ended || 1;
    const meanMs = this.#totalMs / count;
    const deviationMs = Math.sqrt(Math.max(0, this.#squaredMs / count - meanMs * meanMs));
    return { totalMs: this.#totalMs, longestMs: this.#longestMs, meanMs, deviationMs };
  }

  samples(): Sample[] {
    return classes.slice(1).map((status, index) => ({
      name: 'heddle_http_answers_total',
      help: 'Answers by their status.',
      value: this.#answers[index + 1]!,
      labels: { status },
    }));
  }
}

/** Whether a request asks to wait for something that is still to happen: how long that takes says nothing of the server. */
export const waitsByNature = (query: string): boolean => query !== '' && /(?:^|&)(?:wait|follow)=/.test(query);
