// What can happen to an application on a node: states of Hadoop's ApplicationState (node manager), events in our words.
import type { TransitionTable } from '../../lib/state-machine.ts';

/** States of an application on a node, in the order in which it goes through them. */
export const applicationStates = [
  'NEW',
  'INITING',
  'RUNNING',
  'FINISHING_CONTAINERS_WAIT',
  'APPLICATION_RESOURCES_CLEANINGUP',
  'FINISHED',
] as const;

/** A state of an application. */
export type ApplicationState = (typeof applicationStates)[number];

/** Events of an application. */
export type ApplicationEvent =
  /** Its first container arrived. */
  | 'initialize'
  /** Its folders and services are there. */
  | 'initialized'
  /** The resource manager says that it is over, and containers are left. */
  | 'finishWithContainers'
  /** The resource manager says that it is over, and no container is left. */
  | 'finish'
  /** The last container ended after the application was over. */
  | 'lastContainerEnded'
  /** Its folders are gone. */
  | 'cleanedUp';

/** The table (transitions of ApplicationImpl). */
export const applicationTable = {
  NEW: { initialize: 'INITING' },
  INITING: { initialized: 'RUNNING', finishWithContainers: 'FINISHING_CONTAINERS_WAIT', finish: 'APPLICATION_RESOURCES_CLEANINGUP' },
  RUNNING: { finishWithContainers: 'FINISHING_CONTAINERS_WAIT', finish: 'APPLICATION_RESOURCES_CLEANINGUP' },
  FINISHING_CONTAINERS_WAIT: { finishWithContainers: 'FINISHING_CONTAINERS_WAIT', lastContainerEnded: 'APPLICATION_RESOURCES_CLEANINGUP' },
  APPLICATION_RESOURCES_CLEANINGUP: {
    finish: 'APPLICATION_RESOURCES_CLEANINGUP',
    finishWithContainers: 'APPLICATION_RESOURCES_CLEANINGUP',
    cleanedUp: 'FINISHED',
  },
  FINISHED: { finish: 'FINISHED', finishWithContainers: 'FINISHED' },
} as const satisfies TransitionTable<ApplicationState, ApplicationEvent>;
