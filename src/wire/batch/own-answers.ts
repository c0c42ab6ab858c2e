// What masters of batch jobs and the history server answer below `/api/v1`: many jobs or tasks in one answer, for pages and programs that
// show all of them. The shapes are the description, from which types, clients and `/openapi.json` derive.
import { fields, type JsonOf, many, number, optional, text, whole, word } from '../../lib/json-shape.ts';
import type { TaskAttemptFacts, TaskFacts } from './facts.ts';

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

const finishedJob = fields({
  id: text(),
  name: text(),
  user: text(),
  queue: text(),
  state: text(),
  submitTime: optional(time),
  startTime: optional(time),
  finishTime: optional(time),
  /** How many succeeded. */
  maps: count,
  reduces: count,
  /** How many it had; absent where its history does not tell. */
  mapsTotal: optional(count),
  reducesTotal: optional(count),
});
export type FinishedJob = JsonOf<typeof finishedJob>;

/** Finished jobs. `total`: how many pass the filter. */
export const finishedJobsPage = fields({ jobs: many(finishedJob), total: count, next: optional(text()) });
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

/** Reads the cursor of a page of tasks; undefined for what is none. */
export function readTaskCursor(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return 0;
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
