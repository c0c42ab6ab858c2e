// The beans of a node for monitors: those that Hadoop's node manager shows besides those of its process.

import { type Bean, Float, rateOf, serverBean } from '../../http/jmx.ts';
import type { AuxiliaryServices } from '../auxiliary/services.ts';
import type { NodeCapacity } from '../capacity.ts';
import type { Container } from '../containers/container.ts';
import type { ContainerState } from '../containers/container-states.ts';
import type { NodeHealth } from '../health/health.ts';
import type { NodeMetrics } from '../metrics.ts';

/** What the beans are made of. */
export interface NodeBeanSources {
  readonly hostname: string;
  /** Kerberos is asked for. */
  readonly isSecure: boolean;
  readonly metrics: NodeMetrics;
  readonly containers: () => Iterable<Container>;
  readonly runningApplications: () => number;
  /** Containers that wait for room, by their type. */
  readonly queued: () => { readonly guaranteed: number; readonly opportunistic: number };
  readonly capacity: Pick<NodeCapacity, 'current'>;
  readonly health: Pick<NodeHealth, 'disks'>;
  readonly auxiliary: Pick<AuxiliaryServices, 'beans'>;
}

const mebibytesOfGibibyte = 1024;
const percent = (part: number, all: number): number => (all === 0 ? 0 : Math.floor((100 * part) / all));
/** All of them, as they are now. */
export function nodeBeans(sources: NodeBeanSources): Bean[] {
  const { hostname } = sources;
  const shown = sources.auxiliary.beans().map(({ name, context, figures }) => ({
    name: `Hadoop:service=NodeManager,name=${name}`,
    modelerType: name,
    attributes: { 'tag.Context': context, 'tag.Hostname': hostname, ...figures },
  }));
  const attributes = {
    'tag.Context': 'yarn',
    'tag.Hostname': hostname,
    ...containerFigures(sources),
    ...surroundings(sources),
    ...cacheFigures(sources.metrics),
  };
  return [
    { name: 'Hadoop:service=NodeManager,name=NodeManagerMetrics', modelerType: 'NodeManagerMetrics', attributes },
    ...shown,
    serverBean('NodeManager', 'org.apache.hadoop.yarn.server.nodemanager.NodeManager', sources.isSecure),
  ];
}

function containerFigures({ metrics, containers, queued, capacity }: NodeBeanSources) {
  const states = new Map<ContainerState, number>();
  const allocated = { containers: 0, memoryMiB: 0, vcores: 0 };
  const opportunistic = { containers: 0, memoryMiB: 0, vcores: 0 };
  for (const container of containers()) {
    states.set(container.state, (states.get(container.state) ?? 0) + 1);
    if (container.ended) continue;
    const { memoryMiB, vcores } = container.order.resource;
    const isRunning = container.state === 'RUNNING' && container.executionType === 'OPPORTUNISTIC';
    for (const sum of isRunning ? [allocated, opportunistic] : [allocated]) {
      sum.containers += 1;
      sum.memoryMiB += memoryMiB;
      sum.vcores += vcores;
    }
  }
  const inState = (...wanted: readonly ContainerState[]) => wanted.reduce((sum, state) => sum + (states.get(state) ?? 0), 0);
  const { guaranteed, opportunistic: waiting } = queued();
  const { memoryMiB, vcores } = capacity.current;
  return {
    ContainersLaunched: metrics.containersLaunched,
    ContainersCompleted: metrics.containersCompleted,
    ContainersFailed: metrics.containersFailed,
    ContainersKilled: metrics.containersKilled,
    ContainersRolledBackOnFailure: metrics.containersRolledBack,
    ContainersReIniting: inState('REINITIALIZING', 'REINITIALIZING_AWAITING_KILL'),
    ContainersIniting: inState('LOCALIZING'),
    ContainersRunning: inState('RUNNING'),
    ContainersPaused: inState('PAUSED'),
    AllocatedGB: Math.ceil(allocated.memoryMiB / mebibytesOfGibibyte),
    AllocatedContainers: allocated.containers,
    AvailableGB: Math.floor((memoryMiB - allocated.memoryMiB) / mebibytesOfGibibyte),
    AllocatedVCores: allocated.vcores,
    AvailableVCores: vcores - allocated.vcores,
    ...rateOf('ContainerLaunchDuration', metrics.launches),
    ContainersMonitorCostTime: Math.round(metrics.monitorTookMs),
    ContainersGuaranteedQueued: guaranteed,
    ContainersOpportunisticQueued: waiting,
    AllocatedOpportunisticGB: Math.ceil(opportunistic.memoryMiB / mebibytesOfGibibyte),
    AllocatedOpportunisticVCores: opportunistic.vcores,
    RunningOpportunisticContainers: opportunistic.containers,
  };
}

function surroundings({ metrics, health, runningApplications }: NodeBeanSources) {
  const { local, logs } = health.disks;
  const gibibytes = (memoryMiB: number | undefined) => Math.floor((memoryMiB ?? 0) / mebibytesOfGibibyte);
  const { node, containers } = metrics.usage ?? {};
  return {
    BadLocalDirs: local.bad,
    BadLogDirs: logs.bad,
    GoodLocalDirsDiskUtilizationPerc: local.usedPercent,
    GoodLogDirsDiskUtilizationPerc: logs.usedPercent,
    ContainerUsedMemGB: gibibytes(containers?.physicalMemoryMiB),
    ContainerUsedVMemGB: gibibytes(containers?.virtualMemoryMiB),
    ContainerCpuUtilization: new Float(containers?.cpuCores ?? 0),
    NodeUsedMemGB: gibibytes(node?.physicalMemoryMiB),
    NodeUsedVMemGB: gibibytes(node?.virtualMemoryMiB),
    NodeCpuUtilization: new Float(node?.cpuCores ?? 0),
    NodeGpuUtilization: new Float(0),
    ApplicationsRunning: runningApplications(),
  };
}

function cacheFigures(metrics: NodeMetrics) {
  const { cacheHits: hits, cacheMisses: misses, lastDeleted } = metrics;
  return {
    CacheSizeBeforeClean: metrics.cacheBytesBeforeClean,
    TotalBytesDeleted: lastDeleted.publicBytes + lastDeleted.privateBytes,
    PublicBytesDeleted: lastDeleted.publicBytes,
    PrivateBytesDeleted: lastDeleted.privateBytes,
    LocalizedCacheMissBytes: misses.bytes,
    LocalizedCacheHitBytes: hits.bytes,
    LocalizedCacheHitBytesRatio: percent(hits.bytes, hits.bytes + misses.bytes),
    LocalizedCacheMissFiles: misses.files,
    LocalizedCacheHitFiles: hits.files,
    LocalizedCacheHitFilesRatio: percent(hits.files, hits.files + misses.files),
    ...rateOf('LocalizationDurationMillis', metrics.localizations),
  };
}
