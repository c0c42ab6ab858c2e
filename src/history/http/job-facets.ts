// What there is to choose from in the list of finished jobs, with how many each choice leaves: counted on the way through the list, which each page takes.
import { facetOf } from '../../lib/facet.ts';
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
  const of = (kind: keyof Facets) => {
    const name = chosen[kind];
    return facetOf(tallies[kind], name === undefined ? undefined : new Set([name]), mostChoices);
  };
  return { found, facets: { states: of('states'), users: of('users'), queues: of('queues') } };
}
