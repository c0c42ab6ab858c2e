// Finished jobs below `/api/v1`: searched, sorted and paged, and all tasks of one with their attempts.
import { type Answer, json } from '../../http/answers.ts';
import { awaitedAnswer, awaitedList } from '../../http/awaited-answer.ts';
import type { Call, Service } from '../../http/service.ts';
import type { Clock } from '../../lib/clock.ts';
import { failure } from '../../model/errors.ts';
import { jobIdOf } from '../../wire/batch/lookup.ts';
import {
  type FinishedJob,
  type PlainJob,
  plainJobView,
  readTaskCursor,
  tasksPageView,
  unparsedPlainJobView,
} from '../../wire/batch/own-answers.ts';
import type { StoredJob } from '../jobs/job-folders.ts';
import type { JobStore } from '../jobs/job-store.ts';
import type { JobTotals } from '../jobs/job-totals.ts';
import type { JobAccess } from './access.ts';
import { jobsPage } from './job-search.ts';
import { storedJob } from './routes.ts';

const withTotals = (job: FinishedJob, totals: JobTotals | undefined): FinishedJob =>
  totals === undefined ? job : { ...job, mapsTotal: totals.maps, reducesTotal: totals.reduces };

/** What these routes serve. */
export interface OwnRouteOptions {
  readonly store: JobStore;
  readonly access: JobAccess;
  readonly clock: Clock;
}

/** Mounts the routes. */
export function mountOwnRoutes(service: Service, { store, access, clock }: OwnRouteOptions): void {
  service.route({
    method: 'GET',
    path: '/api/v1/jobs',
    about: 'Finished jobs, filtered, sorted, a page at a time; waits for another page where asked.',
    access: 'overview',
    produces: ['json'],
    handle(call: Call<never>): Promise<Answer> {
      return awaitedList(call, {
        watches: store.watches,
        clock,
        async read() {
          const page = jobsPage(await store.list(), call.query);
          const names = page.jobs.map(({ id }) => id);
          const totals = await store.totals(names);
          // A job that comes is looked for in the whole list: it changes how many there are.
          return {
            value: { ...page, jobs: page.jobs.map((job) => withTotals(job, totals.get(job.id))) },
            names: new Set(names),
            mayShow: () => true,
          };
        },
      });
    },
  });
  service.route({
    method: 'GET',
    path: '/api/v1/jobs/:jobid',
    about: 'A finished job; waits for it to come, where the end is waited for.',
    access: 'view',
    produces: ['json'],
    handle(call: Call<never>): Promise<Answer> {
      const text = call.params['jobid']!;
      const id = jobIdOf(text);
      return awaitedAnswer(call, {
        name: id,
        changes: store.changes,
        clock,
        async read() {
          const stored = await store.find(id);
          if (stored === undefined) return { absent: failure('JOB_NOT_FOUND', { id: text }) };
          const value = await jobValue(stored, call.user);
          return { isOver: true, value: () => value };
        },
      });
    },
  });
  async function jobValue(stored: StoredJob, user: string | undefined): Promise<PlainJob> {
    if (store.isTooLarge(stored)) {
      const { jobId: id, jobName: name, status: state, ...index } = stored.index;
      const totals = await store.totals([id]);
      return unparsedPlainJobView(withTotals({ ...index, id, name, state }, totals.get(id)));
    }
    const job = await store.load(stored);
    access.checkJob(job, user);
    return plainJobView(job);
  }
  service.route({
    method: 'GET',
    path: '/api/v1/jobs/:jobid/tasks',
    about: 'All tasks of a finished job with their attempts.',
    access: 'view',
    produces: ['json'],
    async handle(call: Call<never>): Promise<Answer> {
      const stored = await storedJob(store, call.params['jobid']!);
      if (store.isTooLarge(stored)) throw failure('HISTORY_JOB_NOT_LOADED', { id: stored.index.jobId });
      const job = await store.load(stored);
      access.checkJob(job, call.user);
      const from = readTaskCursor(call.query.first('cursor'));
      if (from === undefined) throw failure('BAD_REQUEST', { reason: 'cursor is none of this list' });
      return json(tasksPageView(job.tasks, from));
    },
  });
}
