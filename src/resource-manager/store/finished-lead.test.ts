import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { silentLogger } from '../../lib/log.ts';
import { type Random, seededRandom } from '../../lib/random.ts';
import { type Database, openDatabase } from '../../storage/sqlite.ts';
import type { Application } from '../applications/application.ts';
import { anApplication, applicationIdOf, aSubmission } from '../test-support/builders.ts';
import type { FinishedBrief, FinishedFilter } from './finished-rows.ts';
import { migrations } from './migrations.ts';
import { ResourceManagerStore } from './resource-manager-store.ts';

const states = ['FINISHED', 'FAILED', 'KILLED'] as const;

const pick = <T>(random: Random, of: readonly T[]): T => of[random.int(of.length)]!;

function ended(sequence: number, random: Random, more: Partial<Application> = {}): Application {
  const id = applicationIdOf(sequence);
  const [type, name] = [pick(random, ['SPARK', 'Tez', 'yarn']), pick(random, ['job', 'other'])];
  const tags = ['x', 'Y', 'prod'].filter(() => random.int(2) === 0);
  return anApplication({
    id,
    user: pick(random, ['ann', 'bob', 'eve']),
    queue: pick(random, ['root.a', 'root.b']),
    state: pick(random, states),
    startedMs: random.int(60),
    finishedMs: 1 + random.int(60),
    submission: aSubmission({ applicationId: id, type, name, tags }),
    ...more,
  });
}

/** Every row of a filter, slice by slice. */
function rowsOf(store: ResourceManagerStore, filter: FinishedFilter, lead: ReturnType<ResourceManagerStore['finishedLead']>, size: number) {
  const rows: FinishedBrief[] = [];
  for (;;) {
    const slice = store.finishedSlice(filter, rows.at(-1)?.number ?? 0, size, 'none', lead);
    rows.push(...slice);
    if (slice.length < size) return rows;
  }
}

function randomFilter(random: Random): FinishedFilter {
  const some = <T>(of: readonly T[]): T[] => of.filter(() => random.int(2) === 0);
  const asked = () => random.int(3) === 0;
  return {
    ...(asked() ? { states: some(states) } : {}),
    ...(asked() ? { users: some(['ann', 'bob']) } : {}),
    ...(asked() ? { types: some(['spark', 'tez']) } : {}),
    ...(asked() ? { queues: ['root.a'] } : {}),
    ...(asked() ? { tags: some(['x', 'y', 'none']) } : {}),
    ...(asked() ? { name: 'job' } : {}),
    ...(asked() ? { finishedFromMs: random.int(60) } : {}),
    ...(asked() ? { finishedToMs: random.int(60) } : {}),
    ...(asked() ? { startedFromMs: random.int(60), startedToMs: 40 } : {}),
  };
}

const hasTag = ({ tags }: FinishedBrief, asked: readonly string[] | undefined) =>
  asked === undefined || tags.split(',').some((tag) => asked.includes(tag.toLowerCase()));

