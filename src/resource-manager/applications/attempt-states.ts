// The lifecycle of an application attempt: states and events of RMAppAttemptImpl.
import { nextState, type TransitionTable } from '../../lib/state-machine.ts';

export const attemptStates = [
  'NEW',
  'SUBMITTED',
  'SCHEDULED',
  'ALLOCATED_SAVING',
  'ALLOCATED',
  'LAUNCHED_UNMANAGED_SAVING',
  'LAUNCHED',
  'RUNNING',
  'FINAL_SAVING',
  'FINISHING',
  'FINISHED',
  'FAILED',
  'KILLED',
] as const;
/** State inside the resource manager; the list of attempts shows it. */
export type AttemptState = (typeof attemptStates)[number];
/** State in a single attempt's report. */
export type PublicAttemptState = Exclude<AttemptState, 'FINAL_SAVING' | 'LAUNCHED_UNMANAGED_SAVING'>;

/**
 * What can happen to an attempt. `containerEnded`: its master's container; `fail`: expiry or loss of the master; `recovered`: a new process
 * takes over an attempt whose master may run. In every other state another attempt follows after a restart.
 */
export type AttemptEvent =
  | 'start'
  | 'scheduled'
  | 'scheduledUnmanaged'
  | 'allocated'
  | 'stored'
  | 'launched'
  | 'registered'
  | 'unregistered'
  | 'fail'
  | 'kill'
  | 'containerEnded'
  | 'finalStoredFinishing'
  | 'finalStoredFinished'
  | 'finalStoredFailed'
  | 'finalStoredKilled'
  | 'recovered';

const ended = {} as const;
const dies = { fail: 'FINAL_SAVING', kill: 'FINAL_SAVING', containerEnded: 'FINAL_SAVING' } as const;

/** Which event leads from which state to which. */
export const attemptTransitions: TransitionTable<AttemptState, AttemptEvent> = {
  NEW: { start: 'SUBMITTED', kill: 'FINAL_SAVING', fail: 'FINAL_SAVING' },
  SUBMITTED: { scheduled: 'SCHEDULED', scheduledUnmanaged: 'LAUNCHED_UNMANAGED_SAVING', kill: 'FINAL_SAVING', fail: 'FINAL_SAVING' },
  SCHEDULED: { allocated: 'ALLOCATED_SAVING', ...dies },
  ALLOCATED_SAVING: { stored: 'ALLOCATED', recovered: 'LAUNCHED', ...dies },
  LAUNCHED_UNMANAGED_SAVING: { stored: 'LAUNCHED', recovered: 'LAUNCHED', ...dies },
  ALLOCATED: { launched: 'LAUNCHED', registered: 'RUNNING', recovered: 'LAUNCHED', ...dies },
  LAUNCHED: { registered: 'RUNNING', recovered: 'LAUNCHED', ...dies },
  RUNNING: { unregistered: 'FINAL_SAVING', registered: 'RUNNING', recovered: 'RUNNING', ...dies },
  FINAL_SAVING: {
    finalStoredFinishing: 'FINISHING',
    finalStoredFinished: 'FINISHED',
    finalStoredFailed: 'FAILED',
    finalStoredKilled: 'KILLED',
  },
  FINISHING: { containerEnded: 'FINISHED', kill: 'FINISHED', fail: 'FINISHED', recovered: 'FINISHING' },
  FINISHED: ended,
  FAILED: ended,
  KILLED: ended,
};

/** The next state, or undefined where the event changes nothing. */
export const nextAttemptState = (state: AttemptState, event: AttemptEvent): AttemptState | undefined =>
  nextState(attemptTransitions, state, event);

/** Ended for good. */
export const isEndedAttempt: Readonly<Record<AttemptState, boolean>> = {
  NEW: false,
  SUBMITTED: false,
  SCHEDULED: false,
  ALLOCATED_SAVING: false,
  ALLOCATED: false,
  LAUNCHED_UNMANAGED_SAVING: false,
  LAUNCHED: false,
  RUNNING: false,
  FINAL_SAVING: false,
  FINISHING: false,
  FINISHED: true,
  FAILED: true,
  KILLED: true,
};
