// The scheduler's description as the wire shows it.

import type { Resource, ResourceTypes } from '../../model/resource.ts';
import { longMaximum } from '../../model/resource.ts';
import {
  type CapacityDescription,
  type DescriptionViews,
  type FairQueueDescription,
  type FifoDescription,
  type NamedText,
  type SchedulerDescription,
  type ShownCapacities,
  type ShownQueue,
  type ShownResource,
  type ShownUsage,
  type ShownUser,
  type ShownVector,
  viewOf,
} from '../../scheduler/explain/description.ts';
import { type ResourceInfo, resourceInfoOf } from '../../wire/cluster/resource.ts';
import type { AnySchedulerInfo, FifoSchedulerInfo, SchedulerType } from '../../wire/cluster/scheduler.ts';
import type { CapacityQueueInfo, CapacitySchedulerInfo } from '../../wire/cluster/scheduler-capacity.ts';
import type { FairQueueInfo } from '../../wire/cluster/scheduler-fair.ts';

/** What views need besides the description: the registered types and the bounds of requests. */
export interface SchedulerViewContext {
  readonly types: ResourceTypes;
  readonly minimumAllocation: Resource;
  readonly maximumAllocation: Resource;
}

/** SchedulerTypeInfo. */
export function schedulerTypeOf(description: SchedulerDescription, context: SchedulerViewContext): SchedulerType {
  return { schedulerInfo: viewOf(infos, description, context) };
}

const infos: DescriptionViews<AnySchedulerInfo, [context: SchedulerViewContext]> = {
  capacity: (description, context) => capacityInfo(description, context),
  fair: ({ root }, context) => ({ rootQueue: fairQueue(root, context) }),
  fifo: (description) => fifoInfo(description),
};

const amountOf = (amount: Resource, { types }: SchedulerViewContext): ResourceInfo => resourceInfoOf(amount, types);

/** Amounts that were made from the configured bounds carry them. */
export function shownResource({ amount, bounded }: ShownResource, context: SchedulerViewContext): ResourceInfo {
  const info = amountOf(amount, context);
  if (!bounded) return info;
  return {
    ...info,
    resourceInformations: info.resourceInformations?.map((information, i) => ({
      ...information,
      minimumAllocation: context.minimumAllocation[i] ?? 0,
      maximumAllocation: context.maximumAllocation[i] ?? longMaximum,
    })),
  };
}

// ---- capacity

function capacityInfo({ root, health }: CapacityDescription, context: SchedulerViewContext): CapacitySchedulerInfo {
  const own = root.capacities.find(({ partition }) => partition === '')!;
  return {
    capacity: own.capacity,
    usedCapacity: own.usedCapacity,
    maxCapacity: own.maximumCapacity,
    weight: own.weight,
    normalizedWeight: own.normalizedWeight,
    queueCapacityVectorInfo: vectorOf(own.vector),
    queueName: root.name,
    queuePath: root.path,
    maxParallelApps: root.maximumParallelApplications,
    isAbsoluteResource: root.isAbsolute,
    queues: leavesFirst(root.children).map((child) => capacityQueue(child, context)),
    capacities: { queueCapacitiesByPartition: root.capacities.map((capacities) => capacitiesOf(capacities, root, context)) },
    health: {
      lastrun: health.lastRunMs,
      operationsInfo: health.operations,
      lastRunDetails: ['releases', 'allocations', 'reservations'].map((operation) => ({
        operation,
        count: 0,
        resources: amountOf([], context),
      })),
    },
    maximumAllocation: amountOf(root.maximumAllocation, context),
    queueAcls: aclsOf(root),
    queuePriority: root.priority,
    orderingPolicyInfo: root.orderingPolicy,
    mode: root.mode,
    queueType: 'parent',
    creationMethod: root.creation,
    autoCreationEligibility: root.autoCreation,
    defaultNodeLabelExpression: root.defaultLabel,
    ...templatesOf(root),
  };
}

/** REST lists leaves before parents (CapacitySchedulerInfo.getQueues keeps two lists). */
const leavesFirst = (queues: readonly ShownQueue[]): ShownQueue[] => [
  ...queues.filter(({ isLeaf }) => isLeaf),
  ...queues.filter(({ isLeaf }) => !isLeaf),
];

