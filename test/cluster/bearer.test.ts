// Bearer tokens of Heddle's on every server of a cluster in which a name proves nothing.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ClusterClient } from '../../src/client/cluster-client.ts';
import { RemoteFailure } from '../../src/client/remote-failure.ts';
import { RpcTestClient } from '../../src/rpc/test-support/rpc-client.ts';
import { operatorProof, startCluster, type TestCluster } from '../support/cluster.ts';
import { freePorts } from '../support/ports.ts';

let cluster: TestCluster;
/** The resource manager as its operator reaches it, in the name of a user. */
const as = (user: string) =>
  new ClusterClient({ url: cluster.urls.resourceManager, user, authorize: operatorProof(cluster.dataDir, user) });
const bearing = (token: string) =>
  new ClusterClient({ url: cluster.urls.resourceManager, authorize: () => ({ authorization: `Bearer ${token}` }) });
let made = 0;
const token = async (user: string, scope: 'read' | 'submit' | 'admin', queues?: string[]) =>
  (await as(user).createToken({ name: `t${++made}`, scope, queues })).text;
const statusOf = async (work: Promise<unknown>) =>
  work.then(
    () => 200,
    (error: unknown) => (error instanceof RemoteFailure ? error.status : Promise.reject(error)),
  );
const pages = () => ({
  resourceManager: `${cluster.urls.resourceManager}/ws/v1/cluster/info`,
  nodeManager: `${cluster.urls.nodeManager}/ws/v1/node/info`,
  timeline: `${cluster.urls.timeline}/ws/v1/timeline/`,
  history: `${cluster.urls.history}/ws/v1/history/info`,
});
const get = async (url: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(url, { headers, redirect: 'manual' });
  await answer.text();
  return answer;
};
const submission = (id: string, queue?: string) => ({
  'application-id': id,
  'application-name': 'n',
  'unmanaged-AM': true,
  ...(queue ? { queue } : {}),
});
const submitted = async (client: ClusterClient, queue?: string) => {
  const id = await client.newApplication();
  await client.submit(submission(id, queue));
  return id;
};

let rpcAddress: string;
before(async () => {
  rpcAddress = `127.0.0.1:${(await freePorts(1))[0]}`;
  cluster = await startCluster({
    settings: {
      'yarn.resourcemanager.address': rpcAddress,
      'heddle.security.authentication': 'bearer',
      'yarn.scheduler.capacity.root.queues': 'default,prod',
      'yarn.scheduler.capacity.root.default.capacity': '50',
      'yarn.scheduler.capacity.root.prod.capacity': '50',
      'yarn.acl.enable': 'true',
      'yarn.admin.acl': 'boss',
      'hadoop.proxyuser.gateway.hosts': '*',
      'hadoop.proxyuser.gateway.users': 'ann',
    },
  });
});
after(() => cluster?.[Symbol.asyncDispose]());

