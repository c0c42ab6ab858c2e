// The tree of a cycle of the capacity policy, as it would run now: each decision shown is a check of limits/ or placement/node.ts, asked in
// the order in which the cycle visits.

import { type Resource, zeros } from '../../../model/resource.ts';
import type { ActivityCycle, ActivityEntry, ActivityRecorder, ActivityState, ApplicationActivity } from '../../explain/activities.ts';
import type { NodeRefusal } from '../../explain/explanation.ts';
import { nodeRefusal } from '../../placement/node.ts';
import type { Ledger } from '../../state/ledger.ts';
import type { OpenRequest, SchedulerNode } from '../../state/model.ts';
import { type CapacityApplication, servingOrder } from '../application.ts';
import { limitBelow, refusesMore } from '../limits/queue.ts';
import { refusesUser, userLimit } from '../limits/user.ts';
import { refusingQueue } from '../limits/waiting-reasons.ts';
import type { CapacityQueue } from '../queues/queue.ts';
import type { QueueTree } from '../queues/tree.ts';
import { mayUseLabel } from '../settings/queue-settings.ts';

const noNeed = 'Queue does not need more resource';
const noHeadroom = 'Queue does not have enough headroom for inner highest-priority request';

/** Hadoop's sentences (ActivityDiagnosticConstant) for what a node says. */
const diagnostics: Readonly<Record<NodeRefusal, string>> = {
  FULL: 'Node does not have sufficient resource for request',
  FITS: 'Node does not have sufficient resource for request',
  RESERVED: 'Node does not have sufficient resource for request',
  QUEUE_FULL: 'Node does not have sufficient resource for request',
  UNSCHEDULABLE: 'Node does not have sufficient resource for request',
  TOO_SMALL: "Node's total resource is insufficient for request",
  BLACKLISTED: 'Node is blacklisted',
  ELSEWHERE: 'Node skipped because node/rack locality cannot be satisfied',
  OTHER_PARTITION: 'Node does not match partition or placement constraints',
  CONSTRAINED: 'Node does not match partition or placement constraints',
};

export class ActivityBook implements ActivityRecorder {
  readonly #tree: QueueTree;
  readonly #ledger: Ledger<CapacityApplication>;
  readonly #now: () => number;

  constructor(tree: QueueTree, ledger: Ledger<CapacityApplication>, now: () => number) {
    this.#tree = tree;
    this.#ledger = ledger;
    this.#now = now;
  }

