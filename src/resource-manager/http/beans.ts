// The beans of the resource manager that monitors read by `/jmx`: cluster, nodes, queues.
import { hostname } from 'node:os';
import { resourceManagerRpc } from '../../config/rpc-ports.ts';
import { commonSettings } from '../../config/settings/common.ts';
import { type Bean, Float, httpBeans, processBeans, serverBean } from '../../http/jmx.ts';
import type { RequestFigures } from '../../http/request-figures.ts';
import { rpcBeans } from '../../http/rpc-samples.ts';
import type { PublicApplicationState } from '../../model/application-states.ts';
import type { Resource } from '../../model/resource.ts';
import { type DescriptionViews, type ShownQueue, viewOf } from '../../scheduler/explain/description.ts';
import { isInactiveNode } from '../nodes/node-states.ts';
import type { ApplicationCounts } from '../views/application-counters.ts';
import type { ContainerCounts } from '../views/container-counters.ts';
import type { Parts } from '../views/parts.ts';
import { runningTimes, runningTimesMinutes } from '../views/running-times.ts';
import { metricsOf } from './cluster-facts.ts';

const prefix = 'Hadoop:service=ResourceManager,name=';
const host = hostname();

function clusterBean(parts: Parts): Bean {
  const metrics = metricsOf(parts);
  const nodes = parts.cluster.view.nodeTotals.counts;
  const none = new Float(0);
  return {
    name: `${prefix}ClusterMetrics`,
    modelerType: 'ClusterMetrics',
    attributes: {
      'tag.ClusterMetrics': 'ResourceManager',
      'tag.Context': 'yarn',
      'tag.Hostname': host,
      NumActiveNMs: nodes.RUNNING,
      NumDecommissioningNMs: nodes.DECOMMISSIONING,
      NumDecommissionedNMs: nodes.DECOMMISSIONED,
      NumLostNMs: nodes.LOST,
      NumUnhealthyNMs: nodes.UNHEALTHY,
      NumRebootedNMs: nodes.REBOOTED,
      NumShutdownNMs: nodes.SHUTDOWN,
      AMLaunchDelayNumOps: 0,
      AMLaunchDelayAvgTime: none,
      AMRegisterDelayNumOps: 0,
      AMRegisterDelayAvgTime: none,
      AMContainerAllocationDelayNumOps: 0,
      AMContainerAllocationDelayAvgTime: none,
      UtilizedMB: metrics.utilizedMB,
      UtilizedVirtualCores: metrics.utilizedVirtualCores,
      CapabilityMB: metrics.totalMB,
      CapabilityVirtualCores: metrics.totalVirtualCores,
      RmEventProcCPUAvg: 0,
      RmEventProcCPUMax: 0,
      ContainerAssignedPerSecond: metrics.containerAssignedPerSecond,
      RmDispatcherEventQueueSize: 0,
      SchedulerDispatcherEventQueueSize: 0,
    },
  };
}

function nodesBean({ cluster, policy }: Parts): Bean {
  const live = [...cluster.view.nodes()]
    .filter(({ state }) => state !== 'NEW' && !isInactiveNode[state])
    .map((node) => {
      const usage = policy.nodeUsage(node.id);
      return {
        HostName: node.host,
        Rack: node.rack,
        State: node.state,
        NodeId: node.id,
        NodeHTTPAddress: node.httpAddress,
        LastHealthUpdate: node.lastHealthUpdateMs,
        HealthReport: node.healthReport,
        NodeManagerVersion: node.version,
        NumContainers: usage?.containers ?? 0,
        UsedMemoryMB: usage?.used[0] ?? 0,
        AvailableMemoryMB: usage?.available[0] ?? 0,
      };
    });
  return {
    name: `${prefix}RMNMInfo`,
    modelerType: 'org.apache.hadoop.yarn.server.resourcemanager.RMNMInfo',
    attributes: { LiveNodeManagers: JSON.stringify(live) },
  };
}

interface QueueNumbers {
  readonly path: string;
  readonly metrics: ReturnType<typeof metricsOf>;
  readonly queue: ShownQueue | undefined;
  readonly counts: ApplicationCounts;
  readonly containers: ContainerCounts;
  /** How many run in each group of running times. */
  readonly times: readonly number[];
  /** What promises are parts of, and the smallest allocation, of which they are told whole ones. */
  readonly whole: Resource;
  readonly step: Resource;
}

/** Names of a queue's bean: `q0=root,q1=a`. */
const queueName = (path: string): string =>
  path
    .split('.')
    .map((part, index) => `q${index}=${part}`)
    .join(',');