describe('a cluster that takes bearer tokens alone', () => {
  it('refuses nobody, names and foreign credentials on every server, and says what it takes', async () => {
    for (const [server, url] of Object.entries(pages())) {
      const given: Record<string, string>[] = [
        {},
        { authorization: 'Basic YW5uOg==' },
        { authorization: 'Bearer x' },
        { authorization: 'Bearer' },
        { cookie: 'hadoop.auth="u=boss&p=boss&t=simple&e=9999999999999&s=x"' },
        { authorization: `Bearer heddle_${'0'.repeat(16)}_${'A'.repeat(43)}` },
        { authorization: 'Bearer heddle-service_e30.x' },
      ];
      for (const headers of given)
        for (const query of ['', '?user.name=boss', '?doAs=boss', '?user.name=gateway&doAs=ann', '?delegation=x']) {
          const answer = await get(url + query, headers);
          assert.equal(answer.status, 401, `${server} ${query} ${JSON.stringify(headers)}`);
          assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer/);
        }
    }
  });
  it('takes a token on every server, and ends it on every server when it is revoked', async () => {
    const client = as('ann');
    const { text, id } = await client.createToken({ name: 'everywhere', scope: 'read' });
    const statuses = async () =>
      Promise.all(Object.values(pages()).map(async (url) => (await get(url, { authorization: `Bearer ${text}` })).status));
    assert.deepEqual(await statuses(), [200, 200, 200, 200]);
    assert.deepEqual(await statuses(), [200, 200, 200, 200]);
    await client.revokeToken(id);
    assert.deepEqual(await statuses(), [401, 401, 401, 401]);
  });
  it('believes no name over Hadoop RPC either', async () => {
    using client = RpcTestClient.named(rpcAddress, 'boss', 'org.apache.hadoop.yarn.api.ApplicationClientProtocolPB');
    assert.match((await client.reply())?.header.errorMsg ?? '', /SIMPLE authentication is not enabled/);
    await client.closed;
  });
  it('takes no token from an address', async () => {
    const text = await token('ann', 'read');
    for (const name of ['access_token', 'token']) assert.equal((await get(`${pages().timeline}?${name}=${text}`)).status, 400);
  });
  it('has a token act as its user, whoever else the request names', async () => {
    const text = await token('ann', 'read');
    const answer = await fetch(`${cluster.urls.resourceManager}/ws/v1/cluster/userinfo?user.name=boss`, {
      headers: { authorization: `bearer ${text}` },
    });
    assert.equal(((await answer.json()) as { requestedUser: string }).requestedUser, 'ann');
    assert.equal(answer.headers.get('set-cookie'), null);
    assert.equal((await get(`${pages().resourceManager}?doAs=boss`, { authorization: `Bearer ${text}` })).status, 403);
  });
});

describe('the scope of a token', () => {
  it('read looks and changes nothing', async () => {
    const client = bearing(await token('ann', 'read'));
    await client.applications();
    assert.equal(await statusOf(client.newApplication()), 403);
    assert.equal(await statusOf(client.createToken({ name: 'more', scope: 'admin' })), 403);
    assert.equal(await statusOf(client.tokens()), 403);
  });
  it('submit has its own applications, and no other, whatever the lists say', async () => {
    const ann = bearing(await token('ann', 'submit'));
    const boss = bearing(await token('boss', 'submit'));
    const id = await submitted(ann, 'default');
    assert.equal(await statusOf(boss.kill(id)), 403);
    assert.equal(await statusOf(boss.refreshAccess()), 403);
    assert.equal(await statusOf(ann.createToken({ name: 'wider', scope: 'admin' })), 403);
    assert.equal(await statusOf(as('boss').kill(await submitted(ann))), 200);
    assert.equal(await statusOf(ann.kill(id)), 200);
  });
  it('admin does what its user may', async () => {
    const [ann, boss] = [bearing(await token('ann', 'admin')), bearing(await token('boss', 'admin'))];
    assert.equal(await statusOf(boss.refreshAccess()), 200);
    assert.equal(await statusOf(ann.refreshAccess()), 403);
    assert.equal(await statusOf(boss.kill(await submitted(ann))), 200);
  });
  it('reaches the queues that it names alone', async () => {
    const narrow = bearing(await token('ann', 'submit', ['default']));
    const wide = bearing(await token('ann', 'submit'));
    assert.equal(await statusOf(submitted(narrow, 'prod')), 403);
    const own = await submitted(narrow, 'default');
    const other = await submitted(wide, 'prod');
    const move = (client: ClusterClient, id: string, queue: string) =>
      statusOf(client.http.json('PUT', `/ws/v1/cluster/apps/${id}/queue`, { body: { queue } }));
    assert.equal(await move(narrow, own, 'root.prod'), 403);
    assert.equal(await move(narrow, own, 'prod'), 403);
    assert.equal(await move(narrow, other, 'default'), 403);
    assert.equal(await statusOf(narrow.kill(other)), 403);
    assert.equal(await statusOf(narrow.kill(own)), 200);
    assert.equal(await statusOf(as('ann').kill(other)), 200);
  });
  it('admin for some queues has what is in them, of all users, and nothing of the cluster', async () => {
    const narrow = bearing(await token('boss', 'admin', ['default']));
    const [own, other] = [await submitted(as('ann'), 'default'), await submitted(as('ann'), 'prod')];
    assert.equal(await statusOf(narrow.kill(own)), 200);
    assert.equal(await statusOf(narrow.kill(other)), 403);
    const update = { 'global-updates': { entry: [{ key: 'yarn.scheduler.capacity.node-locality-delay', value: '7' }] } };
    const changes: [string, string, object | undefined][] = [
      ['PUT', '/ws/v1/cluster/scheduler-conf', update],
      ['POST', '/api/v1/access/refresh', undefined],
      ['POST', '/api/v1/queues/refresh', undefined],
      ['POST', '/api/v1/nodes/elsewhere:1/drain', undefined],
      ['POST', '/ws/v1/cluster/add-node-labels', { nodeLabelInfo: [{ name: 'evil' }] }],
      ['GET', '/conf', undefined],
    ];
    for (const [method, path, body] of changes) assert.equal(await statusOf(narrow.http.json(method, path, { body })), 403, path);
  });
  it('is not got rid of by asking for a delegation token', async () => {
    const text = await token('ann', 'read');
    const address = `${pages().resourceManager}?op=GETDELEGATIONTOKEN&renewer=ann`;
    const answer = await fetch(address, { headers: { authorization: `Bearer ${text}` } });
    assert.ok(!(await answer.text()).includes('urlString'));
    const admin = bearing(await token('ann', 'admin'));
    assert.equal(await statusOf(admin.http.json('POST', '/ws/v1/cluster/delegation-token', { body: { renewer: 'ann' } })), 403);
  });
});

