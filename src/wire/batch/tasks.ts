// Tasks of a job (`/tasks`, `/tasks/{id}`): TaskInfo and TasksInfo of Hadoop's app and hs modules.
import { float, list, long, object, record, rooted, type Shape, text } from '../codec/describe.ts';
import { elapsedMs, percent, type TaskFacts } from './facts.ts';

const taskMember = object({
  startTime: long(),
  finishTime: long(),
  elapsedTime: long(),
  progress: float(),
  id: text(),
  state: text(),
  type: text(),
  successfulAttempt: text(),
  /** Running masters only. */
  status: text(),
});

export const task = rooted('task', taskMember, { json: 'natural' });
export type Task = Shape<typeof task>;
export const tasks = record('tasks', { task: list(taskMember) }, { json: 'natural' });

/** A task of a running job; `nowMs` counts up the elapsed time while it runs. */
export const runningTaskView = (facts: TaskFacts & { readonly statusText: string }, nowMs: number): Task => ({
  ...finishedTaskView(facts),
  elapsedTime: elapsedMs(facts.startTimeMs, facts.finishTimeMs, facts.state === 'RUNNING' ? nowMs : undefined),
  status: facts.statusText,
});

/** A task of a finished job: no status, never running. */
export const finishedTaskView = (facts: TaskFacts): Task => ({
  startTime: facts.startTimeMs,
  finishTime: facts.finishTimeMs,
  elapsedTime: elapsedMs(facts.startTimeMs, facts.finishTimeMs),
  progress: percent(facts.progress),
  id: facts.id,
  state: facts.state,
  type: facts.kind,
  successfulAttempt: facts.successfulAttempt,
});
