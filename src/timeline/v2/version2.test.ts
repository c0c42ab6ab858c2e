import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { SystemMetricsPublisher } from '../../client/system-metrics-publisher.ts';
import { TimelineWorld, toldApplication } from '../test-support/timeline-world.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
type Anything = any;

const world = new TimelineWorld();
const { clock } = world;
let publisher: SystemMetricsPublisher;
let flush: () => Promise<void>;

before(async () => {
  await world.start({ 'yarn.timeline-service.app-collector.linger-period.ms': '1000' });
  ({ publisher, flush } = world.publishing());
});
after(() => world.close());

async function call(server: string, method: string, path: string, body?: unknown, user = 'ann') {
  const { status, text } = await world.call(server, method, path, body, user);
  let json: Anything;
  try {
    json = JSON.parse(text);
  } catch {
    // not JSON
  }
  return { status, text, json };
}
async function until(isThere: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isThere()); tries++) assert.ok(tries < 1000, 'it did not come');
}
const read = async (path: string) => (await call('reader', 'GET', `/ws/v2/timeline${path}`)).json;

const { applicationId: id, attemptId, containerId } = toldApplication;
const put = (entities: unknown[], query = '') => call('collector', 'PUT', `/ws/v2/timeline/entities?appid=${id}${query}`, { entities });

test('a collector takes entities from the start of the master until its time after the end is over', async () => {
  assert.equal((await put([])).status, 404);
  const at = clock.now();
  world.created(publisher, 'flow!1');
  await flush();
  assert.equal((await put([])).status, 404);
  publisher.applicationLaunched(id, at + 1);
  await flush();
  const entity = {
    type: 'JOB',
    id: 'a',
    idprefix: 2,
    createdtime: at,
    info: { n: 1 },
    metrics: [{ id: 'm', type: 'TIME_SERIES', values: { 1: 5, 2: 6 } }],
  };
  assert.deepEqual((await put([entity, { type: 'JOB', id: 'b', idprefix: 1 }])).status, 200);
  assert.equal((await put([{ type: 'SUB', id: 's' }], '&subappwrite=true')).status, 200);
});

test('reader and collector have the pages about themselves', async () => {
  const titles = { reader: 'Heddle timeline reader', collector: 'Heddle timeline collector' };
  for (const [name, title] of Object.entries(titles)) {
    const url = world.role.addresses[name]!;
    const frame = (await (await fetch(`${url}/ui/frame.json`)).json()) as { role: string };
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as { info: { title: string } };
    assert.deepEqual([frame.role, document.info.title], [name, title]);
    const caller = (await (await fetch(`${url}/ui/caller.json?user.name=ann`)).json()) as { servers: Record<string, string> };
    assert.ok(caller.servers['reader'], 'the reader is named among the servers');
  }
});

test('reads are counted in windows of ten seconds, those that fail apart', async () => {
  const counts = async () => {
    const { beans } = (await call('reader', 'GET', '/jmx?qry=Hadoop:*,name=TimelineReaderMetrics')).json;
    return ['GetEntitiesSuccess', 'GetEntitiesFailure', 'GetEntityTypesSuccess', 'GetEntityTypesFailure'].map(
      (kind) => beans[0][`${kind}LatencyNumOps`],
    );
  };
  clock.advance(20_000);
  assert.deepEqual(await counts(), [0, 0, 0, 0]);
  const nobody = 'application_1_0009';
  const statuses: number[] = [];
  const types = `/apps/${nobody}/entity-types`;
  for (const path of ['', '/health', '/flows', '/flows?limit=x', `/apps/${nobody}`, `${types}?userid=u&flowname=f&flowrunid=1`, types])
    statuses.push((await call('reader', 'GET', `/ws/v2/timeline${path}`)).status);
  assert.deepEqual(statuses, [200, 200, 200, 400, 404, 200, 404]);
  clock.advance(10_000);
  assert.deepEqual(await counts(), [1, 2, 1, 1]);
  assert.deepEqual((await call('collector', 'GET', '/jmx?qry=Hadoop:*,name=TimelineReaderMetrics')).json, { beans: [] });
});

