// The lifecycle of a container as the resource manager sees it: states and events of RMContainerImpl.
import { nextState, type TransitionTable } from '../../lib/state-machine.ts';

export const containerStates = [
  'NEW',
  'RESERVED',
  'ALLOCATED',
  'ACQUIRED',
  'RUNNING',
  'COMPLETED',
  'EXPIRED',
  'RELEASED',
  'KILLED',
] as const;
export type ContainerState = (typeof containerStates)[number];

/** `acquired`: its start was sent to the node or its token handed to the master. */
export type ContainerEvent = 'start' | 'acquired' | 'launched' | 'finished' | 'expire' | 'release' | 'kill' | 'recovered';

const ended = {} as const;

/** Which event leads from which state to which. */
export const containerTransitions: TransitionTable<ContainerState, ContainerEvent> = {
  NEW: { start: 'ALLOCATED', recovered: 'RUNNING', kill: 'KILLED', finished: 'COMPLETED' },
  RESERVED: { start: 'ALLOCATED', release: 'RELEASED', kill: 'KILLED' },
  ALLOCATED: { acquired: 'ACQUIRED', expire: 'EXPIRED', release: 'RELEASED', kill: 'KILLED', finished: 'COMPLETED' },
  ACQUIRED: { launched: 'RUNNING', finished: 'COMPLETED', expire: 'EXPIRED', release: 'RELEASED', kill: 'KILLED' },
  RUNNING: { finished: 'COMPLETED', release: 'RELEASED', kill: 'KILLED' },
  COMPLETED: ended,
  EXPIRED: ended,
  RELEASED: ended,
  KILLED: ended,
};

/** The next state, or undefined where the event changes nothing. */
export const nextContainerState = (state: ContainerState, event: ContainerEvent): ContainerState | undefined =>
  nextState(containerTransitions, state, event);

/** Whether the container no longer holds anything. */
export const isEndedContainer = (state: ContainerState): boolean =>
  state === 'COMPLETED' || state === 'EXPIRED' || state === 'RELEASED' || state === 'KILLED';
