// What happens to nodes: registration, health, loss, leaving, changes of their size. Synchronous, as all changes of the cluster.

import { exitStatus } from '../../model/exit-status.ts';
import { applicationIdOfContainer, InvalidId, parseContainerId, parseNodeId } from '../../model/ids.ts';
import { difference, fits, type Resource, zeros } from '../../model/resource.ts';
import type { NodeCommand, NodeDescriptors, NodeMessage, RegisterMessage } from '../../wire/cluster/node-channel.ts';
import { type Application, currentAttempt } from '../applications/application.ts';
import { isCompletedState } from '../applications/application-states.ts';
import { lostNode } from '../applications/diagnostics.ts';
import type { Cluster } from '../cluster.ts';
import { distributedPrefix } from '../labels/attribute-manager.ts';
import { type DynamicResource, withDynamic } from '../nodes/dynamic-resources.ts';
import { attributeMap, type Node, type NodeAttribute } from '../nodes/node.ts';
import { isInactiveNode, type NodeEvent, nextNodeState } from '../nodes/node-states.ts';
import { nodeResource, resourceOf } from './node-resource.ts';

const noOpportunistic = { running: 0, memoryMiB: 0, vcores: 0, queued: 0, waiting: 0 };
const noUsage = { physicalMemoryMiB: 0, virtualMemoryMiB: 0, cpuCores: 0 };

/** The lives of nodes; created and called by the cluster only. */
export class NodeLife {
  readonly #cluster: Cluster;
  /** Sizes that count instead of what nodes say. */
  #dynamic: ReadonlyMap<string, DynamicResource> = new Map();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** Takes an event of the node; false where its state does not allow it. */
  apply(node: Node, event: NodeEvent): boolean {
    const next = nextNodeState(node.state, event);
    if (next === undefined) return false;
    if (next !== node.state) this.#cluster.logger.info({ nodeId: node.id, from: node.state, to: next }, 'a node changed its state');
    node.state = next;
    this.#cluster.opportunistic.nodeChanged(node);
    return true;
  }

