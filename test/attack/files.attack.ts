// Files of containers over the interface of their node: who is shown them, and what a container that wants to show more than is its own gets by it.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type ClusterProcesses, until } from '../support/processes.ts';
import { makeUser, mallory, otherUsersNeeded, send, startCluster, submit, type UnixUser } from './harness.ts';

describe('files of containers of a cluster of another user', { skip: otherUsersNeeded }, () => {
  const made = new AsyncDisposableStack();
  let owner: UnixUser;
  let cluster: ClusterProcesses;
  let containerId = '';
  const url = (path: string, user = 'ann', what = '/content') =>
    `${cluster.urls.nodeManager}/api/v1/containers/${containerId}/files${what}?path=${encodeURIComponent(path)}&user.name=${user}`;
  before(async () => {
    owner = made.use(makeUser('owner'));
    cluster = made.use(await startCluster({ as: owner, settings: { 'heddle.node-manager.conceal-secrets': 'required' } }));
    const secrets = join(cluster.dataDir, 'secrets');
    const command = [
      'echo it is mine > own; mkfifo pipe; mkdir folder; ln -s / root; ln -s /proc/self/environ environ; ln -s /dev/zero zero; ln -s /etc/passwd passwd',
      `ln -s ${secrets} secrets; ln -s loop loop; ln -s ${join(cluster.dataDir, 'node-manager')} store; touch made`,
      // Swaps a link and a folder for as long as somebody looks.
      'while true; do ln -sfn own flip; ln -sfn /etc/passwd flip; mv folder aside; ln -s /etc folder; rm folder; mv aside folder; sleep 0.02; done',
    ].join('; ');
    const { id, status, body } = await submit(cluster.urls.resourceManager, command, { user: 'ann', as: owner });
    assert.equal(status, 202, body);
    containerId = `container_${id.slice('application_'.length)}_01_000001`;
    await until('the container to be ready', async () => (await send(url('made'), { as: owner })).status === 200, 60_000);
  });
  after(() => made.disposeAsync());

  it('are shown to no other user of the machine, whatever name it gives itself', async () => {
    for (const user of ['ann', owner.name, 'root', '']) {
      for (const what of ['', '/content']) {
        const { status, body } = await send(url('own', user, what), { as: mallory });
        assert.ok(status === 401 || status === 403 || status === 400, `${user}: ${status}`);
        assert.ok(!body.includes('it is mine'), user);
      }
    }
    assert.match((await send(url('own'), { as: owner })).body, /it is mine/);
  });

  it('are those of the container alone, wherever its links lead', async () => {
    for (const path of [
      'passwd',
      'environ',
      'zero',
      'pipe',
      'secrets/cluster',
      'root/etc/passwd',
      'store/recovery',
      'loop',
      'root/proc/self/environ',
    ]) {
      const { status, body } = await send(url(path), { as: owner });
      assert.ok([404, 409].includes(status), `${path}: ${status} ${body}`);
    }
    for (const path of ['root', 'secrets', 'store', 'root/etc', 'folder/../..', '../../..', '/etc']) {
      const { status, body } = await send(url(path, 'ann', ''), { as: owner });
      assert.ok([400, 404, 409].includes(status), `${path}: ${status} ${body}`);
    }
  });

  it('stay those while links and folders are swapped under who looks', async () => {
    const seen = new Set<string>();
    for (let round = 0; round < 20; round++) {
      const answers = await Promise.all(
        [
          ['flip', '/content'],
          ['folder/passwd', '/content'],
          ['folder', ''],
        ].map(([path, what]) => send(url(path!, 'ann', what!), { as: owner })),
      );
      for (const { status, body } of answers) {
        assert.ok(!body.includes('root:x:0') && !body.includes('"hosts"'), body.slice(0, 200));
        assert.ok([200, 404, 409, 429].includes(status), `${status} ${body.slice(0, 200)}`);
      }
      seen.add(`${answers[0]!.status}`);
    }
    // Something was read meanwhile: who looks is not kept out by the swapping.
    assert.ok(seen.has('200') || seen.has('409'), [...seen].join());
  });
});