/** The bean of one queue, from what is known of it. */
export function queueBean({ path, metrics, queue, counts, containers, times, whole, step }: QueueNumbers): Bean {
  const isRoot = path === 'root';
  const capacities = queue?.capacities.find(({ partition }) => partition === '') ?? queue?.capacities[0];
  const leaf = queue?.leaf;
  const { submitted, completed, failed, killed } = counts;
  const own = (value: number | bigint | undefined, other: number) => (isRoot ? Number(value ?? 0) : other);
  const share = (percent: number | undefined) => new Float((percent ?? 0) / 100, 'float');
  /** As Hadoop tells it: whole allocations (multiplyAndNormalizeDown). */
  const promise = (percent: number | undefined, type: 0 | 1) => {
    const part = Math.floor((whole[type] ?? 0) * Math.fround((percent ?? 0) / 100));
    return part - (part % (step[type] || 1));
  };
  const minimum = capacities?.effectiveMinimum.amount ?? [];
  /** What it may still have of what it was promised (CSQueueUtils.getMaxAvailableResourceToQueuePartition). */
  const left = (type: 0 | 1) => Math.max(0, (minimum[type] ?? 0) - (queue?.used[type] ?? 0));
  const usage = queue?.usage.find(({ partition }) => partition === '');
  return {
    name: `${prefix}QueueMetrics,${queueName(path)}`,
    modelerType: `QueueMetrics,${queueName(path)}`,
    attributes: {
      'tag.Queue': path,
      'tag.Context': 'yarn',
      'tag.Hostname': host,
      ...Object.fromEntries(runningTimesMinutes.map((minutes, group) => [`running_${minutes}`, times[group] ?? 0])),
      AMResourceLimitMB: leaf?.amLimit[0] ?? 0,
      AMResourceLimitVCores: leaf?.amLimit[1] ?? 0,
      UsedAMResourceMB: leaf?.amUsed[0] ?? 0,
      UsedAMResourceVCores: leaf?.amUsed[1] ?? 0,
      UsedCapacity: share(capacities?.usedCapacity),
      AbsoluteUsedCapacity: share(capacities?.absoluteUsedCapacity),
      GuaranteedMB: promise(capacities?.absoluteCapacity, 0),
      GuaranteedVCores: promise(capacities?.absoluteCapacity, 1),
      MaxCapacityMB: promise(capacities?.absoluteMaximumCapacity, 0),
      MaxCapacityVCores: promise(capacities?.absoluteMaximumCapacity, 1),
      GuaranteedCapacity: share(capacities?.capacity),
      GuaranteedAbsoluteCapacity: share(capacities?.absoluteCapacity),
      MaxCapacity: share(capacities?.maximumCapacity),
      MaxAbsoluteCapacity: share(capacities?.absoluteMaximumCapacity),
      AppsSubmitted: submitted,
      AppsRunning: own(metrics.appsRunning, leaf?.activeApplications ?? 0),
      AppsPending: own(metrics.appsPending, leaf?.pendingApplications ?? 0),
      AppsCompleted: completed,
      AppsKilled: killed,
      AppsFailed: failed,
      UnmanagedAppsSubmitted: 0,
      UnmanagedAppsRunning: 0,
      UnmanagedAppsPending: 0,
      UnmanagedAppsCompleted: 0,
      UnmanagedAppsKilled: 0,
      UnmanagedAppsFailed: 0,
      AggregateNodeLocalContainersAllocated: 0,
      AggregateRackLocalContainersAllocated: 0,
      AggregateOffSwitchContainersAllocated: 0,
      AggregateContainersPreempted: containers.preempted,
      AggregateMemoryMBSecondsPreempted: containers.preemptedMemoryMiBSeconds,
      AggregateVcoreSecondsPreempted: containers.preemptedVcoreSeconds,
      AggregateMemoryMBPreempted: containers.preemptedMemoryMiB,
      AggregateVcoresPreempted: containers.preemptedVcores,
      ActiveUsers: leaf?.users.filter(({ isActive }) => isActive).length ?? 0,
      ActiveApplications: own(metrics.appsRunning, leaf?.activeApplications ?? 0),
      AppAttemptFirstContainerAllocationDelayNumOps: 0,
      AppAttemptFirstContainerAllocationDelayAvgTime: new Float(0),
      AggregateContainersAllocated: containers.allocated,
      AggregateContainersReleased: containers.released,
      AllocatedMB: own(metrics.allocatedMB, queue?.used[0] ?? 0),
      AllocatedVCores: own(metrics.allocatedVirtualCores, queue?.used[1] ?? 0),
      AllocatedContainers: own(metrics.containersAllocated, queue?.allocatedContainers ?? 0),
      AvailableMB: own(metrics.availableMB, left(0)),
      AvailableVCores: own(metrics.availableVirtualCores, left(1)),
      PendingMB: own(metrics.pendingMB, usage?.pending[0] ?? 0),
      PendingVCores: own(metrics.pendingVirtualCores, usage?.pending[1] ?? 0),
      PendingContainers: own(metrics.containersPending, queue?.pendingContainers ?? 0),
      ReservedMB: own(metrics.reservedMB, usage?.reserved[0] ?? 0),
      ReservedVCores: own(metrics.reservedVirtualCores, usage?.reserved[1] ?? 0),
      ReservedContainers: own(metrics.containersReserved, queue?.reservedContainers ?? 0),
    },
  };
}

