// What masters of batch jobs and the history server answer below `/api/v1`: many jobs or tasks in one answer, for pages and programs that
// show all of them. The shapes are the description, from which types, clients and `/openapi.json` derive.

import { fields, type JsonOf, many, number, optional, text, whole, word } from '../../lib/json-shape.ts';
import { facet } from '../cluster/own-answers.ts';
import type { JobFacts, TaskAttemptFacts, TaskFacts } from './facts.ts';

/** Milliseconds since the epoch. */
const time = number({ minimum: 0 });
const count = whole({ minimum: 0 });

/** An attempt. What has not happened yet, or is not known, is absent. */
const plainAttempt = fields({
  id: text(),
  state: text(),
  /** 0…1. */
  progress: number({ minimum: 0, maximum: 1 }),
  startTime: optional(time),
  finishTime: optional(time),
  /** Of reduces: the end of the copying and of the merging. */
  shuffleFinishTime: optional(time),
  sortFinishTime: optional(time),
  /** `host:port` of its node's pages. */
  node: optional(text()),
  containerId: optional(text()),
  /** Why it failed or was killed; the first 2,000 letters. */
  diagnostics: optional(text()),
});

const plainTask = fields({
  id: text(),
  kind: word('MAP', 'REDUCE'),
  state: text(),
  progress: number({ minimum: 0, maximum: 1 }),
  startTime: optional(time),
  finishTime: optional(time),
  attempts: many(plainAttempt),
});
export type PlainTask = JsonOf<typeof plainTask>;

/** Tasks with their attempts: maps by index, then reduces. `next`: the cursor of the next page, absent on the last. */
export const tasksPage = fields({ tasks: many(plainTask), next: optional(text()) });
export type TasksPage = JsonOf<typeof tasksPage>;

const jobMembers = {
  id: text(),
  name: text(),
  user: text(),
  queue: text(),
  state: text(),
  submitTime: optional(time),
  startTime: optional(time),
  finishTime: optional(time),
};

/** Tasks of one kind. What a history does not tell is absent. */
const taskCounts = fields({
  total: optional(count),
  succeeded: count,
  /** That wait for a container, that have one, and that ended without success. */
  pending: optional(count),
  running: optional(count),
  failed: optional(count),
  killed: optional(count),
  /** Attempts at them. */
  failedAttempts: optional(count),
  killedAttempts: optional(count),
  /** 0…1: mean over the tasks. */
  progress: number({ minimum: 0, maximum: 1 }),
});

/** A job that runs or ran. */
export const plainJob = fields({
  ...jobMembers,
  maps: taskCounts,
  reduces: taskCounts,
  /** Why it failed, say. */
  diagnostics: optional(text()),
});
export type PlainJob = JsonOf<typeof plainJob>;

const finishedJob = fields({
  ...jobMembers,
  /** How many succeeded. */
  maps: count,
  reduces: count,
  /** How many it had; absent where its history does not tell. */
  mapsTotal: optional(count),
  reducesTotal: optional(count),
});
export type FinishedJob = JsonOf<typeof finishedJob>;

/** Finished jobs. `total`: how many pass the filter; `facets`, where they are asked for: how many each other choice of one kind would leave. */
export const finishedJobsPage = fields({
  jobs: many(finishedJob),
  total: count,
  next: optional(text()),
  facets: optional(fields({ states: facet, users: facet, queues: facet })),
});
export type FinishedJobsPage = JsonOf<typeof finishedJobsPage>;

/** Most attempts of a page of tasks, at which it ends with the task that it is at. */
export const mostAttemptsPerPage = 10_000;

/** A time where there is one: interfaces write 0 or -1 for those that are not known. */
const known = (name: 'startTime' | 'finishTime' | 'shuffleFinishTime' | 'sortFinishTime' | 'submitTime', ms: number) =>
  ms > 0 ? { [name]: ms } : {};
const longestDiagnostics = 2000;
const unsuccessful = new Set(['FAILED', 'KILLED']);
const share = (value: number): number => Math.min(1, Math.max(0, value));

