// `/info`, `/userinfo`, `/metrics`.
import { type Answer, lasting, ok } from '../../http/answers.ts';
import type { Call } from '../../http/service.ts';
import { type ClusterMetrics, clusterInfo, clusterMetrics, clusterUserInfo } from '../../wire/cluster/cluster-info.ts';
import { resourceInfoOf } from '../../wire/cluster/resource.ts';
import type { Shape } from '../../wire/codec/describe.ts';
import type { Parts } from '../views/parts.ts';

/** The version of Hadoop whose interface is spoken; clients choose their calls by it. */
export const hadoopVersion = '3.4.2';
const buildVersion = `${hadoopVersion} from heddle by heddle source checksum heddle`;
const builtOn = '2025-08-20T10:30Z';

/** `GET /` and `/info`. */
export const answerInfo = (parts: Parts): Answer => lasting(clusterInfo, infoOf(parts));

/** What the cluster says of itself. */
export function infoOf(parts: Parts): Shape<typeof clusterInfo> {
  return {
    id: parts.startedMs,
    startedOn: parts.startedMs,
    state: 'STARTED',
    haState: 'ACTIVE',
    rmStateStoreName: 'heddle.SqliteStateStore',
    resourceManagerVersion: hadoopVersion,
    resourceManagerBuildVersion: buildVersion,
    resourceManagerVersionBuiltOn: builtOn,
    hadoopVersion,
    hadoopBuildVersion: buildVersion,
    hadoopVersionBuiltOn: builtOn,
    haZooKeeperConnectionState: 'Could not find leader elector. Verify both HA and automatic failover are enabled.',
  };
}

/** `GET /userinfo`. */
export const answerUserInfo = ({ processUser }: Parts, { user }: Call): Answer =>
  ok(clusterUserInfo, { rmLoginUser: processUser, requestedUser: user ?? 'UNKNOWN_USER' });

const percent = (part: number, of: number): number => (of <= 0 ? 0 : Math.trunc((part * 100) / of));

/** The numbers of `/metrics`. */
export function metricsOf(parts: Parts): ClusterMetrics {
  const { policy, types, cluster } = parts;
  const counters = parts.counters.ofAll();
  const { appsPending, appsRunning, allocated, available: free, pending, reserved, total, ...containers } = policy.metrics();
  // An overcommitted node has less than nothing left; the sum shows nothing.
  const available = free.map((amount) => Math.max(0, amount));
  const { counts: nodes, usedMemoryMiB, usedCores } = cluster.view.nodeTotals;
  const across = containers.acrossPartitions;
  return {
    appsSubmitted: counters.submitted,
    appsCompleted: counters.completed,
    appsPending,
    appsRunning,
    appsFailed: counters.failed,
    appsKilled: counters.killed,
    reservedMB: reserved[0] ?? 0,
    availableMB: available[0] ?? 0,
    allocatedMB: allocated[0] ?? 0,
    pendingMB: pending[0] ?? 0,
    reservedVirtualCores: reserved[1] ?? 0,
    availableVirtualCores: available[1] ?? 0,
    allocatedVirtualCores: allocated[1] ?? 0,
    pendingVirtualCores: pending[1] ?? 0,
    containersAllocated: containers.containersAllocated,
    containersReserved: containers.containersReserved,
    containersPending: containers.containersPending,
    totalMB: total[0] ?? 0,
    utilizedMB: 0,
    totalVirtualCores: total[1] ?? 0,
    utilizedVirtualCores: Math.trunc(usedCores),
    utilizedMBPercent: percent(usedMemoryMiB, total[0] ?? 0),
    utilizedVirtualCoresPercent: percent(Math.trunc(usedCores), total[1] ?? 0),
    rmSchedulerBusyPercent: 0,
    totalNodes: cluster.view.nodeCount - nodes.NEW,
    lostNodes: nodes.LOST,
    unhealthyNodes: nodes.UNHEALTHY,
    decommissioningNodes: nodes.DECOMMISSIONING,
    decommissionedNodes: nodes.DECOMMISSIONED,
    rebootedNodes: nodes.REBOOTED,
    activeNodes: nodes.RUNNING,
    shutdownNodes: nodes.SHUTDOWN,
    containerAssignedPerSecond: cluster.placementsPerSecond(),
    totalUsedResourcesAcrossPartition: across && resourceInfoOf(across.used, types),
    totalClusterResourcesAcrossPartition: across && resourceInfoOf(across.total, types),
    totalReservedResourcesAcrossPartition: across && resourceInfoOf(across.reserved, types),
    totalAllocatedContainersAcrossPartition: across?.containers ?? 0,
    crossPartitionMetricsAvailable: across !== undefined,
    rmEventQueueSize: 0,
    schedulerEventQueueSize: 0,
  };
}

/** `GET /metrics`. */
export const answerMetrics = (parts: Parts): Answer =>
  lasting(
    clusterMetrics,
    parts.metrics.get(() => metricsOf(parts)),
  );
