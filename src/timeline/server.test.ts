import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { loadConfiguration } from '../config/load.ts';
import { ManualClock } from '../lib/clock.ts';
import { silentLogger } from '../lib/log.ts';
import { systemRandom } from '../lib/random.ts';
import type { RunningRole } from '../lib/role.ts';
import * as system from '../wire/timeline/system-entities.ts';
import { start } from './server.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'heddle-timeline-'));
const clock = new ManualClock(1_795_000_000_000);
let role: RunningRole;

const startRole = () =>
  start(
    loadConfiguration({
      dataDir,
      set: {
        'yarn.timeline-service.webapp.address': '127.0.0.1:0',
        'yarn.timeline-service.address': '127.0.0.1:0',
        'yarn.timeline-service.reader.webapp.address': '127.0.0.1:0',
        'yarn.timeline-service.collector.bind-port-ranges': '0',
        'yarn.acl.enable': 'true',
        'yarn.admin.acl': 'boss',
        'heddle.timeline.system-writers': 'rm',
      },
    }),
    { logger: silentLogger, clock, random: systemRandom },
  );

before(async () => {
  role = await startRole();
});
after(async () => {
  await role.close();
  rmSync(dataDir, { recursive: true, force: true });
});

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
type Anything = any;

async function call(
  method: string,
  path: string,
  options: { user?: string; body?: unknown; accept?: string; type?: string } = {},
): Promise<{ status: number; type: string | null; text: string; json: Anything }> {
  const url = new URL(`${role.addresses['web']}${path}`);
  if (options.user) url.searchParams.set('user.name', options.user);
  const answer = await fetch(url, {
    method,
    headers: {
      ...(options.body === undefined ? {} : { 'content-type': options.type ?? 'application/json' }),
      ...(options.accept ? { accept: options.accept } : {}),
    },
    ...(options.body === undefined ? {} : { body: typeof options.body === 'string' ? options.body : JSON.stringify(options.body) }),
  });
  const text = await answer.text();
  let json: Anything;
  try {
    json = JSON.parse(text);
  } catch {
    // not JSON
  }
  return { status: answer.status, type: answer.headers.get('content-type'), text, json };
}

const id = 'application_1795000000000_0001';
const attemptId = 'appattempt_1795000000000_0001_000001';
const containerId = 'container_1795000000000_0001_01_000001';
const finished = { diagnostics: 'why', finalStatus: 'SUCCEEDED', state: 'FINISHED' };

/** One bean of a server, without its tags. */
async function beanOf(name: string): Promise<Record<string, number>> {
  const answer = await fetch(`${role.addresses['web']}/jmx?qry=Hadoop:*,name=${name}&user.name=boss`);
  const { beans } = (await answer.json()) as { beans: Record<string, number>[] };
  assert.equal(beans.length, 1, name);
  return beans[0]!;
}

test('calls of version 1 are counted, with what they bring and find', async () => {
  const before = await beanOf('TimelineDataManagerMetrics');
  const entities = ['a', 'b', 'c'].map((entity) => {
    const events = [5, 6].map((timestamp) => ({ timestamp, eventtype: 'E', eventinfo: {} }));
    return { entity, entitytype: 'counted', starttime: 5, events };
  });
  const domain = { id: 'counted', readers: '*', writers: '*' };
  for (const [method, path, body] of [
    ['PUT', '/domain', domain],
    ['PUT', '/domain', 'no JSON'],
    ['GET', '/domain/counted', undefined],
    ['GET', '/domain?owner=ann', undefined],
    ['POST', '', { entities }],
    ['GET', '/counted?limit=2', undefined],
    ['GET', '/counted?limit=x', undefined],
    ['GET', '/counted/a', undefined],
    ['GET', '/counted/nothing', undefined],
    ['GET', '/counted/events?entityId=a,b', undefined],
  ] as const)
    await call(method, `/ws/v1/timeline${path}`, { user: 'ann', body });
  const after = await beanOf('TimelineDataManagerMetrics');
  const grown = Object.entries(after).flatMap(([name, value]) => (value === before[name] ? [] : [[name, value - before[name]!]]));
  const domains = (await call('GET', '/ws/v1/timeline/domain?owner=ann', { user: 'ann' })).json.domains.length;
  const counts = { GetDomain: 1, GetDomains: 1, GetEntities: 2, GetEntity: 2, GetEvents: 1, PostEntities: 1, PutDomain: 2 };
  assert.deepEqual(Object.fromEntries(grown), {
    ...Object.fromEntries(
      Object.entries(counts).flatMap(([name, count]) => [`${name}Ops`, `${name}TimeNumOps`].map((key) => [key, count])),
    ),
    ...{ GetDomainsTotal: domains, GetEntitiesTotal: 2, GetEventsTotal: 2, PostEntitiesTotal: 3, TotalOps: 10 },
  });
});

