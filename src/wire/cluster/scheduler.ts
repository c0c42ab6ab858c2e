// `GET /scheduler` and `/scheduler-overview`: what the policy tells about its queues.
import { float, int, long, object, polymorphic, record, type Shape, text } from '../codec/describe.ts';
import { resourceInfo } from './resource.ts';
import { type CapacitySchedulerInfo, capacityScheduler } from './scheduler-capacity.ts';
import { type FairSchedulerInfo, fairScheduler } from './scheduler-fair.ts';

export const fifoScheduler = object(
  {
    capacity: float(),
    usedCapacity: float(),
    qstate: text(),
    minQueueMemoryCapacity: long(),
    maxQueueMemoryCapacity: long(),
    numNodes: int(),
    usedNodeCapacity: int(),
    availNodeCapacity: int(),
    totalNodeCapacity: int(),
    numContainers: int(),
  },
  { typeName: 'fifoScheduler' },
);
export type FifoSchedulerInfo = Shape<typeof fifoScheduler>;

export type AnySchedulerInfo = CapacitySchedulerInfo | FairSchedulerInfo | FifoSchedulerInfo;

const anyScheduler = polymorphic<AnySchedulerInfo>(
  () => [capacityScheduler, fairScheduler, fifoScheduler],
  (value) => ('rootQueue' in value ? fairScheduler : 'qstate' in value ? fifoScheduler : capacityScheduler),
);

/** SchedulerTypeInfo. */
export const schedulerType = record('scheduler', { schedulerInfo: anyScheduler }, { json: 'natural' });
export type SchedulerType = Shape<typeof schedulerType>;

/** SchedulerOverviewInfo. */
export const schedulerOverview = record(
  'scheduler',
  {
    schedulerType: text(),
    schedulingResourceType: text(),
    minimumAllocation: resourceInfo,
    maximumAllocation: resourceInfo,
    applicationPriority: int(),
    schedulerBusy: int(),
    rmDispatcherEventQueueSize: int(),
    schedulerDispatcherEventQueueSize: int(),
  },
  { json: 'mapped', wrapped: false },
);
export type SchedulerOverview = Shape<typeof schedulerOverview>;
