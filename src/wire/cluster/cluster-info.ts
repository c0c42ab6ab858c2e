// Facts about the cluster on the resource manager's REST interface: ClusterInfo, ClusterUserInfo, ClusterMetricsInfo.
import { boolean, int, long, record, type Shape, text } from '../codec/describe.ts';
import { resourceInfo } from './resource.ts';

/** `GET /` and `GET /info`. */
export const clusterInfo = record(
  'clusterInfo',
  {
    id: long(),
    startedOn: long(),
    state: text(),
    haState: text(),
    rmStateStoreName: text(),
    resourceManagerVersion: text(),
    resourceManagerBuildVersion: text(),
    resourceManagerVersionBuiltOn: text(),
    hadoopVersion: text(),
    hadoopBuildVersion: text(),
    hadoopVersionBuiltOn: text(),
    haZooKeeperConnectionState: text(),
  },
  { json: 'natural' },
);
export type ClusterInfo = Shape<typeof clusterInfo>;

/** `GET /userinfo`. */
export const clusterUserInfo = record('clusterUserInfo', { rmLoginUser: text(), requestedUser: text() }, { json: 'mapped' });

/** `GET /metrics`. The three `…AcrossPartition` resources are the capacity scheduler's alone. */
export const clusterMetrics = record(
  'clusterMetrics',
  {
    appsSubmitted: int(),
    appsCompleted: int(),
    appsPending: int(),
    appsRunning: int(),
    appsFailed: int(),
    appsKilled: int(),
    reservedMB: long(),
    availableMB: long(),
    allocatedMB: long(),
    pendingMB: long(),
    reservedVirtualCores: long(),
    availableVirtualCores: long(),
    allocatedVirtualCores: long(),
    pendingVirtualCores: long(),
    containersAllocated: int(),
    containersReserved: int(),
    containersPending: int(),
    totalMB: long(),
    utilizedMB: long(),
    totalVirtualCores: long(),
    utilizedVirtualCores: long(),
    utilizedMBPercent: int(),
    utilizedVirtualCoresPercent: int(),
    rmSchedulerBusyPercent: int(),
    totalNodes: int(),
    lostNodes: int(),
    unhealthyNodes: int(),
    decommissioningNodes: int(),
    decommissionedNodes: int(),
    rebootedNodes: int(),
    activeNodes: int(),
    shutdownNodes: int(),
    containerAssignedPerSecond: int(),
    totalUsedResourcesAcrossPartition: resourceInfo,
    totalClusterResourcesAcrossPartition: resourceInfo,
    totalReservedResourcesAcrossPartition: resourceInfo,
    totalAllocatedContainersAcrossPartition: int(),
    crossPartitionMetricsAvailable: boolean(),
    rmEventQueueSize: int(),
    schedulerEventQueueSize: int(),
  },
  { json: 'natural' },
);
export type ClusterMetrics = Shape<typeof clusterMetrics>;
