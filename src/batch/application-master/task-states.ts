// What can happen to a task (org.apache.hadoop.mapreduce.v2.app.job.impl.TaskImpl).
import type { TransitionTable } from '../../lib/state-machine.ts';
import type { TaskState } from './job-view.ts';

/** The task's own states. */
export type TaskInternalState = 'NEW' | 'SCHEDULED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'KILL_WAIT' | 'KILLED';

/** What moves a task. `T_GIVEN_UP`: an attempt failed and no more are allowed; `T_RETRY`: an attempt ended and another one follows. */
export type TaskEvent =
  | 'T_SCHEDULE'
  | 'T_RECOVER_SUCCEEDED'
  | 'T_ATTEMPT_LAUNCHED'
  | 'T_ATTEMPT_SUCCEEDED'
  | 'T_RETRY'
  | 'T_GIVEN_UP'
  | 'T_OUTPUT_LOST'
  | 'T_KILL'
  | 'T_ALL_ATTEMPTS_ENDED';

/** State → event → next state. */
export const taskTransitions: TransitionTable<TaskInternalState, TaskEvent> = {
  NEW: { T_SCHEDULE: 'SCHEDULED', T_RECOVER_SUCCEEDED: 'SUCCEEDED', T_KILL: 'KILLED' },
  SCHEDULED: { T_ATTEMPT_LAUNCHED: 'RUNNING', T_RETRY: 'SCHEDULED', T_GIVEN_UP: 'FAILED', T_KILL: 'KILL_WAIT' },
  RUNNING: {
    T_ATTEMPT_LAUNCHED: 'RUNNING',
    T_ATTEMPT_SUCCEEDED: 'SUCCEEDED',
    T_RETRY: 'RUNNING',
    T_GIVEN_UP: 'FAILED',
    T_KILL: 'KILL_WAIT',
  },
  // Only maps leave this state: their output is needed until the reduces have it.
  SUCCEEDED: { T_OUTPUT_LOST: 'SCHEDULED', T_GIVEN_UP: 'FAILED' },
  FAILED: {},
  KILL_WAIT: { T_ALL_ATTEMPTS_ENDED: 'KILLED' },
  KILLED: {},
};

/** The state the outside sees. */
export const externalTaskState = (state: TaskInternalState): TaskState => (state === 'KILL_WAIT' ? 'KILLED' : state);
