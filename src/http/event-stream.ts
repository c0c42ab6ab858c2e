// A stream of server-sent events as an answer.
import type { Clock } from '../lib/clock.ts';
import type { Answer } from './answers.ts';

/** What a stream goes by. `close`: what is let go with it, however it ends. */
export interface EventStreamOptions {
  readonly clock: Clock;
  /** The stream is cut where its reader takes nothing of a text for so long. */
  readonly longestStallMs: number;
  readonly close?: () => Promise<void>;
}

/** An answer of texts, each of whole events. */
export function eventStream(texts: AsyncIterable<string>, { clock, longestStallMs, close }: EventStreamOptions): Answer {
  const stalled = new AbortController();
  async function* body(): AsyncGenerator<string> {
    for await (const text of texts) {
      const timer = clock.setTimer(longestStallMs, () => stalled.abort());
      try {
        yield text;
      } finally {
        timer.cancel();
      }
    }
  }
  return {
    kind: 'pieces',
    status: 200,
    contentType: 'text/event-stream',
    body: body(),
    headers: { 'cache-control': 'no-cache', 'x-accel-buffering': 'no' },
    cut: stalled.signal,
    ...(close && { close }),
  };
}
