// How often each kind of event came to each part of the cluster, and how long it took there, under the names by which Hadoop's dispatchers count them
// (GenericEventTypeMetrics: RMAppEventType, RMAppAttemptEventType, RMNodeEventType, NodesListManagerEventType, SchedulerEventType).
import type { Clock } from '../../lib/clock.ts';
import type { NodeCommand } from '../../wire/cluster/node-channel.ts';
import type { ApplicationEvent } from '../applications/application-states.ts';
import type { AttemptEvent } from '../applications/attempt-states.ts';
import { isInactiveNode, type NodeEvent, type NodeState } from '../nodes/node-states.ts';

/** Hadoop's names of events, by whom they come to. */
export const eventNames = {
  application: [
    'START',
    'RECOVER',
    'KILL',
    'APP_REJECTED',
    'APP_ACCEPTED',
    'ATTEMPT_REGISTERED',
    'ATTEMPT_UNREGISTERED',
    'ATTEMPT_FINISHED',
    'ATTEMPT_FAILED',
    'ATTEMPT_KILLED',
    'NODE_UPDATE',
    'ATTEMPT_LAUNCHED',
    'APP_RUNNING_ON_NODE',
    'APP_NEW_SAVED',
    'APP_UPDATE_SAVED',
    'APP_SAVE_FAILED',
  ],
  attempt: [
    'START',
    'KILL',
    'FAIL',
    'LAUNCHED',
    'LAUNCH_FAILED',
    'EXPIRE',
    'REGISTERED',
    'STATUS_UPDATE',
    'UNREGISTERED',
    'CONTAINER_ALLOCATED',
    'CONTAINER_FINISHED',
    'ATTEMPT_NEW_SAVED',
    'ATTEMPT_UPDATE_SAVED',
    'ATTEMPT_ADDED',
    'RECOVER',
  ],
  node: [
    'STARTED',
    'DECOMMISSION',
    'GRACEFUL_DECOMMISSION',
    'RECOMMISSION',
    'RESOURCE_UPDATE',
    'STATUS_UPDATE',
    'REBOOTING',
    'RECONNECTED',
    'SHUTDOWN',
    'CLEANUP_APP',
    'CONTAINER_ALLOCATED',
    'CLEANUP_CONTAINER',
    'UPDATE_CONTAINER',
    'SIGNAL_CONTAINER',
    'FINISHED_CONTAINERS_PULLED_BY_AM',
    'EXPIRE',
  ],
  nodeList: ['NODE_USABLE', 'NODE_UNUSABLE', 'NODE_DECOMMISSIONING'],
  scheduler: [
    'NODE_ADDED',
    'NODE_REMOVED',
    'NODE_UPDATE',
    'NODE_RESOURCE_UPDATE',
    'NODE_LABELS_UPDATE',
    'NODE_ATTRIBUTES_UPDATE',
    'APP_ADDED',
    'APP_REMOVED',
    'APP_ATTEMPT_ADDED',
    'APP_ATTEMPT_REMOVED',
    'CONTAINER_EXPIRED',
    'RELEASE_CONTAINER',
    'KILL_RESERVED_CONTAINER',
    'MARK_CONTAINER_FOR_PREEMPTION',
    'MARK_CONTAINER_FOR_KILLABLE',
    'MARK_CONTAINER_FOR_NONKILLABLE',
    'MANAGE_QUEUE',
    'AUTO_QUEUE_DELETION',
  ],
} as const;

/** To whom an event comes. */
export type EventReceiver = keyof typeof eventNames;
/** An event of a receiver. */
export type EventName<Receiver extends EventReceiver> = (typeof eventNames)[Receiver][number];

const ofApplications: Readonly<Record<ApplicationEvent, EventName<'application'>>> = {
  start: 'START',
  stored: 'APP_NEW_SAVED',
  rejected: 'APP_REJECTED',
  accepted: 'APP_ACCEPTED',
  registered: 'ATTEMPT_REGISTERED',
  attemptRetried: 'ATTEMPT_FAILED',
  attemptFailed: 'ATTEMPT_FAILED',
  unregistered: 'ATTEMPT_UNREGISTERED',
  kill: 'KILL',
  attemptKilled: 'ATTEMPT_KILLED',
  finalStoredFinishing: 'APP_UPDATE_SAVED',
  finalStoredFinished: 'APP_UPDATE_SAVED',
  finalStoredFailed: 'APP_UPDATE_SAVED',
  finalStoredKilled: 'APP_UPDATE_SAVED',
  attemptFinished: 'ATTEMPT_FINISHED',
  recovered: 'RECOVER',
};

