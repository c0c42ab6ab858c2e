// Nodes tell version 2 of the timeline what their containers use: from a process to the metrics of its application and run.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { describe, test } from 'node:test';
import { deriveKey } from '../../src/auth/connection-key.ts';
import { ProvenAgent } from '../../src/client/proven-agent.ts';
import type { ContainersUsage, ContainerUsage, NodeUsage } from '../../src/wire/node/usage.ts';
import { commandApplication, submitApplication } from '../support/applications.ts';
import { startCluster } from '../support/cluster.ts';
import { until } from '../support/processes.ts';

interface Entity {
  id: string;
  info: Record<string, unknown>;
  events: { id: string }[];
  metrics: { id: string; type: string; values: Record<string, number> }[];
}

describe('what containers use', () => {
  test('comes to the timeline with each check, and adds up to what the application and its run use', async () => {
    await using cluster = await startCluster({
      settings: {
        'yarn.timeline-service.versions': '2.0f',
        'yarn.timeline-service.app-aggregation-interval-secs': '1',
        'yarn.nodemanager.resource-monitor.interval-ms': '200',
        'yarn.rm.system-metrics-publisher.emit-container-events': 'false',
      },
    });
    const { urls } = cluster;
    const manager = `${urls.resourceManager}/ws/v1/cluster/apps`;
    const post = (path: string, body?: unknown) =>
      fetch(`${manager}${path}?user.name=ann`, {
        method: body ? (path.endsWith('state') ? 'PUT' : 'POST') : 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
    const made = (await (await post('/new-application')).json()) as { 'application-id': string };
    const id = made['application-id'];
    await post('', {
      'application-id': id,
      'application-name': 'busy',
      'unmanaged-AM': false,
      'am-container-spec': { commands: { command: 'while true; do :; done' } },
      resource: { memory: 1024, vCores: 1 },
      'application-tags': { tag: ['timeline_flow_name_tag:busy', 'timeline_flow_run_id_tag:5'] },
    });
    const read = <T>(path: string) => cluster.get<T>(`${urls.reader}/ws/v2/timeline${path}`, 'ann');
    const valuesOf = ({ metrics }: Entity, metric: string) => Object.values(metrics.find((one) => one.id === metric)?.values ?? {});
    let container: Entity | undefined;
    await until('what the container uses', async () => {
      const found = await read<Entity[]>(`/apps/${id}/entities/YARN_CONTAINER?fields=ALL&metricslimit=100`).catch(() => []);
      container = Array.isArray(found) ? found[0] : undefined;
      return container !== undefined && valuesOf(container, 'MEMORY').length > 2 && valuesOf(container, 'CPU').some((cpu) => cpu > 0);
    });
    assert.ok(container);
    assert.ok(
      valuesOf(container, 'MEMORY').every((bytes) => Number.isInteger(bytes)),
      JSON.stringify(container.metrics),
    );
    assert.deepEqual(container.info['SYSTEM_INFO_PARENT_ENTITY'], {
      type: 'YARN_APPLICATION_ATTEMPT',
      id: `${id.replace('application', 'appattempt')}_000001`,
    });
    // The node tells of the beginning: the resource manager was told not to.
    assert.deepEqual(
      container.events.map((event) => event.id),
      ['YARN_CONTAINER_CREATED'],
    );
    assert.equal(container.info['YARN_CONTAINER_ALLOCATED_MEMORY'], 1024);
    await until('what the application and its run use', async () => {
      const [application, run] = await Promise.all([
        read<Entity>(`/apps/${id}?fields=METRICS`),
        read<Entity>('/users/ann/flows/busy/runs/5'),
      ]);
      return [application, run].every((one) => valuesOf(one, 'MEMORY').some((bytes) => bytes > 0));
    });
    await post(`/${id}/state`, { state: 'KILLED' });
    await until('the end of the container', async () => {
      const found = await read<Entity[]>(`/apps/${id}/entities/YARN_CONTAINER?fields=EVENTS`);
      return found[0]?.events.some((event) => event.id === 'YARN_CONTAINER_FINISHED') === true;
    });
  });

  test('over the last minutes is told by its node and by the resource manager, to those who may view it', async () => {
    await using cluster = await startCluster({
      settings: {
        ...{ 'yarn.nodemanager.resource-monitor.interval-ms': '500', 'yarn.acl.enable': 'true', 'yarn.admin.acl': 'boss' },
      },
    });
    const { resourceManager, nodeManager } = cluster.urls;
    const id = await submitApplication(resourceManager, commandApplication('while true; do :; done'), 'ann');
    const path = `/api/v1/containers/${id.replace('application', 'container')}_01_000001/usage`;
    const read = async (url: string, user: string) => {
      const answer = await fetch(`${url}${path}?user.name=${user}`);
      return { status: answer.status, use: (await answer.json()) as ContainerUsage };
    };
    await until('two looks at the container', async () => ((await read(resourceManager, 'ann')).use.samples?.length ?? 0) > 1);
    for (const url of [resourceManager, nodeManager]) {
      const { status, use } = await read(url, 'ann');
      assert.deepEqual([status, use.running, use.memoryMiB, use.vcores], [200, true, 1024, 1]);
      assert.ok(use.samples.every(({ memoryMiB, cpuCores }) => memoryMiB > 0 && memoryMiB < 1024 && cpuCores >= 0));
      assert.ok(use.samples.some(({ cpuCores }) => cpuCores > 0));
      assert.deepEqual(await Promise.all(['boss', 'eve'].map(async (user) => (await read(url, user)).status)), [200, 403]);
    }
    const [node] = (await cluster.get<{ nodes: { node: { id: string }[] } }>(`${resourceManager}/ws/v1/cluster/nodes`, 'ann')).nodes.node;
    for (const address of [`${resourceManager}/api/v1/nodes/${node!.id}/usage`, `${nodeManager}/api/v1/usage`]) {
      const { nodeId, cores, samples } = await cluster.get<NodeUsage>(address, 'ann');
      assert.equal(nodeId, node!.id);
      assert.ok(samples.some(({ containers, containersMemoryMiB }) => containers === 1 && containersMemoryMiB > 0));
      assert.ok(samples.every(({ memoryMiB, containersMemoryMiB, cpuCores }) => memoryMiB > containersMemoryMiB && cpuCores <= cores));
    }
    const container = `${id.replace('application', 'container')}_01_000001`;
    const brief = (address: string, user: string) => cluster.get<ContainersUsage>(address, user);
    for (const url of [
      `${resourceManager}/api/v1/applications/${id}/usage`,
      `${resourceManager}/api/v1/nodes/${node!.id}/usage/containers`,
      `${nodeManager}/api/v1/usage/containers`,
      `${nodeManager}/api/v1/applications/${id}/usage`,
    ]) {
      const { containers, left } = await brief(url, 'ann');
      assert.deepEqual(
        [left, containers.map(({ containerId, memoryMiB, vcores }) => [containerId, memoryMiB, vcores])],
        [0, [[container, 1024, 1]]],
        url,
      );
      const [{ timesMs, usedMemoryMiB, usedCores }] = containers as [ContainersUsage['containers'][number]];
      assert.ok(timesMs.length > 1 && usedMemoryMiB.length === timesMs.length && usedCores.length === timesMs.length);
      assert.ok(usedMemoryMiB.every((used) => used > 0 && used < 1024) && usedCores.some((used) => used > 0));
    }
    for (const url of [`${resourceManager}/api/v1/nodes/${node!.id}/usage/containers`, `${nodeManager}/api/v1/applications/${id}/usage`])
      assert.deepEqual(await brief(url, 'eve'), { containers: [], left: 0 });
    // Who may administer its queue may view it, but nodes know no queues.
    assert.deepEqual(await brief(`${resourceManager}/api/v1/applications/${id}/usage`, 'eve'), { containers: [], left: 1 });
    assert.equal((await fetch(`${resourceManager}/api/v1/applications/${id.slice(0, -1)}9/usage?user.name=ann`)).status, 404);
    await fetch(`${resourceManager}/ws/v1/cluster/apps/${id}/state?user.name=ann`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: '{"state":"KILLED"}',
    });
    await until('its end', async () => (await read(resourceManager, 'ann')).use.running === false);
    await until('the node has forgotten it', async () => (await read(nodeManager, 'ann')).status === 404);
    assert.deepEqual((await read(resourceManager, 'ann')).use, {
      ...{ containerId: container, running: false, samples: [] },
    });
    assert.deepEqual(await brief(`${resourceManager}/api/v1/applications/${id}/usage`, 'ann'), { containers: [], left: 0 });
  });

  test('is told by nodes alone: who does not know the secret of the cluster, or shows none, is not heard', async () => {
    await using cluster = await startCluster({ settings: { 'yarn.timeline-service.versions': '2.0f' } });
    const path = '/api/v1/timeline/nodes';
    const plain = await fetch(`${cluster.urls.timeline}${path}?user.name=root`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"writes":[]}',
    });
    assert.equal(plain.status, 401);
    const agent = new ProvenAgent({
      url: () => cluster.urls.timeline,
      keys: () => [{ identity: 'node 00', key: deriveKey('something else', 'node connection') }],
      unknown: 'it is none of ours',
    });
    const { hostname: host, port } = new URL(cluster.urls.timeline);
    const refused = new Promise((resolve, reject) => {
      request({ agent, host, port, method: 'POST', path }, reject).on('error', resolve).end('{"writes":[]}');
    });
    assert.match(String(await refused), /it is none of ours/);
  });
});