test('an application says nothing itself that the resource manager alone says', async () => {
  for (const entity of [
    { type: 'YARN_CONTAINER', id: 'c' },
    { type: 'YARN_APPLICATION_ATTEMPT', id: 'a' },
    { type: 'YARN_APPLICATION', id, info: { YARN_APPLICATION_STATE: 'FAILED' } },
    { type: 'YARN_APPLICATION', id, events: [{ id: 'YARN_APPLICATION_FINISHED', timestamp: 1 }] },
  ])
    assert.equal((await put([entity])).status, 403, JSON.stringify(entity));
  assert.equal((await put([{ type: 'YARN_APPLICATION', id, info: { mine: 1 } }])).status, 200);
});

test('entities come by prefix, by filter, by UID and page after page', async () => {
  const ids = (list: Anything) => list.map((one: Anything) => one.id);
  assert.deepEqual(ids(await read(`/apps/${id}/entities/JOB`)), ['b', 'a']);
  assert.deepEqual(ids(await read(`/apps/${id}/entities/JOB?infofilters=n eq 1`)), ['a']);
  assert.deepEqual(ids(await read(`/apps/${id}/entities/JOB?metricfilters=m ge 6`)), ['a']);
  const [first] = await read(`/apps/${id}/entities/JOB?limit=1`);
  assert.deepEqual(ids(await read(`/apps/${id}/entities/JOB?fromid=${encodeURIComponent(first.info.FROM_ID)}`)), ['b', 'a']);
  assert.equal(first.info.FROM_ID, `yarn_cluster!ann!flow*!1!7!${id}!JOB!1!b`);
  assert.equal((await read(`/entity-uid/${encodeURIComponent(first.info.UID)}`)).id, 'b');
  assert.equal((await read(`/entity-uid/${encodeURIComponent(first.info.FROM_ID)}`)).info.UID, first.info.FROM_ID);
  const one = await read(`/apps/${id}/entities/JOB/a?fields=METRICS&metricslimit=5`);
  assert.deepEqual(one.metrics, [{ type: 'TIME_SERIES', id: 'm', aggregationOp: 'NOP', values: { 1: 5, 2: 6 } }]);
  assert.equal((await read(`/apps/${id}/entities/JOB/a?entityidprefix=9`)).exception, 'NotFoundException');
  assert.deepEqual(ids(await read('/users/ann/entities/SUB')), ['s']);
  assert.deepEqual(await read('/users/ann/entities/SUB/other'), []);
  assert.deepEqual(await read(`/apps/${id}/entity-types`), ['JOB', 'SUB', 'YARN_CONTAINER']);
});

test('of several entities with one id and prefixes of their own a list has the first that it selects', async () => {
  const metric = (values: Record<number, number>) => [{ id: 'm', type: 'TIME_SERIES', values }];
  await put([
    { type: 'TWICE', id: 'x', idprefix: 1, info: { n: 1 }, metrics: metric({ 10: 1, 20: 2 }) },
    { type: 'TWICE', id: 'y', idprefix: 2, metrics: metric({ 10: 9 }) },
    { type: 'TWICE', id: 'x', idprefix: 3, info: { n: 3 } },
  ]);
  const list = async (query: string) =>
    (await read(`/apps/${id}/entities/TWICE?${query}`)).map((one: Anything) => `${one.idprefix}${one.id}`);
  assert.deepEqual(await list(''), ['1x', '2y']);
  assert.deepEqual(await list('limit=2'), ['1x', '2y']);
  assert.deepEqual(await list('infofilters=n eq 3'), ['3x']);
  const from = encodeURIComponent(`yarn_cluster!ann!flow*!1!7!${id}!TWICE!2!y`);
  assert.deepEqual(await list(`fromid=${from}`), ['2y', '3x']);
  // Of metrics the points in the range of times count.
  assert.deepEqual([await list('metricfilters=m eq 1'), await list('metricfilters=m eq 1&metricstimeend=15')], [[], ['1x']]);
});

