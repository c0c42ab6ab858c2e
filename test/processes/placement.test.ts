// Placement constraints from `heddle run` down to real containers on several nodes.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { startCluster, type TestCluster } from '../support/cluster.ts';
import { until } from '../support/processes.ts';

const main = join(import.meta.dirname, '../../src/main.ts');

interface NodeAnswer {
  readonly id: string;
  readonly allocationTags: {
    readonly allocationTagInfo?: readonly { readonly allocationTag: string; readonly allocationsCount: number }[];
  };
}

const children = new Set<ChildProcess>();
after(() => {
  for (const child of children) child.kill('SIGKILL');
});

function heddle(cluster: TestCluster, args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, HEDDLE_CLUSTER: cluster.urls.resourceManager },
  });
  children.add(child);
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => (out += chunk));
  child.stderr.on('data', (chunk) => (err += chunk));
  return new Promise((resolve) =>
    child.on('close', (code) => {
      children.delete(child);
      resolve({ code, out, err });
    }),
  );
}

/** `tag count` of every node that has tagged containers. */
async function tagsOf(cluster: TestCluster): Promise<string[]> {
  const { nodes } = await cluster.get<{ nodes: { node: NodeAnswer[] } }>(`${cluster.urls.resourceManager}/ws/v1/cluster/nodes`);
  return nodes.node.flatMap(({ allocationTags }) =>
    (allocationTags.allocationTagInfo ?? []).map(({ allocationTag, allocationsCount }) => `${allocationTag} ${allocationsCount}`),
  );
}

