// What a finished job is judged by: sums of its tasks and attempts, and which attempts were quick or slow (HistoryViewer of Hadoop 3.4).
import type { PlainTask } from '../wire/batch/own-answers.ts';

type Attempt = PlainTask['attempts'][number];
type Kind = PlainTask['kind'];

/** Tasks or attempts of a kind. Times in epoch milliseconds, undefined where nothing began or ended. */
export interface Summary {
  readonly kind: Kind;
  readonly of: 'tasks' | 'attempts';
  readonly total: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly killed: number;
  readonly started: number | undefined;
  readonly finished: number | undefined;
}

/** An attempt and how long it took. */
export interface Timed {
  readonly id: string;
  readonly node: string | undefined;
  readonly tookMs: number;
}

/** What attempts that succeeded took for a phase: `map` the whole map, `shuffle` from a reduce's start to its last copy, `reduce` the rest. */
export interface PhaseAnalysis {
  readonly phase: 'map' | 'shuffle' | 'reduce';
  readonly count: number;
  readonly averageMs: number;
  readonly fastest: Timed;
  /** The ten that took longest, the longest first. */
  readonly slowest: readonly Timed[];
  /** Who came to the end of the phase last, and when (epoch milliseconds). */
  readonly last: { readonly id: string; readonly finished: number };
}

/** An attempt that did not succeed. */
export interface LostAttempt {
  readonly id: string;
  readonly state: string;
  readonly node: string | undefined;
  readonly startTime: number | undefined;
  readonly finishTime: number | undefined;
  readonly diagnostics: string;
}

const shownSlowest = 10;
const kinds: readonly Kind[] = ['MAP', 'REDUCE'];

/** Sums of tasks and attempts; `totals` are the numbers of tasks that the job has, which some of them may never have begun. */
export function summarize(tasks: readonly PlainTask[], totals: Readonly<Record<Kind, number>>): Summary[] {
  return kinds.flatMap((kind) => {
    const own = tasks.filter((task) => task.kind === kind);
    return [
      summary(kind, 'tasks', own, totals[kind]),
      summary(
        kind,
        'attempts',
        own.flatMap(({ attempts }) => attempts),
        0,
      ),
    ];
  });
}

type Lived = Pick<Attempt, 'state' | 'startTime' | 'finishTime'>;

function summary(kind: Kind, of: Summary['of'], lived: readonly Lived[], atLeast: number): Summary {
  const inState = (wanted: string) => lived.filter(({ state }) => state === wanted).length;
  const times = (name: 'startTime' | 'finishTime') => lived.flatMap((one) => one[name] ?? []);
  const extreme = (numbers: readonly number[], choose: (a: number, b: number) => number) =>
    numbers.length === 0 ? undefined : numbers.reduce(choose);
  return {
    kind,
    of,
    total: Math.max(atLeast, lived.length),
    succeeded: inState('SUCCEEDED'),
    failed: inState('FAILED'),
    killed: inState('KILLED'),
    started: extreme(times('startTime'), (a, b) => Math.min(a, b)),
    finished: extreme(times('finishTime'), (a, b) => Math.max(a, b)),
  };
}

const spans: readonly {
  readonly phase: PhaseAnalysis['phase'];
  readonly kind: Kind;
  readonly from: (attempt: Attempt) => number | undefined;
  readonly to: (attempt: Attempt) => number | undefined;
}[] = [
  { phase: 'map', kind: 'MAP', from: ({ startTime }) => startTime, to: ({ finishTime }) => finishTime },
  { phase: 'shuffle', kind: 'REDUCE', from: ({ startTime }) => startTime, to: ({ shuffleFinishTime }) => shuffleFinishTime },
  { phase: 'reduce', kind: 'REDUCE', from: ({ shuffleFinishTime }) => shuffleFinishTime, to: ({ finishTime }) => finishTime },
];

/** The phases in which an attempt succeeded. */
export function analyze(tasks: readonly PlainTask[]): PhaseAnalysis[] {
  return spans.flatMap(({ phase, kind, from, to }) => {
    const timed: (Timed & { readonly finished: number })[] = [];
    for (const task of tasks) {
      if (task.kind !== kind) continue;
      for (const attempt of task.attempts) {
        const [begun, finished] = [from(attempt), to(attempt)];
        if (attempt.state === 'SUCCEEDED' && begun !== undefined && finished !== undefined)
          timed.push({ id: attempt.id, node: attempt.node, tookMs: Math.max(0, finished - begun), finished });
      }
    }
    if (timed.length === 0) return [];
    const plain = ({ id, node, tookMs }: Timed): Timed => ({ id, node, tookMs });
    const slowest = timed.toSorted((a, b) => b.tookMs - a.tookMs);
    const last = timed.reduce((latest, one) => (one.finished > latest.finished ? one : latest));
    return [
      {
        phase,
        count: timed.length,
        averageMs: timed.reduce((sum, { tookMs }) => sum + tookMs, 0) / timed.length,
        fastest: plain(slowest.at(-1)!),
        slowest: slowest.slice(0, shownSlowest).map(plain),
        last: { id: last.id, finished: last.finished },
      },
    ];
  });
}

/** Attempts that failed or were killed, failed ones first. */
export function lostAttempts(tasks: readonly PlainTask[]): LostAttempt[] {
  const lost = tasks.flatMap(({ attempts }) => attempts).filter(({ state }) => state === 'FAILED' || state === 'KILLED');
  return lost
    .toSorted((a, b) => (a.state < b.state ? -1 : a.state > b.state ? 1 : 0))
    .map(({ id, state, node, startTime, finishTime, diagnostics = '' }) => ({ id, state, node, startTime, finishTime, diagnostics }));
}