test('what is acknowledged survives a restart', async () => {
  const entity = { entity: 'e', entitytype: 'kept', starttime: clock.now(), otherinfo: { big: 9007199254740993n.toString() } };
  const body = JSON.stringify({ entities: [entity] }).replace('"9007199254740993"', '9007199254740993');
  assert.deepEqual((await call('POST', '/ws/v1/timeline', { user: 'ann', body })).json, { errors: [] });
  await role.close();
  role = await startRole();
  assert.match((await call('GET', '/ws/v1/timeline/kept/e', { user: 'ann' })).text, /"big":9007199254740993}/);
});

test('while another program locks the store, reads are answered and every change is refused with 503; then it is taken', async () => {
  const kept = { entity: 'e', entitytype: 'locked', starttime: clock.now() };
  const domain = { id: 'locked', readers: '*', writers: '*' };
  const changes: readonly (readonly [string, () => ReturnType<typeof call>])[] = [
    ['entities', () => call('POST', '/ws/v1/timeline', { user: 'ann', body: { entities: [kept] } })],
    ['a domain', () => call('PUT', '/ws/v1/timeline/domain', { user: 'ann', body: domain })],
    ['a token', () => call('GET', '/ws/v1/timeline?op=GETDELEGATIONTOKEN&renewer=bob', { user: 'ann' })],
  ];
  const other = new DatabaseSync(join(dataDir, 'timeline', 'timeline.sqlite'));
  other.exec('BEGIN IMMEDIATE');
  const asked = changes.map(([, change]) => change());
  assert.equal((await call('GET', '/ws/v1/timeline/locked', { user: 'ann' })).status, 200);
  let isOver = false;
  const over = Promise.all(asked).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await new Promise((done) => setTimeout(done, 2));
    clock.advance(500);
  }
  for (const { status, json } of await over) {
    assert.equal(status, 503);
    assert.match((json.RemoteException ?? json).message, /timeline\.sqlite is locked by another program/);
  }
  other.exec('ROLLBACK');
  other.close();
  assert.equal((await call('GET', '/ws/v1/timeline/locked/e', { user: 'ann' })).status, 404);
  assert.equal((await call('GET', '/ws/v1/timeline/domain/locked', { user: 'ann' })).status, 404);
  for (const [what, change] of changes) assert.equal((await change()).status, 200, what);
});

test('bad bodies are refused in the words of Jackson, and nothing is stored', async () => {
  const post = (body: unknown, type?: string) => call('POST', '/ws/v1/timeline', { user: 'ann', body, ...(type ? { type } : {}) });
  assert.deepEqual([(await post('{"entities":[')).status, (await post('{"entities":[')).json.exception], [404, 'JsonMappingException']);
  assert.equal((await post('nonsense')).json.exception, 'JsonParseException');
  assert.equal((await post({ more: 1 })).json.exception, 'UnrecognizedPropertyException');
  assert.equal(
    (await post({ entities: [{ entity: 'x', entitytype: 'bad', starttime: 'soon' }] })).json.exception,
    'InvalidFormatException',
  );
  assert.equal((await post({ entities: { a: 1 } })).json.exception, 'MismatchedInputException');
  assert.equal((await post({ entities: [{ entity: 'x', entitytype: 'bad', events: [{ timestamp: 1 }] }] })).status, 400);
  assert.equal((await post('<x/>', 'application/xml')).status, 415);
  assert.equal((await call('DELETE', '/ws/v1/timeline', { user: 'ann' })).status, 405);
  assert.deepEqual((await call('GET', '/ws/v1/timeline/bad', { user: 'ann' })).json, { entities: [] });
});

