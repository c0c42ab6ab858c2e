import assert from 'node:assert/strict';
import { chownSync, linkSync, mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type ContainerTokenContent, containerToken } from '../../auth/container-token.ts';
import type { ContainerStart } from '../../wire/cluster/container-messages.ts';
import { type NodeFixture, startNode } from '../test-support/node-fixture.ts';

interface RemoteException {
  readonly RemoteException: { readonly exception: string; readonly message: string };
}
const message = async (answer: Response) => ((await answer.json()) as RemoteException).RemoteException.message;

/** A running container whose log folder holds files for the test. */
async function withContainer(node: NodeFixture): Promise<{ id: string; logs: string }> {
  const order = node.order('sleep 600', { applicationAcls: { VIEW_APP: 'bea' } });
  node.start(order);
  await node.resourceManager.running(order.containerId);
  const logs = join(node.dataDir, 'node-manager/logs', order.applicationId, order.containerId);
  mkdirSync(logs, { recursive: true });
  writeFileSync(join(logs, 'text'), '0123456789');
  return { id: order.containerId, logs };
}

test('the node without applications answers its facts and empty lists', async () => {
  await using node = await startNode();
  const { nodeInfo } = (await (await node.get('/ws/v1/node')).json()) as { nodeInfo: Record<string, unknown> };
  assert.equal(nodeInfo['id'], '127.0.0.1:45454');
  assert.equal(nodeInfo['totalPmemAllocatedContainersMB'], 8192);
  assert.equal(nodeInfo['totalVmemAllocatedContainersMB'], 17203);
  assert.equal(await (await node.get('/ws/v1/node/apps?state=nonsense')).text(), '{"apps":{}}');
  assert.equal(await (await node.get('/ws/v1/node/containers')).text(), '{"containers":{}}');
  const root = await node.get('/');
  assert.deepEqual([root.status, root.headers.get('location')], [302, `${node.url()}/node`]);
});

test('bad ids and parameters are refused in Hadoop words, unknown things are 404', async () => {
  await using node = await startNode();
  const refusals: [string, number, string][] = [
    [
      '/apps/app_1_2',
      400,
      'java.lang.IllegalArgumentException: Invalid ApplicationId prefix: app_1_2. The valid ApplicationId should start with prefix application',
    ],
    ['/apps/application_1_0001', 404, 'java.lang.Exception: app with id application_1_0001 not found'],
    ['/containers/x', 400, 'java.lang.Exception: invalid container id, x'],
    ['/containers/container_1_0001_01_000001', 404, 'java.lang.Exception: container with id, container_1_0001_01_000001, not found'],
    ['/containers/x/logs', 400, 'java.lang.Exception: invalid container id, x'],
    ['/auxiliaryservices', 400, 'java.lang.Exception: Auxiliary services manifest is not enabled'],
  ];
  for (const [path, status, text] of refusals) {
    const answer = await node.get(`/ws/v1/node${path}`);
    assert.deepEqual([answer.status, await message(answer)], [status, text]);
  }
  const absent = await node.get('/ws/v1/node/containers/container_1_0001_01_000001/logs/stdout');
  assert.equal(absent.status, 404);
  assert.match(await absent.text(), /^java\.lang\.Exception: Unknown container\. /);
});

