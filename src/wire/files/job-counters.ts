// Counters of a history file: as they stand there, or summed over tasks where a job that did not succeed has no totals.
import { addLongs, type Long, largerLong } from '../../lib/java-long.ts';
import { Slices } from '../../lib/pause.ts';
import type { CounterFacts } from '../batch/facts.ts';
import type { JhCounters } from './job-history.ts';

interface Counter {
  readonly name: string;
  readonly displayName: string;
  readonly value: Long;
}
interface Group {
  readonly name: string;
  readonly displayName: string;
  readonly counters: readonly Counter[];
}

/** Counters in listing order, with their names for people. */
export interface JobCounters extends CounterFacts {
  groups(): readonly Group[];
}

const framework = ['FileSystemCounter', 'JobCounter', 'TaskCounter'].map((name) => `org.apache.hadoop.mapreduce.${name}`);

/** Framework groups first, then the others by name (AbstractCounters of Hadoop). */
function compareGroups(a: string, b: string): number {
  const places = [framework.indexOf(a), framework.indexOf(b)].map((place) => (place < 0 ? framework.length : place));
  return places[0]! - places[1]! || (a < b ? -1 : a > b ? 1 : 0);
}

/** The counters of a record; none for null. Groups without counters are not listed. The record is looked at when the groups are asked for. */
export const countersOf = (record: JhCounters | null | undefined): JobCounters => (record ? new RecordCounters(record) : noCounters);

class RecordCounters implements JobCounters {
  readonly #record: JhCounters;

  constructor(record: JhCounters) {
    this.#record = record;
  }

  groups(): readonly Group[] {
    return this.#record.groups
      .filter((group) => group.counts.length > 0)
      .map(({ name, displayName, counts }) => ({ name, displayName, counters: counts }));
  }
}

const noCounters: JobCounters = { groups: () => [] };

/**
 * The sum of several sets; names that end in `_MAX` take the largest. Each set lists its counters in the framework's order, so a
 * name that is new goes in front of the next one that is known already.
 */
export function sumOf(sets: Iterable<JobCounters>): JobCounters {
  const sum = new CounterSum();
  for (const set of sets) sum.add(set);
  return sum.counters();
}

/** Sums are made for so long before others get their turn. */
const sliceMs = 5;

/** The same of many sets, in slices between which others are served. */
export async function sumInSlices(sets: readonly JobCounters[]): Promise<JobCounters> {
  const sum = new CounterSum();
  const slices = new Slices(sliceMs);
  for (const set of sets) {
    sum.add(set);
    if (slices.isOver) await slices.next();
  }
  return sum.counters();
}

class CounterSum {
  readonly #groups = new Map<string, { displayName: string; counters: Counter[] }>();

  add(set: JobCounters): void {
    for (const group of set.groups()) {
      let sum = this.#groups.get(group.name);
      if (!sum) this.#groups.set(group.name, (sum = { displayName: group.displayName, counters: [] }));
      addTo(sum.counters, group.counters);
    }
  }

  counters(): JobCounters {
    const sorted = [...this.#groups]
      .sort(([a], [b]) => compareGroups(a, b))
      .map(([name, { displayName, counters }]) => ({ name, displayName, counters }));
    return { groups: () => sorted };
  }
}

function addTo(sum: Counter[], counters: readonly Counter[]): void {
  const place = new Map(sum.map((counter, at) => [counter.name, at]));
  let waiting: Counter[] = [];
  let shifted = 0;
  for (const counter of counters) {
    const known = place.get(counter.name);
    if (known === undefined) {
      waiting.push(counter);
      continue;
    }
    const at = known + shifted;
    const old = sum[at]!;
    const value = counter.name.endsWith('_MAX') ? largerLong(old.value, counter.value) : addLongs(old.value, counter.value);
    sum[at] = { ...old, value };
    sum.splice(at, 0, ...waiting);
    shifted += waiting.length;
    waiting = [];
  }
  sum.push(...waiting);
}
