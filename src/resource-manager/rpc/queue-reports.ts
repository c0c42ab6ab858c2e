// Queues as Hadoop's client protocol reports them (AbstractCSQueue.getQueueInfo, FSQueue.getQueueInfo, FifoScheduler.DEFAULT_QUEUE).
import type { ResourceTypes } from '../../model/resource.ts';
import {
  type DescriptionViews,
  type FairQueueDescription,
  type FifoDescription,
  type SchedulerDescription,
  type ShownCapacities,
  type ShownQueue,
  viewOf,
} from '../../scheduler/explain/description.ts';
import type { QueueAcl } from '../../scheduler/policy.ts';
import type { Encodable } from '../../wire/rpc/message.ts';
import type { QueueConfigurationsMapProto, QueueInfo, QueueUserACLInfoProto } from '../../wire/rpc/tables/queues.ts';
import type { ApplicationCounts } from '../views/application-counters.ts';
import { resourceMessage } from './values.ts';

/** Which queue is asked for, and how far below it. */
export interface QueueQuestion {
  readonly path: string;
  readonly withChildren: boolean;
  readonly recursive: boolean;
}

/** What reports depend on besides the description. */
export interface QueueReportContext {
  readonly types: ResourceTypes;
  /** Applications ever submitted and ended, of a queue and those below it. */
  readonly countsOf: (path: string) => ApplicationCounts;
}

/** A queue of a description; undefined where there is none of that path. */
export const queueInfo = (description: SchedulerDescription, question: QueueQuestion, context: QueueReportContext): QueueInfo | undefined =>
  viewOf(infos, description, question, context);

const infos: DescriptionViews<QueueInfo | undefined, [question: QueueQuestion, context: QueueReportContext]> = {
  capacity: ({ root }, question, context) => {
    const found = walk(root).find(({ path }) => path === question.path);
    return found && capacityQueue(found, question, context);
  },
  fair: ({ root }, question, context) => {
    const found = walk(root).find(({ name }) => name === question.path);
    return found && fairQueue(found, question, context);
  },
  fifo: (description) => fifoQueue(description),
};

/** A queue and all below it, parents first. */
function* walk<Q extends { readonly children: readonly Q[] }>(queue: Q): Generator<Q, void> {
  yield queue;
  for (const child of queue.children) yield* walk(child);
}

const states = { RUNNING: 'Q_RUNNING', STOPPED: 'Q_STOPPED', DRAINING: 'Q_DRAINING' } as const;
/** Queues without limits of their own say so by Java's largest number. */
const anyNumber = 2 ** 31 - 1;
const fraction = (percent: number): number => Math.fround(percent / 100);

function capacityQueue(queue: ShownQueue, question: QueueQuestion, context: QueueReportContext): QueueInfo {
  const own = queue.capacities.find(({ partition }) => partition === '')!;
  const below = question.withChildren ? queue.children : [];
  return {
    queueName: queue.name,
    queuePath: queue.path,
    capacity: own.fractions.capacity,
    maximumCapacity: own.fractions.maximum,
    currentCapacity: own.fractions.used,
    state: states[queue.state as keyof typeof states] ?? 'Q_RUNNING',
    accessibleNodeLabels: queue.nodeLabels,
    defaultNodeLabelExpression: queue.defaultLabel,
    queueStatistics: statistics(queue, own, context),
    preemptionDisabled: queue.leaf?.preemptionDisabled ?? true,
    intraQueuePreemptionDisabled: queue.leaf?.intraQueuePreemptionDisabled ?? true,
    queueConfigurationsMap: queue.capacities.map((capacities) => configurations(capacities, context)),
    weight: own.weight,
    maxParallelApps: queue.maximumParallelApplications,
    schedulerType: 'CapacityScheduler',
    childQueues: below.map((child) => capacityQueue(child, { ...question, withChildren: question.recursive }, context)),
  };
}

function statistics(queue: ShownQueue, own: ShownCapacities, { countsOf }: QueueReportContext): QueueInfo['queueStatistics'] {
  const usage = queue.usage.find(({ partition }) => partition === '');
  const available = (index: number) => Math.max(0, (own.effectiveMinimum.amount[index] ?? 0) - (usage?.used[index] ?? 0));
  const of = (amount: readonly number[] | undefined, index: number) => amount?.[index] ?? 0;
  const leaves = leavesOf(queue);
  return {
    ...applicationCounts(
      countsOf(queue.path),
      leaves.map(({ leaf }) => leaf!),
    ),
    numActiveUsers: new Set(leaves.flatMap(({ leaf }) => leaf!.users.filter(({ isActive }) => isActive).map(({ name }) => name))).size,
    availableMemoryMB: available(0),
    allocatedMemoryMB: of(usage?.used, 0),
    pendingMemoryMB: of(usage?.pending, 0),
    reservedMemoryMB: of(usage?.reserved, 0),
    availableVCores: available(1),
    allocatedVCores: of(usage?.used, 1),
    pendingVCores: of(usage?.pending, 1),
    reservedVCores: of(usage?.reserved, 1),
    allocatedContainers: queue.allocatedContainers,
    pendingContainers: queue.pendingContainers,
    reservedContainers: queue.reservedContainers,
  };
}

