// Users who may call, but not this: what belongs to another, with access lists on.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ClusterProcesses, until } from '../support/processes.ts';
import { send, startCluster, submit } from './harness.ts';

describe('with access lists on', () => {
  const made = new AsyncDisposableStack();
  let cluster: ClusterProcesses;
  let id: string;
  let log: string;
  before(async () => {
    const settings = { 'yarn.acl.enable': 'true', 'yarn.admin.acl': 'boss ', 'heddle.node-manager.switch-users': 'false' };
    cluster = made.use(await startCluster({ settings }));
    ({ id } = await submit(cluster.urls.resourceManager, 'echo a word of ann > <LOG_DIR>/stdout; exec sleep 600', { user: 'ann' }));
    log = `container_${id.slice('application_'.length)}_01_000001/logs/stdout`;
    // The attacks would work if the rights were others: its owner reads it.
    await until('the container to run', async () => (await send(`${nodeLog()}?user.name=ann`)).body.includes('a word of ann'));
    const entity = `${cluster.urls.timeline}/ws/v1/timeline/YARN_APPLICATION/${id}?user.name=ann`;
    await until('the timeline to know it', async () => (await send(entity)).status === 200);
  });
  after(() => made.disposeAsync());
  const nodeLog = () => `${cluster.urls.nodeManager}/ws/v1/node/containers/${log}`;

  it('neither a stranger nor a caller without a name reads a log on its node', async () => {
    for (const who of ['', '?user.name=eve', '?user.name=dr.who', '?user.name='])
      for (const path of [nodeLog(), `${cluster.urls.nodeManager}/api/v1/containers/${log}`]) {
        const { status, body } = await send(path + who);
        assert.ok(status >= 400, `${path}${who} ${status}`);
        assert.doesNotMatch(body, /a word of ann/);
      }
  });

  it('nobody opens logs to himself, or leads readers astray, by what he writes into the timeline', async () => {
    const container = log.split('/')[0]!;
    const entities = [
      { entity: id, entitytype: 'YARN_APPLICATION', otherinfo: { YARN_APPLICATION_VIEW_ACLS: '*', YARN_APPLICATION_USER: 'eve' } },
      {
        entity: container,
        entitytype: 'YARN_CONTAINER',
        starttime: 1,
        otherinfo: { YARN_CONTAINER_ALLOCATED_HOST_HTTP_ADDRESS: 'http://evil.example', YARN_CONTAINER_ALLOCATED_HOST: 'evil.example' },
      },
    ];
    const headers = { 'Content-Type': 'application/json' };
    const put = await send(`${cluster.urls.timeline}/ws/v1/timeline?user.name=eve`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ entities }),
    });
    assert.equal(JSON.parse(put.body).errors.length, 2);
    const read = await send(
      `${cluster.urls.timeline}/ws/v1/applicationhistory/containerlogs/${container}/stdout?delegation=x&user.name=ann`,
    );
    assert.doesNotMatch(read.headers['location'] ?? '', /evil\.example|delegation/);
    const seen = await send(`${cluster.urls.timeline}/ws/v1/timeline/YARN_APPLICATION/${id}?user.name=eve`);
    assert.equal(seen.status, 403);
  });

  it('strangers look into no server', async () => {
    const { resourceManager, nodeManager, timeline, history } = cluster.urls;
    for (const server of [resourceManager, nodeManager, timeline, history])
      for (const path of ['/conf', '/jmx', '/stacks'])
        for (const who of ['', '?user.name=eve']) assert.equal((await send(server + path + who)).status, 403, server + path + who);
  });
});
