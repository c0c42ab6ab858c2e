import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandApplication, endedApplication, submitApplication } from '../support/applications.ts';
import { startCluster } from '../support/cluster.ts';
import { until } from '../support/processes.ts';

test('an application runs on a node and its end is told with its exit code', async () => {
  await using cluster = await startCluster({ nodes: 1 });
  const { resourceManager } = cluster.urls;
  const id = await submitApplication(resourceManager, commandApplication('exit 3'));
  const app = await endedApplication(resourceManager, id);
  assert.equal(app.state, 'FAILED');
  assert.match(app.diagnostics, /exitCode: 3/);
});

test('applications spread over two nodes and leave them empty', async () => {
  await using cluster = await startCluster({ nodes: 2 });
  const { resourceManager } = cluster.urls;
  const ids = await Promise.all(
    Array.from({ length: 4 }, () =>
      submitApplication(resourceManager, commandApplication('true', { resource: { memory: 1024, vCores: 1 } })),
    ),
  );
  for (const id of ids) await endedApplication(resourceManager, id);
  await until('both nodes to be empty', async () => {
    const { nodes } = await cluster.get<{ nodes: { node: { numContainers: number }[] } }>(`${resourceManager}/ws/v1/cluster/nodes`);
    return nodes.node.length === 2 && nodes.node.every(({ numContainers }) => numContainers === 0);
  });
});

test('the timeline tells of an application after its end', async () => {
  await using cluster = await startCluster({ settings: { 'yarn.system-metrics-publisher.enabled': 'true' } });
  const { resourceManager, timeline } = cluster.urls;
  const id = await submitApplication(resourceManager, commandApplication('true'));
  await endedApplication(resourceManager, id);
  const entity = await until('the finished event', async () => {
    const found = await cluster.get<{ events?: { eventtype: string }[] }>(`${timeline}/ws/v1/timeline/YARN_APPLICATION/${id}`);
    return found.events?.some(({ eventtype }) => eventtype === 'YARN_APPLICATION_FINISHED') && found;
  });
  assert.ok(entity.events?.some(({ eventtype }) => eventtype === 'YARN_APPLICATION_CREATED'));
});
