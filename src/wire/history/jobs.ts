// Finished jobs (`/mapreduce/jobs`, `/mapreduce/jobs/{id}`): JobInfo and JobsInfo of Hadoop's hs module. The list shows what a
// history file's name says; the single record what the file holds.
import { accessListMember } from '../batch/jobs.ts';
import { boolean, int, list, long, object, record, rooted, type Shape, text } from '../codec/describe.ts';
import type { JobIndex } from '../files/job-history-names.ts';

const jobMember = object({
  submitTime: long(),
  startTime: long(),
  finishTime: long(),
  id: text(),
  name: text(),
  queue: text(),
  user: text(),
  state: text(),
  mapsTotal: int(),
  mapsCompleted: int(),
  reducesTotal: int(),
  reducesCompleted: int(),
  uberized: boolean(),
  diagnostics: text(),
  avgMapTime: long(),
  avgReduceTime: long(),
  avgShuffleTime: long(),
  avgMergeTime: long(),
  failedReduceAttempts: int(),
  killedReduceAttempts: int(),
  successfulReduceAttempts: int(),
  failedMapAttempts: int(),
  killedMapAttempts: int(),
  successfulMapAttempts: int(),
  acls: list(accessListMember),
});
export const job = rooted('job', jobMember, { json: 'natural' });
export type HistoryJob = Shape<typeof job>;
export const jobs = record('jobs', { job: list(jobMember) }, { json: 'natural' });

/** A job in the list. Totals and completed are both the numbers of succeeded tasks: the name says no more. */
export const listedJobView = (index: JobIndex): HistoryJob => ({
  submitTime: index.submitTime,
  startTime: index.startTime,
  finishTime: index.finishTime,
  id: index.jobId,
  name: index.jobName,
  queue: index.queue,
  user: index.user,
  state: index.status,
  mapsTotal: index.maps,
  mapsCompleted: index.maps,
  reducesTotal: index.reduces,
  reducesCompleted: index.reduces,
});

/** A job too large to load: what its name says, with nothing known of what is complete (UnparsedJob). */
export const unparsedJobView = (index: JobIndex): HistoryJob => ({ ...listedJobView(index), mapsCompleted: -1, reducesCompleted: -1 });
