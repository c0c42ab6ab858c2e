// What masters hear of a resource manager that was started again.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { startManager } from '../test-support/running-manager.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'heddle-masters-'));
after(() => rmSync(dataDir, { recursive: true, force: true }));

async function running() {
  const role = await startManager(dataDir);
  const call = async (method: string, path: string, body?: object, token?: string) => {
    const answer = await fetch(`${role.addresses['web']}${path}${token === undefined ? '?user.name=root' : ''}`, {
      method,
      headers: { 'content-type': 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    return { status: answer.status, json: text.startsWith('{') ? JSON.parse(text) : undefined };
  };
  return { call, close: () => role.close() };
}

/** An unmanaged master that registered: its application, the path of its calls and its token. */
async function unmanaged({ call }: Awaited<ReturnType<typeof running>>) {
  const id = (await call('POST', '/ws/v1/cluster/apps/new-application')).json['application-id'];
  const submission = { 'application-id': id, 'unmanaged-AM': true, 'am-container-spec': {}, resource: { memory: 128, vCores: 1 } };
  assert.equal((await call('POST', '/ws/v1/cluster/apps', submission)).status, 202);
  let master = await call('GET', `/api/v1/applications/${id}/master`);
  for (let i = 0; master.status !== 200 && i < 500; i++) master = await call('GET', `/api/v1/applications/${id}/master`);
  const { attemptId, token } = master.json;
  const path = `/api/v1/attempts/${attemptId}`;
  assert.equal((await call('POST', `${path}/register`, { host: 'h' }, token)).status, 200);
  return { id, path, token };
}

describe('a master that asks for very much', () => {
  it('is shown with some of it, and with the sum of all; a call with too much at once is refused', async () => {
    const manager = await running();
    try {
      const { id, path, token } = await unmanaged(manager);
      const hosts = Array.from({ length: 7000 }, (_, index) => `h${index}`);
      const ask = { askId: 'a', resource: { memoryMiB: 1024, vcores: 1 }, count: 3, nodes: hosts };
      assert.equal((await manager.call('POST', `${path}/allocate`, { responseId: 0, asks: [ask] }, token)).status, 200);
      const { app } = (await manager.call('GET', `/ws/v1/cluster/apps/${id}`)).json;
      assert.equal(app.resourceRequests.length, 5000);
      assert.equal(app.resourceInfo.resourceUsagesByPartition[0].pending.memory, 3072);
      const { runningContainers, pendingContainers, endedContainers } = (await manager.call('GET', `/api/v1/applications/${id}`)).json;
      assert.deepEqual([runningContainers, pendingContainers, endedContainers], [0, 3, { succeeded: 0, failed: 0, stopped: 0 }]);
      const words = Array(100_001).fill('x');
      const refused = await manager.call('POST', `${path}/allocate`, { responseId: 1, cancels: words }, token);
      assert.deepEqual([refused.status, /cancels/.test(JSON.stringify(refused.json))], [400, true]);
    } finally {
      await manager.close();
    }
  });
});

describe('the calls of masters', () => {
  it('are counted in the bean of the scheduler that keeps records, beside those of all metrics', async () => {
    const manager = await running();
    try {
      const { path, token } = await unmanaged(manager);
      const bean = async (name: string) =>
        (await manager.call('GET', `/jmx?qry=Hadoop:service=ResourceManager,name=${name}&user.name=root`)).json.beans;
      const [before] = await bean('CapacitySchedulerMetrics');
      assert.equal((await manager.call('POST', `${path}/allocate`, { responseId: 0 }, token)).status, 200);
      const [after] = await bean('CapacitySchedulerMetrics');
      assert.deepEqual([after.AllocateNumOps - before.AllocateNumOps, after.CommitFailureNumOps], [1, 0]);
      const [stats, control] = await bean('MetricsSystem,*');
      assert.ok(stats.NumActiveSources > 10, `${stats.NumActiveSources} sources`);
      assert.deepEqual(Object.keys(control), ['name', 'modelerType']);
    } finally {
      await manager.close();
    }
  });
});

describe('what a master asks for one by one', () => {
  it('is shown as one row, with the sum of its containers', async () => {
    const manager = await running();
    try {
      const { id, path, token } = await unmanaged(manager);
      const resource = { memoryMiB: 1024, vcores: 1 };
      const asks = Array.from({ length: 30 }, (_, index) => ({ askId: `map ${index}`, priority: 20, resource, count: 1 }));
      asks.push({ askId: 'reduces', priority: 10, resource, count: 2 });
      assert.equal((await manager.call('POST', `${path}/allocate`, { responseId: 0, asks }, token)).status, 200);
      const rows = async () =>
        (await manager.call('GET', `/ws/v1/cluster/apps/${id}`)).json.app.resourceRequests.map(
          (row: { priority: number; resourceName: string; numContainers: number }) =>
            `${row.priority} ${row.resourceName} ${row.numContainers}`,
        );
      assert.deepEqual(await rows(), ['10 * 2', '20 * 30']);
      const cancels = ['map 3', 'map 4', 'reduces'];
      assert.equal((await manager.call('POST', `${path}/allocate`, { responseId: 1, cancels }, token)).status, 200);
      assert.deepEqual(await rows(), ['20 * 28']);
    } finally {
      await manager.close();
    }
  });
});

describe('a master whose application ended before the resource manager was started again', () => {
  it('is known by its token: its finish is answered as the first time, other calls say that it is over', async () => {
    const first = await running();
    const { id, path, token } = await unmanaged(first);
    const finish = { finalStatus: 'SUCCEEDED' };
    assert.equal((await first.call('POST', `${path}/finish`, finish, token)).status, 200);
    await first.close();

    const second = await running();
    try {
      assert.deepEqual(await second.call('POST', `${path}/finish`, finish, token), { status: 200, json: { unregistered: true } });
      assert.equal((await second.call('POST', `${path}/allocate`, { responseId: 0 }, token)).json.command, 'shutdown');
      assert.equal((await second.call('POST', `${path}/register`, {}, token)).status, 409);
      for (const other of [`${token}x`, '', 'undefined'])
        assert.equal((await second.call('POST', `${path}/finish`, finish, other)).status, 401, other);
      assert.equal((await second.call('POST', '/api/v1/attempts/nothing/finish', finish, token)).status, 401);
      const { app } = (await second.call('GET', `/ws/v1/cluster/apps/${id}`)).json;
      assert.deepEqual([app.state, app.finalStatus], ['FINISHED', 'SUCCEEDED']);
    } finally {
      await second.close();
    }
  });
});
