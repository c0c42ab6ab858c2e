// The node's side of the node channel: registers with everything it has, pushes what happens at once, carries out commands.
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import type { Random } from '../lib/random.ts';
import { connectChannel, type ReliableChannel } from '../lib/reliable-channel.ts';
import type {
  ContainerReport,
  HealthReport,
  LogAggregationStatus,
  NodeCommand,
  NodeDescriptors,
  NodeMessage,
  RegisterMessage,
  SignalCommand,
  UsageFigures,
} from '../wire/cluster/node-channel.ts';
import type { ContainerManager } from './containers/container-manager.ts';

/** What the channel needs. */
export interface NodeChannelOptions {
  /** `ws://host:port/api/v1/nodes/channel`. */
  readonly url: () => string;
  readonly headers?: () => Record<string, string>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** The register message without what the manager knows. */
  readonly describe: () => Omit<RegisterMessage, 'type' | 'containers' | 'applications'>;
  /** The manager, once it is there. */
  readonly manager: () => ContainerManager;
  readonly registered: (containerTokenKey: Buffer, clusterTimestamp: number) => void;
  readonly resourceChanged: (resource: RegisterMessage['resource']) => void;
  /** The resource manager does not want this node (any more). */
  readonly refused: (reason: string) => void;
}

/** Of how many applications it is told again how far the gathering of their logs is. */
const rememberedGatherings = 1000;

/** Tells the resource manager what happens; messages of one turn of the event loop about containers go together. */
export class ResourceManagerChannel {
  readonly #options: NodeChannelOptions;
  readonly #channel: ReliableChannel<NodeMessage>;
  #reports: ContainerReport[] = [];
  /** What the last register message listed; only of these the answer says whether they are still wanted. */
  #listed: readonly string[] = [];
  /** Told again in a new session: a message may be lost with the former one. Oldest first. */
  readonly #gathered = new Map<string, { readonly status: LogAggregationStatus; readonly diagnostics: string }>();

  constructor(options: NodeChannelOptions) {
    this.#options = options;
    this.#channel = connectChannel<NodeMessage, NodeCommand>({
      url: options.url,
      headers: options.headers,
      clock: options.clock,
      random: options.random,
      logger: options.logger,
      onNewSession: () => this.#register(),
      onMessage: (command) => this.#obey(command),
      onConnection: (connected) => options.logger.info({ connected }, 'the connection to the resource manager changed'),
    });
  }

  get connected(): boolean {
    return this.#channel.connected;
  }

  /** Pushes a container's report in this turn. */
  report(report: ContainerReport): void {
    this.#reports.push(report);
    if (this.#reports.length > 1) return;
    queueMicrotask(() => {
      const reports = this.#reports;
      this.#reports = [];
      if (reports.length > 0) this.#send({ type: 'containers', reports });
    });
  }

  usage(node: UsageFigures, containers: UsageFigures, runningContainers: number): void {
    // Figures of the past are of no use to anybody.
    if (!this.#channel.connected) return;
    const { opportunistic } = this.#options.manager();
    this.#send({ type: 'usage', node, containers, runningContainers, ...(opportunistic ? { opportunistic } : {}) });
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

  /** Says that the node leaves for good, and closes. */
  leave(): void {
    this.#send({ type: 'shutdown' });
    this.close();
  }

  close(): void {
    this.#channel.close();
  }

  #send(message: NodeMessage): void {
    this.#channel.send(message);
  }

  #register(): void {
    this.#reports = [];
    const manager = this.#options.manager();
    this.#listed = [...manager.applications.keys()];
    this.#channel.send({ type: 'register', ...this.#options.describe(), containers: manager.reports(), applications: this.#listed });
    for (const [applicationId, { status, diagnostics }] of this.#gathered)
      this.#channel.send({ type: 'logAggregation', applicationId, status, diagnostics });
  }

  #obey(command: NodeCommand): void {
    const manager = this.#options.manager();
    switch (command.type) {
      case 'registered': {
        this.#options.registered(Buffer.from(command.containerTokenKey, 'base64'), command.clusterTimestamp);
        const kept = new Set(command.keepApplications);
        for (const applicationId of [...manager.applications.keys()])
          if (!kept.has(applicationId)) manager.finishApplication(applicationId);
        return;
      }
      case 'startContainers':
        for (const order of command.containers) manager.start(order);
        return;
      case 'stopContainers':
        for (const { containerId, exitCode, diagnostics } of command.containers) manager.stop(containerId, exitCode, diagnostics);
        return;
      case 'updateContainers':
        for (const { containerId, executionType, resource } of command.containers) {
          if (resource) manager.resize(containerId, resource);
          if (executionType) manager.changeExecutionType(containerId, executionType);
        }
        return;
      case 'signalContainers':
        for (const { containerId, command: signal } of command.containers) manager.signal(containerId, signal);
        return;
      case 'finishApplications':
        for (const applicationId of command.applicationIds) manager.finishApplication(applicationId);
        return;
      case 'updateResource':
        this.#options.resourceChanged(command.resource);
        return;
      case 'refuse':
        this.#options.refused(command.reason);
        return;
      case 'resync':
        this.#register();
        return;
      default:
        this.#options.logger.warn({ command: (command as { type?: string }).type }, 'the resource manager sent an unknown command');
    }
  }
}
