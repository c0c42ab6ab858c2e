import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { silentLogger } from '../../lib/log.ts';
import { seededRandom } from '../../lib/random.ts';
import { type Database, openDatabase } from '../../storage/sqlite.ts';
import { anApplication, applicationIdOf, aSubmission, timestampMs } from '../test-support/builders.ts';
import { applicationToText } from './application-document.ts';
import type { FinishedColumn, FinishedFilter, FinishedPlace } from './finished-rows.ts';
import { migrations } from './migrations.ts';
import { ResourceManagerStore } from './resource-manager-store.ts';

const columns: readonly FinishedColumn[] = ['id', 'started_ms', 'finished_ms'];

async function stored(count: number, database: Database) {
  const store = new ResourceManagerStore(database);
  const random = seededRandom(3);
  const pick = <T>(values: readonly T[]): T => values[random.int(values.length)]!;
  const writes = Array.from({ length: count }, (_, i) => {
    const id = applicationIdOf(i + 1);
    const application = anApplication({
      id,
      submission: aSubmission({ applicationId: id, name: pick(['a', 'B', 'ß', '😀', '\uff5e']), type: pick(['SPARK', 'TEZ']) }),
      user: pick(['ann', 'bob']),
      queue: pick(['root.a', 'root.b']),
      priority: random.int(4),
      state: pick(['FINISHED', 'FAILED', 'KILLED']),
      startedMs: timestampMs + random.int(20),
      finishedMs: timestampMs + 20 + random.int(20),
    });
    return store.putFinished(application, undefined, true);
  });
  await Promise.all(writes);
  return store;
}

/** All rows of an order, read in pages of the given size. */
function allOf(store: ResourceManagerStore, column: FinishedColumn, descending: boolean, size: number, filter: FinishedFilter = {}) {
  const rows = [];
  let after: FinishedPlace | undefined;
  for (;;) {
    const page = store.finishedPage(filter, { column, descending }, after, size);
    rows.push(...page);
    const last = page.at(-1);
    if (page.length < size || !last) return rows;
    after = [last[column], last.id];
  }
}

const bytes = (value: string | number): string | number => (typeof value === 'number' ? value : Buffer.from(value).toString('hex'));

describe('pages of ended applications', () => {
  it('give every row once, in the order of a column and then of ids, whatever their size', async () => {
    const store = await stored(150, openDatabase(':memory:', { logger: silentLogger }));
    for (const column of columns) {
      for (const descending of [false, true]) {
        const rows = allOf(store, column, descending, 7);
        const sign = descending ? -1 : 1;
        const sorted = [...rows].sort((a, b) => {
          const [x, y] = [bytes(a[column]), bytes(b[column])];
          return sign * (x < y ? -1 : x > y ? 1 : a.id < b.id ? -1 : 1);
        });
        assert.deepEqual(rows, sorted, column);
        assert.equal(new Set(rows.map(({ id }) => id)).size, 150);
        assert.deepEqual(allOf(store, column, descending, 1000), rows);
      }
    }
    store.close();
  });

  it('keep to filters', async () => {
    const store = await stored(150, openDatabase(':memory:', { logger: silentLogger }));
    const filter = { states: ['FAILED', 'KILLED'], users: ['ann'], types: ['tez'], queues: ['root.b'], startedFromMs: timestampMs + 3 };
    const wanted = allOf(store, 'id', false, 1000)
      .filter(({ state, user, type, queue }) => state !== 'FINISHED' && user === 'ann' && type === 'TEZ' && queue === 'root.b')
      .filter(({ started_ms }) => started_ms >= timestampMs + 3);
    assert.ok(wanted.length > 3);
    assert.deepEqual(allOf(store, 'id', false, 2, filter), wanted);
    assert.deepEqual(
      allOf(store, 'finished_ms', true, 2, filter)
        .map(({ id }) => id)
        .sort(),
      wanted.map(({ id }) => id),
    );
    store.close();
  });

  it('are found by an index: no page sorts and none begins at the first row', () => {
    const database = openDatabase(':memory:', { logger: silentLogger });
    const plans: string[] = [];
    const asked: Database = {
      ...database,
      prepare(sql) {
        if (sql.includes('ORDER BY') && sql.includes('finished_applications')) {
          const parameters = [...sql.matchAll(/\?/g)].map(() => 1);
          for (const step of database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters)) plans.push(String(step['detail']));
        }
        return database.prepare(sql);
      },
    };
    const store = new ResourceManagerStore(asked);
    for (const column of columns) {
      store.finishedPage({ states: ['FAILED'], queues: ['q'] }, { column, descending: true }, [column === 'id' ? 'x' : 1, 'x'], 10);
    }
    assert.deepEqual(
      plans.filter((step) => /TEMP B-TREE FOR ORDER BY/.test(step)),
      [],
    );
    const searches = plans.filter((step) => step.includes('finished_applications'));
    assert.equal(searches.length, columns.length + 1, 'the pages, and those whose logs are awaited');
    assert.deepEqual(
      searches.filter((step) => !/^SEARCH finished_applications USING INDEX/.test(step)),
      [],
    );
    store.close();
  });

  it('prepare a statement once for a combination of filters, not for each value', () => {
    const database = openDatabase(':memory:', { logger: silentLogger });
    let prepared = 0;
    const store = new ResourceManagerStore({
      ...database,
      prepare(sql) {
        prepared++;
        return database.prepare(sql);
      },
    });
    const before = prepared;
    for (let i = 0; i < 50; i++) {
      store.finishedSlice({ states: Array.from({ length: i }, (_, n) => `S${n}`), name: `n${i}` }, i, 1 + i, 'json');
      store.finishedPage({ users: [`u${i}`] }, { column: 'started_ms', descending: true }, [i, 'x'], 1 + i);
      store.newestFinished(['FAILED', `${i}`], 1 + i);
    }
    assert.equal(prepared - before, 3);
    store.close();
  });
});