describe('heddle run with constraints', () => {
  it('keeps containers apart, shows their tags on the nodes, and keeps others together', async () => {
    await using cluster = await startCluster({
      nodes: 3,
      settings: { 'yarn.resourcemanager.placement-constraints.handler': 'scheduler', 'yarn.timeline-service.enabled': 'false' },
    });
    const go = join(cluster.dataDir, 'go');
    const wait = `until [ -e ${go} ]; do sleep 0.05; done; echo on $NM_PORT`;
    const size = ['--memory', '256'];
    const apart = heddle(cluster, ['run', '-n', '3', ...size, '--tag', 'zk', '--constraint', 'anti-affinity', '--', 'bash', '-c', wait]);
    await until('a tagged container on each node', async () => (await tagsOf(cluster)).join() === 'zk 1,zk 1,zk 1');
    writeFileSync(go, '');
    const first = await apart;
    assert.equal(first.code, 0, first.err);
    assert.equal(new Set(first.out.match(/on \d+/g)).size, 3);
    assert.deepEqual(await tagsOf(cluster), []);

    const together = await heddle(cluster, ['run', '-n', '4', ...size, '--constraint', 'affinity', '--', 'bash', '-c', wait]);
    assert.equal(together.code, 0, together.err);
    assert.equal(together.out.match(/on \d+/g)!.length, 4);
    assert.equal(new Set(together.out.match(/on \d+/g)).size, 1);
  });

  it('says which setting is missing where constraints are off, and what it cannot read', async () => {
    await using cluster = await startCluster({ settings: { 'yarn.timeline-service.enabled': 'false' } });
    const off = await heddle(cluster, ['run', '--constraint', 'anti-affinity', '--', 'true']);
    assert.equal(off.code, 1);
    assert.match(off.err, /yarn\.resourcemanager\.placement-constraints\.handler cannot handle placement constraints/);
    const bad = await heddle(cluster, ['run', '--constraint', 'in,planet,x', '--', 'true']);
    assert.equal(bad.code, 2);
    assert.match(bad.err, /expecting scope to node or rack, but met planet/);
  });

  it('fails with its reason where the placement processor finds no place', async () => {
    await using cluster = await startCluster({
      settings: {
        'yarn.resourcemanager.placement-constraints.handler': 'placement-processor',
        'yarn.resourcemanager.placement-constraints.retry-attempts': '0',
        'yarn.timeline-service.enabled': 'false',
      },
    });
    const { code, err } = await heddle(cluster, ['run', '--constraint', 'java=99', '--', 'true']);
    assert.equal(code, 1);
    assert.match(err, /No node takes instance 0 under its placement constraint java=99 \(COULD_NOT_PLACE_ON_NODE\)/);
  });

  it('counts further resource types from the node to the containers and their views', async () => {
    await using cluster = await startCluster({
      settings: {
        'yarn.resource-types': 'fpga,storage',
        'yarn.resource-types.storage.units': 'Mi',
        'yarn.resource-types.fpga.maximum-allocation': '2',
        'yarn.nodemanager.resource-type.fpga': '2',
        'yarn.nodemanager.resource-type.storage': '1Gi',
        'yarn.scheduler.capacity.resource-calculator': 'org.apache.hadoop.yarn.util.resource.DominantResourceCalculator',
        'yarn.timeline-service.enabled': 'false',
      },
    });
    const go = join(cluster.dataDir, 'go');
    const wait = `until [ -e ${go} ]; do sleep 0.05; done`;
    const size = ['--memory', '256', '--resource', 'fpga=1', 'storage=100'];
    const running = heddle(cluster, ['run', '-n', '3', ...size, '--', 'bash', '-c', wait]);
    type Info = { resourceInformations: { resourceInformation: { name: string; value: number; units: string }[] } };
    type Node = { totalResource: Info; usedResource: Info; numContainers: number };
    const amounts = (info: Info): string[] =>
      info.resourceInformations.resourceInformation.slice(2).map(({ name, value, units }) => `${name} ${value}${units}`);
    const node = await until('as many containers as there are devices', async () => {
      const { nodes } = await cluster.get<{ nodes: { node: Node[] } }>(`${cluster.urls.resourceManager}/ws/v1/cluster/nodes`);
      return nodes.node[0]!.numContainers === 3 && nodes.node[0]!;
    });
    assert.deepEqual(amounts(node.totalResource), ['fpga 2', 'storage 1024Mi']);
    assert.deepEqual(amounts(node.usedResource), ['fpga 2', 'storage 200Mi']);
    const { apps } = await cluster.get<{ apps: { app: { resourceRequests: { numContainers: number; capability: Info }[] }[] } }>(
      `${cluster.urls.resourceManager}/ws/v1/cluster/apps`,
    );
    assert.deepEqual(
      apps.app[0]!.resourceRequests.map(({ numContainers, capability }) => [numContainers, ...amounts(capability)]),
      [[1, 'fpga 1', 'storage 100Mi']],
    );
    writeFileSync(go, '');
    assert.equal((await running).code, 0);

    const strange = await heddle(cluster, ['run', '--resource', 'quantum=1', '--', 'true']);
    assert.match(strange.err, /there is no resource type quantum in this cluster; those there are: memory-mb, vcores, fpga, storage\n/);
    const large = await heddle(cluster, ['run', '--resource', 'fpga=3', '--', 'true']);
    assert.match(large.err, /1 vcore, fpga=3 is more than the largest allowed \(\d+ MiB, \d+ vcores, fpga=2\)\n/);
  });

  it('runs opportunistic containers in what is left, lets others wait, and ends them for guaranteed ones', async () => {
    await using cluster = await startCluster({
      settings: {
        'yarn.resourcemanager.opportunistic-container-allocation.enabled': 'true',
        'yarn.nodemanager.opportunistic-containers-max-queue-length': '5',
        'yarn.nodemanager.resource.memory-mb': '3072',
        'yarn.scheduler.minimum-allocation-mb': '256',
        'yarn.timeline-service.enabled': 'false',
      },
    });
    const { resourceManager } = cluster.urls;
    const go = join(cluster.dataDir, 'go');
    const wait = `until [ -e ${go} ]; do sleep 0.05; done; echo done`;
    const free = heddle(cluster, ['run', '--opportunistic', '-n', '9', '--memory', '1024', '--', 'bash', '-c', wait]);
    type Node = {
      numContainers: number;
      usedMemoryMB: number;
      numRunningOpportContainers: number;
      numQueuedContainers: number;
      usedMemoryOpportGB: number;
    };
    const figures = async (): Promise<string> => {
      const { nodes } = await cluster.get<{ nodes: { node: Node[] } }>(`${resourceManager}/ws/v1/cluster/nodes`);
      const { numContainers, usedMemoryMB, numRunningOpportContainers, numQueuedContainers, usedMemoryOpportGB } = nodes.node[0]!;
      return [numContainers, usedMemoryMB, numRunningOpportContainers, numQueuedContainers, usedMemoryOpportGB].join(' ');
    };
    // Only the master is counted as given away; two run beside it, five wait on the node, two are still asked for.
    await until('two to run and five to wait', async () => (await figures()) === '1 256 2 5 2');
    const { apps } = await cluster.get<{
      apps: { app: { resourceRequests: { numContainers: number; executionTypeRequest: { executionType: string } }[] }[] };
    }>(`${resourceManager}/ws/v1/cluster/apps`);
    assert.deepEqual(
      apps.app[0]!.resourceRequests.map(
        ({ numContainers, executionTypeRequest }) => `${numContainers} ${executionTypeRequest.executionType}`,
      ),
      ['2 OPPORTUNISTIC'],
    );
    const paid = await heddle(cluster, ['run', '--memory', '1024', '--', 'bash', '-c', 'echo paid']);
    assert.deepEqual([paid.code, paid.out], [0, 'paid\n']);
    writeFileSync(go, '');
    const { code, out, err } = await free;
    assert.equal(code, 0, err);
    assert.equal(out.match(/done/g)!.length, 9);
    assert.match(err, /stopped by its node to make room \(-108\)/);
    const { beans } = await cluster.get<{ beans: { AggregateOContainersAllocated: number; AllocatedOContainers: number }[] }>(
      `${resourceManager}/jmx?qry=Hadoop:service=ResourceManager,name=OpportunisticSchedulerMetrics`,
    );
    assert.equal(beans[0]!.AllocatedOContainers, 0);
    assert.ok(beans[0]!.AggregateOContainersAllocated >= 10);
  });
});