test('an application is followed from its creation to its end', async () => {
  const put = async (...entities: unknown[]) =>
    assert.deepEqual((await call('POST', '/ws/v1/timeline', { user: 'rm', body: { entities } })).json, { errors: [] });
  const at = clock.now();
  await put(
    system.applicationCreated({
      applicationId: id,
      name: 'job',
      type: 'TEST',
      user: 'ann',
      queue: 'root.default',
      submittedTimeMs: at - 5,
      createdTimeMs: at,
      tags: ['b', 'a'],
      unmanaged: false,
      priority: -1,
      amNodeLabelExpression: '',
    }),
    system.applicationAclsUpdated(id, 'eve', at),
    system.containerCreated({
      containerId,
      attemptId,
      createdTimeMs: at + 5,
      memoryMiB: 512,
      vcores: 1,
      host: 'n1',
      port: 45454,
      priority: 0,
      nodeHttpAddress: 'http://n1:8042',
    }),
  );
  const app = async (user: string) => (await call('GET', `/ws/v1/applicationhistory/apps/${id}`, { user })).json;
  clock.advance(100);
  const waiting = await app('ann');
  assert.equal(waiting.currentAppAttemptId, 'appattempt_1795000000000_0001_-000001');
  assert.deepEqual([waiting.appState, waiting.progress, waiting.elapsedTime, waiting.finishedTime], ['ACCEPTED', 0, 100, 0]);
  assert.deepEqual(
    [waiting.appNodeLabelExpression, waiting.amNodeLabelExpression, waiting.applicationTags],
    ['<Not set>', '<DEFAULT_PARTITION>', 'a,b'],
  );
  assert.equal('aggregateResourceAllocation' in waiting, false);

  const urls = { trackingUrl: 'http://rm/proxy', originalTrackingUrl: 'http://am' };
  await put(
    system.applicationLaunched(id, at + 10),
    system.attemptRegistered({
      applicationId: id,
      attemptId,
      registeredTimeMs: at + 20,
      ...urls,
      host: 'n1',
      rpcPort: 1234,
      masterContainerId: containerId,
    }),
    system.applicationStateUpdated(id, 'RUNNING', at + 20),
    system.applicationUpdated(id, 'root.other', 7, at + 30),
  );
  assert.equal((await app('ann')).appState, 'RUNNING');
  await put(
    system.attemptFinished({ applicationId: id, attemptId, finishedTimeMs: at + 50, ...urls, ...finished, masterContainerId: containerId }),
    system.applicationFinished({
      applicationId: id,
      finishedTimeMs: at + 60,
      ...finished,
      latestAttemptId: attemptId,
      memoryMiBSeconds: 12,
      vcoreSeconds: 3,
    }),
    system.containerFinished({
      containerId,
      attemptId,
      finishedTimeMs: at + 55,
      diagnostics: '',
      exitStatus: 0,
      state: 'COMPLETE',
      host: 'n1',
      port: 45454,
    }),
  );
  const ended = await app('ann');
  assert.deepEqual(
    [
      ended.appState,
      ended.finalAppStatus,
      ended.currentAppAttemptId,
      ended.host,
      ended.rpcPort,
      ended.trackingUrl,
      ended.elapsedTime,
      ended.launchTime - at,
    ],
    ['FINISHED', 'SUCCEEDED', attemptId, 'n1', 1234, 'http://rm/proxy', 60, 10],
  );
  assert.deepEqual([ended.queue, ended.priority, ended.aggregateResourceAllocation], ['root.other', 7, '12 MB-seconds, 3 vcore-seconds']);

  const stranger = await app('carl');
  assert.deepEqual(
    [stranger.host, stranger.trackingUrl, stranger.diagnosticsInfo, stranger.currentAppAttemptId.slice(-8)],
    ['N/A', 'N/A', '', '_-000001'],
  );
  for (const user of ['ann', 'eve', 'boss']) assert.equal((await app(user)).diagnosticsInfo, 'why');

  const path = `/ws/v1/applicationhistory/apps/${id}/appattempts`;
  assert.deepEqual((await call('GET', `${path}/${attemptId}`, { user: 'ann' })).json, {
    appAttemptId: attemptId,
    host: 'n1',
    rpcPort: 1234,
    ...urls,
    diagnosticsInfo: 'why',
    appAttemptState: 'FINISHED',
    amContainerId: containerId,
    startedTime: 0,
    finishedTime: 0,
  });
  const { container } = (await call('GET', `${path}/${attemptId}/containers`, { user: 'ann' })).json;
  assert.deepEqual(
    [container[0].containerId, container[0].containerState, container[0].elapsedTime, container[0].allocatedResources],
    [containerId, 'COMPLETE', 50, { 'memory-mb': 512, vcores: 1 }],
  );
  assert.equal((await call('GET', `${path}/${attemptId}/containers`, { user: 'carl' })).status, 403);
  assert.equal((await call('GET', `${path}/${attemptId}/containers/container_1_0001_01_000001`, { user: 'ann' })).status, 404);
  // Every id is parsed before one is compared with another.
  const unread = await call('GET', `${path}/appattempt_1_0001_000001/containers/x`, { user: 'ann' });
  assert.deepEqual([unread.status, unread.json.message], [400, 'java.lang.IllegalArgumentException: Invalid ContainerId prefix: x']);
  const missing = await call('GET', '/ws/v1/applicationhistory/apps/application_1_0001', { accept: 'application/xml' });
  assert.equal(missing.status, 404);
  assert.match(missing.text, /<RemoteException><exception>NotFoundException/);

  const pageOf = async (name: string, user?: string) => (await call('GET', `/applicationhistory/${name}`, user ? { user } : {})).text;
  assert.match(await pageOf(''), new RegExp(id));
  assert.match(await pageOf(`app/${id}`, 'ann'), new RegExp(attemptId));
  assert.match(await pageOf(`app/${id}`, 'carl'), /may not see its attempts/);
  assert.match(await pageOf(`appattempt/${attemptId}`, 'ann'), new RegExp(containerId));
  for (const name of [`app/${id}`, `appattempt/${attemptId}`, `container/${containerId}`])
    assert.match(await pageOf(name, 'ann'), new RegExp(`<a href="/ui/history/${id}">Web page</a>`));
  assert.equal((await call('GET', '/applicationhistory/app/<x>')).status, 404);
  // The addresses of Hadoop's pages.
  for (const name of ['about', 'errors-and-warnings', 'app', 'appattempt', 'container', 'logs', 'apps'])
    assert.equal((await call('GET', `/applicationhistory/${name}`)).status, 200, name);
  assert.match(await pageOf('apps'), new RegExp(id));
  const { appState } = (await call('GET', `/ws/v1/applicationhistory/apps/${id}`, { user: 'ann' })).json;
  assert.match(await pageOf(`apps/NEW,${String(appState).toLowerCase()}`), new RegExp(id));
  assert.doesNotMatch(await pageOf('apps/NEW'), new RegExp(id));
});

