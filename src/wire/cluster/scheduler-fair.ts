// The fair scheduler's part of `GET /scheduler` (FairSchedulerInfo, FairSchedulerQueueInfo of Hadoop 3.4).
import { boolean, holder, int, later, long, type Member, object, polymorphic, type Shape, text } from '../codec/describe.ts';
import { resourceInfo } from './resource.ts';

const members = {
  maxApps: int(),
  minResources: resourceInfo,
  maxResources: resourceInfo,
  usedResources: resourceInfo,
  amUsedResources: resourceInfo,
  amMaxResources: resourceInfo,
  demandResources: resourceInfo,
  steadyFairResources: resourceInfo,
  fairResources: resourceInfo,
  clusterResources: resourceInfo,
  reservedResources: resourceInfo,
  maxContainerAllocation: resourceInfo,
  pendingContainers: long(),
  allocatedContainers: long(),
  reservedContainers: long(),
  queueName: text(),
  schedulingPolicy: text(),
  preemptable: boolean(),
} as const;

export const fairLeafQueue = object(
  { ...members, numPendingApps: int(), numActiveApps: int() },
  { typeName: 'fairSchedulerLeafQueueInfo' },
);
export type FairQueueInfo = Shape<typeof fairLeafQueue> & { childQueues?: readonly FairQueueInfo[] };
const anyQueue: Member<FairQueueInfo> = polymorphic<FairQueueInfo>(
  () => [parentQueue, fairLeafQueue],
  ({ numActiveApps }) => (numActiveApps === undefined ? parentQueue : fairLeafQueue),
);
const parentQueue = object({
  ...members,
  childQueues: holder(
    'queue',
    later(() => anyQueue),
  ),
});

export const fairScheduler = object({ rootQueue: anyQueue }, { typeName: 'fairScheduler' });
export type FairSchedulerInfo = Shape<typeof fairScheduler>;
