// What can happen to a job (org.apache.hadoop.mapreduce.v2.app.job.impl.JobImpl).
import type { TransitionTable } from '../../lib/state-machine.ts';
import type { JobState } from './job-view.ts';

/** The job's own states. */
export type JobInternalState =
  | 'NEW'
  | 'INITED'
  | 'SETUP'
  | 'RUNNING'
  | 'COMMITTING'
  | 'KILL_WAIT'
  | 'KILL_ABORT'
  | 'FAIL_WAIT'
  | 'FAIL_ABORT'
  | 'SUCCEEDED'
  | 'FAILED'
  | 'KILLED'
  | 'ERROR'
  | 'REBOOT';

/**
 * What moves a job. `JOB_TASKS_DONE` and `JOB_TASKS_FAILED` are what the rules made of a task's end; `JOB_EARLIER_COMMIT_…` is what an earlier master's
 * commit left behind.
 */
export type JobEvent =
  | 'JOB_INIT'
  | 'JOB_INIT_FAILED'
  | 'JOB_START'
  | 'JOB_EARLIER_COMMIT_SUCCEEDED'
  | 'JOB_EARLIER_COMMIT_FAILED'
  | 'JOB_EARLIER_COMMIT_UNKNOWN'
  | 'JOB_SETUP_COMPLETED'
  | 'JOB_SETUP_FAILED'
  | 'JOB_TASKS_DONE'
  | 'JOB_TASKS_FAILED'
  | 'JOB_ALL_TASKS_ENDED'
  | 'JOB_COMMIT_COMPLETED'
  | 'JOB_COMMIT_FAILED'
  | 'JOB_ABORT_COMPLETED'
  | 'JOB_KILL'
  | 'INTERNAL_ERROR'
  | 'JOB_AM_REBOOT';

/** State → event → next state. */
export const jobTransitions: TransitionTable<JobInternalState, JobEvent> = {
  NEW: { JOB_INIT: 'INITED', JOB_INIT_FAILED: 'FAIL_ABORT', JOB_KILL: 'KILLED', INTERNAL_ERROR: 'ERROR', JOB_AM_REBOOT: 'REBOOT' },
  INITED: {
    JOB_START: 'SETUP',
    JOB_EARLIER_COMMIT_SUCCEEDED: 'SUCCEEDED',
    JOB_EARLIER_COMMIT_FAILED: 'FAILED',
    JOB_EARLIER_COMMIT_UNKNOWN: 'ERROR',
    JOB_KILL: 'KILLED',
    INTERNAL_ERROR: 'ERROR',
    JOB_AM_REBOOT: 'REBOOT',
  },
  SETUP: {
    JOB_SETUP_COMPLETED: 'RUNNING',
    JOB_SETUP_FAILED: 'FAIL_ABORT',
    JOB_KILL: 'KILL_ABORT',
    INTERNAL_ERROR: 'ERROR',
    JOB_AM_REBOOT: 'REBOOT',
  },
  RUNNING: {
    JOB_TASKS_DONE: 'COMMITTING',
    JOB_TASKS_FAILED: 'FAIL_WAIT',
    JOB_KILL: 'KILL_WAIT',
    INTERNAL_ERROR: 'ERROR',
    JOB_AM_REBOOT: 'REBOOT',
  },
  COMMITTING: {
    JOB_COMMIT_COMPLETED: 'SUCCEEDED',
    JOB_COMMIT_FAILED: 'FAIL_ABORT',
    JOB_KILL: 'KILL_ABORT',
    INTERNAL_ERROR: 'ERROR',
    JOB_AM_REBOOT: 'REBOOT',
  },
  KILL_WAIT: { JOB_ALL_TASKS_ENDED: 'KILL_ABORT', INTERNAL_ERROR: 'ERROR' },
  KILL_ABORT: { JOB_ABORT_COMPLETED: 'KILLED', JOB_KILL: 'KILLED', INTERNAL_ERROR: 'ERROR' },
  FAIL_WAIT: { JOB_ALL_TASKS_ENDED: 'FAIL_ABORT', JOB_KILL: 'KILLED', INTERNAL_ERROR: 'ERROR' },
  FAIL_ABORT: { JOB_ABORT_COMPLETED: 'FAILED', JOB_KILL: 'KILLED', INTERNAL_ERROR: 'ERROR' },
  SUCCEEDED: {},
  FAILED: {},
  KILLED: {},
  ERROR: {},
  REBOOT: {},
};

/** What the diagnostics say of a kill in these states. */
export const killNotes: Readonly<Partial<Record<JobInternalState, string>>> = {
  RUNNING: 'Job received Kill while in RUNNING state.',
  SETUP: 'Job received kill in SETUP state.',
  INITED: 'Job received Kill in INITED state.',
};

const externalStates: Readonly<Record<JobInternalState, JobState>> = {
  NEW: 'NEW',
  INITED: 'INITED',
  SETUP: 'RUNNING',
  RUNNING: 'RUNNING',
  COMMITTING: 'RUNNING',
  KILL_WAIT: 'KILLED',
  KILL_ABORT: 'KILLED',
  FAIL_WAIT: 'FAILED',
  FAIL_ABORT: 'FAILED',
  SUCCEEDED: 'SUCCEEDED',
  FAILED: 'FAILED',
  KILLED: 'KILLED',
  ERROR: 'ERROR',
  REBOOT: 'RUNNING',
};

/** The state the outside sees. */
export const externalJobState = (state: JobInternalState): JobState => externalStates[state];

/** Whether nothing can happen to the job any more. */
export const jobEnded = (state: JobInternalState): boolean => Object.keys(jobTransitions[state]).length === 0;
