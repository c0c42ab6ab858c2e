// What one way of asking a server costs beside another: the processor time of the thread that answers, in short slices in turn.
import { readFileSync } from 'node:fs';
import { KeptConnections } from './kept-connections.ts';
import { median } from './load.ts';
import { type Measure, percentile } from './measure.ts';

/** A way of asking. */
export interface Way {
  readonly name: string;
  readonly url: string;
  /** The process that answers, by its main thread. */
  readonly pid: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Ways whose cost is told, and the one beside which it is. */
export interface Comparison {
  readonly plain: Way;
  readonly others: readonly Way[];
}

/** Requests of a slice: short beside what changes on a machine, long beside a switch of threads. */
const sliceRequests = 300;
const rounds = 250;
const warmRequests = 20_000;

/** What the main thread of a process has had of a processor, in nanoseconds as the scheduler of Linux counts them. */
const threadNanoseconds = (pid: number): number => Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ')[0]);

/** What requests took, each. */
interface Taken {
  readonly threadMicroseconds: number;
  readonly elapsedMicroseconds: number;
}

interface Asker {
  readonly way: Way;
  readonly connections: KeptConnections;
}

async function slice({ way, connections }: Asker): Promise<Taken> {
  const [before, begin] = [threadNanoseconds(way.pid), performance.now()];
  await connections.ask(sliceRequests);
  const elapsedMs = performance.now() - begin;
  return {
    threadMicroseconds: (threadNanoseconds(way.pid) - before) / sliceRequests / 1000,
    elapsedMicroseconds: (elapsedMs * 1000) / sliceRequests,
  };
}

const meanOf = (first: Taken, second: Taken): Taken => ({
  threadMicroseconds: (first.threadMicroseconds + second.threadMicroseconds) / 2,
  elapsedMicroseconds: (first.elapsedMicroseconds + second.elapsedMicroseconds) / 2,
});

/**
 * Each round asks by the two ways in turn, twice each, so that what else the machine does falls on both, and every slice comes after one of the other way; the next round begins with the other. A
 * cost is the middle of the rounds' own comparisons; its spread: half of them lie between.
 */
export async function compareWays(comparisons: readonly Comparison[]): Promise<Measure[]> {
  await using stack = new AsyncDisposableStack();
  const open = async (way: Way): Promise<Asker> => {
    const asker = { way, connections: stack.use(await KeptConnections.open(way.url, way.headers)) };
    await asker.connections.ask(warmRequests);
    return asker;
  };
  const pairs: { readonly plain: Asker; readonly other: Asker; readonly seen: { plain: Taken; other: Taken }[] }[] = [];
  for (const { plain, others } of comparisons) {
    const beside = await open(plain);
    for (const other of others) pairs.push({ plain: beside, other: await open(other), seen: [] });
  }
  for (let round = 0; round < rounds; round++)
    for (const { plain, other, seen } of pairs) {
      const [first, second] = round % 2 === 0 ? [plain, other] : [other, plain];
      const slices = [await slice(first), await slice(second), await slice(first), await slice(second)] as const;
      const [ofFirst, ofSecond] = [meanOf(slices[0], slices[2]), meanOf(slices[1], slices[3])];
      seen.push(round % 2 === 0 ? { plain: ofFirst, other: ofSecond } : { plain: ofSecond, other: ofFirst });
    }
  return pairs.flatMap(({ plain, other, seen }) => measuresOf(plain.way.name, other.way.name, seen));
}

function measuresOf(plain: string, other: string, seen: readonly { readonly plain: Taken; readonly other: Taken }[]): Measure[] {
  const measure = (name: string, unit: string, values: readonly number[]): Measure => ({
    name,
    value: median(values),
    unit,
    spread: [percentile(values, 0.25), percentile(values, 0.75)],
  });
  const times = (of: 'plain' | 'other') => seen.map((round) => round[of].threadMicroseconds);
  const more = (of: keyof Taken) => seen.map((round) => (round.other[of] / round.plain[of] - 1) * 100);
  return [
    measure(`${other}: processor time of the thread that answers`, 'µs', times('other')),
    measure(`${plain}, in turn with ${other}`, 'µs', times('plain')),
    measure(`${other}: more processor time than ${plain}`, '%', more('threadMicroseconds')),
    measure(`${other}: longer than ${plain}`, '%', more('elapsedMicroseconds')),
  ];
}
