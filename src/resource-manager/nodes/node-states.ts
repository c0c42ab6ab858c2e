// The lifecycle of a node: states and events of RMNodeImpl.
import { nextState, type TransitionTable } from '../../lib/state-machine.ts';

export const nodeStates = ['NEW', 'RUNNING', 'UNHEALTHY', 'DECOMMISSIONING', 'DECOMMISSIONED', 'LOST', 'REBOOTED', 'SHUTDOWN'] as const;
export type NodeState = (typeof nodeStates)[number];

export type NodeEvent =
  | 'registered'
  | 'healthy'
  | 'unhealthy'
  | 'decommission'
  | 'decommissionGracefully'
  | 'recommission'
  | 'drained'
  | 'expire'
  | 'reboot'
  | 'shutdown';

const back = { registered: 'RUNNING' } as const;

/** Which event leads from which state to which. */
export const nodeTransitions: TransitionTable<NodeState, NodeEvent> = {
  NEW: { registered: 'RUNNING', decommission: 'DECOMMISSIONED' },
  RUNNING: {
    registered: 'RUNNING',
    unhealthy: 'UNHEALTHY',
    decommission: 'DECOMMISSIONED',
    decommissionGracefully: 'DECOMMISSIONING',
    expire: 'LOST',
    reboot: 'REBOOTED',
    shutdown: 'SHUTDOWN',
  },
  UNHEALTHY: {
    registered: 'RUNNING',
    healthy: 'RUNNING',
    decommission: 'DECOMMISSIONED',
    decommissionGracefully: 'DECOMMISSIONING',
    expire: 'LOST',
    reboot: 'REBOOTED',
    shutdown: 'SHUTDOWN',
  },
  DECOMMISSIONING: {
    registered: 'DECOMMISSIONING',
    drained: 'DECOMMISSIONED',
    decommission: 'DECOMMISSIONED',
    recommission: 'RUNNING',
    expire: 'LOST',
    reboot: 'REBOOTED',
    shutdown: 'SHUTDOWN',
  },
  DECOMMISSIONED: { ...back },
  LOST: { ...back, decommission: 'DECOMMISSIONED' },
  REBOOTED: { ...back, decommission: 'DECOMMISSIONED' },
  SHUTDOWN: { ...back, decommission: 'DECOMMISSIONED' },
};

/** The next state, or undefined where the event changes nothing. */
export const nextNodeState = (state: NodeState, event: NodeEvent): NodeState | undefined => nextState(nodeTransitions, state, event);

/** Inactive nodes are listed with empty figures. */
export const isInactiveNode: Readonly<Record<NodeState, boolean>> = {
  NEW: false,
  RUNNING: false,
  UNHEALTHY: false,
  DECOMMISSIONING: false,
  DECOMMISSIONED: true,
  LOST: true,
  REBOOTED: true,
  SHUTDOWN: true,
};
