// Attempts at a task (`…/attempts`, `…/attempts/{id}`, `…/attempts/{id}/state`): TaskAttemptInfo, ReduceTaskAttemptInfo,
// JobTaskAttemptState of Hadoop's app module.
import { float, list, long, object, record, rooted, type Shape, text } from '../codec/describe.ts';
import { elapsedMs, percent, type TaskAttemptFacts } from './facts.ts';

const attemptMember = object({
  startTime: long(),
  finishTime: long(),
  elapsedTime: long(),
  progress: float(),
  id: text(),
  rack: text(),
  state: text(),
  status: text(),
  nodeHttpAddress: text(),
  diagnostics: text(),
  type: text(),
  assignedContainerId: text(),
  // Reduces only.
  shuffleFinishTime: long(),
  mergeFinishTime: long(),
  elapsedShuffleTime: long(),
  elapsedMergeTime: long(),
  elapsedReduceTime: long(),
});

export const taskAttempt = rooted('taskAttempt', attemptMember, { json: 'natural' });
export type TaskAttempt = Shape<typeof taskAttempt>;
export const taskAttempts = record('taskAttempts', { taskAttempt: list(attemptMember) }, { json: 'natural' });
/** The state of an attempt, which a client may set to KILLED. */
export const taskAttemptState = record('jobTaskAttemptState', { state: text() }, { json: 'natural', wrapped: false });

/** An attempt; `nowMs` (running jobs) counts up the elapsed time of maps, which Hadoop does for maps only. */
export function taskAttemptView(facts: TaskAttemptFacts, nowMs?: number): TaskAttempt {
  const { kind, startTimeMs, finishTimeMs, shuffleFinishTimeMs, sortFinishTimeMs } = facts;
  const view: TaskAttempt = {
    startTime: startTimeMs,
    finishTime: finishTimeMs,
    elapsedTime: elapsedMs(startTimeMs, finishTimeMs, kind === 'MAP' ? nowMs : undefined),
    progress: percent(facts.progress),
    id: facts.id,
    rack: facts.rack,
    state: facts.state,
    status: facts.statusText,
    nodeHttpAddress: facts.nodeHttpAddress,
    diagnostics: facts.diagnostics.join('\n'),
    type: kind,
    assignedContainerId: facts.containerId,
  };
  if (kind === 'MAP') return view;
  return {
    ...view,
    shuffleFinishTime: shuffleFinishTimeMs,
    mergeFinishTime: sortFinishTimeMs,
    elapsedShuffleTime: elapsedMs(startTimeMs, shuffleFinishTimeMs),
    elapsedMergeTime: elapsedMs(shuffleFinishTimeMs, sortFinishTimeMs),
    elapsedReduceTime: elapsedMs(sortFinishTimeMs, finishTimeMs),
  };
}
