// The node's side of the node channel: registers with everything it has, pushes what happens at once, carries out commands.
import type { Agent } from 'node:http';
import { Unproven } from '../client/proven-agent.ts';
import type { ChannelFigures } from '../lib/channel-figures.ts';
import type { Clock, Timer } from '../lib/clock.ts';
import { checked, isObject } from '../lib/json-shape.ts';
import type { Logger } from '../lib/log.ts';
import type { Random } from '../lib/random.ts';
import { connectChannel, type ReliableChannel } from '../lib/reliable-channel.ts';
import { exitStatus } from '../model/exit-status.ts';
import type { ContainerReport } from '../wire/cluster/container-messages.ts';
import {
  type HealthReport,
  type LogAggregationStatus,
  type NodeCommand,
  type NodeDescriptors,
  type NodeMessage,
  nodeCommand,
  type RegisterMessage,
  type SignalCommand,
  type UsageFigures,
} from '../wire/cluster/node-channel.ts';
import type { ContainerManager } from './containers/container-manager.ts';
import type { Membership } from './membership.ts';

/** What the channel needs. */
export interface NodeChannelOptions {
  /** `ws://host:port/api/v1/nodes/channel`. */
  readonly url: () => string;
  /** Makes connections on which both sides have proven themselves. */
  readonly agent?: Agent;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Counts what is carried. */
  readonly figures?: ChannelFigures;
  /** Hears how the node stands with the resource manager. */
  readonly membership?: Pick<Membership, 'connected' | 'disconnected' | 'registered' | 'refused' | 'unproven'>;
}

/** The node that speaks through the channel. */
export interface ConnectedNode {
  readonly manager: ContainerManager;
  /** The register message without what the manager knows. */
  readonly describe: () => Omit<RegisterMessage, 'type' | 'containers' | 'applications'>;
  /** The resource manager took the node up. */
  readonly registered: () => void;
  /** The resource manager gave the node another size. */
  readonly resourceChanged: (resource: RegisterMessage['resource']) => void;
  /** The resource manager does not want this node (any more). */
  readonly refused: (reason: string) => void;
}

/** After a command that cannot be read a node registers again, but not more often than this: the next one may be the same. */
const registerAgainMs = 10_000;
/** Pause before a registration that follows a former one: the first after a `resync` is at once, each next one waits twice as long. */
const firstPauseMs = 1000;
const longestPauseMs = 10_000;
/** A registration that stood for this long has no part in the pauses after it. */
const standingMs = 60_000;
/** Of how many applications it is told again how far the gathering of their logs is. */
const rememberedGatherings = 1000;

/**
 * Tells the resource manager what happens, and carries out its commands. Before `connect` everything but how far the gathering of logs is
 * is dropped: registering says the rest. Messages of one turn of the event loop about containers go together.
 *
 * A node that is refused, or told to register again, says nothing until it registers, which it does after pauses that grow, and
 * repeats how far its logs are only when it was taken up: however the resource manager answers, the messages of a session stay few (docs/protocol.md, P16).
 */
export class ResourceManagerChannel {
  readonly #options: NodeChannelOptions;
  /** Absent before `connect`. */
  #connection: { readonly node: ConnectedNode; readonly channel: ReliableChannel<NodeMessage> } | undefined;
  #containerTokenKey: Buffer | undefined;
  #managerStartedMs: number | undefined;
  #reports: ContainerReport[] = [];
  /** What is used, as it was last said; a resource manager that has just taken the node up knows nothing of it. */
  #usage: Pick<Extract<NodeMessage, { readonly type: 'usage' }>, 'node' | 'containers' | 'runningContainers'> | undefined;
  /** When this node last registered because of a command that it could not read. */
  #registeredAgainMs = Number.NEGATIVE_INFINITY;
  /** Nothing is said before the next registration, which this awaits. */
  #pause: Timer | undefined;
  /** Registrations in a row of which none stood, and when the last one was. */
  #repetitions = 0;
  #registeredMs = Number.NEGATIVE_INFINITY;
  /** It is no part of the cluster since its last registration. */
  #isRefused = false;
  #isLeaving = false;
  #closed = false;
  /** What the last register message listed; only of these the answer says whether they are still wanted. */
  #listed: readonly string[] = [];
  /** Told again in a new session: a message may be lost with the former one. Oldest first. */
  readonly #gathered = new Map<string, { readonly status: LogAggregationStatus; readonly diagnostics: string }>();

