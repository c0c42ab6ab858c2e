// A value of another type than its column's, in any column of the store, costs what stands in its row and nothing else.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { DeliveryQueue } from '../client/delivery-queue.ts';
import { SystemMetricsPublisher } from '../client/system-metrics-publisher.ts';
import { sendEntities, sendSystemWrites } from '../client/timeline-client.ts';
import { loadConfiguration } from '../config/load.ts';
import { ManualClock, systemClock } from '../lib/clock.ts';
import { silentLogger } from '../lib/log.ts';
import { systemRandom } from '../lib/random.ts';
import type { RunningRole } from '../lib/role.ts';
import { columnsOf, quoted, tablesOf } from '../storage/broken-rows.ts';
import { start } from './server.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'heddle-timeline-'));
const clock = new ManualClock(1_795_000_000_000);
const id = 'application_1795000000000_0001';
const containerId = 'container_1795000000000_0001_01_000001';
let role: RunningRole;
let database: DatabaseSync;

before(async () => {
  const set = {
    'yarn.timeline-service.webapp.address': '127.0.0.1:0',
    'yarn.timeline-service.address': '127.0.0.1:0',
    'yarn.timeline-service.reader.webapp.address': '127.0.0.1:0',
    'yarn.timeline-service.collector.bind-port-ranges': '0',
    'yarn.timeline-service.versions': '1.0f,2.0f',
    'yarn.admin.acl': 'boss',
    'heddle.timeline.system-writers': 'boss',
  };
  role = await start(loadConfiguration({ dataDir, set }), { logger: silentLogger, clock, random: systemRandom });
  database = new DatabaseSync(join(dataDir, 'timeline', 'timeline.sqlite'), { timeout: 5000 });
});
after(async () => {
  database.close();
  await role.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function call(server: string, method: string, path: string, body?: unknown) {
  const url = new URL(`${role.addresses[server]}${path}`);
  url.searchParams.set('user.name', 'boss');
  const answer = await fetch(url, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  return { status: answer.status, text: await answer.text() };
}

const v2 = '/ws/v2/timeline';
const run = `/clusters/yarn_cluster/users/ann/flows/flow/runs/7`;
const wholeNumbers = Array.from({ length: 3 }, (_, i) => i);

/** Puts something of every kind; what is there already is merged. */
async function fill(): Promise<void> {
  const target = { url: role.addresses['web'] ?? '', user: 'boss', logger: silentLogger };
  const queue = <Message>(name: string, send: typeof sendEntities) =>
    new DeliveryQueue<Message>({
      name,
      clock: systemClock,
      logger: silentLogger,
      send: (messages) => send(target, messages.map((message) => JSON.stringify(message)).join(',')),
    });
  const queues = [queue('version 1', sendEntities), queue('version 2', sendSystemWrites)] as const;
  const publisher = new SystemMetricsPublisher({ version1: queues[0], version2: queues[1], containers: true });
  const at = clock.now();
  publisher.applicationCreated({
    applicationId: id,
    name: 'job',
    type: 'TEST',
    user: 'ann',
    queue: 'root.default',
    submittedTimeMs: at,
    createdTimeMs: at,
    tags: ['timeline_flow_name_tag:flow', 'timeline_flow_run_id_tag:7', 'timeline_flow_version_tag:3'],
    unmanaged: false,
    priority: 0,
    launchCommands: ['run'],
  });
  publisher.containerCreated({
    containerId,
    attemptId: 'appattempt_1795000000000_0001_000001',
    createdTimeMs: at,
    memoryMiB: 1,
    vcores: 1,
    host: 'n',
    port: 1,
    priority: 0,
    nodeHttpAddress: 'http://n:2',
  });
  publisher.applicationLaunched(id, at + 1);
  await Promise.all(queues.map((one) => one.idle()));
  const events = (text: string) => [{ timestamp: at, eventtype: 'x', eventinfo: { text } }];
  // The long one has its parts in rows of their own.
  const entities = wholeNumbers.map((n) => ({
    entity: `e${n}`,
    entitytype: 't',
    starttime: at + n,
    otherinfo: { n, text: 'x'.repeat(n === 2 ? 70_000 : 1) },
    primaryfilters: { f: ['v'] },
    relatedentities: { r: ['other'] },
    events: events('x'.repeat(n === 2 ? 70_000 : 1)),
  }));
  assert.equal((await call('web', 'PUT', '/ws/v1/timeline/domain', { id: 'd', readers: '*', writers: '*' })).status, 200);
  assert.equal((await call('web', 'POST', '/ws/v1/timeline', { entities })).status, 200);
  const ofJob = wholeNumbers.map((n) => ({
    type: 'JOB',
    id: `j${n}`,
    idprefix: n,
    createdtime: at,
    info: { n },
    configs: { c: 'v' },
    metrics: [{ id: 'm', type: 'TIME_SERIES', values: { 1: 5, 2: 6 } }],
    events: [{ id: 'x', timestamp: at, info: { n } }],
    relatesto: { r: ['other'] },
    isrelatedto: { r: ['other'] },
  }));
  for (const query of ['', '&subappwrite=true'])
    assert.equal((await call('collector', 'PUT', `${v2}/entities?appid=${id}${query}`, { entities: ofJob })).status, 200);
}

const reads: readonly (readonly [server: string, path: string])[] = [
  ['web', '/ws/v1/timeline/t'],
  ['web', '/ws/v1/timeline/t?primaryFilter=f:v'],
  ['web', '/ws/v1/timeline/t?secondaryFilter=n:1'],
  ['web', '/ws/v1/timeline/t?fromTs=1795000000000&fromId=e1'],
  ['web', '/ws/v1/timeline/t/e0'],
  ['web', '/ws/v1/timeline/t/e2'],
  ['web', '/ws/v1/timeline/t/events?entityId=e0,e1,e2'],
  ['web', '/ws/v1/timeline/r/other'],
  ['web', '/ws/v1/timeline/domain?owner=boss'],
  ['web', '/ws/v1/timeline/domain/d'],
  ['web', '/api/v1/timeline/types'],
  ['web', '/ws/v1/applicationhistory/apps'],
  ['web', `/ws/v1/applicationhistory/apps/${id}`],
  ['web', `/ws/v1/applicationhistory/apps/${id}/appattempts`],
  ['reader', `${v2}/clusters/yarn_cluster/flows`],
  ['reader', `${v2}/clusters/yarn_cluster/users/ann/flows/flow/runs?fields=ALL`],
  ['reader', `${v2}${run}`],
  ['reader', `${v2}${run}/apps?fields=ALL`],
  ['reader', `${v2}/clusters/yarn_cluster/apps/${id}?fields=ALL`],
  ['reader', `${v2}/clusters/yarn_cluster/apps/${id}/entities/JOB?fields=ALL&metricslimit=9`],
  ['reader', `${v2}/clusters/yarn_cluster/apps/${id}/entities/JOB/j1?fields=ALL`],
  ['reader', `${v2}/clusters/yarn_cluster/apps/${id}/entity-types`],
  ['reader', `${v2}/clusters/yarn_cluster/users/boss/entities/JOB?fields=ALL`],
];

async function readAll(of: string): Promise<void> {
  for (const [server, path] of reads) {
    const { status, text } = await call(server, 'GET', path);
    assert.ok(status < 500, `${path} with ${of}: ${status} ${text}`);
  }
}

/** What a column may hold that its type says nothing of. */
const unfit: Readonly<Record<string, readonly string[]>> = {
  INTEGER: ["'no number'", '4611686018427387904'],
  TEXT: ["x'00'"],
  BLOB: ["'no bytes'"],
};

test('whatever stands in a column, everything else is read and written', { timeout: 120_000 }, async () => {
  await fill();
  for (const [, path] of reads.filter(([server]) => server === 'reader'))
    assert.equal((await call('reader', 'GET', path)).status, 200, path);
  for (const table of tablesOf(database)) {
    for (const { name, type } of columnsOf(database, table)) {
      // An id of a row takes no other type.
      const isRowId =
        name === 'rowid' ||
        database.prepare(`SELECT 1 FROM pragma_table_info('${table}') WHERE name = ? AND pk = 1 AND type = 'INTEGER'`).get(name) !==
          undefined;
      for (const value of isRowId ? [] : (unfit[type] ?? [])) {
        const of = `${value} in ${table}.${name}`;
        database.exec(`UPDATE OR REPLACE ${quoted(table)} SET ${quoted(name)} = ${value}`);
        await readAll(of);
        await fill();
      }
    }
  }
});
