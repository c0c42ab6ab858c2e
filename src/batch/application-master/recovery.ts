// What an earlier master of the same job has already done, read from its history: complete tasks are not run again.
import type { HistoryEvent, JhCounters } from '../../wire/files/job-history.ts';
import { Counters, noCounterLimits } from '../counters/counters.ts';
import { type AssignedContainer, Attempt, type Avataar, type Locality } from './attempt.ts';
import type { MasterGenerationView, TaskKind } from './job-view.ts';
import type { Task } from './task.ts';

/** A task that succeeded under an earlier master, with the attempt that did it. */
export interface RecoveredTask {
  readonly attemptId: string;
  readonly container: AssignedContainer;
  readonly locality: Locality;
  readonly avataar: Avataar;
  readonly startTimeMs: number;
  readonly finishTimeMs: number;
  readonly mapFinishTimeMs: number;
  readonly shuffleFinishTimeMs: number;
  readonly sortFinishTimeMs: number;
  readonly statusText: string;
  readonly counters: Counters;
}

/** What was found. */
export interface Recovered {
  readonly masters: readonly { readonly attemptId: string; readonly view: MasterGenerationView }[];
  /** Start of the job; undefined where the earlier master did not get that far. */
  readonly startTimeMs: number | undefined;
  readonly tasks: ReadonlyMap<string, RecoveredTask>;
}

function countersOf(counters: JhCounters | undefined | null): Counters {
  const found = new Counters(undefined, noCounterLimits);
  for (const group of counters?.groups ?? []) for (const { name, value } of group.counts) found.set(group.name, name, value);
  return found;
}

type Started = Extract<HistoryEvent, { type: 'MAP_ATTEMPT_STARTED' }>['event'];

/** Reads the events of the previous master's history file, which may end anywhere. */
export function recover(events: Iterable<HistoryEvent>): Recovered {
  const masters: { attemptId: string; view: MasterGenerationView }[] = [];
  const started = new Map<string, Started>();
  const finished = new Map<string, RecoveredTask>();
  const tasks = new Map<string, RecoveredTask>();
  let startTimeMs: number | undefined;
  for (const { type, event } of events) {
    if (type === 'AM_STARTED') {
      const { nodeManagerHost: host } = event;
      masters.push({
        attemptId: event.applicationAttemptId,
        view: {
          number: Number(event.applicationAttemptId.slice(event.applicationAttemptId.lastIndexOf('_') + 1)),
          startTimeMs: Number(event.startTime),
          containerId: event.containerId,
          nodeId: `${host}:${event.nodeManagerPort}`,
          nodeHttpAddress: `${host}:${event.nodeManagerHttpPort}`,
        },
      });
    } else if (type === 'JOB_INITED') startTimeMs = Number(event.launchTime);
    else if (type === 'MAP_ATTEMPT_STARTED' || type === 'REDUCE_ATTEMPT_STARTED') started.set(event.attemptId, event);
    else if (type === 'MAP_ATTEMPT_FINISHED' || type === 'REDUCE_ATTEMPT_FINISHED') {
      const begun = started.get(event.attemptId);
      if (begun === undefined) continue;
      finished.set(event.attemptId, {
        attemptId: event.attemptId,
        container: {
          containerId: begun.containerId,
          nodeId: `${event.hostname}:${event.port}`,
          nodeHttpAddress: `${begun.trackerName}:${begun.httpPort}`,
          rack: event.rackname,
        },
        locality: (begun.locality ?? 'OFF_SWITCH') as Locality,
        avataar: (begun.avataar ?? 'VIRGIN') as Avataar,
        startTimeMs: Number(begun.startTime),
        finishTimeMs: Number(event.finishTime),
        mapFinishTimeMs: 'mapFinishTime' in event ? Number(event.mapFinishTime) : 0,
        shuffleFinishTimeMs: 'shuffleFinishTime' in event ? Number(event.shuffleFinishTime) : 0,
        sortFinishTimeMs: 'sortFinishTime' in event ? Number(event.sortFinishTime) : 0,
        statusText: event.state,
        counters: countersOf(event.counters),
      });
    } else if (type === 'TASK_FINISHED') {
      const attempt = finished.get(event.successfulAttemptId ?? '');
      if (attempt !== undefined) tasks.set(event.taskid, attempt);
    } else if (type === 'MAP_ATTEMPT_FAILED' || type === 'MAP_ATTEMPT_KILLED') {
      // The output of a map that had succeeded was lost later.
      if (tasks.get(event.taskid)?.attemptId === event.attemptId) tasks.delete(event.taskid);
    }
  }
  return { masters, startTimeMs, tasks };
}

/** What an earlier master's commit makes of a job: the end that it decided, to the event. */
export const earlierCommitEvents = {
  SUCCEEDED: 'JOB_EARLIER_COMMIT_SUCCEEDED',
  FAILED: 'JOB_EARLIER_COMMIT_FAILED',
  ERROR: 'JOB_EARLIER_COMMIT_UNKNOWN',
} as const;

const recoveredPriority = 20;

/** The attempt of an earlier master, as it was. */
function recoveredAttempt(kind: TaskKind, recovered: RecoveredTask): Attempt {
  const { attemptId, avataar, counters } = recovered;
  const attempt = new Attempt({ id: attemptId, kind, avataar, priority: recoveredPriority, noCounters: counters });
  attempt.container = recovered.container;
  attempt.locality = recovered.locality;
  attempt.startTimeMs = recovered.startTimeMs;
  attempt.finishTimeMs = recovered.finishTimeMs;
  attempt.mapFinishTimeMs = recovered.mapFinishTimeMs;
  attempt.shuffleFinishTimeMs = recovered.shuffleFinishTimeMs;
  attempt.sortFinishTimeMs = recovered.sortFinishTimeMs;
  attempt.statusText = recovered.statusText;
  return attempt;
}

/** Lets a task be as complete as it was under an earlier master; answers the attempt that did it. */
export function takeUp(task: Task, recovered: RecoveredTask): Attempt {
  const attempt = recoveredAttempt(task.kind, recovered);
  attempt.move('TA_RECOVER_SUCCEEDED');
  task.attempts.push(attempt);
  task.scheduledMs = recovered.startTimeMs;
  task.move('T_RECOVER_SUCCEEDED');
  task.successfulAttempt = attempt.id;
  task.endedMs = recovered.finishTimeMs;
  task.startWritten = true;
  return attempt;
}
