// Why an application waits for its master, in Hadoop's sentences: made from the refusal that was kept and the numbers of the moment.

import { type Resource, resourceText, sum } from '../../../model/resource.ts';
import { pickNodeToReserve } from '../../placement/node-choice.ts';
import type { SchedulerNode } from '../../state/model.ts';
import type { NodeTable } from '../../state/nodes.ts';
import { type CapacityApplication, passedBy } from '../application.ts';
import type { MasterRefusal, PlacementRefusal } from '../limits/refusal.ts';
import { usedCapacities } from '../queues/queue.ts';
import type { QueueTree } from '../queues/tree.ts';
import { floatText } from '../settings/capacity-value.ts';

/** Hadoop's diagnostics, without the date in front; '' when there is nothing to say. */
export function waitingText(application: CapacityApplication, tree: QueueTree): string {
  const { refusal, attempt } = application;
  if (!attempt || attempt.masterPlaced || application.unmanaged) return '';
  if (refusal?.kind === 'masterLimit') return notActivatedText(refusal);
  if (!application.isActive) return '';
  const { nodes } = tree.sizing;
  const partition = nodes.partitions[application.masterPartition]!;
  const share = application.queue.share(partition.index);
  const { absoluteUsed } = usedCapacities(share, tree.calculator, partition.total, tree.sizing.minimumAllocation);
  const amounts = [share.effectiveMinimum, share.used, share.effectiveMaximum].map(text);
  return (
    `Application is Activated, waiting for resources to be assigned for AM. ${detailOf(refusal, application, nodes)} Details : AM Partition = ${nameOf(partition.name)} ; Partition Resource = ${text(partition.total)} ; ` +
    `Queue's Absolute capacity = ${percent(share.absoluteCapacity)} % ; Queue's Absolute used capacity = ${percent(absoluteUsed)} % ; Queue's Absolute max capacity = ${percent(share.absoluteMaximumCapacity)} % ; ` +
    `Queue's capacity (absolute resource) = ${amounts[0]} ; Queue's used capacity (absolute resource) = ${amounts[1]} ; Queue's max capacity (absolute resource) = ${amounts[2]} ; `
  );
}

const masterLimitTexts: Readonly<Record<MasterRefusal['limit'], string>> = {
  cluster: 'Skipping AM assignment as cluster resource is empty',
  queue: "Queue's AM resource limit exceeded",
  user: "User's AM resource limit exceeded",
};

function notActivatedText({ limit, partition, master, queueLimit, userLimit, queueUsed }: MasterRefusal): string {
  return `Application is added to the scheduler and is not yet activated. ${masterLimitTexts[limit]}.  Details : AM Partition = ${nameOf(partition)}; AM Resource Request = ${text(master)}; Queue Resource Limit for AM = ${text(queueLimit)}; User AM Resource Limit of the queue = ${text(userLimit)}; Queue AM Resource Usage = ${text(queueUsed)}; `;
}

/** The sentence about what stopped it. */
const details: Readonly<Record<PlacementRefusal['kind'], (application: CapacityApplication, nodes: NodeTable) => string>> = {
  queueLimit: () => '',
  headroom: () => '',
  userLimit: () => 'User capacity has reached its maximum limit.',
  noNode: (application, nodes) => nodeText(largeEnough(application, nodes), nodes),
  reserved: (application, nodes) => nodeText(masterOf(application)?.reservations[0]?.node ?? largeEnough(application, nodes), nodes),
  lentNode: (_application, nodes) => `Skipping assigning to Node in Ignore Exclusivity mode. ${nodeText(lentNode(nodes), nodes)}`,
};

function detailOf(refusal: PlacementRefusal | undefined, application: CapacityApplication, nodes: NodeTable): string {
  const own = refusal ? details[refusal.kind](application, nodes) : '';
  const passed = own === '' ? passedBy(application) : undefined;
  return passed ? nodeText(passed.node, nodes, passed.available) : own;
}

const masterOf = ({ attempt }: CapacityApplication) => attempt?.requests.inOrder().find((request) => request.isMaster);

/** A node that could hold the master when it is empty. */
function largeEnough(application: CapacityApplication, nodes: NodeTable): SchedulerNode | undefined {
  const master = masterOf(application);
  if (!master) return undefined;
  const partition = nodes.partitions[master.partition]!;
  return pickNodeToReserve(partition, master, application.attempt!.blacklist, true) ?? master.reservations[0]?.node;
}

/** The first node of a partition that lends. */
function lentNode({ partitions }: NodeTable): SchedulerNode | undefined {
  for (const { index, exclusive, rooms } of partitions) {
    if (index === 0 || exclusive) continue;
    for (const node of rooms.nodes) if (node) return node;
  }
  return undefined;
}

/** Hadoop's sentence about the node an application was last refused on. */
function nodeText(node: SchedulerNode | undefined, nodes: NodeTable, available: Resource = node?.available ?? []): string {
  if (!node) return '';
  const label = nodes.partitions[node.partition]!.name;
  return ` Last Node which was processed for the application : ${node.nodeId} ( Partition : [${label}], Total resource : <memory:${node.resource[0]}, vCores:${node.resource[1]}>, Available resource : <memory:${available[0]}, vCores:${available[1]}> ).`;
}

const nameOf = (partition: string): string => (partition === '' ? '<DEFAULT_PARTITION>' : partition);
const text = (amount: Resource): string => resourceText(sum([0, 0], amount));
const percent = (fraction: number): string => floatText(Math.fround(fraction * 100));
