// What a state means at a glance: a word as YARN has it, made readable, and one of few kinds that decide shape and colour.

/** `waiting`: for others; `running`; `good` and `bad`: how it ended; `stopped`: by a user or the cluster; `unsure`: not known, or it depends. */
export type Kind = 'waiting' | 'running' | 'good' | 'bad' | 'stopped' | 'warning' | 'unsure';

const kinds: Readonly<Record<string, Kind>> = {
  NEW: 'waiting',
  NEW_SAVING: 'waiting',
  SUBMITTED: 'waiting',
  ACCEPTED: 'waiting',
  ALLOCATED: 'waiting',
  ALLOCATED_SAVING: 'waiting',
  SCHEDULED: 'waiting',
  LAUNCHED: 'waiting',
  ACQUIRED: 'waiting',
  RESERVED: 'waiting',
  LOCALIZING: 'waiting',
  INITED: 'waiting',
  INITIALIZING: 'waiting',
  PENDING: 'waiting',
  RUNNING: 'running',
  FINISHING: 'running',
  FINISHED: 'good',
  SUCCEEDED: 'good',
  COMPLETE: 'good',
  COMPLETED: 'good',
  FAILED: 'bad',
  ERROR: 'bad',
  LOST: 'bad',
  EXPIRED: 'bad',
  UNHEALTHY: 'warning',
  DECOMMISSIONING: 'warning',
  DRAINING: 'warning',
  KILLED: 'stopped',
  KILL_WAIT: 'stopped',
  ENDED: 'stopped',
  DECOMMISSIONED: 'stopped',
  SHUTDOWN: 'stopped',
  STOPPED: 'stopped',
  PREEMPTED: 'stopped',
};

const words: Readonly<Record<string, string>> = { ACCEPTED: 'waiting', NEW_SAVING: 'being stored', SUBMITTED: 'submitted' };

/** The kind of a state. */
export const kindOf = (state: string): Kind => kinds[state] ?? 'unsure';

/** The state in words: `RUNNING` is `running`, `ACCEPTED` is `waiting`. */
export const wordOf = (state: string): string => words[state] ?? state.toLowerCase().replaceAll('_', ' ');

/** What an application came to: its end where it has one that says more than its state. */
export const outcomeOf = (state: string, finalStatus: string): string =>
  state === 'FINISHED' && finalStatus !== 'UNDEFINED' && finalStatus !== '' ? finalStatus : state;

const finalStates: ReadonlySet<string> = new Set(['FINISHED', 'FAILED', 'KILLED']);

/** Whether an application in this state has left the cluster. */
export const hasEnded = (state: string): boolean => finalStates.has(state);
