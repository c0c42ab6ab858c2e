// A value of another type than its column's, in any column of the store, costs what stands in its row and nothing else.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { columnsOf, quoted, tablesOf } from '../storage/broken-rows.ts';
import { TimelineWorld, toldApplication } from './test-support/timeline-world.ts';

const world = new TimelineWorld();
const call = world.call.bind(world);
const id = toldApplication.applicationId;
let database: DatabaseSync;

before(async () => {
  await world.start();
  database = new DatabaseSync(join(world.dataDir, 'timeline', 'timeline.sqlite'), { timeout: 5000 });
});
after(async () => {
  database.close();
  await world.close();
});

const v2 = '/ws/v2/timeline';
const run = `/clusters/yarn_cluster/users/ann/flows/flow/runs/7`;
const wholeNumbers = Array.from({ length: 3 }, (_, i) => i);

/** Puts something of every kind; what is there already is merged. */
async function fill(): Promise<void> {
  const { publisher, flush } = world.publishing();
  const at = world.clock.now();
  world.created(publisher, 'flow');
  publisher.applicationLaunched(id, at + 1);
  await flush();
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

/** Which servers read a table of the store; of others each may. */
const readersOf = (table: string): readonly string[] =>
  table.startsWith('v2_')
    ? ['reader']
    : /^(entities|views?_?.*|relations|domains|info_.*|insertions)$/.test(table)
      ? ['web']
      : ['web', 'reader'];

async function readAll(table: string, of: string): Promise<void> {
  const readers = readersOf(table);
  for (const [server, path] of reads.filter(([server]) => readers.includes(server))) {
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

test('whatever stands in a column, everything else is read and written', { timeout: 300_000 }, async () => {
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
        await readAll(table, of);
        await fill();
      }
    }
  }
});
