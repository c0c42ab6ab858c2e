// How a node becomes part of the cluster, and again after its channel or either side began anew: it is admitted, its description is taken
// over, it hears what it needs, and what runs on it is compared with what is known.
import type { Clock } from '../../lib/clock.ts';
import { InvalidId, parseNodeId } from '../../model/ids.ts';
import type { ResourceTypes } from '../../model/resource.ts';
import type { NodeDescriptors, RegisterMessage } from '../../wire/cluster/node-channel.ts';
import { isCompletedState } from '../applications/application-states.ts';
import { distributedPrefix } from '../labels/attribute-manager.ts';
import type { Membership } from '../nodes/membership.ts';
import { type Node, newNode } from '../nodes/node.ts';
import { isInactiveNode } from '../nodes/node-states.ts';
import { compareVersions } from '../nodes/versions.ts';
import type { Effects, NodeSender } from './effects.ts';
import type { ExpectedContainers } from './expected-containers.ts';
import type { NodeRemoval } from './node-removal.ts';
import type { NodeReports } from './node-reports.ts';
import { nodeResource, resourceOf } from './node-resource.ts';
import type { NodeSizes } from './node-sizes.ts';
import type { LabelSource, NodeLifecycle } from './nodes.ts';
import type { OpportunisticScheduler } from './opportunistic.ts';
import type { ClusterSettings } from './settings.ts';
import type { ClusterState } from './state.ts';
import type { TurnedAway } from './turned-away.ts';

/** What is needed. */
export interface NodeRegistrationPorts {
  readonly state: ClusterState;
  readonly effects: Pick<Effects, 'sendBy' | 'connect' | 'wakeScheduler'>;
  readonly nodes: NodeLifecycle;
  readonly sizes: Pick<NodeSizes, 'sizeOf'>;
  readonly reports: Pick<NodeReports, 'compare'>;
  readonly opportunistic: Pick<OpportunisticScheduler, 'nodeChanged'>;
  readonly membership: Pick<Membership, 'admits'>;
  readonly removal: Pick<NodeRemoval, 'mayFinish' | 'registered'>;
  readonly expected: Pick<ExpectedContainers, 'nodeLost'>;
  readonly labels: LabelSource;
  readonly turnedAway: Pick<TurnedAway, 'told' | 'forget'>;
  readonly settings: ClusterSettings;
  readonly types: ResourceTypes;
  readonly clock: Clock;
  readonly containerTokenKey: Buffer;
  /** Random name of this process, told to nodes. */
  readonly session: string;
}

/** Registers nodes. */
export class NodeRegistration {
  readonly #ports: NodeRegistrationPorts;

  constructor(ports: NodeRegistrationPorts) {
    this.#ports = ports;
  }

