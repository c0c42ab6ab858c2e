// Delegation tokens: one that was altered, is of another server or cluster, was cancelled, or is shown to get, renew or cancel one, opens nothing.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ClusterProcesses } from '../support/processes.ts';
import { send, startCluster } from './harness.ts';

describe('a delegation token', () => {
  const made = new AsyncDisposableStack();
  let cluster: ClusterProcesses;
  let other: ClusterProcesses;
  /** What says who calls, by server. */
  const who = {
    resourceManager: '/ws/v1/cluster/userinfo',
    timeline: '/ws/v1/timeline/TYPE',
  };
  before(async () => {
    const settings = { 'heddle.node-manager.switch-users': 'false' };
    cluster = made.use(await startCluster({ settings }));
    other = made.use(await startCluster({ settings }));
  });
  after(() => made.disposeAsync());

  const given = async (of: ClusterProcesses, server: keyof typeof who): Promise<string> => {
    const { status, body } = await send(`${of.urls[server]}${who[server]}?op=GETDELEGATIONTOKEN&renewer=bob&user.name=ann`);
    assert.equal(status, 200, body);
    return (JSON.parse(body) as { Token: { urlString: string } }).Token.urlString;
  };
  const statusWith = async (server: keyof typeof who, token: string): Promise<number> =>
    (await send(`${cluster.urls[server]}${who[server]}?delegation=${encodeURIComponent(token)}`)).status;
  const change = async (operation: string, token: string, by: string) =>
    send(`${cluster.urls.resourceManager}${who.resourceManager}?op=${operation}&token=${encodeURIComponent(token)}&${by}`, {
      method: 'PUT',
    });

  it('of which one bit is another proves nothing', async () => {
    const good = await given(cluster, 'resourceManager');
    assert.equal(await statusWith('resourceManager', good), 200);
    const bytes = Buffer.from(good, 'base64url');
    const taken: number[] = [];
    // By fetch: there are hundreds of them.
    const url = `${cluster.urls.resourceManager}${who.resourceManager}?delegation=`;
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const altered = Buffer.from(bytes);
      altered[bit >> 3]! ^= 1 << (bit & 7);
      const { status } = await fetch(url + altered.toString('base64url'));
      if (status !== 403) taken.push(bit);
    }
    assert.deepEqual(taken, [], `bits of ${good}`);
    for (let length = 0; length < bytes.length; length++)
      assert.equal((await fetch(url + bytes.subarray(0, length).toString('base64url'))).status, 403, `its first ${length} bytes`);
  });

  it('of another server, or of another cluster, proves nothing', async () => {
    const tokens = {
      'of the timeline': [await given(cluster, 'timeline'), 'resourceManager'],
      'of the resource manager': [await given(cluster, 'resourceManager'), 'timeline'],
      'of another resource manager': [await given(other, 'resourceManager'), 'resourceManager'],
      'of another timeline': [await given(other, 'timeline'), 'timeline'],
    } as const;
    for (const [what, [token, server]] of Object.entries(tokens)) assert.equal(await statusWith(server, token), 403, `one ${what}`);
  });

  it('is neither renewed nor cancelled by a stranger, nor used to get another, and proves nothing once it is cancelled', async () => {
    const token = await given(cluster, 'resourceManager');
    for (const [operation, by] of [
      ['RENEWDELEGATIONTOKEN', 'user.name=eve'],
      ['RENEWDELEGATIONTOKEN', 'user.name=ann'],
      ['RENEWDELEGATIONTOKEN', `delegation=${encodeURIComponent(token)}`],
      ['CANCELDELEGATIONTOKEN', 'user.name=eve'],
    ] as const) {
      const { status } = await change(operation, token, by);
      assert.ok(status === 400 || status === 403, `${operation} by ${by}: ${status}`);
    }
    const more = await send(
      `${cluster.urls.resourceManager}${who.resourceManager}?op=GETDELEGATIONTOKEN&delegation=${encodeURIComponent(token)}`,
    );
    assert.equal(more.status, 400, more.body);
    assert.equal(await statusWith('resourceManager', token), 200, 'it still counts');
    assert.equal((await change('RENEWDELEGATIONTOKEN', token, 'user.name=bob')).status, 200);
    assert.equal((await change('CANCELDELEGATIONTOKEN', token, 'user.name=ann')).status, 200);
    assert.equal(await statusWith('resourceManager', token), 403);
    assert.equal((await change('RENEWDELEGATIONTOKEN', token, 'user.name=bob')).status, 403);
    // Who was refused stands in the audit log by name.
    const refused = cluster
      .output('up')
      .split('\n')
      .filter((line) => line.includes('"audit":true') && line.includes('an operation was refused') && line.includes('"user":"eve"'));
    assert.equal(refused.length, 2, refused.join('\n'));
  });
});