/** A queue that has counters; `queue` where they are its own and not the cluster's. */
interface CountedQueue {
  readonly path: string;
  readonly queue: ShownQueue | undefined;
}

const countedQueues: DescriptionViews<CountedQueue[]> = {
  capacity({ root }) {
    const found: CountedQueue[] = [];
    const visit = (queue: ShownQueue): void => {
      found.push({ path: queue.path, queue });
      // The default queue of a plan is counted under both of its names.
      const plan = /^(.+)\.root\.([^.]+)$/.exec(queue.path);
      if (plan) found.push({ path: `${plan[1]}.${plan[2]}`, queue });
      queue.children.forEach(visit);
    };
    visit(root);
    return found;
  },
  fair({ root }) {
    const found: CountedQueue[] = [];
    const visit = (queue: typeof root): void => {
      found.push({ path: queue.name, queue: undefined });
      queue.children.forEach(visit);
    };
    visit(root);
    return found;
  },
  fifo: () => [{ path: 'default', queue: undefined }],
};

const running: ReadonlySet<PublicApplicationState> = new Set(['RUNNING']);

function queueBeans(parts: Parts): Bean[] {
  const metrics = metricsOf(parts);
  const { counters, containerCounters, cluster, clock } = parts;
  const times = runningTimes(cluster.view.applicationsBy.select({ states: running }), clock.now());
  const counted = viewOf(countedQueues, parts.policy.describe());
  const whole = counted[0]?.queue?.capacities.find(({ partition }) => partition === '')?.effectiveMinimum.amount ?? [];
  const step = parts.policy.minimumAllocation();
  return counted.map(({ path, queue }) =>
    queueBean({
      path,
      metrics,
      queue,
      counts: path === 'root' ? counters.ofAll() : counters.ofQueue(path),
      containers: containerCounters.ofQueue(path),
      times: times.get(path) ?? [],
      whole,
      step,
    }),
  );
}

/** OpportunisticSchedulerMetrics, where there can be such containers. */
function opportunisticBeans({ cluster }: Parts): Bean[] {
  if (!cluster.settings.opportunistic) return [];
  const { allocated, everAllocated, everReleased, nodeLocal, rackLocal, offSwitch } = cluster.opportunistic.counts;
  return [
    {
      name: `${prefix}OpportunisticSchedulerMetrics`,
      modelerType: 'OpportunisticSchedulerMetrics',
      attributes: {
        'tag.OpportunisticSchedulerMetrics': 'ResourceManager',
        'tag.Context': 'yarn',
        'tag.Hostname': host,
        AllocatedOContainers: allocated,
        AggregateOContainersAllocated: everAllocated,
        AggregateOContainersReleased: everReleased,
        AggregateNodeLocalOContainersAllocated: nodeLocal,
        AggregateRackLocalOContainersAllocated: rackLocal,
        AggregateOffSwitchOContainersAllocated: offSwitch,
      },
    },
  ];
}

/** Whether it is the active one, and where clients of Hadoop RPC reach it (RMInfo). */
function infoBean({ configuration, rpc }: Parts, isSecure: boolean): Bean {
  const said = configuration.get(resourceManagerRpc.rpc.key) ?? '';
  // Where the port that is said was in use another one is served.
  const served = rpc.ports.find(({ protocol }) => protocol === 'ApplicationClientProtocol')?.port;
  const address = served ? said.replace(/:\d+$/, `:${served}`) : said;
  return {
    name: `${prefix}RMInfo`,
    modelerType: 'org.apache.hadoop.yarn.server.resourcemanager.RMInfo',
    attributes: { State: 'active', HostAndPort: address, SecurityEnabled: isSecure },
  };
}

/** Every bean, as it is now. */
export function beansOf(parts: Parts, figures: RequestFigures): Bean[] {
  const isSecure = parts.configuration.values(commonSettings).securityAuthentication !== 'simple';
  return [
    clusterBean(parts),
    infoBean(parts, isSecure),
    nodesBean(parts),
    ...queueBeans(parts),
    ...opportunisticBeans(parts),
    ...rpcBeans('ResourceManager', host, parts.rpc),
    ...httpBeans('ResourceManager', host, figures),
    serverBean('ResourceManager', 'org.apache.hadoop.yarn.server.resourcemanager.ResourceManager', isSecure),
    ...processBeans('ResourceManager', host),
  ];
}