describe('lists of ended applications by an index', () => {
  it('have the rows that a look at all finds, in the same order, in slices of any size', async () => {
    const random = seededRandom(11);
    const store = new ResourceManagerStore(openDatabase(':memory:', { logger: silentLogger }));
    await Promise.all(Array.from({ length: 300 }, (_, i) => store.putFinished(ended(i + 1, random), undefined, true)));
    for (let round = 0; round < 300; round++) {
      const filter = randomFilter(random);
      const lead = store.finishedLead(filter);
      const numbers = (rows: readonly FinishedBrief[]) => rows.filter((row) => hasTag(row, filter.tags)).map(({ number }) => number);
      const all = numbers(rowsOf(store, filter, undefined, 1000));
      assert.deepEqual(numbers(rowsOf(store, filter, lead, 1 + random.int(30))), all, `round ${round}: ${JSON.stringify(filter)}`);
    }
    store.close();
  });

  it('are led by what leaves fewest, and read no more than that', async () => {
    const database = openDatabase(':memory:', { logger: silentLogger });
    const plans: string[] = [];
    const explained: Database = {
      ...database,
      prepare(sql) {
        if (sql.includes('ORDER BY number')) {
          const parameters = [...sql.matchAll(/\?/g)].map(() => 1);
          plans.push(
            ...database
              .prepare(`EXPLAIN QUERY PLAN ${sql}`)
              .all(...parameters)
              .map((step) => String(step['detail'])),
          );
        }
        return database.prepare(sql);
      },
    };
    const random = seededRandom(5);
    const store = new ResourceManagerStore(explained);
    const rare = { user: 'rare', submission: aSubmission({ applicationId: applicationIdOf(7), tags: ['Rare'] }), finishedMs: 900 };
    await Promise.all(Array.from({ length: 200 }, (_, i) => store.putFinished(ended(i + 1, random, i === 6 ? rare : {}), undefined, true)));
    for (const filter of [{ users: ['rare'] }, { tags: ['rare'] }, { finishedFromMs: 800 }] satisfies FinishedFilter[]) {
      plans.length = 0;
      const asked: FinishedFilter = { states: ['FINISHED', 'FAILED', 'KILLED'], queues: ['root.a', 'root.b'], ...filter };
      const rows = rowsOf(store, asked, store.finishedLead(asked), 10);
      assert.deepEqual(
        rows.map(({ id }) => id),
        [applicationIdOf(7)],
      );
      assert.deepEqual(
        plans.filter((step) => /^SCAN finished|TEMP B-TREE/.test(step)),
        [],
      );
    }
    store.close();
  });

  it('are counted by state and type, whatever is written again and forgotten', async () => {
    const random = seededRandom(9);
    const database = openDatabase(':memory:', { logger: silentLogger });
    const store = new ResourceManagerStore(database);
    for (let i = 0; i < 200; i++) await store.putFinished(ended(1 + random.int(60), random, {}), undefined, true);
    const counted = () =>
      store
        .finishedStatistics()
        .map(({ state, type, count }) => `${state} ${type} ${count}`)
        .sort();
    const scanned = () =>
      (
        database.prepare('SELECT state, type, count(*) AS count FROM finished_applications GROUP BY state, type').all() as {
          state: string;
          type: string;
          count: number;
        }[]
      )
        .map(({ state, type, count }) => `${state} ${type} ${count}`)
        .sort();
    assert.deepEqual(counted(), scanned());
    await store.trimFinished(30, 25);
    assert.ok(scanned().length > 0);
    assert.deepEqual(counted(), scanned());
    const orphans = database
      .prepare('SELECT count(*) AS count FROM finished_tags WHERE number NOT IN (SELECT number FROM finished_applications)')
      .get();
    assert.equal(orphans?.['count'], 0);
    store.close();
  });

  it('have the tags and counts of a store of an earlier version', async () => {
    const database = openDatabase(':memory:', { logger: silentLogger });
    database.migrate(migrations.filter(({ id }) => id < 8));
    const put = database.prepare(
      `INSERT INTO finished_applications (id, user, name, queue, type, tags, state, final_status, started_ms, finished_ms, document)
       VALUES (?, 'ann', 'n', 'q', 'YARN', ?, 'FINISHED', 'SUCCEEDED', 1, 2, '{}')`,
    );
    await database.write(() => ['', 'One', 'one,two', 'two,three four'].forEach((tags, i) => void put.run(applicationIdOf(i), tags)));
    const store = new ResourceManagerStore(database);
    const tagged = (tag: string) => rowsOf(store, { tags: [tag] }, store.finishedLead({ tags: [tag] }), 2).map(({ id }) => id);
    assert.deepEqual(
      ['one', 'two', 'three four', 'x'].map(tagged),
      [[1, 2], [2, 3], [3], []].map((all) => all.map(applicationIdOf)),
    );
    assert.deepEqual(
      store.finishedStatistics().map((row) => ({ ...row })),
      [{ state: 'FINISHED', type: 'YARN', count: 4 }],
    );
    store.close();
  });
});