function attemptView(facts: TaskAttemptFacts): PlainTask['attempts'][number] {
  const diagnostics = unsuccessful.has(facts.state) ? facts.diagnostics.join('\n').trim().slice(0, longestDiagnostics).toWellFormed() : '';
  const isReduce = facts.kind === 'REDUCE';
  return {
    id: facts.id,
    state: facts.state,
    progress: share(facts.progress),
    ...known('startTime', facts.startTimeMs),
    ...known('finishTime', facts.finishTimeMs),
    ...(isReduce && known('shuffleFinishTime', facts.shuffleFinishTimeMs)),
    ...(isReduce && known('sortFinishTime', facts.sortFinishTimeMs)),
    ...(facts.nodeHttpAddress ? { node: facts.nodeHttpAddress } : {}),
    ...(facts.containerId ? { containerId: facts.containerId } : {}),
    ...(diagnostics === '' ? {} : { diagnostics }),
  };
}

/** A page of a job's tasks that begins with the one at `from`. */
export function tasksPageView(tasks: readonly TaskFacts[], from: number, mostAttempts = mostAttemptsPerPage): TasksPage {
  const shown: PlainTask[] = [];
  let attempts = 0;
  let at = from;
  for (; at < tasks.length && (attempts < mostAttempts || shown.length === 0); at++) {
    const facts = tasks[at]!;
    attempts += Math.max(1, facts.attempts.length);
    shown.push({
      id: facts.id,
      kind: facts.kind,
      state: facts.state,
      progress: share(facts.progress),
      ...known('startTime', facts.startTimeMs),
      ...known('finishTime', facts.finishTimeMs),
      attempts: facts.attempts.map(attemptView),
    });
  }
  return { tasks: shown, ...(at < tasks.length && { next: String(at) }) };
}

function taskCountsView(tasks: readonly TaskFacts[], kind: 'MAP' | 'REDUCE'): PlainJob['maps'] {
  const counts = { total: 0, succeeded: 0, pending: 0, running: 0, failed: 0, killed: 0, failedAttempts: 0, killedAttempts: 0 };
  let progress = 0;
  for (const task of tasks) {
    if (task.kind !== kind) continue;
    counts.total++;
    progress += share(task.progress);
    if (task.state === 'SUCCEEDED') counts.succeeded++;
    else if (task.state === 'FAILED') counts.failed++;
    else if (task.state === 'KILLED') counts.killed++;
    else if (task.state === 'RUNNING') counts.running++;
    else counts.pending++;
    for (const { state } of task.attempts)
      if (state === 'FAILED') counts.failedAttempts++;
      else if (state === 'KILLED') counts.killedAttempts++;
  }
  return { ...counts, progress: counts.total > 0 ? progress / counts.total : 0 };
}

/** A job as plain JSON. */
export function plainJobView(job: JobFacts): PlainJob {
  const diagnostics = [job.diagnostics].flat().join('\n').trim();
  return {
    id: job.id,
    name: job.name,
    user: job.user,
    queue: job.queue,
    state: job.state,
    ...known('submitTime', job.submitTimeMs),
    ...known('startTime', job.startTimeMs),
    ...known('finishTime', job.finishTimeMs),
    maps: taskCountsView(job.tasks, 'MAP'),
    reduces: taskCountsView(job.tasks, 'REDUCE'),
    ...(diagnostics === '' ? {} : { diagnostics: diagnostics.toWellFormed() }),
  };
}

/** A finished job of which only what its file's name and first events tell is known. */
export function unparsedPlainJobView({ mapsTotal, reducesTotal, maps, reduces, ...job }: FinishedJob): PlainJob {
  const counts = (succeeded: number, total: number | undefined) => ({ ...(total === undefined ? {} : { total }), succeeded, progress: 1 });
  return { ...job, maps: counts(maps, mapsTotal), reduces: counts(reduces, reducesTotal) };
}

/** Reads the cursor of a page of tasks; undefined for what is none. */
export function readTaskCursor(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return 0;
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