interface LeafCounts {
  readonly activeApplications: number;
  readonly pendingApplications: number;
}

const leavesOf = <Q extends { readonly isLeaf: boolean; readonly children: readonly Q[] }>(queue: Q): Q[] =>
  [...walk(queue)].filter(({ isLeaf }) => isLeaf);

const applicationCounts = ({ submitted, completed, killed, failed }: ApplicationCounts, leaves: readonly LeafCounts[]) => ({
  numAppsSubmitted: submitted,
  numAppsRunning: leaves.reduce((count, { activeApplications }) => count + activeApplications, 0),
  numAppsPending: leaves.reduce((count, { pendingApplications }) => count + pendingApplications, 0),
  numAppsCompleted: completed,
  numAppsKilled: killed,
  numAppsFailed: failed,
});

const configurations = (capacities: ShownCapacities, { types }: QueueReportContext): Encodable<typeof QueueConfigurationsMapProto> => ({
  partitionName: capacities.partition,
  queueConfigurations: {
    capacity: capacities.fractions.capacity,
    absoluteCapacity: capacities.fractions.absolute,
    maxCapacity: capacities.fractions.maximum,
    absoluteMaxCapacity: capacities.fractions.absoluteMaximum,
    maxAMPercentage: fraction(capacities.amLimitPercentage),
    effectiveMinCapacity: resourceMessage(capacities.effectiveMinimum.amount, types),
    effectiveMaxCapacity: resourceMessage(capacities.effectiveMaximum.amount, types),
    configuredMinCapacity: resourceMessage(capacities.configuredMinimum.amount, types),
    configuredMaxCapacity: resourceMessage(capacities.configuredMaximum.amount, types),
  },
});

function fairQueue(queue: FairQueueDescription, question: QueueQuestion, context: QueueReportContext): QueueInfo {
  const share = (part: number, of: number) => (of === 0 ? 0 : Math.fround(part / of));
  const below = question.withChildren ? queue.children : [];
  return {
    queueName: queue.name,
    queuePath: queue.name,
    capacity: share(queue.steadyFair[0] ?? 0, queue.cluster[0] ?? 0),
    maximumCapacity: queue.steadyFair[0] === 0 ? 0 : 1,
    currentCapacity: share(queue.used[0] ?? 0, queue.steadyFair[0] ?? 0),
    state: 'Q_RUNNING',
    accessibleNodeLabels: [],
    preemptionDisabled: !queue.preemptable,
    intraQueuePreemptionDisabled: true,
    weight: -1,
    maxParallelApps: anyNumber,
    schedulerType: 'FairScheduler',
    minResourceVCore: queue.minimum.amount[1],
    minResourceMemory: queue.minimum.amount[0],
    maxResourceVCore: queue.maximum.amount[1],
    maxResourceMemory: queue.maximum.amount[0],
    reservedResourceVCore: queue.reserved[1],
    reservedResourceMemory: queue.reserved[0],
    steadyFairShareVCore: queue.steadyFair[1],
    steadyFairShareMemory: queue.steadyFair[0],
    maxRunningApp: queue.maximumApplications,
    queueStatistics: fairStatistics(queue, context),
    childQueues: below.map((child) => fairQueue(child, { ...question, withChildren: question.recursive }, context)),
  };
}

function fairStatistics(queue: FairQueueDescription, { countsOf }: QueueReportContext): QueueInfo['queueStatistics'] {
  return {
    ...applicationCounts(countsOf(queue.name), leavesOf(queue)),
    allocatedContainers: queue.allocatedContainers,
    pendingContainers: queue.pendingContainers,
    reservedContainers: queue.reservedContainers,
  };
}

const fifoQueue = ({ usedCapacity }: FifoDescription): QueueInfo => ({
  queueName: 'default',
  queuePath: 'default',
  capacity: 1,
  maximumCapacity: 1,
  currentCapacity: Number.isNaN(usedCapacity) ? 0 : Math.fround(usedCapacity),
  state: 'Q_RUNNING',
  preemptionDisabled: true,
  intraQueuePreemptionDisabled: true,
  weight: -1,
  maxParallelApps: anyNumber,
  schedulerType: 'FifoScheduler',
});

/** Every queue with what a user may do in it, parents first (ClientRMService.getQueueUserAcls). */
export function queueAcls(
  description: SchedulerDescription,
  may: (path: string, acl: QueueAcl) => boolean,
): Encodable<typeof QueueUserACLInfoProto>[] {
  const paths = viewOf<readonly string[], []>(
    {
      capacity: ({ root }) => [...walk(root)].map(({ path }) => path),
      fair: ({ root }) => [...walk(root)].map(({ name }) => name),
      fifo: () => ['default'],
    },
    description,
  );
  return paths.map((path) => ({
    queueName: path,
    userAcls: [
      ...(may(path, 'SUBMIT_APPLICATIONS') ? (['QACL_SUBMIT_APPLICATIONS'] as const) : []),
      ...(may(path, 'ADMINISTER_QUEUE') ? (['QACL_ADMINISTER_QUEUE'] as const) : []),
    ],
  }));
}
