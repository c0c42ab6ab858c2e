// The beans of queues: QueueMetrics of each, and PartitionQueueMetrics of what it has in each partition.
import { hostname } from 'node:os';
import { type Bean, Float } from '../../http/jmx.ts';
import type { PublicApplicationState } from '../../model/application-states.ts';
import type { Resource } from '../../model/resource.ts';
import { viewOf } from '../../scheduler/explain/description.ts';
import type { ApplicationCounts } from '../views/application-counters.ts';
import { type ContainerCounts, type ContainerFlow, noContainers } from '../views/container-counters.ts';
import type { Parts } from '../views/parts.ts';
import { type PartitionNumbers, type QueueNumbers, queueNumbers } from '../views/queue-numbers.ts';
import { runningTimes, runningTimesMinutes } from '../views/running-times.ts';

const prefix = 'Hadoop:service=ResourceManager,name=';
const host = hostname();

/** What was counted of it since the start. */
export interface QueueCounts {
  readonly applications: ApplicationCounts;
  readonly unmanaged: ApplicationCounts;
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

const noApplications: ApplicationCounts = { submitted: 0, completed: 0, failed: 0, killed: 0 };
const noFlow: ContainerFlow = { allocated: 0, released: 0 };

const applicationAttributes = (
  of: string,
  { submitted, completed, killed, failed }: ApplicationCounts,
  running: number,
  waiting: number,
) => ({
  [`${of}Submitted`]: submitted,
  [`${of}Running`]: running,
  [`${of}Pending`]: waiting,
  [`${of}Completed`]: completed,
  [`${of}Killed`]: killed,
  [`${of}Failed`]: failed,
});

const amountAttributes = (flow: ContainerFlow, numbers: PartitionNumbers | undefined) => ({
  AggregateContainersAllocated: flow.allocated,
  AggregateContainersReleased: flow.released,
  AllocatedMB: numbers?.allocated[0] ?? 0,
  AllocatedVCores: numbers?.allocated[1] ?? 0,
  AllocatedContainers: numbers?.allocatedContainers ?? 0,
  AvailableMB: numbers?.available[0] ?? 0,
  AvailableVCores: numbers?.available[1] ?? 0,
  PendingMB: numbers?.pending[0] ?? 0,
  PendingVCores: numbers?.pending[1] ?? 0,
  PendingContainers: numbers?.pendingContainers ?? 0,
  ReservedMB: numbers?.reserved[0] ?? 0,
  ReservedVCores: numbers?.reserved[1] ?? 0,
  ReservedContainers: numbers?.reservedContainers ?? 0,
});

/** What containers were given and taken, and how many ask for some. */
const activityAttributes = (containers: ContainerCounts, activeUsers: number, asking: number) => ({
  AggregateNodeLocalContainersAllocated: containers.closeness.nodeLocal,
  AggregateRackLocalContainersAllocated: containers.closeness.rackLocal,
  AggregateOffSwitchContainersAllocated: containers.closeness.offSwitch,
  AggregateContainersPreempted: containers.preempted,
  AggregateMemoryMBSecondsPreempted: containers.preemptedMemoryMiBSeconds,
  AggregateVcoreSecondsPreempted: containers.preemptedVcoreSeconds,
  AggregateMemoryMBPreempted: containers.preemptedMemoryMiB,
  AggregateVcoresPreempted: containers.preemptedVcores,
  ActiveUsers: activeUsers,
  ActiveApplications: asking,
  AppAttemptFirstContainerAllocationDelayNumOps: 0,
  AppAttemptFirstContainerAllocationDelayAvgTime: new Float(0),
});

/** The bean of one queue: what is counted over all partitions, and amounts of the default one. */
export function queueBean(queue: QueueNumbers, { applications, unmanaged, containers, times, whole, step }: QueueCounts): Bean {
  const { path, capacities, amLimit, amUsed, activeUsers, attempts, partitions } = queue;
  const part = (fraction: number | undefined) => new Float(fraction ?? 0, 'float');
  const parts = capacities?.fractions;
  /** As Hadoop tells it: whole allocations (multiplyAndNormalizeDown). */
  const promise = (fraction: number | undefined, type: 0 | 1) => {
    const amount = Math.floor((whole[type] ?? 0) * Math.fround(fraction ?? 0));
    return amount - (amount % (step[type] || 1));
  };
  return {
    name: `${prefix}QueueMetrics,${queueName(path)}`,
    modelerType: `QueueMetrics,${queueName(path)}`,
    attributes: {
      'tag.Queue': path,
      'tag.Context': 'yarn',
      'tag.Hostname': host,
      ...Object.fromEntries(runningTimesMinutes.map((minutes, group) => [`running_${minutes}`, times[group] ?? 0])),
      AMResourceLimitMB: amLimit[0] ?? 0,
      AMResourceLimitVCores: amLimit[1] ?? 0,
      UsedAMResourceMB: amUsed[0] ?? 0,
      UsedAMResourceVCores: amUsed[1] ?? 0,
      UsedCapacity: part(parts?.used),
      AbsoluteUsedCapacity: part((capacities?.absoluteUsedCapacity ?? 0) / 100),
      GuaranteedMB: promise(parts?.absolute, 0),
      GuaranteedVCores: promise(parts?.absolute, 1),
      MaxCapacityMB: promise(parts?.absoluteMaximum, 0),
      MaxCapacityVCores: promise(parts?.absoluteMaximum, 1),
      GuaranteedCapacity: part(parts?.capacity),
      GuaranteedAbsoluteCapacity: part(parts?.absolute),
      MaxCapacity: part(parts?.maximum),
      MaxAbsoluteCapacity: part(parts?.absoluteMaximum),
      ...applicationAttributes('Apps', applications, attempts.running, attempts.waiting),
      ...applicationAttributes('UnmanagedApps', unmanaged, attempts.unmanagedRunning, attempts.unmanagedWaiting),
      ...activityAttributes(containers, activeUsers, attempts.asking),
      ...amountAttributes(containers.flows.get('') ?? noFlow, partitions[0]),
    },
  };
}

/** The bean of what a queue has in a partition; without a `path`, of what all queues have there. Hadoop counts no applications in it. */
export function partitionBean(path: string | undefined, numbers: PartitionNumbers, flow: ContainerFlow | undefined): Bean {
  const name = `PartitionQueueMetrics,partition=${numbers.partition}${path === undefined ? '' : `,${queueName(path)}`}`;
  return {
    name: `${prefix}${name}`,
    modelerType: name,
    attributes: {
      ...(path === undefined ? {} : { 'tag.Queue': path }),
      'tag.Partition': numbers.partition,
      'tag.Context': 'yarn',
      'tag.Hostname': host,
      ...Object.fromEntries(runningTimesMinutes.map((minutes) => [`running_${minutes}`, 0])),
      ...applicationAttributes('Apps', noApplications, 0, 0),
      ...applicationAttributes('UnmanagedApps', noApplications, 0, 0),
      ...activityAttributes(noContainers, 0, 0),
      ...amountAttributes(flow ?? noFlow, numbers),
    },
  };
}

const running: ReadonlySet<PublicApplicationState> = new Set(['RUNNING']);

/** The beans of all queues. */
export function queueBeans(parts: Parts): Bean[] {
  const { counters, containerCounters, cluster, clock, policy } = parts;
  const times = runningTimes(cluster.view.applicationsBy.select({ states: running }), clock.now());
  const queues = viewOf(queueNumbers, policy.describe(), policy.metrics());
  const whole = queues[0]?.capacities?.effectiveMinimum.amount ?? [];
  const step = policy.minimumAllocation();
  return queues.flatMap((queue, index) => {
    const { path } = queue;
    const containers = containerCounters.ofQueue(path);
    const isWhole = index === 0;
    return [
      queueBean(queue, {
        applications: isWhole ? counters.ofAll() : counters.ofQueue(path),
        unmanaged: counters.unmanagedOfQueue(path),
        containers,
        times: times.get(path) ?? [],
        whole,
        step,
      }),
      ...queue.partitions.flatMap((numbers) => {
        const flow = containers.flows.get(numbers.partition);
        return [partitionBean(path, numbers, flow), ...(isWhole ? [partitionBean(undefined, numbers, flow)] : [])];
      }),
    ];
  });
}
