// `?wait=MS` on one thing, or on a list: the answer comes once it differs from that of `If-None-Match`, of one thing with `until=end` once it is over,
// or after that time.
import { createHash } from 'node:crypto';
import type { Changes } from '../lib/changes.ts';
import type { Clock } from '../lib/clock.ts';
import type { ListShown, Watches } from '../lib/watches.ts';
import { type Failure, failure } from '../model/errors.ts';
import { type Answer, empty, json } from './answers.ts';
import { throwAtServerEnd } from './open-calls.ts';
import { readNumber } from './query-number.ts';
import type { Call } from './route.ts';

/** Longest wait, ms. */
export const longestWaitMs = 60_000;

/** What is known of the thing now; or why there is none yet, which is answered where it does not come in time. */
export type Reading = { readonly isOver: boolean; readonly value: () => unknown } | { readonly absent: Failure };

/** The thing that is asked for. */
export interface Awaited {
  /** What `changes` calls it. */
  readonly name: string;
  readonly changes: Changes;
  readonly clock: Clock;
  /** @throws Failure what is answered at once */
  read(): Reading | Promise<Reading>;
  /** Of what `changes` does not hear all: it is looked at so often besides, ms. */
  readonly lookEveryMs?: number;
  /** Resolves when it may be looked at again; absent: at once. */
  rest?(): Promise<void>;
}

type AnyCall = Pick<Call<never>, 'headers' | 'query' | 'signal'>;

/** The answer as JSON with its ETag; 304 where the caller has it already. */
export function taggedAnswer(call: Pick<AnyCall, 'headers'>, value: unknown): Answer {
  const etag = `"${createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22)}"`;
  const has = String(call.headers['if-none-match'] ?? '')
    .split(',')
    .map((tag) => tag.trim());
  return has.includes(etag) || has.includes('*') ? empty(304, { etag }) : json(value, 200, { etag });
}

/** How long the caller waits, and for what. @throws Failure BAD_REQUEST */
function readWait(call: AnyCall): { readonly waitMs: number; readonly until: 'change' | 'end' } {
  const { query } = call;
  const waitMs = readNumber(call.query, 'wait', { usual: 0, most: longestWaitMs, unit: 'milliseconds' });
  const until = query.first('until') ?? 'change';
  if (until !== 'change' && until !== 'end') throw failure('BAD_REQUEST', { reason: 'until must be change or end' });
  return { waitMs, until };
}

/** Answers when what the caller waits for is there, and when the server is stopped. @throws Failure BAD_REQUEST, what `read` throws, and why the thing is absent */
export async function awaitedAnswer(call: AnyCall, awaited: Awaited): Promise<Answer> {
  const { waitMs, until } = readWait(call);
  const { name, changes, clock, lookEveryMs = longestWaitMs } = awaited;
  const untilMs = clock.steadyMs() + waitMs;
  for (;;) {
    const since = changes.count;
    const reading = await awaited.read();
    const leftMs = untilMs - clock.steadyMs();
    const isLast = leftMs <= 0 || call.signal.aborted || changes.closed;
    if ('absent' in reading) {
      // Who waits for a change has something that may change; who waits for the end may have come too early.
      if (isLast && waitMs > 0) throwAtServerEnd(call.signal);
      if (isLast || until === 'change') throw reading.absent;
    } else if (isLast || until === 'change' || reading.isOver) {
      const answer = taggedAnswer(call, reading.value());
      if (isLast || until === 'end' || answer.kind !== 'empty') return answer;
    }
    await changes.next(name, { since, waitMs: Math.min(leftMs, lookEveryMs), clock, signal: call.signal });
    if (!call.signal.aborted) await awaited.rest?.();
  }
}

/** A list as it is now. */
export interface ListReading<Thing> extends ListShown<Thing> {
  readonly value: unknown;
}

/** The list that is asked for. */
export interface AwaitedList<Thing> {
  readonly watches: Watches<Thing>;
  readonly clock: Clock;
  /** @throws Failure what is answered at once */
  read(): Promise<ListReading<Thing>>;
}

/** Between two looks at a list that was as before, ms. */
const lookEveryMs = 100;

/** Answers when the list is another, and when the server is stopped. @throws Failure BAD_REQUEST, OVERLOADED, and what `read` throws */
export async function awaitedList<Thing>(call: AnyCall, { watches, clock, read }: AwaitedList<Thing>): Promise<Answer> {
  const waitMs = readNumber(call.query, 'wait', { usual: 0, most: longestWaitMs, unit: 'milliseconds' });
  if (waitMs === 0) return taggedAnswer(call, (await read()).value);
  const { signal } = call;
  const untilMs = clock.steadyMs() + waitMs;
  const answer = watches.watch(async (watch) => {
    for (let restMs = 0; ; restMs = lookEveryMs) {
      watch.look();
      const reading = await read();
      const found = taggedAnswer(call, reading.value);
      const lookedMs = clock.steadyMs();
      if (found.kind !== 'empty' || lookedMs >= untilMs || signal.aborted) return found;
      watch.sees(reading);
      await watch.next({ waitMs: untilMs - lookedMs, clock, signal });
      // What wakes again and again, and is not seen in the list, costs a look now and then.
      const leftMs = lookedMs + restMs - clock.steadyMs();
      if (leftMs > 0 && !signal.aborted) await new Promise<void>((resolve) => clock.setTimer(leftMs, resolve));
    }
  });
  if (answer === undefined) throw failure('OVERLOADED', { what: 'The server, where many callers wait for lists already,', seconds: 5 });
  return answer;
}