function capacityQueue(queue: ShownQueue, context: SchedulerViewContext): CapacityQueueInfo {
  const own = queue.capacities.find(({ partition }) => partition === '')!;
  return {
    queuePath: queue.path,
    capacity: own.capacity,
    usedCapacity: own.usedCapacity,
    maxCapacity: own.maximumCapacity,
    absoluteCapacity: own.absoluteCapacity,
    absoluteMaxCapacity: own.absoluteMaximumCapacity,
    absoluteUsedCapacity: own.absoluteUsedCapacity,
    weight: own.weight,
    normalizedWeight: own.normalizedWeight,
    numApplications: queue.applications,
    maxParallelApps: queue.maximumParallelApplications,
    queueName: queue.name,
    isAbsoluteResource: queue.isAbsolute,
    state: queue.state,
    ...(queue.isLeaf ? {} : { queues: leavesFirst(queue.children).map((child) => capacityQueue(child, context)) }),
    resourcesUsed: amountOf(queue.used, context),
    hideReservationQueues: queue.hideReservationQueues,
    nodeLabels: queue.nodeLabels,
    allocatedContainers: queue.allocatedContainers,
    reservedContainers: queue.reservedContainers,
    pendingContainers: queue.pendingContainers,
    capacities: { queueCapacitiesByPartition: queue.capacities.map((capacities) => capacitiesOf(capacities, queue, context)) },
    resources: { resourceUsagesByPartition: queue.usage.map((usage) => usageOf(usage, context)) },
    minEffectiveCapacity: shownResource(own.effectiveMinimum, context),
    maxEffectiveCapacity: shownResource(own.effectiveMaximum, context),
    maximumAllocation: amountOf(queue.maximumAllocation, context),
    queueAcls: aclsOf(queue),
    queuePriority: queue.priority,
    orderingPolicyInfo: queue.orderingPolicy,
    autoCreateChildQueueEnabled: queue.legacyAutoCreation,
    leafQueueTemplate: propertiesOf(queue.leafTemplate),
    mode: queue.mode,
    queueType: queue.isLeaf ? 'leaf' : 'parent',
    creationMethod: queue.creation,
    autoCreationEligibility: queue.autoCreation,
    defaultNodeLabelExpression: queue.defaultLabel,
    ...templatesOf(queue),
    ...leafOf(queue, context),
  };
}

function leafOf({ leaf }: ShownQueue, context: SchedulerViewContext): CapacityQueueInfo {
  if (!leaf) return {};
  return {
    numActiveApplications: leaf.activeApplications,
    numPendingApplications: leaf.pendingApplications,
    numContainers: leaf.containers,
    maxApplications: leaf.maximumApplications,
    maxApplicationsPerUser: leaf.maximumApplicationsPerUser,
    userLimit: leaf.userLimit,
    users: leaf.users.map((user) => userOf(user, context)),
    userLimitFactor: leaf.userLimitFactor,
    configuredMaxAMResourceLimit: leaf.configuredAmShare,
    AMResourceLimit: amountOf(leaf.amLimit, context),
    usedAMResource: amountOf(leaf.amUsed, context),
    userAMResourceLimit: amountOf(leaf.userAmLimit, context),
    preemptionDisabled: leaf.preemptionDisabled,
    intraQueuePreemptionDisabled: leaf.intraQueuePreemptionDisabled,
    defaultPriority: leaf.defaultPriority,
    isAutoCreatedLeafQueue: leaf.isLegacyAutoCreated,
    maxApplicationLifetime: leaf.maximumLifetimeSeconds,
    defaultApplicationLifetime: leaf.defaultLifetimeSeconds,
  };
}

const userOf = (user: ShownUser, context: SchedulerViewContext) => ({
  username: user.name,
  resourcesUsed: amountOf(user.used, context),
  numPendingApplications: user.pendingApplications,
  numActiveApplications: user.activeApplications,
  AMResourceUsed: amountOf(user.amUsed, context),
  userResourceLimit: amountOf(user.limit, context),
  resources: { resourceUsagesByPartition: user.usage.map((usage) => usageOf(usage, context)) },
  userWeight: user.weight,
  isActive: user.isActive,
});

