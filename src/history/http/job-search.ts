// The search through finished jobs of `/api/v1/jobs`: filtered, sorted, a page at a time.
import type { Query } from '../../http/query.ts';
import { readFlag } from '../../http/query-flag.ts';
import { failure } from '../../model/errors.ts';
import type { FinishedJob, FinishedJobsPage } from '../../wire/batch/own-answers.ts';
import type { JobIndex } from '../../wire/files/job-history-names.ts';
import { filterJobs, type JobFilter, readJobFilter } from '../jobs/job-filter.ts';
import { chosenJobs } from './job-facets.ts';

const usualPerPage = 100;
const mostPerPage = 1000;

/** What a list can be sorted by. */
const orders = {
  finishTime: (a, b) => a.finishTime - b.finishTime,
  startTime: (a, b) => a.startTime - b.startTime,
  submitTime: (a, b) => a.submitTime - b.submitTime,
  took: (a, b) => a.finishTime - a.startTime - (b.finishTime - b.startTime),
  name: (a, b) => compare(a.jobName, b.jobName),
  user: (a, b) => compare(a.user, b.user),
  queue: (a, b) => compare(a.queue, b.queue),
  state: (a, b) => compare(a.status, b.status),
  maps: (a, b) => a.maps - b.maps,
  reduces: (a, b) => a.reduces - b.reduces,
} as const satisfies Record<string, (a: JobIndex, b: JobIndex) => number>;
/** Names of the orders; with `-` before them descending. */
export const jobOrders: readonly string[] = Object.keys(orders).flatMap((name) => [name, `-${name}`]);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const bad = (reason: string) => failure('BAD_REQUEST', { reason });
const known = (name: 'submitTime' | 'startTime' | 'finishTime', ms: number) => (ms > 0 ? { [name]: ms } : {});

const plain = (index: JobIndex): FinishedJob => ({
  id: index.jobId,
  name: index.jobName,
  user: index.user,
  queue: index.queue,
  state: index.status,
  ...known('submitTime', index.submitTime),
  ...known('startTime', index.startTime),
  ...known('finishTime', index.finishTime),
  maps: Math.max(0, index.maps),
  reduces: Math.max(0, index.reduces),
});

/**
 * One page: `?limit=&cursor=&sort=-finishTime&name=&facets=true` and every filter of `/ws/v1/history/mapreduce/jobs`. The cursor is the last job of the
 * page before. @throws Failure BAD_REQUEST, and those of the filters
 */
export function jobsPage(jobs: readonly JobIndex[], query: Query): FinishedJobsPage {
  const filter = readJobFilter(query);
  const limit = Math.min(Number.isFinite(filter.limit) ? filter.limit : usualPerPage, mostPerPage);
  const sort = query.first('sort') || '-finishTime';
  if (!jobOrders.includes(sort)) throw bad(`sort must be one of ${jobOrders.join(', ')}`);
  const [name, sign] = sort.startsWith('-') ? [sort.slice(1), -1] : [sort, 1];
  const order = orders[name as keyof typeof orders];
  const part = (query.first('name') ?? '').toLowerCase();
  // Jobs that never started have no time: they are left out only where times are asked for.
  const startedFrom = query.first('startedTimeBegin') ? filter.startedFrom : Number.NEGATIVE_INFINITY;
  const finishedFrom = query.first('finishedTimeBegin') ? filter.finishedFrom : Number.NEGATIVE_INFINITY;
  const { user, queue, state, ...times } = filter;
  const passing = (wanted: JobFilter) =>
    filterJobs(jobs, { ...wanted, startedFrom, finishedFrom, limit: Number.POSITIVE_INFINITY }).filter(
      ({ jobName, jobId }) => part === '' || jobName.toLowerCase().includes(part) || jobId.includes(part),
    );
  const { found, facets = undefined } = readFlag(query, 'facets')
    ? chosenJobs(passing(times), { user, queue, state })
    : { found: passing(filter) };
  found.sort((a, b) => sign * order(a, b) || compare(b.jobId, a.jobId));
  const cursor = query.first('cursor');
  const from = cursor ? found.findIndex(({ jobId }) => jobId === cursor) + 1 : 0;
  if (cursor && from === 0) throw bad('cursor is no job of this list; begin again without one');
  const page = found.slice(from, from + limit);
  const last = page.at(-1);
  return {
    jobs: page.map(plain),
    total: found.length,
    ...(last && from + limit < found.length && { next: last.jobId }),
    ...(facets && { facets }),
  };
}
