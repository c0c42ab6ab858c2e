// What nodes fetch for containers from addresses that their users give: the node's place on the machine is not lent to them. Where names are
// believed, whatever comes from the node's own unix user counts as the owner's.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ClusterProcesses } from '../support/processes.ts';
import { aServer, broughtTo, send, startCluster } from './harness.ts';

describe('a local resource that leads to a server of the cluster', () => {
  const made = new AsyncDisposableStack();
  let cluster: ClusterProcesses;
  let elsewhere: Awaited<ReturnType<typeof aServer>>;
  /** What no container may get: a credential of another user. */
  let token: string;
  before(async () => {
    cluster = made.use(await startCluster());
    token = `${cluster.urls.resourceManager}/ws/v1/cluster/info?op=GETDELEGATIONTOKEN&renewer=eve&user.name=root`;
    elsewhere = made.use(
      await aServer((request, response) => {
        const url = request.url ?? '';
        if (url.includes('op=GETFILESTATUS'))
          response.end(JSON.stringify({ FileStatus: { type: 'FILE', length: 200, modificationTime: 0, permission: '644' } }));
        else if (url === '/harmless') response.end('harmless');
        else response.writeHead(307, { location: token }).end();
      }),
    );
  });
  after(() => made.disposeAsync());

  const brought = (resource: string) => broughtTo(cluster.urls.resourceManager, resource, { user: 'eve' });

  it('brings nothing that the node alone would be given, straight, by a redirect, or by a name node', async () => {
    assert.match((await send(token)).body, /urlString/, 'who runs the cluster is given it');
    assert.match(await brought(`http://127.0.0.1:${elsewhere.port}/harmless`), /^brought: harmless$/);
    for (const address of [token, `http://127.0.0.1:${elsewhere.port}/moved`, `webhdfs://127.0.0.1:${elsewhere.port}/file`]) {
      assert.match(await brought(address), /response code: 400|sent this request for a user/, address);
    }
  });

  it('is answered by none of its servers', async () => {
    for (const [server, path] of Object.entries({
      nodeManager: '/ws/v1/node/info',
      timeline: '/ws/v1/timeline/',
      history: '/ws/v1/history/info',
    })) {
      const url = cluster.urls[server as 'nodeManager'];
      assert.equal((await send(`${url}${path}`)).status, 200);
      assert.match(await brought(`${url}${path}?user.name=root`), /HTTP response code: 400/, server);
    }
  });
});
