// A node manager without processes: it keeps what it was told to run, and says so when asked. Commands and reports wait until the
// history lets them through, and are lost with their session.
import type { Cluster } from '../../src/resource-manager/cluster.ts';
import type { Node } from '../../src/resource-manager/nodes/node.ts';
import type { ContainerReport, ContainerStart, ExecutionType, NodeResource } from '../../src/wire/cluster/container-messages.ts';
import type { NodeCommand, NodeMessage } from '../../src/wire/cluster/node-channel.ts';

export interface SimulatedContainer {
  readonly id: string;
  readonly applicationId: string;
  resource: NodeResource;
  readonly createdMs: number;
  executionType: ExecutionType;
  readonly allocationTags: readonly string[];
  state: ContainerReport['state'];
  exitCode: number;
}

/** What happens on a node that others must hear of. */
export interface NodeEvents {
  masterStarted(order: ContainerStart, node: SimulatedNode): void;
  containerEnded(containerId: string): void;
}

interface Session {
  readonly node: Node;
  readonly send: (command: NodeCommand) => void;
}

export class SimulatedNode {
  readonly id: string;
  readonly containers = new Map<string, SimulatedContainer>();
  readonly applications = new Set<string>();
  refused = false;
  healthy = true;
  /** Applications whose logs it has gathered; told again in each session. */
  readonly #gathered = new Set<string>();
  #inbox: NodeCommand[] = [];
  #outbox: Exclude<NodeMessage, { type: 'register' }>[] = [];
  #cluster: Cluster | undefined;
  #session: Session | undefined;
  readonly #events: NodeEvents;

  constructor(id: string, events: NodeEvents) {
    this.id = id;
    this.#events = events;
  }

  get connected(): boolean {
    return this.#session !== undefined;
  }
  get busy(): boolean {
    return this.#inbox.length + this.#outbox.length > 0;
  }