test('ids of applications may be written shorter, and entities of a user name theirs', async () => {
  const short = id.replace(/_0+/, '_');
  const [first] = await read(`/apps/${short}/entities/JOB?limit=1`);
  assert.equal(first.info.UID, `yarn_cluster!${short}!JOB!1!b`);
  assert.equal((await read(`/entity-uid/${encodeURIComponent(first.info.UID)}`)).id, 'b');
  assert.equal((await read(`/apps/${short}`)).info.UID, `yarn_cluster!${id}`);
  assert.equal((await read(`/app-uid/!${id}`)).id, id, 'no cluster is the own one');
  assert.equal((await read(`/apps/${id}/entities/SUB/s?fields=INFO`)).info.YARN_APPLICATION_ID, id);
});

test('what the reader cannot read it refuses in Hadoop’s words', async () => {
  const jobs = `/apps/${id}/entities/JOB`;
  const numbers =
    'Either flowrunid or limit or createdtime start/end or metricslimit or metricstime start/end or fromid is not a numeric value.';
  const unescaped = 'not properly escaped.';
  const prefix = 'Invalid ApplicationId prefix: x. The valid ApplicationId should start with prefix application';
  for (const [path, message] of [
    [`${jobs}?limit=`, numbers],
    [`${jobs}?metricslimit=2147483648`, numbers],
    [`${jobs}?flowrunid=`, numbers],
    [`${jobs}?fields=`, ' is not a valid field.'],
    [`${jobs}?fromid=yarn_cluster!ann!flow*!1!x!${id}!JOB!1!b`, 'Invalid filter fromid is provided.'],
    [`${jobs}?fromid=yarn_cluster!ann!flow*!1!7!x!JOB!1!b`, prefix],
    [`/apps/${id}/entities/%20`, "entityType shouldn't be null"],
    ['/app-uid/yarn_cluster!x', prefix],
    ['/app-uid/yarn_cluster!ann!flow!7!x', prefix],
    ['/app-uid/a!b*', `Escape char ${unescaped}`],
    ['/app-uid/a*b!c', `Escape char or delimiter char ${unescaped}`],
    ['/app-uid/%20', 'Incorrect UID  '],
    ['/run-uid/yarn_cluster!ann!flow*!1!7/apps?limit=x', numbers.replace('flowrunid or ', '').replace(' or fromid', '')],
    ['/users/%20/flows/flow!1/runs', "userId shouldn't be null"],
    ['/users/ann/flows/flow!1/runs?fromid=other!ann!flow*!1!7', "fromid doesn't belong to clusterId=yarn_cluster"],
    ['/users/ann/flows/flow!1/runs/7/apps?fromid=yarn_cluster!ann!flow*!1!7!x', prefix],
    ['/users/ann/entities/SUB/s?entityidprefix=x', 'Either metricslimit or metricstime start/end is not a numeric value.'],
    ['/users/ann/entities/SUB?fromid=ann!yarn_cluster!SUB!x!s!ann', 'Invalid filter fromid is provided.'],
    [`/apps/${id}/containers/x?entityidprefix=x`, 'Either flowrunid or metricslimit or metricstime start/end is not a numeric value.'],
  ] as const)
    assert.deepEqual(await read(path), {
      exception: 'BadRequestException',
      message: `java.lang.Exception: ${message}`,
      javaClassName: 'org.apache.hadoop.yarn.webapp.BadRequestException',
    });
  for (const query of ['entityidprefix=', 'entityidprefix=9223372036854775808', 'flowrunid=x'])
    assert.equal((await read(`${jobs}/a?${query}`)).exception, 'NumberFormatException', query);
  assert.equal((await read('/run-uid/yarn_cluster!ann!flow*!1!7?fields=x')).id, 'ann@flow!1/7', 'one run has no fields');
});

test('containers belong to their attempt; large prefixes keep all digits', async () => {
  const { text } = await call('reader', 'GET', `/ws/v2/timeline/apps/${id}/appattempts/${attemptId}/containers`);
  assert.match(text, new RegExp(`"idprefix":9223372036854775806,"id":"${containerId}"`));
  assert.deepEqual(await read(`/apps/${id}/appattempts/appattempt_1795000000000_0001_000002/containers`), []);
});

