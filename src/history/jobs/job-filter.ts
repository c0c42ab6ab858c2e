// The filters of the list of jobs (HsWebServices.getJobs of Hadoop 3.4). The order of the checks is part of the contract: the first
// fault is the one answered.

import type { Query } from '../../http/query.ts';
import { parseLong } from '../../lib/java-number.ts';
import { failure } from '../../model/errors.ts';
import type { JobIndex } from '../../wire/files/job-history-names.ts';

/** What a list shows. Times in ms since the epoch, bounds included. */
export interface JobFilter {
  readonly user?: string;
  readonly queue?: string;
  readonly state?: string;
  readonly limit: number;
  readonly startedFrom: number;
  readonly startedTo: number;
  readonly finishedFrom: number;
  readonly finishedTo: number;
}

/** States of jobs, as the list takes them. */
export const jobStates: ReadonlySet<string> = new Set(['NEW', 'INITED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'KILLED', 'ERROR']);

function time(query: Query, name: string, fallback: number): number {
  const text = query.first(name);
  if (text === undefined || text === '') return fallback;
  const value = parseLong(text);
  if (value === undefined) throw failure('HISTORY_FILTER_NOT_A_NUMBER', { value: text });
  if (value < 0) throw failure('HISTORY_FILTER_NEGATIVE', { name });
  return value;
}

function limitOf(query: Query): number {
  const text = query.first('limit');
  if (text === undefined || text === '') return Number.POSITIVE_INFINITY;
  const limit = parseLong(text);
  if (limit === undefined) throw failure('HISTORY_LIMIT_NOT_A_NUMBER', { value: text });
  if (limit <= 0) throw failure('HISTORY_LIMIT_TOO_SMALL');
  return limit;
}

/** Reads the filters of a query. @throws Failure HISTORY_LIMIT_…, HISTORY_FILTER_…, HISTORY_STATE_UNKNOWN */
export function readJobFilter(query: Query): JobFilter {
  const limit = limitOf(query);
  const startedFrom = time(query, 'startedTimeBegin', 0);
  const startedTo = time(query, 'startedTimeEnd', Number.POSITIVE_INFINITY);
  // The name is misspelt in Hadoop's sentence.
  if (startedFrom > startedTo) throw failure('HISTORY_FILTER_RANGE', { end: 'startedTimeEnd', begin: 'startTimeBegin' });
  const finishedFrom = time(query, 'finishedTimeBegin', 0);
  const finishedTo = time(query, 'finishedTimeEnd', Number.POSITIVE_INFINITY);
  if (finishedFrom > finishedTo) throw failure('HISTORY_FILTER_RANGE', { end: 'finishedTimeEnd', begin: 'finishedTimeBegin' });
  const state = query.first('state');
  if (state !== undefined && !jobStates.has(state)) throw failure('HISTORY_STATE_UNKNOWN', { value: state });
  const user = query.first('user') || undefined;
  const queue = query.first('queue') || undefined;
  return {
    limit,
    startedFrom,
    startedTo,
    finishedFrom,
    finishedTo,
    ...(state ? { state } : {}),
    ...(user ? { user } : {}),
    ...(queue ? { queue } : {}),
  };
}

/** The jobs that a list shows, of those given in order. */
export function filterJobs(jobs: Iterable<JobIndex>, filter: JobFilter): JobIndex[] {
  const found: JobIndex[] = [];
  for (const job of jobs) {
    if (filter.user !== undefined && job.user !== filter.user) continue;
    if (filter.queue !== undefined && job.queue !== filter.queue) continue;
    if (filter.state !== undefined && job.status !== filter.state) continue;
    if (job.startTime < filter.startedFrom || job.startTime > filter.startedTo) continue;
    if (job.finishTime < filter.finishedFrom || job.finishTime > filter.finishedTo) continue;
    found.push(job);
    if (found.length >= filter.limit) break;
  }
  return found;
}
