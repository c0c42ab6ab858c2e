// What can happen to a container: states of Hadoop's ContainerState (node manager), events in our words.
import type { TransitionTable } from '../../lib/state-machine.ts';

/** States of a container on its node. */
export const containerStates = [
  'NEW',
  'LOCALIZING',
  'LOCALIZATION_FAILED',
  'SCHEDULED',
  'RUNNING',
  'RELAUNCHING',
  'REINITIALIZING',
  'REINITIALIZING_AWAITING_KILL',
  'EXITED_WITH_SUCCESS',
  'EXITED_WITH_FAILURE',
  'KILLING',
  'CONTAINER_CLEANEDUP_AFTER_KILL',
  'CONTAINER_RESOURCES_CLEANINGUP',
  'DONE',
  'PAUSING',
  'PAUSED',
  'RESUMING',
] as const;

/** A state of a container. */
export type ContainerState = (typeof containerStates)[number];

/** Events: steps of the start, ends of the process, and what others ask for. */
export type ContainerEvent =
  /** Its resources are being fetched. */
  | 'initialize'
  | 'localized'
  | 'localizationFailed'
  | 'launched'
  /** The process ended with 0. */
  | 'succeeded'
  /** The process ended with another code, or could not be launched. */
  | 'failed'
  /** The process failed and will be started again. */
  | 'relaunch'
  /** Its master wants its processes to stand still; they do. */
  | 'pause'
  | 'paused'
  /** Its master wants them to go on; they do. */
  | 'resume'
  | 'resumed'
  /** A signal ended the process (exit code 137 or 143). */
  | 'killed'
  /** Its end is asked for: by the resource manager, its master or a limit. */
  | 'kill'
  /** It is to run another launch context, or the same one anew: what that needs is fetched, then its process is ended. */
  | 'reinitialize'
  /** Its process has ended and it starts anew: that was asked for, or its new launch context failed and the former one comes back. */
  | 'startAnew'
  /** Nothing was running when its end was asked for, and now nothing will. */
  | 'nothingToKill'
  /** Its folders and references are gone. */
  | 'cleanedUp';

/** Its process ended by itself. */
const exits = { succeeded: 'EXITED_WITH_SUCCESS', failed: 'EXITED_WITH_FAILURE', killed: 'EXITED_WITH_FAILURE' } as const;

/**
 * The table (transitions of ContainerImpl). A process whose end was asked for so that it starts anew does so however it ends; in Hadoop one
 * that ends by itself with a code of its own on SIGTERM ends its container.
 */
export const containerTable = {
  NEW: { initialize: 'LOCALIZING', kill: 'DONE' },
  LOCALIZING: { localized: 'SCHEDULED', localizationFailed: 'LOCALIZATION_FAILED', kill: 'KILLING' },
  LOCALIZATION_FAILED: { kill: 'LOCALIZATION_FAILED', cleanedUp: 'DONE' },
  SCHEDULED: {
    launched: 'RUNNING',
    succeeded: 'EXITED_WITH_SUCCESS',
    failed: 'EXITED_WITH_FAILURE',
    killed: 'EXITED_WITH_FAILURE',
    kill: 'KILLING',
  },
  RUNNING: {
    succeeded: 'EXITED_WITH_SUCCESS',
    failed: 'EXITED_WITH_FAILURE',
    relaunch: 'RELAUNCHING',
    reinitialize: 'REINITIALIZING',
    startAnew: 'SCHEDULED',
    pause: 'PAUSING',
    killed: 'EXITED_WITH_FAILURE',
    kill: 'KILLING',
  },
  RELAUNCHING: { launched: 'RUNNING', failed: 'EXITED_WITH_FAILURE', kill: 'KILLING' },
  REINITIALIZING: { ...exits, localized: 'REINITIALIZING_AWAITING_KILL', localizationFailed: 'RUNNING', kill: 'KILLING' },
  REINITIALIZING_AWAITING_KILL: { startAnew: 'SCHEDULED', kill: 'KILLING' },
  EXITED_WITH_SUCCESS: { kill: 'EXITED_WITH_SUCCESS', cleanedUp: 'DONE' },
  EXITED_WITH_FAILURE: { kill: 'EXITED_WITH_FAILURE', cleanedUp: 'DONE' },
  KILLING: {
    launched: 'KILLING',
    kill: 'KILLING',
    succeeded: 'EXITED_WITH_SUCCESS',
    failed: 'EXITED_WITH_FAILURE',
    killed: 'CONTAINER_CLEANEDUP_AFTER_KILL',
    nothingToKill: 'CONTAINER_CLEANEDUP_AFTER_KILL',
  },
  CONTAINER_CLEANEDUP_AFTER_KILL: { kill: 'CONTAINER_CLEANEDUP_AFTER_KILL', cleanedUp: 'DONE' },
  CONTAINER_RESOURCES_CLEANINGUP: { cleanedUp: 'DONE' },
  DONE: { kill: 'DONE' },
  PAUSING: { ...exits, kill: 'KILLING', paused: 'PAUSED', resumed: 'RUNNING' },
  PAUSED: { ...exits, kill: 'KILLING', resume: 'RESUMING' },
  RESUMING: { ...exits, kill: 'KILLING', resumed: 'RUNNING', paused: 'PAUSED' },
} as const satisfies TransitionTable<ContainerState, ContainerEvent>;

/** States in which no process of the container exists any more and its exit code is known. */
export const endedStates: ReadonlySet<ContainerState> = new Set([
  'LOCALIZATION_FAILED',
  'EXITED_WITH_SUCCESS',
  'EXITED_WITH_FAILURE',
  'CONTAINER_CLEANEDUP_AFTER_KILL',
  'CONTAINER_RESOURCES_CLEANINGUP',
  'DONE',
]);

/** States before the process runs. */
export const waitingStates: ReadonlySet<ContainerState> = new Set(['NEW', 'LOCALIZING', 'SCHEDULED']);