test('metrics of entities that say how are added up to the application, again and again', async () => {
  const at = clock.now();
  const rows = (key: string, time: number, rows: number) => ({
    type: 'STEP',
    id: key,
    metrics: [{ id: 'rows', aggregationOp: 'SUM', values: { [time]: rows } }],
  });
  const ofApplication = async () =>
    (await read(`/apps/${id}?fields=METRICS&metricslimit=10`)).metrics.find((metric: Anything) => metric.id === 'rows')?.values;
  await put([rows('a', at, 1), rows('a', at + 2, 5), rows('b', at + 1, 7)]);
  assert.equal(await ofApplication(), undefined);
  clock.advance(15_000);
  await until(async () => (await ofApplication()) !== undefined);
  assert.deepEqual(await ofApplication(), { [at + 2]: 12 });
  await put([rows('b', at + 9, 8)]);
  clock.advance(15_000);
  await until(async () => Object.keys(await ofApplication()).length === 2);
  assert.deepEqual(await ofApplication(), { [at + 9]: 8, [at + 2]: 12 });
  const run = await read('/users/ann/flows/flow!1/runs/7');
  assert.deepEqual(run.metrics.find((metric: Anything) => metric.id === 'rows').values, { [at + 9]: 8 });
});

test('flows and runs follow the applications', async () => {
  const [run] = await read('/users/ann/flows/flow!1/runs');
  assert.equal(run.id, 'ann@flow!1/7');
  assert.equal('SYSTEM_INFO_FLOW_RUN_END_TIME' in run.info, false);
  const at = clock.now();
  publisher.applicationFinished({
    applicationId: id,
    finishedTimeMs: at + 5,
    diagnostics: '',
    finalStatus: 'SUCCEEDED',
    state: 'FINISHED',
    memoryMiBSeconds: 4,
    vcoreSeconds: 3,
  });
  await flush();
  const ended = await read('/users/ann/flows/flow!1/runs/7');
  assert.equal(ended.info.SYSTEM_INFO_FLOW_RUN_END_TIME, at + 5);
  const cpu = ended.metrics.find((metric: Anything) => metric.id === 'YARN_APPLICATION_CPU');
  assert.deepEqual(cpu.values, { [at + 5]: 3 });
  const [flow] = await read('/flows');
  assert.deepEqual([flow.info.UID, flow.flowruns[0].info.SYSTEM_INFO_FLOW_VERSION], ['yarn_cluster!ann!flow*!1', '3']);
  assert.deepEqual(await read('/flows?daterange=20000101-20000102'), []);
  const [app] = await read('/users/ann/flows/flow!1/apps?fields=INFO');
  assert.deepEqual([app.id, app.info.YARN_APPLICATION_STATE], [id, 'FINISHED']);
  assert.equal((await put([])).status, 200);
  clock.advance(1001);
  assert.equal((await put([])).status, 404);
});

test('only the resource manager tells what happens', async () => {
  assert.equal((await call('web', 'POST', '/api/v1/timeline/system', { writes: [] })).status, 403);
  assert.equal((await call('web', 'POST', '/api/v1/timeline/system', { writes: [{ more: 1 }] }, 'boss')).status, 404);
});

test('the reader answers XML where it is asked for', async () => {
  const asXml = async (path: string) => {
    const answer = await fetch(`${world.role.addresses['reader']}/ws/v2/timeline${path}`, { headers: { accept: 'application/xml' } });
    return [answer.status, await answer.text()] as const;
  };
  for (const [path, pattern] of [
    ['/health', /<healthStatus>RUNNING<\/healthStatus>/],
    ['/flows', /<entities><entity>.*<type>YARN_FLOW_ACTIVITY<\/type>.*<\/entities>$/],
    [`/apps/${id}?fields=ALL`, /<entity>.*<type>YARN_APPLICATION<\/type>.*<key>UID<\/key>/],
    [`/apps/${id}/entity-types`, /<types><type>/],
  ] as const) {
    const [status, text] = await asXml(path);
    assert.equal(status, 200, path);
    assert.match(text, pattern);
  }
  const [status, text] = await asXml('/apps/application_1_0009');
  assert.equal(status, 404);
  assert.match(text, /<RemoteException>/);
});
