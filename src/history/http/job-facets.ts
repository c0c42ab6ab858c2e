// What there is to choose from in the list of finished jobs, with how many each choice leaves: counted on the way through the list, which each page takes.
import type { FinishedJobsPage } from '../../wire/batch/own-answers.ts';
import type { JobIndex } from '../../wire/files/job-history-names.ts';
import type { JobFilter } from '../jobs/job-filter.ts';

/** What is chosen of each kind; absent: anything. */
export type ChosenJobs = Pick<JobFilter, 'state' | 'user' | 'queue'>;
type Facets = NonNullable<FinishedJobsPage['facets']>;

/** Choices of a kind that are told: the largest. */
const mostChoices = 100;

const members = {
  states: ({ status }: JobIndex) => status,
  users: ({ user }: JobIndex) => user,
  queues: ({ queue }: JobIndex) => queue,
} as const satisfies Record<keyof Facets, (job: JobIndex) => string>;
const kinds = Object.keys(members) as readonly (keyof Facets)[];

/** The jobs that pass, and what else could be chosen: a kind counts the jobs that pass by the two others. */
export function chosenJobs(
  jobs: readonly JobIndex[],
  { state, user, queue }: ChosenJobs,
): { readonly found: JobIndex[]; readonly facets: Facets } {
  const chosen = { states: state, users: user, queues: queue };
  const tallies = { states: new Map<string, number>(), users: new Map<string, number>(), queues: new Map<string, number>() };
  const found = jobs.filter((job) => {
    const failed = kinds.filter((kind) => chosen[kind] !== undefined && chosen[kind] !== members[kind](job));
    for (const kind of failed.length === 0 ? kinds : failed.length === 1 ? failed : []) {
      const name = members[kind](job);
      tallies[kind].set(name, (tallies[kind].get(name) ?? 0) + 1);
    }
    return failed.length === 0;
  });
  const facetOf = (kind: keyof Facets): Facets['states'] => {
    const sorted = [...tallies[kind]]
      .map(([name, count]) => ({ name, count }))
      .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
    const values = sorted.slice(0, mostChoices);
    // What is chosen is told in any case.
    const name = chosen[kind];
    const isLeft = name !== undefined && !values.some((value) => value.name === name);
    const more = sorted.length - values.length - (isLeft && tallies[kind].has(name) ? 1 : 0);
    return { values: isLeft ? [...values, { name, count: tallies[kind].get(name) ?? 0 }] : values, more };
  };
  return { found, facets: { states: facetOf('states'), users: facetOf('users'), queues: facetOf('queues') } };
}
