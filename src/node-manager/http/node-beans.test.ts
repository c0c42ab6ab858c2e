import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Float } from '../../http/jmx.ts';
import type { Container } from '../containers/container.ts';
import { NodeMetrics } from '../metrics.ts';
import { nodeBeans } from './node-beans.ts';

const container = (state: string, memoryMiB: number, vcores: number, executionType = 'GUARANTEED'): Container =>
  ({ state, executionType, ended: state === 'DONE', order: { resource: { memoryMiB, vcores } } }) as unknown as Container;

function beansOf(metrics: NodeMetrics, containers: Container[] = []) {
  return nodeBeans({
    hostname: 'n1',
    isSecure: true,
    metrics,
    containers: () => containers,
    runningApplications: () => 3,
    queued: () => ({ guaranteed: 1, opportunistic: 2 }),
    capacity: { current: { memoryMiB: 8192, vcores: 8 } },
    health: { disks: { local: { bad: 1, usedPercent: 40 }, logs: { bad: 0, usedPercent: 41 } } },
    auxiliary: { beans: () => [{ name: 'ShuffleMetrics', context: 'mapred', figures: { ShuffleOutputsOK: 4 } }] },
  });
}

test('containers are counted by state, and what they hold is rounded as Hadoop does', () => {
  const containers = [
    container('RUNNING', 1000, 1),
    container('RUNNING', 500, 2, 'OPPORTUNISTIC'),
    container('LOCALIZING', 100, 1),
    container('PAUSED', 1, 1),
    container('DONE', 4096, 4),
  ];
  const [node, shuffle, server] = beansOf(new NodeMetrics(), containers);
  assert.equal(node?.name, 'Hadoop:service=NodeManager,name=NodeManagerMetrics');
  const { attributes } = node ?? { attributes: {} };
  const wanted = {
    'tag.Context': 'yarn',
    'tag.Hostname': 'n1',
    AllocatedContainers: 4,
    AllocatedGB: 2,
    AllocatedVCores: 5,
    AvailableGB: 6,
    AvailableVCores: 3,
    ContainersRunning: 2,
    ContainersIniting: 1,
    ContainersPaused: 1,
    RunningOpportunisticContainers: 1,
    AllocatedOpportunisticGB: 1,
    AllocatedOpportunisticVCores: 2,
    ContainersGuaranteedQueued: 1,
    ContainersOpportunisticQueued: 2,
    ApplicationsRunning: 3,
    BadLocalDirs: 1,
    GoodLogDirsDiskUtilizationPerc: 41,
  };
  assert.deepEqual({ ...attributes, ...wanted }, attributes);
  assert.deepEqual(shuffle?.attributes, { 'tag.Context': 'mapred', 'tag.Hostname': 'n1', ShuffleOutputsOK: 4 });
  assert.deepEqual([server?.name, server?.attributes], ['Hadoop:service=NodeManager,name=NodeManager', { SecurityEnabled: true }]);
});

test('what was counted stands in the names of Hadoop', () => {
  const metrics = new NodeMetrics();
  metrics.containersLaunched = 3;
  metrics.ended({ exitCode: 0, killed: false });
  metrics.ended({ exitCode: 1, killed: false });
  metrics.ended({ exitCode: -105, killed: true });
  metrics.monitorTookMs = 4.6;
  metrics.launches.add(10);
  metrics.launches.add(20);
  metrics.wanted(true, 75);
  metrics.wanted(false, 25);
  metrics.cleaned(1000, { publicBytes: 5, privateBytes: 6 });
  const use = { physicalMemoryMiB: 3000, virtualMemoryMiB: 5000, cpuCores: 1.5 };
  metrics.usage = { node: use, containers: { ...use, cpuCores: 0.5 } };
  const attributes = beansOf(metrics)[0]?.attributes;
  const wanted = {
    ContainersLaunched: 3,
    ContainersMonitorCostTime: 5,
    ContainersCompleted: 1,
    ContainersFailed: 1,
    ContainersKilled: 1,
    ContainerLaunchDurationNumOps: 2,
    ContainerLaunchDurationAvgTime: new Float(15),
    LocalizationDurationMillisNumOps: 0,
    LocalizedCacheHitFiles: 1,
    LocalizedCacheMissBytes: 25,
    LocalizedCacheHitBytesRatio: 75,
    LocalizedCacheHitFilesRatio: 50,
    CacheSizeBeforeClean: 1000,
    TotalBytesDeleted: 11,
    NodeUsedMemGB: 2,
    ContainerUsedVMemGB: 4,
    NodeCpuUtilization: new Float(1.5),
  };
  assert.deepEqual({ ...attributes, ...wanted }, attributes);
});