  constructor(options: NodeChannelOptions) {
    this.#options = options;
  }

  /** Connects, and from then on again whenever the connection breaks. Called once, when the node has all that registering says. */
  connect(node: ConnectedNode): void {
    if (this.#closed) return;
    const { logger, membership } = this.#options;
    const channel = connectChannel<NodeMessage>({
      ...this.#options,
      onNewSession: () => this.#register(),
      onMessage: (received) => this.#take(node, received),
      onConnection: (connected, isResumed) => {
        logger.info({ connected }, 'the connection to the resource manager changed');
        if (connected) membership?.connected(isResumed);
        else membership?.disconnected();
      },
      onFailure: (error) => {
        if (error instanceof Unproven) membership?.unproven(error.message);
        else membership?.disconnected((error as NodeJS.ErrnoException).code ?? error.message);
      },
    });
    this.#connection = { node, channel };
  }

  /** The key of container tokens that the last registration brought; undefined before the first. */
  get containerTokenKey(): Buffer | undefined {
    return this.#containerTokenKey;
  }

  /** When the resource manager that answered the last registration started, ms since the epoch; undefined before the first. */
  get managerStartedMs(): number | undefined {
    return this.#managerStartedMs;
  }

  /** Pushes a container's report in this turn. */
  report(report: ContainerReport): void {
    if (this.#isLeaving && report.exitCode === exitStatus.aborted) return;
    this.#reports.push(report);
    if (this.#reports.length > 1) return;
    queueMicrotask(() => {
      const reports = this.#reports;
      this.#reports = [];
      if (reports.length > 0) this.#send({ type: 'containers', reports });
    });
  }

  usage(node: UsageFigures, containers: UsageFigures, runningContainers: number): void {
    this.#usage = { node, containers, runningContainers };
    // Figures of the past are of no use to the resource manager: none waits for a connection.
    if (this.#connection?.channel.connected) this.#tellUsage();
  }

  #tellUsage(): void {
    if (!this.#connection || !this.#usage) return;
    const { opportunistic } = this.#connection.node.manager;
    this.#send({ type: 'usage', ...this.#usage, ...(opportunistic ? { opportunistic } : {}) });
  }

  health(report: HealthReport): void {
    this.#send({ type: 'health', ...report });
  }

  descriptors(descriptors: NodeDescriptors): void {
    this.#send({ type: 'descriptors', ...descriptors });
  }

  logAggregation(applicationId: string, status: LogAggregationStatus, diagnostics: string): void {
    this.#gathered.delete(applicationId);
    this.#gathered.set(applicationId, { status, diagnostics });
    for (const oldest of this.#gathered.keys()) {
      if (this.#gathered.size <= rememberedGatherings) break;
      this.#gathered.delete(oldest);
    }
    this.#send({ type: 'logAggregation', applicationId, status, diagnostics });
  }

  signalled(containerId: string, command: SignalCommand, success: boolean): void {
    this.#send({ type: 'signalled', containerId, command, success });
  }

  /**
   * From now on ends that the node itself brings are not told: that it left says them all at once, when nothing of them runs any more. Told one by
   * one they would have the resource manager start other masters on this node.
   */
  prepareToLeave(): void {
    this.#isLeaving = true;
  }

  /** Says that the node leaves for good, and closes. */
  leave(): void {
    this.#send({ type: 'shutdown' });
    this.close();
  }

  close(): void {
    this.#closed = true;
    this.#pause?.cancel();
    this.#connection?.channel.close();
  }

  #send(message: NodeMessage): void {
    if (!this.#pause) this.#connection?.channel.send(message);
  }

  #register(): void {
    this.#pause?.cancel();
    this.#pause = undefined;
    this.#isRefused = false;
    this.#reports = [];
    if (!this.#connection || this.#closed) return;
    const { manager, describe } = this.#connection.node;
    this.#registeredMs = this.#options.clock.steadyMs();
    this.#listed = [...manager.applications.keys()];
    this.#send({ type: 'register', ...describe(), containers: manager.reports(), applications: this.#listed });
  }

  /** Registers again: at once or after a pause; until then nothing is said. */
  #registerAgain(atOnce: boolean): void {
    if (this.#pause || this.#closed) return;
    const { clock, random } = this.#options;
    if (clock.steadyMs() - this.#registeredMs >= standingMs) this.#repetitions = 0;
    const doublings = this.#repetitions++ - (atOnce ? 1 : 0);
    if (doublings < 0) return this.#register();
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** doublings);
    this.#pause = clock.setTimer(pauseMs * (0.75 + random.next() / 4), () => this.#register());
  }

  /** It is wanted again: it does not wait until its pause is over, but for the shortest one. */
  #calledBack(): void {
    if (this.#closed) return;
    this.#pause?.cancel();
    this.#isRefused = false;
    const leftMs = this.#registeredMs + firstPauseMs - this.#options.clock.steadyMs();
    this.#pause = leftMs > 0 ? this.#options.clock.setTimer(leftMs, () => this.#register()) : undefined;
    if (!this.#pause) this.#register();
  }

  /** Messages of former sessions and of times in which the node was not wanted may be lost. */
  #repeatGathered(): void {
    for (const [applicationId, { status, diagnostics }] of this.#gathered)
      this.#send({ type: 'logAggregation', applicationId, status, diagnostics });
  }

  /**
   * Carries out a command that is as described. Another one, of a resource manager of another version, is dropped as a whole: this node
   * registers again, so that what the command was about (a start that never came) is known to both sides as it is.
   */
  #take(node: ConnectedNode, received: unknown): void {
    const { clock, logger } = this.#options;
    const { value: command, fault } = checked(nodeCommand, received);
    if (fault === undefined) return this.#obey(node, command);
    const type = isObject(received) ? received['type'] : undefined;
    logger.error({ fault, command: type }, 'a command of the resource manager cannot be read and is dropped');
    if (type === 'registered' || clock.steadyMs() - this.#registeredAgainMs < registerAgainMs) return;
    this.#registeredAgainMs = clock.steadyMs();
    this.#registerAgain(true);
  }

  #obey(node: ConnectedNode, command: NodeCommand): void {
    const { manager } = node;
    switch (command.type) {
      case 'registered': {
        this.#containerTokenKey = Buffer.from(command.containerTokenKey, 'base64');
        this.#managerStartedMs = command.clusterTimestamp;
        node.registered();
        this.#options.membership?.registered();
        this.#tellUsage();
        const kept = new Set(command.keepApplications);
        for (const applicationId of this.#listed) if (!kept.has(applicationId)) manager.finishApplication(applicationId);
        this.#repeatGathered();
        return;
      }
      case 'startContainers':
        for (const order of command.containers) manager.start(order);
        return;
      case 'stopContainers':
        for (const { containerId, exitCode, diagnostics } of command.containers) manager.stop(containerId, exitCode, diagnostics);
        return;
      case 'updateContainers':
        for (const update of command.containers) manager.update(update);
        return;
      case 'signalContainers':
        for (const { containerId, command: signal } of command.containers) manager.signal(containerId, signal);
        return;
      case 'finishApplications':
        for (const applicationId of command.applicationIds) manager.finishApplication(applicationId);
        return;
      case 'updateResource':
        node.resourceChanged(command.resource);
        return;
      case 'refuse':
        this.#isRefused = true;
        this.#registerAgain(false);
        node.refused(command.reason);
        this.#options.membership?.refused(command.reason);
        return;
      case 'resync':
        if (this.#isRefused) this.#calledBack();
        else this.#registerAgain(true);
        return;
    }
  }
}
