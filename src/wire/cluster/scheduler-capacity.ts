// The capacity scheduler's part of `GET /scheduler` (CapacitySchedulerInfo, CapacitySchedulerQueueInfo and their parts of Hadoop 3.4).
import { boolean, float, holder, int, later, list, long, type Member, object, polymorphic, type Shape, text } from '../codec/describe.ts';
import { resourceInfo } from './resource.ts';

const property = object({ name: text(), value: text() });
const propertyHolder = holder('property', property);

export const capacityVector = object({
  configuredCapacityVector: text(),
  capacityVectorEntries: list(object({ resourceName: text(), resourceValue: text() })),
});

export const queueCapacities = object({
  partitionName: text(),
  queueCapacityVectorInfo: capacityVector,
  capacity: float(),
  usedCapacity: float(),
  maxCapacity: float(),
  absoluteCapacity: float(),
  absoluteUsedCapacity: float(),
  absoluteMaxCapacity: float(),
  maxAMLimitPercentage: float(),
  weight: float(),
  normalizedWeight: float(),
  configuredMinResource: resourceInfo,
  configuredMaxResource: resourceInfo,
  effectiveMinResource: resourceInfo,
  effectiveMaxResource: resourceInfo,
});

/** ResourcesInfo: what is used, reserved and wanted per partition. */
export const resourceUsage = object({
  partitionName: text(),
  used: resourceInfo,
  reserved: resourceInfo,
  pending: resourceInfo,
  amUsed: resourceInfo,
  amLimit: resourceInfo,
  userAmLimit: resourceInfo,
});
export const resourceUsages = object({ resourceUsagesByPartition: list(resourceUsage) });

const queueAcls = holder('queueAcl', object({ accessType: text(), accessControlList: text() }));

const user = object({
  username: text(),
  resourcesUsed: resourceInfo,
  numPendingApplications: int(),
  numActiveApplications: int(),
  AMResourceUsed: resourceInfo,
  userResourceLimit: resourceInfo,
  resources: resourceUsages,
  userWeight: float(),
  isActive: boolean(),
});

const beforeChildren = {
  queuePath: text(),
  capacity: float(),
  usedCapacity: float(),
  maxCapacity: float(),
  absoluteCapacity: float(),
  absoluteMaxCapacity: float(),
  absoluteUsedCapacity: float(),
  weight: float(),
  normalizedWeight: float(),
  numApplications: int(),
  maxParallelApps: int(),
  queueName: text(),
  isAbsoluteResource: boolean(),
  state: text(),
} as const;

const afterChildren = {
  resourcesUsed: resourceInfo,
  hideReservationQueues: boolean(),
  nodeLabels: list(text()),
  allocatedContainers: long(),
  reservedContainers: long(),
  pendingContainers: long(),
  capacities: object({ queueCapacitiesByPartition: list(queueCapacities) }),
  resources: resourceUsages,
  minEffectiveCapacity: resourceInfo,
  maxEffectiveCapacity: resourceInfo,
  maximumAllocation: resourceInfo,
  queueAcls,
  queuePriority: int(),
  orderingPolicyInfo: text(),
  autoCreateChildQueueEnabled: boolean(),
  leafQueueTemplate: propertyHolder,
  mode: text(),
  queueType: text(),
  creationMethod: text(),
  autoCreationEligibility: text(),
  defaultNodeLabelExpression: text(),
  autoQueueTemplateProperties: propertyHolder,
  autoQueueParentTemplateProperties: propertyHolder,
  autoQueueLeafTemplateProperties: propertyHolder,
} as const;

export const capacityLeafQueue = object(
  {
    ...beforeChildren,
    ...afterChildren,
    numActiveApplications: int(),
    numPendingApplications: int(),
    numContainers: int(),
    maxApplications: int(),
    maxApplicationsPerUser: int(),
    userLimit: float(),
    users: holder('user', user),
    userLimitFactor: float(),
    configuredMaxAMResourceLimit: float(),
    AMResourceLimit: resourceInfo,
    usedAMResource: resourceInfo,
    userAMResourceLimit: resourceInfo,
    preemptionDisabled: boolean(),
    intraQueuePreemptionDisabled: boolean(),
    defaultPriority: int(),
    isAutoCreatedLeafQueue: boolean(),
    maxApplicationLifetime: long(),
    defaultApplicationLifetime: long(),
  },
  { typeName: 'capacitySchedulerLeafQueueInfo' },
);
export type CapacityLeafQueue = Shape<typeof capacityLeafQueue>;

/** Either kind of queue; a leaf is told by its `users`. */
export type CapacityQueueInfo = CapacityLeafQueue & { queues?: readonly CapacityQueueInfo[] };
const anyQueue: Member<CapacityQueueInfo> = polymorphic<CapacityQueueInfo>(
  () => [parentQueue, capacityLeafQueue],
  ({ users }) => (users ? capacityLeafQueue : parentQueue),
);
export const parentQueue = object({
  ...beforeChildren,
  queues: holder(
    'queue',
    later(() => anyQueue),
  ),
  ...afterChildren,
});

const health = object({
  lastrun: long(),
  operationsInfo: list(object({ operation: text(), nodeId: text(), containerId: text(), queue: text() })),
  lastRunDetails: list(object({ operation: text(), count: long(), resources: resourceInfo })),
});

/** The root queue. */
export const capacityScheduler = object(
  {
    capacity: float(),
    usedCapacity: float(),
    maxCapacity: float(),
    weight: float(),
    normalizedWeight: float(),
    queueCapacityVectorInfo: capacityVector,
    queueName: text(),
    queuePath: text(),
    maxParallelApps: int(),
    isAbsoluteResource: boolean(),
    queues: holder('queue', anyQueue),
    capacities: object({ queueCapacitiesByPartition: list(queueCapacities) }),
    health,
    maximumAllocation: resourceInfo,
    queueAcls,
    queuePriority: int(),
    orderingPolicyInfo: text(),
    mode: text(),
    queueType: text(),
    creationMethod: text(),
    autoCreationEligibility: text(),
    defaultNodeLabelExpression: text(),
    autoQueueTemplateProperties: propertyHolder,
    autoQueueParentTemplateProperties: propertyHolder,
    autoQueueLeafTemplateProperties: propertyHolder,
  },
  { typeName: 'capacityScheduler' },
);
export type CapacitySchedulerInfo = Shape<typeof capacityScheduler>;
