import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { RunningRole } from '../../lib/role.ts';
import { administeredBy, startManager } from '../test-support/running-manager.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'heddle-interface-'));
const settings = {
  ...administeredBy('root'),
  'yarn.node-labels.enabled': 'true',
  'hadoop.proxyuser.knox.hosts': '*',
  'hadoop.proxyuser.knox.users': 'ada',
};
let role: RunningRole;
const run = async () => {
  role = await startManager(dataDir, settings);
};

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
  readonly json: any;
}

async function request(
  method: string,
  path: string,
  options: { user?: string; body?: unknown; headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Reply> {
  const { user = 'root', body, headers = {}, signal } = options;
  const url = `${role.addresses['web']}${path}${path.includes('?') ? '&' : '?'}user.name=${user}`;
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    signal,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return { status: response.status, text, headers: response.headers, json };
}

const base = '/ws/v1/cluster';
async function submit(user: string, more: object = {}): Promise<string> {
  const { json } = await request('POST', `${base}/apps/new-application`, { user });
  const id = json['application-id'] as string;
  const { status } = await request('POST', `${base}/apps`, { user, body: { 'application-id': id, 'unmanaged-AM': true, ...more } });
  assert.equal(status, 202);
  return id;
}
const kill = (id: string, user = 'root') => request('PUT', `${base}/apps/${id}/state`, { user, body: { state: 'KILLED' } });

describe('the interface of the resource manager', () => {
  before(run);
  after(async () => {
    await role.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('names the first id of a path that is none, before it compares one with another', async () => {
    const messageOf = async (...[application, attempt, container]: string[]) =>
      (await request('GET', `${base}/apps/${application}/appattempts/${attempt}/containers/${container}`)).json.RemoteException.message;
    assert.match(await messageOf('x', 'y', 'z'), /Invalid ApplicationId prefix: x/);
    assert.match(await messageOf('application_1_0001', 'y', 'z'), /Invalid AppAttemptId prefix: y/);
    assert.match(await messageOf('application_1_0001', 'appattempt_1_0002_000001', 'z'), /Invalid ContainerId prefix: z/);
    assert.match(await messageOf('application_1_0001', 'appattempt_1_0002_000001', 'container_1_0003_01_000001'), /don't match/);
    // All are compared before one is looked for.
    assert.match(
      await messageOf('application_1_0001', 'appattempt_1_0001_000000', 'container_1_0003_01_000001'),
      /appAttemptId and containerId don't match/,
    );
  });

  it('blanks what a stranger may not see and refuses what one may not change', async () => {
    const id = await submit('ada', {
      'application-name': 'hers',
      'am-container-spec': { 'application-acls': { entry: [{ key: 'VIEW_APP', value: 'carol' }] } },
    });
    const startedTime = async (user: string) => (await request('GET', `${base}/apps/${id}`, { user })).json.app.startedTime;
    assert.ok((await startedTime('ada')) > 0);
    assert.ok((await startedTime('carol')) > 0);
    assert.ok((await startedTime('root')) > 0);
    assert.equal(await startedTime('bob'), 0);
    const refused = await kill(id, 'bob');
    assert.deepEqual([refused.status, refused.text], [403, `Unauthorized attempt to kill appid ${id} by remote user bob`]);
    assert.equal((await request('PUT', `${base}/apps/${id}/priority`, { user: 'carol', body: { priority: 1 } })).status, 403);
    assert.equal(
      (await request('GET', `${base}/apps/${id}/appattempts/${id.replace('application', 'appattempt')}_000001`, { user: 'bob' })).status,
      403,
    );
    assert.equal((await request('POST', `${base}/add-node-labels`, { user: 'ada', body: { nodeLabelInfo: { name: 'x' } } })).status, 401);
    assert.equal((await kill(id, 'ada')).status, 200);
  });
  it('lets a proxy user act for those it may', async () => {
    assert.equal((await request('GET', `${base}/userinfo?doAs=ada`, { user: 'knox' })).json.requestedUser, 'ada');
    assert.equal((await request('GET', `${base}/userinfo?doAs=bob`, { user: 'knox' })).status, 403);
  });
  it('lists what filters let pass, live and ended, once each', async () => {
    const kept = await submit('ada', { 'application-name': 'kept', 'application-tags': { tag: 'Blue' }, 'application-type': 'LIST' });
    const ended = await submit('ada', { 'application-name': 'ended', 'application-type': 'list' });
    await kill(ended, 'ada');
    const names = async (query: string) =>
      ((await request('GET', `${base}/apps?applicationTypes=list&${query}`)).json.apps.app ?? [])
        .map((app: { name: string }) => app.name)
        .sort();
    assert.deepEqual(await names(''), ['ended', 'kept']);
    assert.deepEqual(await names('states=killed'), ['ended']);
    assert.deepEqual(await names('applicationTags=BLUE'), ['kept']);
    assert.deepEqual(await names('finalStatus=KILLED'), ['ended']);
    assert.deepEqual((await request('GET', `${base}/apps?user=nobody`)).text, '{"apps":{}}');
    const { json } = await request('GET', `${base}/appstatistics?applicationTypes=LIST&states=accepted,killed`);
    assert.deepEqual(json.appStatInfo.statItem, [
      { state: 'ACCEPTED', type: 'list', count: 1 },
      { state: 'KILLED', type: 'list', count: 1 },
    ]);
    const ofAll = async (query: string) => (await request('GET', `${base}/appstatistics?${query}`)).json.appStatInfo.statItem;
    assert.deepEqual(await ofAll('applicationTypes=*'), await ofAll(''));
    await kill(kept);
  });
  it('takes labels as XML and JSON by whatever name, and other bodies as application/xml and application/json alone', async () => {
    const labels = '<nodeLabelsInfo><nodeLabelInfo><name>ssd</name></nodeLabelInfo></nodeLabelsInfo>';
    const moved = '<nodeToLabelsName><nodeToLabels><nodeId>elsewhere:1</nodeId><labels>ssd</labels></nodeToLabels></nodeToLabelsName>';
    const post = async (path: string, type: string, body: string) =>
      (await request('POST', `${base}/${path}`, { body, headers: { 'content-type': type } })).status;
    assert.equal(await post('add-node-labels', 'text/plain', labels), 415);
    assert.equal(await post('add-node-labels', 'text/xml; charset=utf-8', labels), 200);
    assert.equal(await post('replace-node-to-labels', 'application/atom+xml', moved), 200);
    assert.equal((await request('GET', `${base}/nodes/elsewhere:1/get-labels`)).json.nodeLabelInfo.name, 'ssd');
    assert.equal(await post('add-node-labels', 'text/json', '{"nodeLabelInfo":[{"name":"nvme"}]}'), 200);
    assert.equal(await post('remove-node-labels?labels=nvme', 'text/json', '{}'), 200);
    assert.equal(await post('apps', 'text/json', '{}'), 415);
    for (const [charset, status] of [
      ['"ISO-8859-1"', 200],
      ['nonsense', 415],
      ['utf-16', 400],
    ] as const)
      assert.equal(await post('add-node-labels', `application/json; charset=${charset}`, '{"nodeLabelInfo":[{"name":"ssd"}]}'), status);
    assert.equal(await post('add-node-labels', 'application/xml; charset=nonsense', labels), 415);
    assert.equal(await post('add-node-labels', 'application/xml; charset=IBM037', labels), 200, 'XML says itself how it is written');
    assert.equal(await post('apps', 'text/xml', '<application-submission-context/>'), 415);
    assert.equal((await request('POST', `${base}/remove-node-labels?labels=ssd`)).status, 200);
  });
  it('shows hosts that were given the empty label by its name', async () => {
    const labelled = async () => (await request('GET', `${base}/get-node-to-labels`)).text;
    assert.equal((await request('POST', `${base}/nodes/faraway/replace-labels?labels=`)).status, 200);
    // As Hadoop 3.4.2 writes it.
    assert.equal(await labelled(), '{"nodeToLabels":{"entry":{"key":"faraway:0","value":null}}}');
    assert.equal((await request('POST', `${base}/nodes/faraway/replace-labels`)).status, 200);
    assert.equal(await labelled(), '{"nodeToLabels":null}');
  });
  it('remembers ended applications, labels and ids over a restart', async () => {
    const id = await submit('ada', { 'application-name': 'before' });
    await kill(id);
    assert.equal(
      (await request('POST', `${base}/add-node-labels`, { body: { nodeLabelInfo: [{ name: 'gpu', exclusivity: true }] } })).status,
      200,
    );
    await request('POST', `${base}/nodes/elsewhere:1/replace-labels?labels=gpu`);
    const whole = (await request('GET', `${base}/apps/${id}`)).json.app;
    await role.close();
    await run();
    const again = (await request('GET', `${base}/apps/${id}`)).json.app;
    assert.deepEqual({ ...again, clusterId: 0, trackingUrl: '' }, { ...whole, clusterId: 0, trackingUrl: '' });
    assert.equal((await request('GET', `${base}/get-node-labels`)).json.nodeLabelInfo.name, 'gpu');
    assert.equal((await request('GET', `${base}/nodes/elsewhere:1/get-labels`)).json.nodeLabelInfo.name, 'gpu');
    const listed = (await request('GET', `${base}/apps?name=before`)).json.apps.app;
    assert.equal(listed.length, 1);
    assert.equal((await request('POST', `${base}/apps`, { body: { 'application-id': id, 'unmanaged-AM': true } })).status, 202);
    assert.equal((await request('GET', `${base}/apps/${id}/state`)).json.state, 'KILLED');
  });
  it('refuses bad input without a change', async () => {
    const { json } = await request('GET', `${base}/metrics`);
    for (const [method, path, body] of [
      ['POST', '/apps', {}],
      ['POST', '/apps', { 'application-id': 'application_1_0001', resource: { memory: 1e9 } }],
      ['PUT', '/apps/application_1_0001/state', { state: 'KILLED' }],
      ['PUT', '/apps/x/queue', { queue: 'default' }],
      ['GET', '/apps?limit=0', undefined],
      ['GET', '/nodes/a:b', undefined],
      ['POST', '/nodes/a:1/resource', {}],
      ['POST', '/containers/x/signal/GRACEFUL_SHUTDOWN', undefined],
      ['POST', '/reservation/submit', {}],
      ['DELETE', '/apps', undefined],
    ] as const) {
      const reply = await request(method, base + path, { body });
      assert.ok(reply.status >= 400 && reply.status < 500, `${method} ${path} ${reply.status}`);
    }
    assert.equal((await request('GET', `${base}/metrics`)).json.clusterMetrics.appsSubmitted, json.clusterMetrics.appsSubmitted);
  });
  it('offers pages, fields and waiting below /api/v1', async () => {
    const ids = [];
    for (let i = 0; i < 5; i++) ids.push(await submit('ada', { 'application-name': `page ${i}`, 'application-type': 'PAGES' }));
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const { json } = await request(
        'GET',
        `/api/v1/applications?applicationTypes=pages&sort=name&limit=2&fields=id,name&cursor=${cursor}`,
      );
      seen.push(...json.applications.map((application: { name: string }) => application.name));
      assert.ok(json.applications.every((application: object) => Object.keys(application).join() === 'id,name'));
      if (!json.next) break;
      cursor = json.next;
    }
    assert.deepEqual(seen, ['page 0', 'page 1', 'page 2', 'page 3', 'page 4']);
    assert.equal((await request('GET', '/api/v1/applications?cursor=zzz')).status, 400);
    assert.equal((await request('GET', '/api/v1/applications?fields=id,nmae')).status, 400);
    const first = await request('GET', `/api/v1/applications/${ids[0]}`);
    const etag = first.headers.get('etag')!;
    assert.equal((await request('GET', `/api/v1/applications/${ids[0]}`, { headers: { 'if-none-match': etag } })).status, 304);
    const waiting = request('GET', `/api/v1/applications/${ids[0]}?wait=30000`, { headers: { 'if-none-match': etag } });
    for (const id of ids) await kill(id);
    assert.equal((await waiting).status, 200);
  });
  it('sends long lists whole, in every format', async () => {
    const count = 250;
    const ids = await Promise.all(Array.from({ length: count }, () => submit('ada', { 'application-type': 'LONG' })));
    const { text, json } = await request('GET', `${base}/apps?applicationTypes=long`);
    assert.ok(text.length > 600_000);
    assert.deepEqual(json.apps.app.map((app: { id: string }) => app.id).sort(), [...ids].sort());
    assert.ok(json.apps.app.every((app: { elapsedTime: number }) => app.elapsedTime >= 0 && app.elapsedTime < 60_000));
    const xml = (await request('GET', `${base}/apps?applicationTypes=long`, { headers: { accept: 'application/xml' } })).text;
    assert.equal(xml.match(/<app>/g)?.length, count);
    assert.match(xml, /^<\?xml [^>]*><apps><app>.*<\/app><\/apps>$/s);
    assert.equal((await request('GET', `${base}/apps?applicationTypes=long&limit=7`)).json.apps.app.length, 7);
    assert.equal((await request('GET', `${base}/apps?applicationTypes=long&deSelects=nothing`)).status, 400);
    await Promise.all(ids.map((id) => kill(id)));
    const ended = (await request('GET', `${base}/apps?applicationTypes=long&states=KILLED`)).json.apps.app;
    assert.equal(ended.length, count);
  });
  it('knows an application by one id, however it was written', async () => {
    const body = { 'application-id': 'application_77_5', 'unmanaged-AM': true };
    const { status, headers } = await request('POST', `${base}/apps`, { body });
    assert.deepEqual([status, headers.get('location')], [202, `${role.addresses['web']}${base}/apps/application_77_5`]);
    assert.equal((await request('POST', `${base}/apps`, { body: { ...body, 'application-id': 'application_77_00005' } })).status, 202);
    for (const text of ['application_77_5', 'application_77_0005', 'application_77_00005'])
      assert.equal((await request('GET', `${base}/apps/${text}`)).json.app.id, 'application_77_0005');
    const listed = (await request('GET', `${base}/apps`)).json.apps.app.filter(({ id }: { id: string }) =>
      id.startsWith('application_77_'),
    );
    assert.equal(listed.length, 1);
    await kill('application_77_5');
  });
  it('shows the largest container as it is configured, whatever nodes there are', async () => {
    const { json } = await request('GET', `${base}/scheduler`);
    const { memory, vCores } = json.scheduler.schedulerInfo.maximumAllocation;
    assert.deepEqual({ memory, vCores }, { memory: 8192, vCores: 4 });
  });

  it('submits in one call and leaves unset what is absent', async () => {
    const made = await request('POST', '/api/v1/applications', { user: 'ada', body: { 'unmanaged-AM': true } });
    assert.equal(made.status, 202);
    const { app } = (await request('GET', `${base}/apps/${made.json.id}`)).json;
    assert.deepEqual([app.name, app.applicationType, app.appNodeLabelExpression, app.user], ['N/A', 'YARN', undefined, 'ada']);
    await kill(made.json.id);
  });
  it('serves what stands beside the interface', async () => {
    const id = await submit('ada');
    // Its attempt begins when it is durable.
    while ((await request('GET', `/api/v1/applications/${id}/master`, { user: 'ada' })).status !== 200);
    assert.match((await request('GET', `/proxy/${id}/`)).headers.get('location') ?? '', new RegExp(`/cluster/app/${id}$`));
    assert.equal((await request('GET', '/isActive')).text, 'I am Active!');
    assert.equal((await request('GET', '/cluster')).status, 200);
    assert.match((await request('GET', `/cluster/app/${id}`)).text, new RegExp(id));
    assert.match((await request('GET', `/cluster/app/${id}`)).text, /Why it waits.*has not registered yet/s);
    assert.doesNotMatch((await request('GET', `/cluster/app/${id}`, { user: 'bob' })).text, /Why it waits/);
    for (const [path, webPage] of [
      ['apps', 'applications'],
      ['apps/running', 'applications?states=RUNNING'],
      [`app/${id}`, `applications/${id}`],
      ['nodes', 'nodes'],
      ['scheduler', 'queues'],
      ['nodelabels', 'labels'],
      ['cluster', ''],
    ] as const)
      assert.ok((await request('GET', `/cluster/${path}`)).text.includes(`<a href="/ui/${webPage}">Web page</a>`), path);
    const attempt = `${id.replace('application', 'appattempt')}_000001`;
    const page = async (path: string, user = 'root') => {
      const { status, text } = await request('GET', `/cluster/${path}`, { user });
      return [status, /<h1>(.*)<\/h1>/.exec(text)?.[1]];
    };
    assert.deepEqual(await page(`appattempt/${attempt}`), [200, attempt]);
    assert.deepEqual(await page(`appattempt/${attempt}`, 'bob'), [200, 'Attempt']);
    assert.deepEqual(await page('appattempt/appattempt_1_0001_000001'), [200, 'Attempt']);
    assert.deepEqual(await page('appattempt/x'), [200, 'Attempt']);
    assert.deepEqual(await page('container/container_1_0001_01_000001'), [200, 'Container']);
    assert.deepEqual(await page('appattempt'), [200, 'Bad request']);
    assert.deepEqual(await page('logaggregationstatus'), [200, 'Bad request']);
    assert.deepEqual(await page(`logaggregationstatus/${id}`), [200, id]);
    assert.match(
      (await request('GET', `/cluster/logaggregationstatus/${id}`, { user: 'bob' })).text,
      /User bob does not have privilege to see this application/,
    );
    for (const unknown of ['x', 'application_1_0001'])
      assert.deepEqual(await page(`logaggregationstatus/${unknown}`), [200, 'Application']);
    assert.deepEqual(await page('queue/root.default'), [200, 'Queues']);
    assert.deepEqual(await page('nodelabels'), [200, 'Labels']);
    assert.deepEqual(await page('cluster'), [200, 'About the cluster']);
    assert.deepEqual(await page('nodes/lost'), [200, 'Nodes']);
    assert.deepEqual(await page('scheduler'), [200, 'Queues']);
    assert.equal((await request('GET', '/')).headers.get('location'), `${role.addresses['web']}/cluster?user.name=root`);
    assert.equal((await request('GET', '/openapi.json')).json.openapi, '3.1.0');
    assert.match((await request('GET', '/conf?name=yarn.admin.acl', { headers: { accept: 'application/json' } })).text, /"value":"root"/);
    assert.equal((await request('GET', '/logLevel?level=trace', { user: 'ada' })).status, 403);
    await kill(id);
  });
});
