// What must hold of a cluster after every step of every history.
import assert from 'node:assert/strict';
import type { Resource } from '../../src/model/resource.ts';
import { currentAttempt } from '../../src/resource-manager/applications/application.ts';
import { isFinalState } from '../../src/resource-manager/applications/application-states.ts';
import { isEndedContainer } from '../../src/resource-manager/applications/container-states.ts';
import type { Cluster } from '../../src/resource-manager/cluster.ts';
import type { Node } from '../../src/resource-manager/nodes/node.ts';
import { isInactiveNode } from '../../src/resource-manager/nodes/node-states.ts';
import type { World } from './world.ts';

const add = (total: number[], amount: Resource) => {
  for (let i = 0; i < total.length; i++) total[i]! += amount[i] ?? 0;
};

/** Whether the scheduler counts a node: one that is unhealthy is no part of what the cluster has. */
const isScheduled = ({ state }: Node): boolean => !isInactiveNode[state] && state !== 'UNHEALTHY';

/** Usage equals the sum of its parts, everything is listed where it belongs, and nowhere else. */
export function checkCluster({ manager: { cluster, labels } }: Pick<World, 'manager'>): void {
  const total = [0, 0];
  const byNode = new Map<string, number[]>();
  const byQueue = new Map<string, number[]>();
  const tags = new Map<string, number>();
  let opportunistic = 0;
  for (const container of cluster.view.containers()) {
    const { id } = container;
    assert.ok(!isEndedContainer(container.state), `${id} is live in ${container.state}`);
    const application = cluster.view.application(container.applicationId);
    assert.ok(application, `${id} has no application`);
    assert.ok(
      application.attempts.some(({ containers }) => containers.has(id)),
      `${id} is in none of its attempts`,
    );
    const node = cluster.view.node(container.nodeId);
    assert.ok(node, `${id} is on ${container.nodeId}, which is unknown`);
    assert.ok(node.containers.has(id) && isScheduled(node), `${id} is on ${container.nodeId}, ${node.state}`);
    assert.ok(!isFinalState[application.state] || application.state === 'FINISHING', `${id} is live, its application ${application.state}`);
    if (container.executionType === 'OPPORTUNISTIC') {
      opportunistic++;
      continue;
    }
    for (const tag of container.allocationTags) tags.set(`${node.id} ${tag}`, (tags.get(`${node.id} ${tag}`) ?? 0) + 1);
    add(total, container.resource);
    const onNode = byNode.get(node.id) ?? [0, 0];
    add(onNode, container.resource);
    byNode.set(node.id, onNode);
    const partition = cluster.policy.labels ? labels.labelOf(node.id) : '';
    const place = `${countedIn(application.queue)} ${partition}`;
    const inQueue = byQueue.get(place) ?? [0, 0];
    add(inQueue, container.resource);
    byQueue.set(place, inQueue);
  }
  let held = 0;
  let onNodes = 0;
  let reserved = 0;
  for (const application of cluster.view.applications()) {
    let own = 0;
    for (const attempt of application.attempts) {
      held += attempt.containers.size;
      for (const { executionType } of attempt.containers.values()) if (executionType === 'GUARANTEED') own++;
    }
    if (application.scheduled) {
      const usage = cluster.policy.usage(application.id);
      reserved += usage?.reservedContainers ?? 0;
      assert.equal(usage?.runningContainers, own, `${application.id} (${application.state}) in the scheduler`);
    }
    const attempt = currentAttempt(application);
    const waits = attempt?.state === 'SCHEDULED' && application.state === 'ACCEPTED';
    assert.equal(
      cluster.view.isWaiting(application),
      waits,
      `${application.id} waits for its master (${application.state} ${attempt?.state})`,
    );
  }
  const states = new Map<string, number>();
  for (const node of cluster.view.nodes()) {
    states.set(node.state, (states.get(node.state) ?? 0) + 1);
    onNodes += node.containers.size;
    if (!isScheduled(node)) {
      assert.equal(node.containers.size, 0, `${node.id} is ${node.state}`);
      assert.equal(cluster.policy.nodeUsage(node.id), undefined, `${node.id} is ${node.state}, the scheduler keeps it`);
      continue;
    }
    const usage = cluster.policy.nodeUsage(node.id);
    // One that was unhealthy when it began to leave is no part of what the cluster has until it stays after all.
    if (!usage && node.state === 'DECOMMISSIONING') {
      assert.equal(node.containers.size, 0, `${node.id} is unknown to the scheduler`);
      continue;
    }
    assert.deepEqual(usage?.used, byNode.get(node.id) ?? [0, 0], `usage of ${node.id}`);
    const guaranteed = [...node.containers].filter((id) => cluster.view.container(id)?.executionType === 'GUARANTEED').length;
    assert.equal(usage?.containers, guaranteed, `containers of ${node.id}`);
    for (const [tag, count] of usage?.tags ?? []) {
      assert.equal(tags.get(`${node.id} ${tag}`), count, `tag ${tag} of ${node.id}`);
      tags.delete(`${node.id} ${tag}`);
    }
  }
  for (const [state, count] of Object.entries(cluster.view.nodeTotals.counts))
    assert.equal(count, states.get(state) ?? 0, `nodes that are ${state}`);
  assert.deepEqual([...tags], [], 'tags that the scheduler does not count');
  assert.equal(cluster.opportunistic.counts.allocated, opportunistic, 'opportunistic containers');
  assert.equal(held, cluster.view.containerCount, 'containers of attempts');
  assert.equal(onNodes, cluster.view.containerCount, 'containers of nodes');
  const metrics = cluster.policy.metrics();
  const across = metrics.acrossPartitions;
  const guaranteed = cluster.view.containerCount - opportunistic;
  assert.equal(across ? across.containers - reserved : metrics.containersAllocated, guaranteed, 'containers in the scheduler');
  const allocated = across ? across.used.map((amount, i) => amount - across.reserved[i]!) : [...metrics.allocated];
  assert.deepEqual(allocated, total, 'allocated in the scheduler');
  checkQueues(cluster, byQueue);
}