test('what the resource manager alone writes is forged by no other caller, and seen by those who may view the application', async () => {
  const forged = [
    { entity: id, entitytype: 'YARN_APPLICATION', otherinfo: { YARN_APPLICATION_VIEW_ACLS: '*', YARN_APPLICATION_USER: 'carl' } },
    { entity: attemptId, entitytype: 'YARN_APPLICATION_ATTEMPT', starttime: 1 },
    { entity: containerId, entitytype: 'YARN_CONTAINER', otherinfo: { YARN_CONTAINER_ALLOCATED_HOST_HTTP_ADDRESS: 'http://evil.example' } },
    { entity: 'application_1795000000000_0009', entitytype: 'YARN_APPLICATION', starttime: 1 },
  ];
  for (const user of ['carl', 'ann', 'boss']) {
    const { errors } = (await call('POST', '/ws/v1/timeline', { user, body: { entities: forged } })).json;
    assert.deepEqual(
      errors.map(({ entity, errorcode }: Anything) => [entity, errorcode]),
      forged.map(({ entity }) => [entity, 4]),
      user,
    );
  }
  // Nor does it come about by a relation to it.
  const related = {
    entity: 'r',
    entitytype: 'own',
    starttime: 1,
    relatedentities: { YARN_APPLICATION: ['application_1795000000000_0009'] },
  };
  assert.equal((await call('POST', '/ws/v1/timeline', { user: 'carl', body: { entities: [related] } })).json.errors[0].errorcode, 6);
  assert.equal((await call('GET', '/ws/v1/timeline/YARN_APPLICATION/application_1795000000000_0009', { user: 'boss' })).status, 404);

  for (const [type, entity] of [
    ['YARN_APPLICATION', id],
    ['YARN_CONTAINER', containerId],
  ] as const) {
    const status = async (user?: string) => (await call('GET', `/ws/v1/timeline/${type}/${entity}`, user ? { user } : {})).status;
    assert.deepEqual(
      [await status('ann'), await status('eve'), await status('boss'), await status('carl'), await status()],
      [200, 200, 200, 403, 403],
    );
    const listed = async (user: string) =>
      (await call('GET', `/ws/v1/timeline/${type}`, { user })).json.entities.map((one: Anything) => one.entity);
    assert.deepEqual([(await listed('ann')).includes(entity), (await listed('carl')).includes(entity)], [true, false]);
  }
  const events = async (user: string) =>
    (await call('GET', `/ws/v1/timeline/YARN_APPLICATION/events?entityId=${id}`, { user })).json.events.length;
  assert.deepEqual([await events('ann'), await events('carl')], [1, 0]);
});

