// What the scheduler did and why (ActivitiesInfo, BulkActivitiesInfo, AppActivitiesInfo of Hadoop 3.4).
import { int, later, list, long, type Member, object, record, type Shape, text } from '../codec/describe.ts';

export interface ActivityNode {
  name?: string;
  appPriority?: number;
  requestPriority?: number;
  allocationRequestId?: number | bigint;
  allocationState?: string;
  diagnostic?: string;
  nodeId?: string;
  count?: number;
  nodeIds?: readonly string[];
  children?: readonly ActivityNode[];
}

const activityNode: Member<ActivityNode> = object({
  name: text(),
  appPriority: int(),
  requestPriority: int(),
  allocationRequestId: long(),
  allocationState: text(),
  diagnostic: text(),
  nodeId: text(),
  count: int(),
  nodeIds: list(text()),
  children: list(later(() => activityNode)),
});

const allocation = object({ partition: text(), updatedContainerId: text(), finalAllocationState: text(), root: activityNode });

const activitiesFields = {
  nodeId: text(),
  timestamp: long(),
  dateTime: text(),
  diagnostic: text(),
  allocations: list(allocation),
} as const;

export const activities = record('activities', activitiesFields, { json: 'natural' });
export type Activities = Shape<typeof activities>;

export const bulkActivities = record('bulkActivities', { activities: list(object(activitiesFields)) }, { json: 'natural' });

const requestActivity = object({
  requestPriority: int(),
  allocationRequestId: long(),
  allocationState: text(),
  diagnostic: text(),
  children: list(activityNode),
});

const applicationAllocation = object({
  nodeId: text(),
  timestamp: long(),
  dateTime: text(),
  queueName: text(),
  appPriority: int(),
  allocationState: text(),
  diagnostic: text(),
  children: list(requestActivity),
});
export type ApplicationAllocation = Shape<typeof applicationAllocation>;

export const applicationActivities = record(
  'appActivities',
  { applicationId: text(), diagnostic: text(), timestamp: long(), dateTime: text(), allocations: list(applicationAllocation) },
  { json: 'natural' },
);
export type ApplicationActivities = Shape<typeof applicationActivities>;
