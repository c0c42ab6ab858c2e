// Why an application waits for its master: facts of the moment and Hadoop's sentences made from them.

import { type Resource, resourceText, sum } from '../../../model/resource.ts';
import type { CapacityApplication, WaitingReason } from '../application.ts';
import { usedCapacities } from '../queues/queue.ts';
import type { QueueTree } from '../queues/tree.ts';
import { floatText } from '../settings/capacity-value.ts';

/** The facts about an activated application; `detail` is the sentence about the limit or node that stopped it. */
export function activatedReason(
  application: CapacityApplication,
  detail: string,
  tree: QueueTree,
  atMs: number,
): WaitingReason | undefined {
  if (application.attempt?.masterPlaced || application.unmanaged) return undefined;
  const partition = tree.sizing.nodes.partitions[application.masterPartition]!;
  const share = application.queue.share(partition.index);
  const { absoluteUsed } = usedCapacities(share, tree.calculator, partition.total, tree.sizing.minimumAllocation);
  return {
    kind: 'activated',
    detail,
    partition: partition.name,
    partitionTotal: [...partition.total],
    absoluteCapacity: share.absoluteCapacity,
    absoluteUsedCapacity: absoluteUsed,
    absoluteMaximumCapacity: share.absoluteMaximumCapacity,
    effectiveMinimum: [...share.effectiveMinimum],
    used: [...share.used],
    effectiveMaximum: [...share.effectiveMaximum],
    atMs,
  };
}

/** Hadoop's diagnostics, without the date in front. */
export function waitingText(reason: WaitingReason | undefined): string {
  if (!reason) return '';
  const partition = reason.partition === '' ? '<DEFAULT_PARTITION>' : reason.partition;
  if (reason.kind === 'not activated') {
    const whose = reason.limit === 'queue' ? "Queue's" : "User's";
    return `Application is added to the scheduler and is not yet activated. ${whose} AM resource limit exceeded.  Details : AM Partition = ${partition}; AM Resource Request = ${text(reason.master)}; Queue Resource Limit for AM = ${text(reason.queueLimit)}; User AM Resource Limit of the queue = ${text(reason.userLimit)}; Queue AM Resource Usage = ${text(reason.queueUsed)}; `;
  }
  return (
    `Application is Activated, waiting for resources to be assigned for AM. ${reason.detail} Details : AM Partition = ${partition} ; Partition Resource = ${text(reason.partitionTotal)} ; ` +
    `Queue's Absolute capacity = ${percent(reason.absoluteCapacity)} % ; Queue's Absolute used capacity = ${percent(reason.absoluteUsedCapacity)} % ; Queue's Absolute max capacity = ${percent(reason.absoluteMaximumCapacity)} % ; ` +
    `Queue's capacity (absolute resource) = ${text(reason.effectiveMinimum)} ; Queue's used capacity (absolute resource) = ${text(reason.used)} ; Queue's max capacity (absolute resource) = ${text(reason.effectiveMaximum)} ; `
  );
}

const text = (amount: Resource): string => resourceText(sum([0, 0], amount));
const percent = (fraction: number): string => floatText(Math.fround(fraction * 100));