test('lists are filtered by every parameter', async () => {
  const found = async (query: string) => (await call('GET', `/ws/v1/applicationhistory/apps?${query}`, { user: 'boss' })).json.app?.length;
  for (const query of [
    '',
    'user=ann',
    'states=finished,KILLED',
    'state=FINISHED',
    'finalStatus=SUCCEEDED',
    'queue=root.other',
    'applicationTypes=test',
    'name=job',
    'finishedTimeBegin=1',
    'limit=1',
  ]) {
    assert.equal(await found(query), 1, query);
  }
  for (const query of [
    'user=bob',
    'states=KILLED',
    'finalStatus=FAILED',
    'queue=other',
    'applicationTypes=x',
    'name=',
    `startedTimeBegin=${clock.now()}`,
    'finishedTimeEnd=5',
  ]) {
    assert.equal(await found(query), 0, query);
  }
  const whole = await call('GET', '/ws/v1/applicationhistory?user=bob&limit=0', { user: 'boss' });
  assert.equal(whole.json.app?.length, 1, 'the whole list has no parameters');
  const refused = async (query: string) => (await call('GET', `/ws/v1/applicationhistory/apps?${query}`)).json.message;
  assert.match(await refused('states=RUNNING'), /running specified. It should be a final state/);
  assert.equal(await refused('limit=0'), 'java.lang.Exception: limit value must be greater then 0');
  assert.equal(await refused('finalStatus=Done'), 'No enum constant org.apache.hadoop.yarn.api.records.FinalApplicationStatus.Done');
});

test('long lists come in slices, the same in both formats', async () => {
  const count = 600;
  const entities = Array.from({ length: count }, (_, index) =>
    system.applicationCreated({
      applicationId: `application_1_${String(index + 1).padStart(4, '0')}`,
      name: `n${index}`,
      type: 'T',
      user: 'many',
      queue: 'root.q',
      submittedTimeMs: 5,
      createdTimeMs: 10 + index,
      tags: [],
      unmanaged: false,
      priority: 0,
    }),
  );
  assert.deepEqual((await call('POST', '/ws/v1/timeline', { user: 'rm', body: { entities } })).json, { errors: [] });
  const { json } = await call('GET', '/ws/v1/applicationhistory/apps?user=many', { user: 'boss' });
  assert.deepEqual(
    json.app.map((app: Anything) => app.name),
    Array.from({ length: count }, (_, index) => `n${count - 1 - index}`),
  );
  const { text } = await call('GET', '/ws/v1/applicationhistory/apps?user=many', { user: 'boss', accept: 'application/xml' });
  assert.equal(text.match(/<app>/g)?.length, count);
  assert.match(text, /^<\?xml[^>]*><apps><app>.*<\/app><\/apps>$/s);
  assert.equal((await call('GET', '/ws/v1/applicationhistory/apps?limit=300', { user: 'boss' })).json.app.length, 300);
});

