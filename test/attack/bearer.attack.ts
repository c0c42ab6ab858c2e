// A cluster that takes bearer tokens, attacked by another user of its machine and by who has a token that is too narrow.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type ClusterProcesses, until } from '../support/processes.ts';
import { folderOf, makeUser, mallory, otherUsersNeeded, runAs, send, startCluster, submit, type UnixUser } from './harness.ts';
import { type AttemptEnd, tryShells } from './shell-attempts.ts';

const settings = { 'heddle.security.authentication': 'bearer', 'yarn.acl.enable': 'true', 'yarn.admin.acl': 'boss ' };
const bearing = (token: string) => ({ Authorization: `Bearer ${token}` });

describe('a cluster that takes bearer tokens', { skip: otherUsersNeeded }, () => {
  const made = new AsyncDisposableStack();
  let owner: UnixUser;
  let cluster: ClusterProcesses;
  let readToken: string;
  let submitToken: string;
  const create = async (...words: string[]) => {
    const { code, output } = await cluster.heddle('token', 'create', ...words, '--json');
    assert.equal(code, 0, output);
    return (JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1)) as { text: string }).text;
  };
  before(async () => {
    owner = made.use(makeUser('owner'));
    cluster = made.use(await startCluster({ as: owner, settings }));
    readToken = await create('look', '--scope', 'read', '--user', 'ann');
    submitToken = await create('work', '--scope', 'submit', '--queue', 'default', '--user', 'ann');
  });
  after(() => made.disposeAsync());

  /** Those that run: the reader of version 2 does not. */
  const servers = () => {
    const { resourceManager, nodeManager, timeline, history } = cluster.urls;
    return [resourceManager, nodeManager, timeline, history];
  };

  it('lets nobody in without a token, the owner of the cluster neither', async () => {
    for (const url of servers())
      for (const as of [owner, mallory])
        for (const query of ['', `?user.name=${owner.name}`]) assert.equal((await send(`${url}/conf${query}`, { as })).status, 401, url);
  });
  it('tells a stranger no secret that proves a server or the operator', async () => {
    const secrets = join(cluster.dataDir, 'secrets');
    assert.ok(readdirSync(secrets).includes('services'));
    for (const name of readdirSync(secrets)) {
      const { code, stdout } = await runAs(mallory, ['cat', '--', join(secrets, name)]);
      assert.notEqual(code, 0, name);
      assert.equal(stdout, '', name);
    }
  });
  it('keeps no token where it can be read: store, logs, process list', async () => {
    const { stdout } = await runAs(undefined, [
      'grep',
      '--recursive',
      '--text',
      '--files-with-matches',
      '--',
      submitToken.slice(24),
      cluster.home,
    ]);
    assert.equal(stdout, '');
    const found = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((pid) => {
        try {
          return (
            readlinkSync(`/proc/${pid}/exe`).includes('node') &&
            readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(submitToken.slice(24))
          );
        } catch {
          return false;
        }
      });
    assert.deepEqual(found, []);
  });
  it('takes no token file that others can read', async () => {
    using folder = folderOf();
    const file = join(folder.path, 'token');
    writeFileSync(file, submitToken, { mode: 0o644 });
    const { code, output } = await cluster.heddle('app', 'list', '--token-file', file);
    assert.equal(code, 2);
    assert.match(output, /others can read/);
    assert.ok(!output.includes(submitToken));
  });
  it('gives who has a token no more than its scope and its queues', async () => {
    const { resourceManager } = cluster.urls;
    assert.equal((await submit(resourceManager, 'true', { as: mallory, headers: bearing(readToken) })).status, 403);
    assert.equal(
      (await submit(resourceManager, 'true', { as: mallory, headers: bearing(submitToken), context: { queue: 'root.other' } })).status,
      403,
    );
    const own = await submit(resourceManager, 'sleep 60', { as: mallory, headers: bearing(submitToken), context: { queue: 'default' } });
    assert.equal(own.status, 202, own.body);
    const administrate = (path: string, method = 'POST') =>
      send(`${resourceManager}${path}`, { as: mallory, method, headers: bearing(submitToken) });
    assert.equal((await administrate('/api/v1/queues/refresh')).status, 403);
    assert.equal((await administrate('/api/v1/tokens', 'GET')).status, 403);
    assert.equal((await administrate('/ws/v1/cluster/info?op=GETDELEGATIONTOKEN', 'GET')).body.includes('urlString'), false);
    const kill = { method: 'PUT', body: '{"state":"KILLED"}' };
    const state = `${resourceManager}/ws/v1/cluster/apps/${own.id}/state`;
    const json = { 'Content-Type': 'application/json' };
    assert.equal((await send(state, { ...kill, headers: { ...json, ...bearing(readToken) } })).status, 403);
    assert.ok((await send(state, { ...kill, headers: { ...json, ...bearing(submitToken) } })).status < 300);
  });
  it('opens shells in containers of its user and its queues alone, and for tokens that may change them', async () => {
    const { resourceManager, nodeManager } = cluster.urls;
    const { id, status, body } = await submit(resourceManager, 'exec sleep 600', {
      ...{ as: mallory, headers: bearing(submitToken), context: { queue: 'default' } },
    });
    assert.equal(status, 202, body);
    const container = `container_${id.slice('application_'.length)}_01_000001`;
    const shown = `${nodeManager}/ws/v1/node/containers/${container}`;
    await until('the container to run', async () => (await send(shown, { headers: bearing(readToken) })).body.includes('RUNNING'));
    const open = async (token: string, query = ''): Promise<AttemptEnd> => {
      const url = `${nodeManager.replace('http', 'ws')}/container/${container}${query}`;
      return (await tryShells(mallory, [{ url, headers: bearing(token), command: 'echo in-$((6 * 7))' }]))[0]!;
    };
    const narrow = await create('narrow', '--scope', 'submit', '--queue', 'root.other', '--user', 'ann');
    const boss = await create('boss', '--scope', 'submit', '--user', 'boss');
    const eve = await create('eve', '--scope', 'submit', '--user', 'eve');
    for (const [token, query] of [
      ...[readToken, narrow, boss, eve, `${submitToken}x`, 'none'].map((each) => [each, ''] as const),
      ...[boss, eve].map((each) => [each, '?user.name=ann'] as const),
      [eve, '?doAs=ann'],
    ] as const) {
      const { status: answered, code, output } = await open(token, query);
      assert.ok(answered === 401 || answered === 403 || code === 1008, `${answered} ${code}`);
      assert.equal(output, '');
    }
    const chief = await create('chief', '--scope', 'admin', '--user', 'boss');
    for (const token of [submitToken, chief]) assert.equal((await open(token)).output, 'in-42\n');
  });
  it('takes a token no more on any server when it is revoked', async () => {
    const text = await create('short', '--scope', 'admin', '--user', 'ann');
    const statuses = () =>
      Promise.all(servers().map(async (url) => (await send(`${url}/openapi.json`, { headers: bearing(text) })).status));
    assert.ok((await statuses()).every((status) => status !== 401));
    assert.equal((await cluster.heddle('token', 'revoke', 'short', '--user', 'ann')).code, 0);
    assert.ok((await statuses()).every((status) => status === 401));
  });
});