/** ResourceUsagesByPartition; AM members only where they are counted. */
export const usageOf = (usage: ShownUsage, context: SchedulerViewContext) => ({
  partitionName: usage.partition,
  used: amountOf(usage.used, context),
  reserved: amountOf(usage.reserved, context),
  pending: amountOf(usage.pending, context),
  amUsed: usage.amUsed && amountOf(usage.amUsed, context),
  amLimit: usage.amLimit && amountOf(usage.amLimit, context),
  userAmLimit: usage.userAmLimit && amountOf(usage.userAmLimit, context),
});

const capacitiesOf = (capacities: ShownCapacities, { isLeaf }: ShownQueue, context: SchedulerViewContext) => ({
  partitionName: capacities.partition,
  queueCapacityVectorInfo: vectorOf(capacities.vector),
  capacity: capacities.capacity,
  usedCapacity: capacities.usedCapacity,
  maxCapacity: capacities.maximumCapacity,
  absoluteCapacity: capacities.absoluteCapacity,
  absoluteUsedCapacity: capacities.absoluteUsedCapacity,
  absoluteMaxCapacity: capacities.absoluteMaximumCapacity,
  // REST shows it of leaves alone (QueueCapacitiesInfo, considerAMUsage), RPC of every queue.
  maxAMLimitPercentage: isLeaf ? capacities.amLimitPercentage : 0,
  weight: capacities.weight,
  normalizedWeight: capacities.normalizedWeight,
  configuredMinResource: shownResource(capacities.configuredMinimum, context),
  configuredMaxResource: shownResource(capacities.configuredMaximum, context),
  effectiveMinResource: shownResource(capacities.effectiveMinimum, context),
  effectiveMaxResource: shownResource(capacities.effectiveMaximum, context),
});

const vectorOf = ({ text, entries }: ShownVector) => ({
  configuredCapacityVector: text,
  capacityVectorEntries: entries.map(({ name, value }) => ({ resourceName: name, resourceValue: value })),
});

const aclsOf = ({ acls }: ShownQueue) => acls.map(({ type, list }) => ({ accessType: type, accessControlList: list }));
const propertiesOf = (pairs: NamedText) => pairs.map(({ name, value }) => ({ name, value }));
const templatesOf = ({ templates }: ShownQueue) => ({
  autoQueueTemplateProperties: propertiesOf(templates.common),
  autoQueueParentTemplateProperties: propertiesOf(templates.parent),
  autoQueueLeafTemplateProperties: propertiesOf(templates.leaf),
});

// ---- fair and fifo

function fairQueue(queue: FairQueueDescription, context: SchedulerViewContext): FairQueueInfo {
  return {
    maxApps: queue.maximumApplications,
    minResources: shownResource(queue.minimum, context),
    maxResources: shownResource(queue.maximum, context),
    usedResources: amountOf(queue.used, context),
    amUsedResources: amountOf(queue.amUsed, context),
    amMaxResources: amountOf(queue.amMaximum, context),
    demandResources: amountOf(queue.demand, context),
    steadyFairResources: amountOf(queue.steadyFair, context),
    fairResources: amountOf(queue.fair, context),
    clusterResources: amountOf(queue.cluster, context),
    reservedResources: amountOf(queue.reserved, context),
    maxContainerAllocation: amountOf(queue.maximumAllocation, context),
    pendingContainers: queue.pendingContainers,
    allocatedContainers: queue.allocatedContainers,
    reservedContainers: queue.reservedContainers,
    queueName: queue.name,
    schedulingPolicy: queue.schedulingPolicy,
    preemptable: queue.preemptable,
    ...(queue.isLeaf
      ? { numPendingApps: queue.pendingApplications, numActiveApps: queue.activeApplications }
      : queue.children.length > 0
        ? { childQueues: queue.children.map((child) => fairQueue(child, context)) }
        : {}),
  };
}

const fifoInfo = (description: FifoDescription): FifoSchedulerInfo => ({
  capacity: 1,
  usedCapacity: description.usedCapacity,
  qstate: 'RUNNING',
  minQueueMemoryCapacity: description.minimumQueueMemoryMiB,
  maxQueueMemoryCapacity: description.maximumQueueMemoryMiB,
  numNodes: description.nodes,
  usedNodeCapacity: description.usedNodeMemoryMiB,
  availNodeCapacity: description.availableNodeMemoryMiB,
  totalNodeCapacity: description.totalNodeMemoryMiB,
  numContainers: description.containers,
});
