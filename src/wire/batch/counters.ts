// Counters of a job, a task and an attempt: JobCounterInfo, JobTaskCounterInfo, JobTaskAttemptCounterInfo of Hadoop's app module.
import { list, long, object, record, type Shape, text } from '../codec/describe.ts';
import type { CounterFacts } from './facts.ts';

export const jobCounters = record(
  'jobCounters',
  {
    id: text(),
    counterGroup: list(
      object({
        counterGroupName: text(),
        counter: list(object({ name: text(), totalCounterValue: long(), mapCounterValue: long(), reduceCounterValue: long() })),
      }),
    ),
  },
  { json: 'natural' },
);

const groupMember = object({ counterGroupName: text(), counter: list(object({ name: text(), value: long() })) });
export const taskCounters = record('jobTaskCounters', { id: text(), taskCounterGroup: list(groupMember) }, { json: 'natural' });
export const taskAttemptCounters = record(
  'jobTaskAttemptCounters',
  { id: text(), taskAttemptCounterGroup: list(groupMember) },
  { json: 'natural' },
);

/** A job's counters: each of the total's with what maps and reduces contribute. */
export function jobCountersView(id: string, total: CounterFacts, maps: CounterFacts, reduces: CounterFacts): Shape<typeof jobCounters> {
  const index = (counters: CounterFacts) =>
    new Map(counters.groups().flatMap((group) => group.counters.map(({ name, value }) => [`${group.name}\n${name}`, value] as const)));
  const [ofMaps, ofReduces] = [index(maps), index(reduces)];
  return {
    id,
    counterGroup: total.groups().map((group) => ({
      counterGroupName: group.name,
      counter: group.counters.map(({ name, value }) => ({
        name,
        totalCounterValue: value,
        mapCounterValue: ofMaps.get(`${group.name}\n${name}`) ?? 0,
        reduceCounterValue: ofReduces.get(`${group.name}\n${name}`) ?? 0,
      })),
    })),
  };
}

/** The groups of a task's or an attempt's counters. */
export const counterGroupsView = (counters: CounterFacts): Shape<typeof groupMember>[] =>
  counters.groups().map((group) => ({ counterGroupName: group.name, counter: group.counters }));