  nodeOf(name: string): string | undefined {
    if (this.#ledger.nodes.byId.has(name)) return name;
    for (const node of this.#ledger.nodes.byHost.get(name) ?? []) return node.nodeId;
    return undefined;
  }

  anyNode(): string | undefined {
    for (const nodeId of this.#ledger.nodes.byId.keys()) return nodeId;
    return undefined;
  }

  cycle(nodeId: string): ActivityCycle {
    const node = this.#ledger.nodes.byId.get(nodeId)!;
    const partition = this.#ledger.nodes.partitions[node.partition]!;
    const root = this.#queue(this.#tree.root, partition.total, node);
    return { nodeId, timeMs: this.#now(), partition: partition.name, state: root.state === 'REJECTED' ? 'SKIPPED' : root.state, root };
  }

  application(applicationId: string): ApplicationActivity | undefined {
    const application = this.#ledger.applications.get(applicationId);
    const nodeId = this.anyNode();
    if (!application?.isActive || !nodeId) return undefined;
    const node = this.#ledger.nodes.byId.get(nodeId)!;
    const { queue } = application;
    const requests = requestsIn(application, node.partition);
    // A cycle looks at it all the same where others in its queue want something and none before it ends the queue's turn.
    if (requests.length === 0 && !this.#visits(application, node)) return undefined;
    const entries = requests.map((request) => this.#request(application, request, node));
    if (entries.length === 0) entries.push({ name: 'request', state: 'SKIPPED', children: [] });
    return {
      nodeId,
      timeMs: this.#now(),
      queueName: queue.settings.name,
      priority: application.priority,
      state: 'SKIPPED',
      requests: entries,
    };
  }

  #visits({ applicationId, queue }: CapacityApplication, node: SchedulerNode): boolean {
    if (queue.share(node.partition).pending.every((value) => value === 0)) return false;
    return this.#leaf(queue, node).children.some(({ name }) => name === applicationId);
  }

  #queue(queue: CapacityQueue, limit: Resource, node: SchedulerNode): ActivityEntry {
    const partition = this.#ledger.nodes.partitions[node.partition]!;
    const share = queue.share(partition.index);
    const name = queue.path;
    if (!mayUseLabel(queue.settings, partition.name)) {
      return { name, state: 'REJECTED', diagnostic: 'Queue is not able to access partition', children: [] };
    }
    if (share.pending.every((value) => value === 0)) return { name, state: 'SKIPPED', diagnostic: noNeed, children: [] };
    if (refusesMore(share.used, limit, share.reserved, partition.total, this.#tree.calculator)) {
      return { name, state: 'REJECTED', diagnostic: 'Queue hits max-capacity limit', children: [] };
    }
    if (queue.leaf) return this.#leaf(queue, node);
    const before = queue.order(partition.index);
    const ordered = [...queue.children].sort((a, b) => (before(a, b) ? -1 : before(b, a) ? 1 : 0));
    const keptNothing = zeros(limit.length);
    const children = ordered.map((child) => {
      const ofChild: number[] = [];
      limitBelow(child, limit, keptNothing, partition, this.#tree, ofChild);
      return this.#queue(child, ofChild, node);
    });
    const served = children.some(({ state }) => state === 'ALLOCATED' || state === 'RESERVED');
    return { name, state: served ? 'ACCEPTED' : 'SKIPPED', children };
  }

  #leaf(queue: CapacityQueue, node: SchedulerNode): ActivityEntry {
    const partition = this.#ledger.nodes.partitions[node.partition]!;
    const children: ActivityEntry[] = [];
    const before = servingOrder(queue.settings, partition.index);
    for (const application of [...queue.leaf!.active].sort((a, b) => (before(a, b) ? -1 : 1))) {
      const step = { name: application.applicationId, applicationPriority: application.priority };
      if (refusesUser(application, partition, userLimit(queue, application.owner, partition, this.#tree), this.#tree)) {
        children.push({ ...step, state: 'REJECTED', diagnostic: 'Queue hits user max-capacity limit', children: [] });
        continue;
      }
      const requests = requestsIn(application, partition.index);
      if (requests.length === 0) {
        children.push({ ...step, state: 'SKIPPED', diagnostic: 'Application does not need more resource', children: [] });
        continue;
      }
      const entries = requests.map((request) => this.#request(application, request, node));
      if (entries.some(({ state }) => state === 'REJECTED')) {
        children.push({ ...step, state: 'REJECTED', children: entries });
        return { name: queue.path, state: 'REJECTED', diagnostic: `${noHeadroom} from ${application.applicationId}`, children };
      }
      const state: ActivityState = entries.some((entry) => entry.state === 'RESERVED') ? 'RESERVED' : 'SKIPPED';
      children.push({
        ...step,
        state,
        ...(state === 'SKIPPED' && { diagnostic: "Application couldn't get container for allocation" }),
        children: entries,
      });
    }
    const reserved = children.some(({ state }) => state === 'RESERVED');
    return { name: queue.path, state: reserved ? 'RESERVED' : 'SKIPPED', children };
  }

  #request(application: CapacityApplication, request: OpenRequest, node: SchedulerNode): ActivityEntry {
    const partition = this.#ledger.nodes.partitions[node.partition]!;
    const step = {
      name: `request_${request.priority}_${request.allocationRequestId}`,
      requestPriority: request.priority,
      allocationRequestId: request.allocationRequestId,
    };
    if (refusingQueue(application, request, partition, this.#tree, false))
      return { ...step, state: 'REJECTED', diagnostic: noHeadroom, children: [] };
    if (request.reservations.some((reservation) => reservation.node === node)) {
      return {
        ...step,
        state: 'RESERVED',
        children: [{ name: node.nodeId, nodeId: node.nodeId, state: 'RESERVED', diagnostic: 'Node has been reserved', children: [] }],
      };
    }
    const diagnostic = diagnostics[nodeRefusal(node, partition, request, application.attempt!.blacklist, this.#ledger.nodes) ?? 'FITS'];
    return {
      ...step,
      state: 'SKIPPED',
      children: [{ name: node.nodeId, nodeId: node.nodeId, state: 'SKIPPED', diagnostic, children: [] }],
    };
  }
}

const requestsIn = (application: CapacityApplication, partition: number): OpenRequest[] =>
  (application.attempt?.requests.inOrder() ?? []).filter((request) => request.partition === partition);