test('states and users filter applications; bad ones are found out with the first application', async () => {
  await using node = await startNode();
  await withContainer(node);
  assert.equal(
    await message(await node.get('/ws/v1/node/apps?state=running')),
    'No enum constant org.apache.hadoop.yarn.server.nodemanager.containermanager.application.ApplicationState.running',
  );
  assert.equal(
    await message(await node.get('/ws/v1/node/apps?user=')),
    'java.lang.Exception: Error: You must specify a non-empty string for the user',
  );
  assert.equal(await (await node.get('/ws/v1/node/apps?user=eve')).text(), '{"apps":{}}');
  assert.equal((await node.get('/ws/v1/node/apps/application_1700000000000_1')).status, 200, 'without the zeros of its id');
  assert.match(
    await (await node.get('/ws/v1/node/apps?user=ada&state=RUNNING')).text(),
    /"state":"RUNNING","user":"ada","containerids":\["container_/,
  );
});

test('a container is found by every way to write its id', async () => {
  await using node = await startNode();
  const { id } = await withContainer(node);
  for (const written of [id, id.replace('container_', 'container_e0_'), id.replace(/_0+(\d+)$/, '_$1')]) {
    const answer = await node.get(`/ws/v1/node/containers/${written}`);
    assert.equal(((await answer.json()) as { container: { id: string } }).container.id, id, written);
  }
});

test('a file of another user that was linked into a log folder is neither listed nor shown', {
  skip: process.getuid?.() !== 0 && 'needs root, to own files as others',
}, async () => {
  await using node = await startNode();
  const { id, logs } = await withContainer(node);
  const secret = join(node.dataDir, 'secret');
  writeFileSync(secret, 'secret', { mode: 0o600 });
  linkSync(secret, join(logs, 'hard'));
  linkSync(join(logs, 'text'), join(logs, 'twice'));
  chownSync(logs, 61_666, 61_666);
  chownSync(join(logs, 'text'), 61_666, 61_666);
  const list = await (await node.get(`/ws/v1/node/containers/${id.replace('container_', 'container_e0_')}/logs`)).text();
  assert.deepEqual([list.includes('"hard"'), list.includes('"twice"')], [false, true]);
  for (const path of [`/ws/v1/node/containers/${id}/logs/hard`, `/api/v1/containers/${id}/logs/hard`]) {
    const answer = await node.get(path);
    assert.deepEqual([answer.status >= 400, (await answer.text()).includes('secret')], [true, false], path);
  }
  assert.equal(await (await node.get(`/api/v1/containers/${id}/logs/twice`)).text(), '0123456789', "links to the owner's files count");
});

test('a log is served whole, in part and by ranges, and never from outside its folder', async () => {
  await using node = await startNode();
  const { id, logs } = await withContainer(node);
  writeFileSync(join(node.dataDir, 'secret'), 'secret');
  symlinkSync(join(node.dataDir, 'secret'), join(logs, 'link'));
  const body = async (query: string) =>
    /LogContents:\n([\s\S]*)End of LogType/.exec(await (await node.get(`/ws/v1/node/containers/${id}/logs/text${query}`)).text())?.[1];
  assert.equal(await body(''), '0123456789');
  assert.equal(await body('?size=3'), '012');
  assert.equal(await body('?size=-3'), '789');
  assert.equal(await body('?size=0'), '');
  assert.equal(await body('?size=%2B3'), '012');
  assert.equal((await node.get(`/ws/v1/node/containers/${id}/logs/text?size=x`)).status, 400);
  assert.equal(
    await (await node.get(`/ws/v1/node/containers/${id}/logs/text?format=json`)).text(),
    'The valid values for the parameter : format are [text, octet-stream]',
  );
  const raw = (range: string) => node.get(`/api/v1/containers/${id}/logs/text`, { headers: { range } });
  const part = await raw('bytes=2-4');
  assert.deepEqual([part.status, part.headers.get('content-range'), await part.text()], [206, 'bytes 2-4/10', '234']);
  assert.equal(await (await raw('bytes=-2')).text(), '89');
  assert.equal((await raw('bytes=20-')).status, 416);
  for (const name of ['..%2F..%2F..%2F..%2Fsecret', 'link', '%2Fetc%2Fpasswd', 'a%00b'])
    assert.ok((await node.get(`/ws/v1/node/containers/${id}/logs/${name}`)).status >= 400, name);
});

test('only owner, administrators and those the application names see its logs', async () => {
  await using node = await startNode({ 'yarn.acl.enable': 'true', 'yarn.admin.acl': 'boss' });
  const { id } = await withContainer(node);
  const status = async (user: string) => (await node.get(`/ws/v1/node/containers/${id}/logs/text?user.name=${user}`)).status;
  assert.deepEqual(await Promise.all(['ada', 'boss', 'bea', 'eve'].map(status)), [200, 200, 200, 403]);
  const refused = await node.get(`/ws/v1/node/containers/${id}/logs?user.name=eve`);
  assert.equal(refused.status, 403);
  assert.match(await message(refused), /^User \[eve\] is not authorized to view the logs for application application_/);
});

test('a caller without a name sees no logs and no diagnostics where access lists are on, unless the setting lets it', async () => {
  const lists = { 'yarn.acl.enable': 'true', 'yarn.admin.acl': 'boss' };
  for (const unchecked of [false, true]) {
    await using node = await startNode({ ...lists, 'heddle.node-manager.unnamed-callers.unchecked': String(unchecked) });
    const { id } = await withContainer(node);
    for (const path of [
      `/ws/v1/node/containers/${id}/logs`,
      `/ws/v1/node/containers/${id}/logs/text`,
      `/ws/v1/node/containerlogs/${id}/text`,
      `/api/v1/containers/${id}/logs`,
      `/api/v1/containers/${id}/logs/text`,
    ])
      assert.equal((await node.get(path)).status, unchecked ? 200 : 403, path);
    for (const path of [`/node/containerlogs/${id}/ada`, `/node/containerlogs/${id}/ada/text`]) {
      const page = await (await node.get(path)).text();
      assert.equal(page.includes('is not authorized'), !unchecked, path);
      assert.equal(page.includes('0123456789') || page.includes('>text : Total'), unchecked, path);
    }
    const { container } = (await (await node.get(`/ws/v1/node/containers/${id}`)).json()) as { container: Record<string, unknown> };
    assert.equal(container['containerLogFiles'] !== undefined, unchecked);
  }
});

test('where logs are not gathered they stay readable after the end, over a restart, by the same people, until they are deleted', async () => {
  await using node = await startNode({ 'yarn.acl.enable': 'true', 'yarn.admin.acl': 'boss' });
  const { id, logs } = await withContainer(node);
  const path = `/api/v1/containers/${id}/logs`;
  node.resourceManager.send({ type: 'finishApplications', applicationIds: ['application_1700000000000_0001'] });
  await node.resourceManager.complete(id);
  while ((await node.get('/ws/v1/node/apps/application_1700000000000_0001')).status !== 404)
    await new Promise((resolve) => setImmediate(resolve));
  for (const restarted of [false, true]) {
    if (restarted) await node.restart();
    const read = (user: string) => node.get(`${path}/text?user.name=${user}`, { headers: { range: 'bytes=3-5' } });
    assert.deepEqual(await Promise.all(['ada', 'boss', 'bea', 'eve'].map(async (user) => (await read(user)).status)), [206, 206, 206, 403]);
    assert.equal(await (await read('ada')).text(), '345');
    const list = (await (await node.get(`${path}?user.name=ada`)).json()) as { running: boolean; files: { name: string }[] };
    assert.deepEqual([list.running, list.files.some(({ name }) => name === 'text')], [false, true]);
    assert.equal((await node.get(`${path}/none?user.name=ada`)).status, 404);
  }
  rmSync(logs, { recursive: true });
  assert.equal((await node.get(`${path}/text?user.name=ada`)).status, 404);
});

test('what is not here is looked for on the log server', async () => {
  await using node = await startNode({ 'yarn.log.server.web-service.url': 'http://logs.example/ws/v1/history/' });
  const answer = await node.get('/ws/v1/node/containerlogs/container_1_0001_01_000001/stdout?size=5&nm.id=x');
  assert.equal(answer.status, 307);
  assert.equal(
    answer.headers.get('location'),
    'http://logs.example/ws/v1/history/containers/container_1_0001_01_000001/logs/stdout?size=5&redirected_from_node=true',
  );
  // The id stays as it was given; the query is written anew, without what is for this server alone.
  const odd = await node.get('/ws/v1/node/containers/container_1_1_1_1/logs?a=%20b;c=%C3%BC;delegation=secret&d&=e&nm.id=x');
  assert.equal(
    odd.headers.get('location'),
    'http://logs.example/ws/v1/history/containers/container_1_1_1_1/logs?a=+b&c=%C3%BC&d&redirected_from_node=true',
  );
});

test('pages of logs that are not here are looked for on the log server, by the parts as they were written', async () => {
  await using node = await startNode({ 'yarn.log.server.url': 'http://logs.example/logs/', 'yarn.log-aggregation-enable': 'true' });
  const about = async (path: string) => (await node.get(`/node/containerlogs/${path}`)).headers.get('location')?.replace(/.*:\d+\//, '');
  const id = 'container_1_0001_01_000001';
  assert.equal(await about(`${id}/a%64a/sy%73log?end=%20&=b;c&delegation=secret&nm.id=x`), `${id}/${id}/a%64a/sy%73log?end=+&c&nm.id=x`);
  assert.equal(await about(`${id}/ada/`), `${id}/${id}/ada`);
});

test('a manifest of services is taken whole or not at all, from administrators only', async () => {
  await using node = await startNode({ 'yarn.nodemanager.aux-services.manifest.enabled': 'true', 'yarn.admin.acl': 'boss' });
  const put = (user: string, body: unknown) =>
    node.get(`/ws/v1/node/auxiliaryservices?user.name=${user}`, {
      method: 'PUT',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  const service = (name: string, className: string) => ({ name, version: '1', configuration: { properties: { 'class.name': className } } });
  const known = service('a', 'org.apache.hadoop.mapred.ShuffleHandler');
  assert.equal((await put('eve', { services: [known] })).status, 403);
  assert.equal((await put('boss', { services: [known] })).status, 200);
  assert.equal((await put('boss', { services: [service('b', 'no.such.Class')] })).status, 400);
  assert.equal((await put('boss', '{')).status, 404);
  const odd = [{ services: {} }, { services: 'x' }, { services: [null] }, { services: ['x'] }, { services: [], more: 1 }];
  for (const body of [...odd, { services: [{ ...known, more: 1 }] }, { services: [{ ...known, configuration: [] }] }, [known], '5'])
    assert.equal((await put('boss', body)).status, 400, JSON.stringify(body));
  for (const nothing of ['null', '']) {
    const answer = await put('boss', nothing);
    assert.deepEqual([answer.status, await answer.text()], [400, '']);
  }
  assert.equal((await put('boss', { services: [known, known] })).status, 200);
  const listed = (await (await node.get('/ws/v1/node/auxiliaryservices')).json()) as { services: { service: { name: string }[] } };
  assert.deepEqual(
    listed.services.service.map(({ name }) => name),
    ['a'],
  );
});

/** The token of an order, as the resource manager hands it out. */
function tokenOf(order: ContainerStart, more: Partial<ContainerTokenContent> = {}): string {
  const { launch: _launch, ...content } = order;
  return containerToken(Buffer.alloc(32, 7), { ...content, nodeId: '127.0.0.1:45454', expiresMs: Number.MAX_SAFE_INTEGER, ...more });
}

test('a container is started by its token, once, on its node, in time', async () => {
  await using node = await startNode();
  const order = node.order('');
  const { containerId } = order;
  const call = (token: string, body: unknown, id = containerId) =>
    node.get(`/api/v1/containers/${id}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const good = { launch: { commands: ['exit 7'] } };
  assert.equal((await call(tokenOf(order), { launch: {} })).status, 400);
  assert.equal((await call(tokenOf(order, { expiresMs: 1 }), good)).status, 403);
  assert.equal((await call(tokenOf(order, { nodeId: 'elsewhere:1' }), good)).status, 401);
  assert.equal((await call(tokenOf(order), good, `${containerId.slice(0, -1)}9`)).status, 401);
  assert.equal((await call(`${tokenOf(order)}x`, good)).status, 401);
  assert.equal(node.resourceManager.reports(containerId).length, 0);
  assert.equal((await call(tokenOf(order), good)).status, 202);
  assert.equal((await node.resourceManager.complete(containerId)).exitCode, 7);
  assert.equal((await call(tokenOf(order), good)).status, 409);
});

test('what was given before the node lost what it remembers is not started', async () => {
  await using node = await startNode();
  const order = node.order('exit 7');
  const { containerId } = order;
  const call = (nodeMemory: string) =>
    node.get(`/api/v1/containers/${containerId}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokenOf(order, { nodeMemory })}`, 'content-type': 'application/json' },
      body: JSON.stringify({ launch: { commands: ['exit 7'] } }),
    });
  const refused = await call('0123456789abcdef');
  assert.equal(refused.status, 409);
  assert.match(
    await message(refused),
    /^Container \S+ was given before this node lost what it remembered: it is over, and is not started again\./,
  );
  assert.equal(node.resourceManager.reports(containerId).length, 0);
  const { memory } = node.resourceManager.registrations()[0]!;
  assert.equal((await call(memory!)).status, 202);
  assert.equal((await node.resourceManager.complete(containerId)).exitCode, 7);
});

test('what a master starts while the node registers is not ended by the answer, which cannot name it', async () => {
  await using node = await startNode();
  const { resourceManager } = node;
  const order = node.order('');
  resourceManager.answersRegistrations = false;
  resourceManager.send({ type: 'resync' });
  const registration = await resourceManager.until(() => resourceManager.registrations()[1]);
  const started = await node.get(`/api/v1/containers/${order.containerId}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokenOf(order)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ launch: { commands: ['mkfifo gate; read -r code < gate; exit "$code"'] } }),
  });
  assert.equal(started.status, 202);
  await resourceManager.running(order.containerId);
  resourceManager.answerRegistration(registration);
  // Commands arrive in order: when this one was carried out, the answer was too.
  resourceManager.send({ type: 'signalContainers', containers: [{ containerId: 'none', command: 'OUTPUT_THREAD_DUMP' }] });
  await resourceManager.until(() => resourceManager.heard.some(({ type }) => type === 'signalled'));
  const apps = (await (await node.get('/ws/v1/node/apps')).json()) as { apps: { app: { state: string }[] } };
  assert.deepEqual(
    apps.apps.app.map(({ state }) => state),
    ['RUNNING'],
  );
});