it('a store of an earlier version has its priorities as a column then', async () => {
  const database = openDatabase(':memory:', { logger: silentLogger });
  database.migrate(migrations.filter(({ id }) => id < 3));
  const put = database.prepare(
    `INSERT INTO finished_applications (id, user, name, queue, type, tags, state, final_status, started_ms, finished_ms, document)
     VALUES (?, 'ann', 'n', 'q', 't', '', 'FINISHED', 'SUCCEEDED', 1, 2, ?)`,
  );
  await database.write(() => {
    put.run('application_1_0001', JSON.stringify({ priority: 7 }));
    put.run('application_1_0002', JSON.stringify({ priority: 3 }));
  });
  const store = new ResourceManagerStore(database);
  assert.deepEqual(
    allOf(store, 'id', false, 5).map(({ id, priority }) => [id, priority]),
    [
      ['application_1_0001', 7],
      ['application_1_0002', 3],
    ],
  );
  store.close();
});

it('a store of an earlier version knows of whose logs a node has not told the end', async () => {
  const database = openDatabase(':memory:', { logger: silentLogger });
  database.migrate(migrations.filter(({ id }) => id < 11));
  const put = database.prepare(
    `INSERT INTO finished_applications (id, user, name, queue, type, tags, state, final_status, started_ms, finished_ms, document)
     VALUES (?, 'ann', 'n', 'q', 't', '', 'FINISHED', 'SUCCEEDED', 1, ?, ?)`,
  );
  const of = (number: number, statuses: readonly ('NOT_START' | 'RUNNING' | 'SUCCEEDED')[], logAggregationEnabled = true) => {
    const logAggregation = new Map(statuses.map((status, node) => [`n${node}:1`, { status, diagnostics: '' }]));
    const application = anApplication({ id: `application_1_000${number}`, state: 'FINISHED', logAggregation, logAggregationEnabled });
    put.run(application.id, number, applicationToText(application, true));
  };
  await database.write(() => {
    of(1, ['SUCCEEDED', 'RUNNING']);
    of(2, ['SUCCEEDED']);
    of(3, ['NOT_START'], false);
    of(4, ['NOT_START']);
    of(5, []);
  });
  const store = new ResourceManagerStore(database);
  assert.deepEqual(
    [3, 4].map((endedByMs) => store.overdueLogs(endedByMs, 10).map(({ id }) => id)),
    [['application_1_0001'], ['application_1_0001', 'application_1_0004']],
  );
  store.close();
});
