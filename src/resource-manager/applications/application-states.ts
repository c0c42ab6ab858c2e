// The lifecycle of an application: states and events of RMAppImpl, and what clients are shown of them.
import { nextState, type TransitionTable } from '../../lib/state-machine.ts';

export const applicationStates = [
  'NEW',
  'NEW_SAVING',
  'SUBMITTED',
  'ACCEPTED',
  'RUNNING',
  'FINAL_SAVING',
  'FINISHING',
  'FINISHED',
  'FAILED',
  'KILLING',
  'KILLED',
] as const;
/** State inside the resource manager; `/state` shows it. */
export type ApplicationState = (typeof applicationStates)[number];

/**
 * What can happen to an application. `attemptFailed` and `attemptKilled` mean that no further attempt follows. `recovered`: a new process
 * takes it over from the store; one whose end was not durable yet is accepted once more and ends then.
 */
export type ApplicationEvent =
  | 'start'
  | 'stored'
  | 'rejected'
  | 'accepted'
  | 'registered'
  | 'attemptRetried'
  | 'attemptFailed'
  | 'unregistered'
  | 'kill'
  | 'attemptKilled'
  | 'finalStoredFinishing'
  | 'finalStoredFinished'
  | 'finalStoredFailed'
  | 'finalStoredKilled'
  | 'attemptFinished'
  | 'recovered';

const ended = {} as const;

/** Which event leads from which state to which. */
export const applicationTransitions: TransitionTable<ApplicationState, ApplicationEvent> = {
  NEW: { start: 'NEW_SAVING', kill: 'KILLED', rejected: 'FINAL_SAVING', recovered: 'NEW_SAVING' },
  NEW_SAVING: { stored: 'SUBMITTED', kill: 'FINAL_SAVING', rejected: 'FINAL_SAVING', recovered: 'NEW_SAVING' },
  SUBMITTED: { accepted: 'ACCEPTED', rejected: 'FINAL_SAVING', kill: 'FINAL_SAVING', recovered: 'NEW_SAVING' },
  ACCEPTED: {
    registered: 'RUNNING',
    attemptRetried: 'ACCEPTED',
    attemptFailed: 'FINAL_SAVING',
    kill: 'KILLING',
    attemptKilled: 'FINAL_SAVING',
    unregistered: 'FINAL_SAVING',
    recovered: 'ACCEPTED',
  },
  RUNNING: {
    recovered: 'RUNNING',
    attemptRetried: 'ACCEPTED',
    attemptFailed: 'FINAL_SAVING',
    unregistered: 'FINAL_SAVING',
    kill: 'KILLING',
    attemptKilled: 'FINAL_SAVING',
  },
  KILLING: { attemptKilled: 'FINAL_SAVING', unregistered: 'FINAL_SAVING', attemptFailed: 'FINAL_SAVING', recovered: 'ACCEPTED' },
  FINAL_SAVING: {
    finalStoredFinishing: 'FINISHING',
    finalStoredFinished: 'FINISHED',
    finalStoredFailed: 'FAILED',
    finalStoredKilled: 'KILLED',
    recovered: 'ACCEPTED',
  },
  FINISHING: { attemptFinished: 'FINISHED' },
  FINISHED: ended,
  FAILED: ended,
  KILLED: ended,
};

/** The next state, or undefined where the event changes nothing. */
export const nextApplicationState = (state: ApplicationState, event: ApplicationEvent): ApplicationState | undefined =>
  nextState(applicationTransitions, state, event);

/** Completed as the REST layer means it: priority, queue and timeout are no longer changed. */
export const isCompletedState: Readonly<Record<ApplicationState, boolean>> = {
  NEW: false,
  NEW_SAVING: false,
  SUBMITTED: false,
  ACCEPTED: false,
  RUNNING: false,
  FINAL_SAVING: true,
  FINISHING: true,
  FINISHED: true,
  FAILED: true,
  KILLING: true,
  KILLED: true,
};

/** The final state is stored: a kill has nothing left to do (PUT state answers 200). */
export const isFinalState: Readonly<Record<ApplicationState, boolean>> = {
  NEW: false,
  NEW_SAVING: false,
  SUBMITTED: false,
  ACCEPTED: false,
  RUNNING: false,
  FINAL_SAVING: false,
  FINISHING: true,
  FINISHED: true,
  FAILED: true,
  KILLING: false,
  KILLED: true,
};