test('a paused container stands still, goes on when resumed, and can be ended while it is paused', async () => {
  await using node = await startNode();
  const order = node.order('mkfifo gate; read -r line < gate');
  node.start(order);
  await node.resourceManager.running(order.containerId);
  const hold = async (what: string) => {
    const headers = { authorization: `Bearer ${tokenOf(order)}` };
    const answer = await node.get(`/api/v1/containers/${order.containerId}/${what}`, { method: 'POST', headers });
    return [answer.status, ((await answer.json()) as { state?: string }).state];
  };
  assert.deepEqual(await hold('pause'), [200, 'PAUSED']);
  assert.equal((await hold('pause'))[0], 409);
  assert.deepEqual(await hold('resume'), [200, 'RUNNING']);
  assert.deepEqual(await hold('pause'), [200, 'PAUSED']);
  node.resourceManager.send({
    type: 'stopContainers',
    containers: [{ containerId: order.containerId, exitCode: -106, diagnostics: 'enough' }],
  });
  assert.equal((await node.resourceManager.complete(order.containerId)).exitCode, -106);
});

test('the holder of a container token sees and ends the container, others do not', async () => {
  await using node = await startNode();
  const { id } = await withContainer(node);
  const call = (token: string, method = 'GET') =>
    node.get(`/api/v1/containers/${id}`, { method, headers: { authorization: `Bearer ${token}` } });
  const token = tokenOf(node.order('true', { containerId: id }));
  assert.equal((await call('wrong')).status, 401);
  assert.equal(((await (await call(token)).json()) as { state: string }).state, 'RUNNING');
  assert.equal((await call(token, 'DELETE')).status, 202);
  assert.equal((await node.resourceManager.complete(id)).exitCode, -105);
});

