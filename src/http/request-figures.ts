// What a server answered since it started, and how long that took.
import { Histogram } from '../lib/histogram.ts';
import type { Sample } from './sample.ts';

const classes = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;

/** The figures of one service. */
export class RequestFigures {
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