  /** A node introduces itself with everything on it. Returns undefined when it is refused. */
  register(message: RegisterMessage, send: (command: NodeCommand) => void, rack = message.rack): Node | undefined {
    const { clock, nodes, policy, types, labels, membership } = this.#cluster;
    let at: { host: string; port: number };
    try {
      at = parseNodeId(message.nodeId);
    } catch (error) {
      if (!(error instanceof InvalidId)) throw error;
      send({ type: 'refuse', reason: error.message });
      return undefined;
    }
    if (!membership.admits(at.host, message.nodeId) && nodes.get(message.nodeId)?.state !== 'DECOMMISSIONING') {
      send({ type: 'refuse', reason: `Disallowed NodeManager from  ${at.host}, Sending SHUTDOWN signal to the NodeManager.` });
      return undefined;
    }
    const { minimumNodeVersion } = this.#cluster.settings;
    if (minimumNodeVersion !== undefined && compareVersions(message.version, minimumNodeVersion) < 0) {
      send({
        type: 'refuse',
        reason: `Disallowed NodeManager Version ${message.version}, is less than the minimum version ${minimumNodeVersion}`,
      });
      return undefined;
    }
    const known = nodes.get(message.nodeId);
    const node: Node = known ?? this.#newNode(message.nodeId, at);
    const reported = resourceOf(message.resource, types);
    const dynamic = this.#dynamic.get(node.id);
    const resized = this.#cluster.nodeResources.get(node.id) ?? (dynamic && withDynamic(reported, dynamic));
    node.httpAddress = message.httpAddress;
    node.version = message.version;
    node.resource = resized ?? reported;
    node.physicalMemoryMiB = message.physicalMemoryMiB;
    node.physicalCores = message.physicalCores;
    node.opportunisticQueueLength = message.opportunisticQueueLength ?? 0;
    node.lastSeenMs = clock.now();
    node.send = send;
    nodes.set(node.id, node);
    this.#takeDescriptors(node, message);
    const wasActive = known !== undefined && !isInactiveNode[known.state];
    if (!wasActive) node.rack = rack;
    this.apply(node, 'registered');
    const label = labels.labelOf(node.id);
    const attributes = attributeMap(this.attributesOf(node));
    if (wasActive) policy.updateNode(node.id, { resource: node.resource, label, schedulable: node.state === 'RUNNING', attributes });
    else policy.addNode({ nodeId: node.id, host: node.host, rack: node.rack, resource: node.resource, label, attributes });
    this.health(node, message.health.healthy, message.health.report, message.health.time);
    const keepApplications = message.applications.filter((id) => this.#wanted(id));
    send({
      type: 'registered',
      rmSession: this.#cluster.session,
      containerTokenKey: this.#cluster.containerTokenKey.toString('base64'),
      clusterTimestamp: this.#cluster.settings.clusterTimestamp,
      keepApplications,
    });
    if (resized) send({ type: 'updateResource', resource: nodeResource(resized, types) });
    for (const id of keepApplications) this.#cluster.places.add(node, id);
    this.#compareContainers(node, message, known === undefined);
    this.#watch(node);
    this.#cluster.opportunistic.nodeChanged(node);
    this.#cluster.scheduleSoon();
    return node;
  }

  /** What it says of itself and what administrators said of its host. */
  attributesOf(node: Node): readonly NodeAttribute[] {
    return [...this.#cluster.attributes.of(node.host), ...node.attributes];
  }

  /** Attributes of nodes changed: the scheduler hears of it. */
  attributesChanged(changed: (node: Node) => boolean): void {
    for (const node of this.#cluster.nodes.values())
      if (changed(node)) this.#cluster.policy.updateNode(node.id, { attributes: attributeMap(this.attributesOf(node)) });
    this.#cluster.scheduleSoon();
  }

  #takeDescriptors(node: Node, { labels, attributes }: NodeDescriptors): void {
    node.attributes = (attributes ?? []).map(({ name, type, value }) => ({ prefix: distributedPrefix, name, type, value }));
    node.reportedLabels = labels ?? [];
    if (labels) this.#cluster.labels.reported?.(node.id, labels);
  }

  #wanted(applicationId: string): boolean {
    const application = this.#cluster.applications.get(applicationId);
    return (
      application !== undefined &&
      !(
        isCompletedState[application.state] &&
        application.state !== 'KILLING' &&
        application.state !== 'FINISHING' &&
        application.state !== 'FINAL_SAVING'
      )
    );
  }

  #newNode(id: string, { host, port }: { host: string; port: number }): Node {
    return {
      id,
      host,
      port,
      httpAddress: '',
      rack: '/default-rack',
      version: '',
      state: 'NEW',
      resource: zeros(this.#cluster.types.count),
      overcommitTimeoutMs: -1,
      healthReport: '',
      lastHealthUpdateMs: 0,
      lastSeenMs: 0,
      physicalMemoryMiB: 0,
      physicalCores: 0,
      usage: { node: noUsage, containers: noUsage },
      attributes: [],
      opportunisticQueueLength: 0,
      opportunistic: noOpportunistic,
      reportedLabels: [],
      containers: new Set(),
      applications: new Set(),
      send: undefined,
    };
  }

  /** Adopts what runs and this process does not know, ends what it knows and does not run. */
  #compareContainers(node: Node, message: RegisterMessage, isFirst: boolean): void {
    const { applications, live, containers } = this.#cluster;
    const told = new Set(message.containers.map(({ containerId }) => containerId));
    for (const id of [...node.containers]) {
      const container = live.get(id);
      if (!container || told.has(id) || container.state === 'ALLOCATED') continue;
      // Its start was lost with the session: nothing of it ever ran.
      containers.ended(container, exitStatus.aborted, lostNode, container.state === 'ACQUIRED' ? 'expire' : 'finished');
    }
    for (const report of message.containers) {
      const application = applications.get(applicationIdOfContainer(report.containerId));
      if (isFirst && application && report.state !== 'COMPLETE' && this.#adopts(application, report.containerId))
        containers.recovered(application, node.id, report);
      else containers.reported(node.id, report);
    }
    if (!isFirst) return;
    this.#cluster.attemptsOf(node.id).forEach(({ application, attempt }) => {
      if (attempt.masterContainerId && !live.has(attempt.masterContainerId) && !told.has(attempt.masterContainerId)) {
        this.#cluster.attempts.masterContainerEnded(application, attempt, exitStatus.aborted, lostNode);
      }
    });
  }

  /** Whether a running container belongs to an application as an earlier process of this resource manager left it. */
  #adopts(application: Application, containerId: string): boolean {
    const attempt = currentAttempt(application);
    if (!attempt || isCompletedState[application.state] || this.#cluster.live.has(containerId)) return false;
    const { epoch, attempt: number } = parseContainerId(containerId);
    if (epoch === this.#cluster.epoch) return false;
    if (number === attempt.number) return true;
    return (
      application.submission.keepContainers && application.attempts.every(({ masterContainerId }) => masterContainerId !== containerId)
    );
  }

  /** Any message is a sign of life. */
  message(node: Node, message: Exclude<NodeMessage, RegisterMessage>): void {
    const { containers, applications, clock, life } = this.#cluster;
    node.lastSeenMs = clock.now();
    switch (message.type) {
      case 'containers':
        for (const report of message.reports) containers.reported(node.id, report);
        return;
      case 'usage':
        node.usage = { node: message.node, containers: message.containers };
        node.opportunistic = message.opportunistic ?? noOpportunistic;
        return;
      case 'health':
        this.health(node, message.healthy, message.report, message.time);
        return;
      case 'descriptors':
        this.#takeDescriptors(node, message);
        this.attributesChanged((other) => other === node);
        return;
      case 'logAggregation': {
        const application = applications.get(message.applicationId) ?? this.#endedBefore(message.applicationId);
        if (!application) return;
        const told = application.logAggregation.get(node.id);
        if (told?.status === message.status && told.diagnostics === message.diagnostics) return;
        applications.set(application.id, application);
        application.logAggregation.set(node.id, { status: message.status, diagnostics: message.diagnostics });
        application.version++;
        if (application.finishedMs > 0 && application.state !== 'FINAL_SAVING' && application.state !== 'FINISHING')
          life.keepFinished(application);
        return;
      }
      case 'signalled':
        return;
      case 'shutdown':
        this.leave(node, 'shutdown');
    }
  }

  /** An application that ended before a restart and is no longer in memory. */
  #endedBefore(applicationId: string): Application | undefined {
    const { store } = this.#cluster;
    const row = store.finished(applicationId);
    return row && store.applicationOf(row);
  }

  health(node: Node, healthy: boolean, report: string, timeMs: number): void {
    node.healthReport = report;
    node.lastHealthUpdateMs = timeMs;
    if (!this.apply(node, healthy ? 'healthy' : 'unhealthy')) return;
    if (!healthy) this.#endContainers(node, true);
    this.#cluster.policy.updateNode(node.id, { schedulable: healthy });
    this.#cluster.scheduleSoon();
  }

  /** The channel's session ended: the node may come back until it expires. */
  disconnected(node: Node): void {
    node.send = undefined;
    this.#cluster.opportunistic.nodeChanged(node);
    this.#cluster.policy.updateNode(node.id, { schedulable: false });
    this.connection(node, false);
  }

  #watch(node: Node): void {
    const { clock, settings, timers } = this.#cluster;
    const check = () => {
      if (isInactiveNode[node.state]) return;
      if (node.send) node.lastSeenMs = Math.max(node.lastSeenMs, clock.now() - settings.nodeExpiryMs + 1);
      const silentMs = clock.now() - node.lastSeenMs;
      if (silentMs >= settings.nodeExpiryMs) return this.leave(node, 'expire');
      timers.set(`node ${node.id}`, Math.max(100, settings.nodeExpiryMs - silentMs), check);
    };
    timers.set(`node ${node.id}`, settings.nodeExpiryMs, check);
  }

  /** The connection of a node went down or came back. */
  connection(node: Node, connected: boolean): void {
    const { clock, settings, timers } = this.#cluster;
    if (connected) {
      timers.cancel(`node gone ${node.id}`);
      node.lastSeenMs = clock.now();
      return;
    }
    timers.set(`node gone ${node.id}`, settings.nodeExpiryMs, () => {
      if (!isInactiveNode[node.state]) this.leave(node, 'expire');
    });
  }

  /** A node is no longer part of the cluster; its containers are over. */
  leave(node: Node, event: NodeEvent): void {
    if (!this.apply(node, event)) return;
    const { policy, timers } = this.#cluster;
    timers.cancel(`node ${node.id}`);
    timers.cancel(`node gone ${node.id}`);
    this.#endContainers(node, false);
    policy.removeNode(node.id);
    this.#cluster.places.leave(node);
    if (event === 'decommission' || event === 'drained') node.send?.({ type: 'refuse', reason: `${node.id} is decommissioned.` });
    node.send = undefined;
    this.#cluster.removal.left(node);
    this.#cluster.scheduleSoon();
  }

  #endContainers(node: Node, listens: boolean): void {
    const { live, containers } = this.#cluster;
    for (const id of [...node.containers]) {
      const container = live.get(id);
      if (!container) continue;
      if (listens) containers.kill(container, exitStatus.aborted, lostNode);
      else containers.ended(container, exitStatus.aborted, lostNode, 'kill');
    }
  }

  /** Other sizes from now on; nodes that are there are changed at once. Returns their ids. */
  useDynamicResources(dynamic: ReadonlyMap<string, DynamicResource>): string[] {
    this.#dynamic = dynamic;
    const changed: string[] = [];
    for (const [id, size] of dynamic) {
      const node = this.#cluster.nodes.get(id);
      if (!node || isInactiveNode[node.state]) continue;
      this.resize(node, withDynamic(node.resource, size), size.overcommitTimeoutMs);
      changed.push(id);
    }
    return changed;
  }

  /** Changes what a node offers. `overcommitTimeoutMs` undefined or 0: what no longer fits is taken at once; negative: as before. */
  resize(node: Node, resource: Resource, overcommitTimeoutMs: number | undefined): void {
    const { policy, types, nodeResources } = this.#cluster;
    nodeResources.set(node.id, resource);
    node.resource = resource;
    if (overcommitTimeoutMs === undefined || overcommitTimeoutMs >= 0) node.overcommitTimeoutMs = overcommitTimeoutMs ?? 0;
    policy.updateNode(node.id, { resource });
    node.send?.({ type: 'updateResource', resource: nodeResource(resource, types) });
    if (node.overcommitTimeoutMs === 0) this.#shrink(node);
    else if (node.overcommitTimeoutMs > 0)
      this.#cluster.timers.set(`shrink ${node.id}`, node.overcommitTimeoutMs, () => this.#shrink(node));
    this.#cluster.scheduleSoon();
  }

  #shrink(node: Node): void {
    const { live, containers } = this.#cluster;
    const held = [...node.containers]
      .flatMap((id) => live.get(id) ?? [])
      .filter(({ executionType }) => executionType === 'GUARANTEED')
      .sort((a, b) => Number(a.isMaster) - Number(b.isMaster) || b.createdMs - a.createdMs);
    let used = held.reduce(
      (total, container) => total.map((amount, i) => amount + (container.resource[i] ?? 0)),
      zeros(this.#cluster.types.count),
    );
    for (const container of held) {
      if (fits(used, node.resource)) return;
      used = difference(used, container.resource);
      containers.preempt(container.id);
    }
  }
}

/** Which of two versions is newer, part by part: numbers as numbers, and `3.4.2` above `3.4.2-SNAPSHOT` (VersionUtil). */
export function compareVersions(left: string, right: string): number {
  const [numbersOf, restOf] = [
    (text: string) => (/^[\d.]*/.exec(text)?.[0] ?? '').split('.').map(Number),
    (text: string) => text.replace(/^[\d.]*/, ''),
  ];
  const [a, b] = [numbersOf(left), numbersOf(right)];
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  const [restA, restB] = [restOf(left), restOf(right)];
  if (restA === restB) return 0;
  return restA === '' ? 1 : restB === '' ? -1 : restA < restB ? -1 : 1;
}