  /** A node introduces itself with everything on it. `session`: the number of its channel's session. Returns undefined when it is refused. */
  register(message: RegisterMessage, sender: NodeSender, rack: string, session: number): Node | undefined {
    const { state, effects, nodes, reports, opportunistic, types, removal, turnedAway } = this.#ports;
    const known = state.node(message.nodeId);
    const wasActive = known !== undefined && !isInactiveNode[known.state];
    // What a process that is gone had sent comes late: the node of now stays as it is (docs/protocol.md).
    if (wasActive && session < known.session) {
      effects.sendBy(sender, known.id, { type: 'refuse', reason: `Another node manager has registered as ${known.id} since.` });
      return undefined;
    }
    // 1. It is admitted, or told why not.
    const refusal = this.#refusal(message);
    if (refusal !== undefined) {
      effects.sendBy(sender, message.nodeId, { type: 'refuse', reason: refusal.reason });
      if (refusal.mayChange) turnedAway.told(message.nodeId, sender);
      // It ends everything that runs on it.
      this.#ports.expected.nodeLost(message.nodeId);
      return undefined;
    }
    turnedAway.forget(message.nodeId);
    // 2. What it says of itself counts from now on, but for a size that an administrator gave it.
    const node = known ?? newNode(message.nodeId, types);
    const reported = resourceOf(message.resource, types);
    const resized = this.#ports.sizes.sizeOf(node.id, reported);
    node.httpAddress = message.httpAddress;
    node.version = message.version;
    node.resource = resized ?? reported;
    node.physicalMemoryMiB = message.physicalMemoryMiB;
    node.physicalCores = message.physicalCores;
    node.opportunisticQueueLength = message.opportunisticQueueLength ?? 0;
    node.connected = true;
    node.session = session;
    node.memory = message.memory;
    nodes.heard(node);
    if (!wasActive) node.rack = rack;
    effects.connect(node.id, sender);
    if (!known) state.addNode(node);
    this.takeDescriptors(node, message);
    // 3. The scheduler may use it.
    nodes.apply(node, 'registered');
    nodes.schedule(node);
    // 4. It hears that it is part of the cluster, and which of its applications go on.
    const keepApplications = message.applications.filter((id) => this.#goesOn(id));
    effects.sendBy(sender, node.id, {
      type: 'registered',
      rmSession: this.#ports.session,
      containerTokenKey: this.#ports.containerTokenKey.toString('base64'),
      clusterTimestamp: this.#ports.settings.clusterTimestamp,
      keepApplications,
    });
    if (resized) effects.sendBy(sender, node.id, { type: 'updateResource', resource: nodeResource(resized, types) });
    for (const id of keepApplications) state.place(node, id);
    // 5. What runs on it is taken over or ended.
    reports.compare(node, message);
    // 6. It is taken away again where it is not healthy, with what runs on it.
    nodes.health(node, message.health.healthy, message.health.report, message.health.time);
    nodes.watch(node);
    opportunistic.nodeChanged(node);
    // 7. One on its way out finishes what it has.
    removal.registered(node);
    effects.wakeScheduler();
    return node;
  }

  /** Why a node may not join (ResourceTrackerService.registerNodeManager), and whether other lists may change that; undefined: it may join. */
  #refusal({ nodeId, version, applications }: RegisterMessage): { readonly reason: string; readonly mayChange: boolean } | undefined {
    const { state, membership, settings, removal } = this.#ports;
    let host: string;
    try {
      ({ host } = parseNodeId(nodeId));
    } catch (error) {
      if (!(error instanceof InvalidId)) throw error;
      return { reason: error.message, mayChange: false };
    }
    const isLeaving = state.node(nodeId)?.state === 'DECOMMISSIONING';
    if (
      !membership.admits(host, nodeId) &&
      !isLeaving &&
      !removal.mayFinish(
        nodeId,
        applications.some((id) => this.#goesOn(id)),
      )
    )
      return { reason: `Disallowed NodeManager from  ${host}, Sending SHUTDOWN signal to the NodeManager.`, mayChange: true };
    const { minimumNodeVersion } = settings;
    if (minimumNodeVersion !== undefined && compareVersions(version, minimumNodeVersion) < 0)
      return {
        reason: `Disallowed NodeManager Version ${version}, is less than the minimum version ${minimumNodeVersion}`,
        mayChange: false,
      };
    return undefined;
  }

  /** Labels and attributes that a node tells of itself. */
  takeDescriptors(node: Node, { labels, attributes }: NodeDescriptors): void {
    node.attributes = (attributes ?? []).map(({ name, type, value }) => ({ prefix: distributedPrefix, name, type, value }));
    node.reportedLabels = labels ?? [];
    if (labels) this.#ports.labels.reported?.(node.id, labels);
  }

  /** Whether an application may still need what a node keeps for it. */
  #goesOn(applicationId: string): boolean {
    const state = this.#ports.state.application(applicationId)?.state;
    if (state === undefined) return false;
    return !isCompletedState[state] || state === 'KILLING' || state === 'FINISHING' || state === 'FINAL_SAVING';
  }
}