describe('the tokens of a user', () => {
  it('are listed without what they are, and when they were used', async () => {
    const client = as('carl');
    const { text } = await client.createToken({ name: 'c', scope: 'read', queues: ['root.later'], lifetimeSeconds: 60 });
    await bearing(text).info();
    const tokens = await client.tokens();
    assert.equal(tokens.length, 1);
    const { id: _, createdMs, lastUsedMs, expiresMs, ...rest } = tokens[0]!;
    assert.deepEqual(rest, { name: 'c', user: 'carl', scope: 'read', queues: ['root.later'], proved: true });
    assert.equal(expiresMs - createdMs, 60_000);
    assert.ok(lastUsedMs! >= createdMs);
    assert.ok(!JSON.stringify(tokens).includes(text.slice(24)));
  });
  it("are theirs and the administrators'", async () => {
    const { id } = await as('dora').createToken({ name: 'd', scope: 'read' });
    assert.equal(await statusOf(as('eve').revokeToken(id)), 404);
    assert.equal(await statusOf(as('eve').revokeToken('d')), 404);
    assert.equal(await statusOf(as('eve').tokens(true)), 403);
    assert.ok((await as('boss').tokens(true)).some((each) => each.id === id));
    assert.equal((await as('boss').revokeToken(id)).user, 'dora');
    assert.deepEqual(await as('dora').tokens(), []);
  });
  it('are not made of nonsense', async () => {
    const client = as('finn');
    for (const body of [
      {},
      { name: '', scope: 'read' },
      { name: ' ', scope: 'read' },
      { name: 'a\u202eb', scope: 'read' },
      { name: 'x'.repeat(101), scope: 'read' },
      { name: 'n', scope: 'root' },
      { name: 'n', scope: 'read', queues: [''] },
      { name: 'n', scope: 'read', queues: ['nowhere'] },
      { name: 'n', scope: 'read', lifetimeSeconds: 0 },
      { name: 'n', scope: 'read', lifetimeSeconds: 367 * 86_400 },
      [],
      'n',
    ])
      assert.equal(await statusOf(client.http.json('POST', '/api/v1/tokens', { body })), 400, JSON.stringify(body));
    await client.createToken({ name: 'n', scope: 'read' });
    assert.equal(await statusOf(client.createToken({ name: 'n', scope: 'read' })), 400);
    assert.equal((await client.tokens()).length, 1);
  });
  it('are told to nobody who does not prove to be a server of the cluster', async () => {
    for (const path of ['/api/v1/token-examinations', '/api/v1/token-changes'])
      for (const body of ['{}', '{"content":"{}","nonce":"0123456789abcdef","mac":"x"}', '[]', 'x']) {
        const answer = await fetch(cluster.urls.resourceManager + path, {
          method: 'POST',
          body,
          headers: { 'content-type': 'application/json' },
        });
        assert.ok([400, 401].includes(answer.status), `${path} ${body} ${answer.status}`);
      }
  });
});