test('the pages show node, applications, containers and logs', async () => {
  await using node = await startNode();
  const { id } = await withContainer(node);
  const pages: [string, RegExp][] = [
    ['/node', /NodeHealthyStatus<\/th><td>true/],
    ['/node/allApplications', /id="applications"[\s\S]*application_1700000000000_0001/],
    ['/node/allContainers', new RegExp(`href="/node/container/${id}"`)],
    [`/node/container/${id}`, /ContainerState<\/th><td>RUNNING/],
    [`/node/containerlogs/${id}/ada`, /text : Total file length is 10 bytes\./],
    [`/node/containerlogs/${id}/ada/text/?start=-4`, /Showing 4 bytes[\s\S]*<pre>6789<\/pre>/],
    ['/node', /<a href="\/ui\/">Web page<\/a>/],
    [`/node/container/${id}`, new RegExp(`<a href="/ui/containers/${id}">Web page</a>`)],
    [`/node/containerlogs/${id}/ada/text/?start=-4`, new RegExp(`<a href="/ui/containers/${id}[?]file=text">Web page</a>`)],
    [
      '/node/application/application_1700000000000_0001',
      /<a href="http:[^"]+\/ui\/applications\/application_1700000000000_0001">Web page<\/a>/,
    ],
    ['/node/container/x', /invalid container id, x/],
    ['/node/container', /The address needs an id/],
    ['/node/application', /The address needs an id/],
    ['/node/errors-and-warnings', /standard error/],
  ];
  for (const [path, content] of pages) {
    const answer = await node.get(path);
    assert.equal(answer.status, 200, path);
    assert.match(await answer.text(), content);
  }
});

test('a log is let go also where nothing of it is read', async () => {
  await using node = await startNode();
  const { id, logs } = await withContainer(node);
  const opened = () =>
    readdirSync('/proc/self/fd').filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`) === join(logs, 'text');
      } catch {
        return false;
      }
    }).length;
  for (const path of [`/ws/v1/node/containers/${id}/logs/text?user.name=bea`, `/api/v1/containers/${id}/logs/text?user.name=bea`]) {
    const answer = await fetch(node.url() + path, { method: 'HEAD' });
    assert.equal(answer.status, 200);
    await node.resourceManager.until(() => opened() === 0);
  }
});