  /** Begins a new session; what the former one had not delivered is lost. */
  register(cluster: Cluster): void {
    const former = this.#session;
    this.#session = undefined;
    this.#inbox = [];
    this.#outbox = [];
    this.refused = false;
    this.#cluster = cluster;
    const send = (command: NodeCommand) => {
      if (this.#cluster === cluster && (this.#session === undefined || this.#session.send === send)) this.#inbox.push(command);
    };
    if (former && cluster.isReachedBy(former.node, former.send)) cluster.nodeDisconnected(former.node);
    const node = cluster.registerNode(this.#introduction(cluster), send);
    if (!node) return;
    this.#session = { node, send };
    for (const applicationId of this.#gathered) this.#tell({ type: 'logAggregation', applicationId, status: 'SUCCEEDED', diagnostics: '' });
  }

  #introduction(cluster: Cluster) {
    return {
      type: 'register' as const,
      nodeId: this.id,
      httpAddress: `${this.id.split(':')[0]}:8042`,
      rack: `/r${Number(this.id[1]) % 2}`,
      resource: { memoryMiB: 4096, vcores: 8 },
      version: '1',
      physicalMemoryMiB: 8192,
      physicalCores: 8,
      opportunisticQueueLength: 3,
      containers: [...this.containers.values()].map((container) => this.#report(container)),
      applications: [...this.applications],
      health: { healthy: this.healthy, report: '', time: cluster.clock.now() },
    };
  }

  #report(container: SimulatedContainer): ContainerReport {
    const { id, state, exitCode, resource, createdMs, executionType, allocationTags } = container;
    const startedTime = state === 'NEW' ? undefined : createdMs;
    return {
      containerId: id,
      state,
      exitCode,
      diagnostics: '',
      resource,
      priority: 0,
      executionType,
      allocationTags,
      createdTime: createdMs,
      ...(startedTime === undefined ? {} : { startedTime }),
    };
  }

  #tell(message: Exclude<NodeMessage, { type: 'register' }>): void {
    if (this.#session) this.#outbox.push(message);
  }

  /** Whether the cluster reaches the node by the session. */
  #isReached(session: Session | undefined): session is Session {
    return session !== undefined && this.#cluster!.isReachedBy(session.node, session.send);
  }

  /** The connection is down; the session may go on later (`connected`). */
  connection(up: boolean): void {
    if (this.#isReached(this.#session)) this.#cluster!.nodeConnected(this.#session.node, up);
  }

  /** The session is over for both; nothing in it arrives any more. */
  loseSession(told: boolean): void {
    const session = this.#session;
    this.#session = undefined;
    this.#inbox = [];
    this.#outbox = [];
    if (told && this.#isReached(session)) this.#cluster!.nodeDisconnected(session.node);
  }

  /** Carries out up to `limit` commands. */
  work(limit: number): void {
    for (let i = 0; i < limit; i++) {
      const command = this.#inbox.shift();
      if (!command) return;
      this.#obey(command);
    }
  }

  /** Delivers up to `limit` messages. */
  speak(limit: number): void {
    for (let i = 0; i < limit && this.#session; i++) {
      const message = this.#outbox.shift();
      if (!message) return;
      if (this.#isReached(this.#session)) this.#cluster!.takeNodeMessage(this.#session.node, message);
      else return this.register(this.#cluster!);
    }
  }

  leave(): void {
    this.stopAll();
    this.#tell({ type: 'shutdown' });
    this.speak(1000);
    this.loseSession(false);
  }

  health(healthy: boolean): void {
    this.healthy = healthy;
    this.#tell({ type: 'health', healthy, report: healthy ? '' : 'disk', time: this.#cluster!.clock.now() });
  }

  stopAll(): void {
    for (const container of this.containers.values()) this.complete(container, -100);
    this.containers.clear();
    this.applications.clear();
  }

  /** A container's process ends. */
  complete(container: SimulatedContainer, exitCode: number): void {
    if (container.state === 'COMPLETE') return;
    container.state = 'COMPLETE';
    container.exitCode = exitCode;
    this.#events.containerEnded(container.id);
    this.#tell({ type: 'containers', reports: [this.#report(container)] });
  }

  run(container: SimulatedContainer): void {
    if (container.state !== 'NEW') return;
    container.state = 'RUNNING';
    this.#tell({ type: 'containers', reports: [this.#report(container)] });
  }

  /** A start, ordered by the resource manager or by a master. */
  start(
    id: string,
    applicationId: string,
    resource: NodeResource,
    executionType: ExecutionType = 'GUARANTEED',
    allocationTags: readonly string[] = [],
  ): void {
    if (this.containers.has(id)) return;
    const container: SimulatedContainer = {
      id,
      applicationId,
      resource,
      createdMs: this.#cluster!.clock.now(),
      executionType,
      allocationTags,
      state: 'NEW',
      exitCode: -1000,
    };
    this.containers.set(id, container);
    this.applications.add(applicationId);
    this.#tell({ type: 'containers', reports: [this.#report(container)] });
  }

  #finish(applicationId: string): void {
    if (!this.applications.delete(applicationId)) return;
    for (const container of [...this.containers.values()]) {
      if (container.applicationId !== applicationId) continue;
      this.complete(container, -107);
      this.containers.delete(container.id);
    }
    this.#gathered.add(applicationId);
    this.#tell({ type: 'logAggregation', applicationId, status: 'SUCCEEDED', diagnostics: '' });
  }

  #obey(command: NodeCommand): void {
    switch (command.type) {
      case 'registered': {
        const kept = new Set(command.keepApplications);
        for (const id of [...this.applications]) if (!kept.has(id)) this.#finish(id);
        return;
      }
      case 'startContainers':
        for (const order of command.containers) {
          this.start(order.containerId, order.applicationId, order.resource, order.executionType, order.allocationTags);
          if (order.isMaster) this.#events.masterStarted(order, this);
        }
        return;
      case 'stopContainers':
        for (const { containerId, exitCode } of command.containers) {
          const container = this.containers.get(containerId);
          if (container) this.complete(container, exitCode);
          else
            this.#tell({
              type: 'containers',
              reports: [
                {
                  containerId,
                  state: 'COMPLETE',
                  exitCode,
                  diagnostics: '',
                  resource: { memoryMiB: 0, vcores: 0 },
                  priority: 0,
                  createdTime: 0,
                },
              ],
            });
        }
        return;
      case 'updateContainers':
        for (const { containerId, executionType, resource } of command.containers) {
          const container = this.containers.get(containerId);
          if (container && executionType) container.executionType = executionType;
          if (container && resource) container.resource = resource;
        }
        return;
      case 'finishApplications':
        for (const id of command.applicationIds) this.#finish(id);
        return;
      case 'refuse':
        this.refused = true;
        this.stopAll();
        return;
      case 'resync':
        this.register(this.#cluster!);
        return;
      default:
    }
  }
}