/** That a master's container ended is counted with all others' ends. */
const ofAttempts: Readonly<Partial<Record<AttemptEvent, EventName<'attempt'>>>> = {
  start: 'START',
  scheduled: 'ATTEMPT_ADDED',
  scheduledUnmanaged: 'ATTEMPT_ADDED',
  allocated: 'CONTAINER_ALLOCATED',
  stored: 'ATTEMPT_NEW_SAVED',
  launched: 'LAUNCHED',
  registered: 'REGISTERED',
  unregistered: 'UNREGISTERED',
  fail: 'FAIL',
  kill: 'KILL',
  finalStoredFinishing: 'ATTEMPT_UPDATE_SAVED',
  finalStoredFinished: 'ATTEMPT_UPDATE_SAVED',
  finalStoredFailed: 'ATTEMPT_UPDATE_SAVED',
  finalStoredKilled: 'ATTEMPT_UPDATE_SAVED',
  recovered: 'RECOVER',
};

/** What nodes say of their health, and that one is drained, is in their messages, which are counted as such. */
const ofNodes: Readonly<Partial<Record<NodeEvent, EventName<'node'>>>> = {
  decommission: 'DECOMMISSION',
  decommissionGracefully: 'GRACEFUL_DECOMMISSION',
  recommission: 'RECOMMISSION',
  expire: 'EXPIRE',
  reboot: 'REBOOTING',
  shutdown: 'SHUTDOWN',
};

/** What nodes are told; the other commands are no events of theirs in Hadoop. */
const ofCommands: Readonly<Partial<Record<NodeCommand['type'], EventName<'node'>>>> = {
  finishApplications: 'CLEANUP_APP',
  stopContainers: 'CLEANUP_CONTAINER',
  updateContainers: 'UPDATE_CONTAINER',
  signalContainers: 'SIGNAL_CONTAINER',
  updateResource: 'RESOURCE_UPDATE',
};

/** How many things a command is about: Hadoop has an event for each. */
const sizeOf = (command: NodeCommand): number =>
  'containers' in command ? command.containers.length : 'applicationIds' in command ? command.applicationIds.length : 1;

interface Figure {
  count: number;
  totalMs: number;
}

/** Counted since the resource manager started. */
export class EventFigures {
  readonly #clock: Pick<Clock, 'steadyMs'>;
  readonly #figures: Readonly<Record<EventReceiver, Map<string, Figure>>> = {
    application: new Map(),
    attempt: new Map(),
    node: new Map(),
    nodeList: new Map(),
    scheduler: new Map(),
  };

  constructor(clock: Pick<Clock, 'steadyMs'>) {
    this.#clock = clock;
  }

  /** Counts events that took so long together, ms. */
  add<Receiver extends EventReceiver>(receiver: Receiver, event: EventName<Receiver>, count = 1, tookMs = 0): void {
    const figures = this.#figures[receiver];
    const figure = figures.get(event);
    if (figure) {
      figure.count += count;
      figure.totalMs += tookMs;
    } else figures.set(event, { count, totalMs: tookMs });
  }

  /** Does something that an event brings about, and counts it. */
  timed<Receiver extends EventReceiver, T>(receiver: Receiver, event: EventName<Receiver>, run: () => T): T {
    const beganMs = this.#clock.steadyMs();
    const result = run();
    this.add(receiver, event, 1, this.#clock.steadyMs() - beganMs);
    return result;
  }

  /** An application took an event. */
  ofApplication(event: ApplicationEvent, run: () => void): void {
    this.timed('application', ofApplications[event], run);
  }

  /** An attempt took an event; its application hears of a launch. */
  ofAttempt(event: AttemptEvent, run: () => void): void {
    const name = ofAttempts[event];
    if (name === undefined) run();
    else this.timed('attempt', name, run);
    if (event === 'launched') this.add('application', 'ATTEMPT_LAUNCHED');
  }

  /** A node took an event; `applications`: how many live, which hear where it is of use to them no longer, or again. */
  ofNode(event: NodeEvent, from: NodeState, to: NodeState, applications: number): void {
    const name = event === 'registered' ? (from === 'NEW' || isInactiveNode[from] ? 'STARTED' : 'RECONNECTED') : ofNodes[event];
    if (name) this.add('node', name);
    if (from === to) return;
    const isUsable = to === 'RUNNING';
    if (isUsable) this.add('nodeList', 'NODE_USABLE');
    else if (to === 'DECOMMISSIONING') this.add('nodeList', 'NODE_DECOMMISSIONING');
    else if (!isInactiveNode[from]) this.add('nodeList', 'NODE_UNUSABLE');
    else return;
    if (applications > 0) this.add('application', 'NODE_UPDATE', applications);
  }

  /** A command went to a node. */
  sent(command: NodeCommand): void {
    const name = ofCommands[command.type];
    const count = sizeOf(command);
    if (name && count > 0) this.add('node', name, count);
  }

  /** How many events there were, and how long all took, ms. */
  of<Receiver extends EventReceiver>(receiver: Receiver, event: EventName<Receiver>): Readonly<Figure> {
    return this.#figures[receiver].get(event) ?? { count: 0, totalMs: 0 };
  }
}