test('a token stands for its owner until it is cancelled by owner or renewer', async () => {
  const { urlString } = (await call('GET', '/ws/v1/timeline/?op=GETDELEGATIONTOKEN&renewer=bob', { user: 'ann' })).json.Token;
  const post = () =>
    call('POST', `/ws/v1/timeline?delegation=${urlString}`, {
      body: { entities: [{ entity: 'by-token', entitytype: 'kept', starttime: 1 }] },
    });
  assert.deepEqual((await post()).json, { errors: [] });
  assert.equal((await call('PUT', `/ws/v1/timeline/?op=CANCELDELEGATIONTOKEN&token=${urlString}`, { user: 'carl' })).status, 403);
  assert.equal((await call('PUT', `/ws/v1/timeline/?op=CANCELDELEGATIONTOKEN&token=${urlString}`)).status, 401);
  assert.equal((await call('PUT', `/ws/v1/timeline/?op=CANCELDELEGATIONTOKEN&token=${urlString}`, { user: 'bob' })).status, 200);
  assert.equal((await post()).status, 403);
});

test('version 1 answers XML where it is asked for: one entity, lists, events, refusals', async () => {
  const event = { timestamp: clock.now(), eventtype: 'B', eventinfo: { why: 'x<y' } };
  const entities = [{ entity: 'asXml', entitytype: 'formats', starttime: clock.now(), events: [event], otherinfo: { n: 5 } }];
  await call('POST', '/ws/v1/timeline', { user: 'ann', body: { entities } });
  const asked = { user: 'ann', accept: 'application/xml' };
  for (const [path, pattern] of [
    ['/ws/v1/timeline/formats/asXml', /<entity><entitytype>formats<\/entitytype>.*<otherinfo><entry><key>n<\/key><value>5<\/value>/],
    ['/ws/v1/timeline/formats', /<entities><entities><entitytype>formats<\/entitytype>/],
    ['/ws/v1/timeline/formats/events?entityId=asXml', /<events><events><entity>asXml<\/entity>.*<value>x&lt;y<\/value>/],
    ['/ws/v1/timeline/domain', /<domains/],
  ] as const) {
    const { status, type, text } = await call('GET', path, asked);
    assert.deepEqual([status, type], [200, 'application/xml; charset=utf-8'], path);
    assert.match(text, pattern);
  }
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  for (const path of ['/ws/v1/timeline/formats/asXml', '/ws/v1/timeline/formats', '/ws/v1/timeline/formats/events?entityId=asXml'])
    assert.equal((await call('GET', path, { user: 'ann', accept: browser })).type, 'application/json;charset=utf-8', path);
  const missing = await call('GET', '/ws/v1/timeline/formats/nobody', asked);
  assert.deepEqual([missing.status, missing.text.includes('<RemoteException>')], [404, true]);
});

test('every server of the timeline is ready for as long as its store is where it was', async () => {
  const ready = () =>
    Promise.all(
      ['web', 'reader', 'collector']
        .flatMap((name) => role.addresses[name] ?? [])
        .map(async (url) => (await fetch(`${url}/readyz`)).status),
    );
  const before = await ready();
  assert.ok(before.length > 0 && before.every((status) => status === 200));
  const store = join(dataDir, 'timeline', 'timeline.sqlite');
  renameSync(store, `${store}.away`);
  assert.deepEqual(
    await ready(),
    before.map(() => 503),
  );
  renameSync(`${store}.away`, store);
  assert.deepEqual(await ready(), before);
});
