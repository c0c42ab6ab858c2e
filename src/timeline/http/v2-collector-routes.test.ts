// What a bearer token lets its bearer put about applications.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { AuditLog } from '../../auth/audit-log.ts';
import type { TokenRestriction } from '../../auth/bearer/restriction.ts';
import { profiles } from '../../http/profiles.ts';
import { createService } from '../../http/service.ts';
import { ManualClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { openDatabase } from '../../storage/sqlite.ts';
import { FlowStore } from '../store/flow-store.ts';
import { timelineMigrations } from '../store/migrations.ts';
import { V2Store } from '../store/v2-store.ts';
import { Collector } from '../v2/collector.ts';
import { CollectorFigures } from './read-figures.ts';
import { addCollectorRoutes } from './v2-collector-routes.ts';

const database = openDatabase(':memory:', { logger: silentLogger });
database.migrate(timelineMigrations);
const entities = new V2Store(database);
const collector = new Collector({
  database,
  flows: new FlowStore(database),
  entities,
  cluster: 'c',
  clock: new ManualClock(1000),
  lingerMs: 10,
});
const service = createService({
  name: 'collector',
  profile: profiles.reader,
  address: '127.0.0.1:0',
  authenticator: {
    identify: ({ remoteAddress, headers: { 'x-user': user = 'ann', 'x-token': token } }) => ({
      caller: {
        ...{ user: String(user), principal: String(user), anonymous: false, authentication: 'simple', remoteAddress },
        ...(token !== undefined && { restriction: JSON.parse(String(token)) as TokenRestriction }),
      },
    }),
  },
  logger: silentLogger,
});
const clock = new ManualClock(1000);
const figures = new CollectorFigures(clock);
addCollectorRoutes(service, { collector, figures, audit: new AuditLog(silentLogger), mayWrite: () => true });
let url: string;

before(async () => {
  for (const [id, queue] of [
    ['application_1_0001', 'root.etl.nightly'],
    ['application_1_0002', 'root.default'],
    ['application_1_0003', undefined],
  ] as const)
    await collector.system([
      {
        applicationId: id,
        context: { user: 'ann', flow: 'f', run: 1, version: '1' },
        collector: 'start',
        entities: [{ type: 'YARN_APPLICATION', id, createdtime: 1000, ...(queue && { info: { YARN_APPLICATION_QUEUE: queue } }) }],
      },
    ]);
  ({ url } = await service.listen());
});
after(async () => {
  await service.close();
  database.close();
});

async function put(application: string, token: TokenRestriction | undefined, user = 'ann'): Promise<number> {
  const answer = await fetch(`${url}/ws/v2/timeline/entities?appid=${application}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', 'x-user': user, ...(token && { 'x-token': JSON.stringify(token) }) },
    body: JSON.stringify({ entities: [{ type: 'TASK', id: 't' }] }),
  });
  await answer.text();
  return answer.status;
}

it('a token puts entities of applications of its user and its queues alone', async () => {
  const ofEtl = { scope: 'submit', queues: ['root.etl'] } as const;
  assert.equal(await put('application_1_0001', ofEtl), 200);
  assert.equal(await put('application_1_0002', ofEtl), 403);
  assert.equal(await put('application_1_0003', ofEtl), 403, 'whose queue nobody told');
  assert.equal(await put('application_1_0002', { scope: 'submit' }), 200);
  assert.equal(await put('application_1_0002', { scope: 'submit' }, 'bob'), 403, 'another user');
  assert.equal(await put('application_1_0002', { scope: 'admin' }, 'bob'), 200);
  assert.equal(await put('application_1_0002', { scope: 'admin', queues: ['root.etl'] }, 'bob'), 403);
  assert.equal(await put('application_1_0002', undefined, 'bob'), 200);
});

/** Names and order of Hadoop 3.4.2's bean. */
it('puts are counted in windows of ten seconds, by whether their sender waits, those that fail apart', async () => {
  const send = async (query: string, body: string) => {
    const headers = { 'content-type': 'application/json', 'x-user': 'ann' };
    const answer = await fetch(`${url}/ws/v2/timeline/${query}`, { method: 'PUT', headers, body });
    await answer.text();
    return answer.status;
  };
  const entities = JSON.stringify({ entities: [{ type: 'TASK', id: 't' }] });
  clock.advance(20_000);
  assert.equal(await send('entities?appid=application_1_0001', entities), 200);
  assert.equal(await send('entities?appid=application_1_0001&async=true', entities), 200);
  assert.equal(await send('entities?appid=application_1_0001&async=TRUE', entities), 200);
  assert.ok((await send('entities?appid=application_1_0001', '{')) >= 400);
  assert.equal(await send('entities?appid=application_1_0009', entities), 404);
  clock.advance(10_000);
  const { name, attributes } = figures.bean();
  assert.equal(name, 'Hadoop:service=TimelineCollector,name=PerNodeAggTimelineCollectorMetrics');
  const counts = Object.entries(attributes).filter(([key]) => key.endsWith('NumOps'));
  assert.deepEqual(counts, [
    ['AsyncPutEntitiesFailureLatencyNumOps', 0],
    ['AsyncPutEntitiesSuccessLatencyNumOps', 2],
    ['PutEntitiesFailureLatencyNumOps', 1],
    ['PutEntitiesSuccessLatencyNumOps', 1],
  ]);
  assert.equal(Object.keys(attributes).length, 26);
});