function checkQueues(cluster: Cluster, byQueue: ReadonlyMap<string, readonly number[]>): void {
  const shown = usedByLeaf(cluster);
  for (const [place, used] of shown) assert.deepEqual(used, byQueue.get(place) ?? [0, 0], `usage of queue and partition ${place}`);
  if (shown.size > 0) for (const place of byQueue.keys()) assert.ok(shown.has(place), `no queue shows the usage of ${place}`);
}

/** The queues of reservations come and go below theirs, and applications move between them. */
const countedIn = (queue: string): string => (/^root\.r\b|^r$|^reservation_/.test(queue) ? 'root.r' : queue);

interface QueueLike {
  readonly path?: string;
  readonly name?: string;
  readonly used: Resource;
  /** By partition, where the scheduler has any. */
  readonly usage?: readonly { readonly partition: string; readonly used: Resource; readonly reserved: Resource }[];
  readonly children?: readonly QueueLike[];
}

/** Usage of the queues that hold applications, by path and partition. */
function usedByLeaf(cluster: Cluster): Map<string, number[]> {
  const found = new Map<string, number[]>();
  const walk = (queue: QueueLike) => {
    const below = queue.children ?? [];
    if (below.length === 0) {
      for (const { partition, used, reserved } of queue.usage ?? [{ partition: '', used: queue.used, reserved: [0, 0] }]) {
        // The capacity scheduler counts what is only reserved as used.
        const held = used.map((amount, i) => amount - reserved[i]!);
        const place = `${countedIn(queue.path ?? queue.name ?? '')} ${partition}`;
        const sum = found.get(place) ?? [0, 0];
        add(sum, held);
        found.set(place, sum);
      }
    }
    for (const child of below) walk(child);
  };
  const description = cluster.policy.describe() as { readonly root?: QueueLike };
  if (description.root) walk(description.root);
  return found;
}
