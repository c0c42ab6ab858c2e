// The index of values against a model that keeps all in one list: whatever is added, removed, undone and opened anew, and however runs become one.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { silentLogger } from '../../lib/log.ts';
import { seededRandom } from '../../lib/random.ts';
import { type Database, openDatabase } from '../../storage/sqlite.ts';
import { InfoIndex, type InfoOf } from './info-index.ts';
import { type Position, positionDigits, positionOf, valueDigits, valueHash, valueLength } from './info-key.ts';
import { timelineMigrations } from './migrations.ts';

const type = 't';
const begin = { startMs: Number.MAX_SAFE_INTEGER, id: '', isInclusive: true, afterMs: Number.MIN_SAFE_INTEGER };

function openIndexed(): Database {
  const database = openDatabase(':memory:', { logger: silentLogger });
  database.migrate(timelineMigrations);
  return database;
}

/** In the order of lists: newest first, equal ones by the bytes of their ids. */
const inOrder = (left: Position, right: Position): number =>
  right.startMs - left.startMs || Buffer.compare(Buffer.from(left.id), Buffer.from(right.id));

describe('a key', () => {
  it('is ordered as lists are, and tells where it stands', () => {
    const ids = ['', 'a', 'b', 'é', '￿', '\u{1F600}', 'a\0', 'Z'];
    const starts = [0, 1, -1, -5, 1_700_000_000_000, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER, 0xff, 0x100];
    const positions = starts.flatMap((startMs) => ids.map((id) => ({ startMs, id })));
    assert.deepEqual(positions.map(positionDigits).sort().map(positionOf), positions.toSorted(inOrder));
  });

  it('begins with digits that few values share', () => {
    const made = new Set<string>();
    for (let at = 0; at < 20_000; at++) made.add(valueDigits(valueHash(type, `name${at % 7}`, `${at}`)));
    assert.equal(made.size, 20_000);
    for (const digits of made) assert.equal(digits.length, valueLength);
    // What one part ends with does not begin the next.
    assert.notDeepEqual(valueHash('a', 'bc', 'd'), valueHash('ab', 'c', 'd'));
  });
});

describe('the index', () => {
  const seed = Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_129);

  it(`agrees with a plain list (seed ${seed})`, async () => {
    const random = seededRandom(seed);
    const names = ['common', 'rare', 'single'];
    for (let world = 0; world < 3; world++) {
      const longest = [40, 150, 700][world % 3]!;
      const database = openIndexed();
      let kept: InfoOf[] = [];
      let made = 0;
      const after = (key: number) => kept.filter(({ head }) => head.key > key);
      let index = new InfoIndex(database, after, longest);
      /** What is said of entities whose keys are in runs stands in rows of its own: here it is not said. */
      const canBeAdded = (key: number) => key > index.boundary;
      const expressionOf = (name: string, key: number) => (name === 'common' ? `${key % 3}` : name === 'rare' ? `${key % 200}` : `${key}`);

      for (let step = 0; step < 250; step++) {
        const before = kept;
        const madeBefore = made;
        const fails = random.int(12) === 0;
        const change = () => {
          for (let left = random.int(30); left > 0; left--) {
            made += 1;
            const head = { key: made, type, id: `é${random.int(50)}-${made}`, startMs: made * 10 - random.int(300), domain: 'd' };
            for (const name of names) {
              if (!canBeAdded(head.key)) continue;
              const info = { head, name, expression: expressionOf(name, made) };
              index.add(info);
              kept = [...kept, info];
            }
          }
          for (let left = random.int(4); left > 0 && kept.length > 0; left--) {
            const gone = kept[random.int(kept.length)]!;
            index.remove(gone);
            kept = kept.filter((one) => one !== gone);
            // What is there again, or is told twice, is there once.
            if (random.int(2) === 0 || !canBeAdded(gone.head.key)) continue;
            for (let times = 1 + random.int(2); times > 0; times--) index.add(gone);
            kept = [...kept, gone];
          }
          index.work();
          if (fails) throw new Error('nothing of it is kept');
        };
        if (fails) {
          await assert.rejects(database.write(change));
          kept = before;
          made = madeBefore;
        } else await database.write(change);
        if (random.int(40) === 0) index = new InfoIndex(database, after, longest);
        if (random.int(60) === 0) await database.write(() => index.settle());

        const name = names[random.int(3)]!;
        const expression = expressionOf(name, 1 + random.int(made + 1));
        const from =
          random.int(2) === 0
            ? begin
            : { ...begin, startMs: random.int(made * 10 + 1), id: `é${random.int(50)}`, afterMs: random.int(made * 5 + 1) };
        const most = 1 + random.int(40);
        const wanted = kept
          .filter((one) => one.name === name && one.expression === expression)
          .map(({ head: { startMs, id } }) => ({ startMs, id }))
          .filter((one) => inOrder(one, from) >= 0 && one.startMs > from.afterMs)
          .sort(inOrder)
          .slice(0, most);
        assert.deepEqual(index.find(type, name, expression, from, most), wanted, `world ${world}, step ${step}`);
      }
      database.close();
    }
  });

  it('has few runs, however many keys, and drops those of entities that are gone', async () => {
    const database = openIndexed();
    const index = new InfoIndex(database, () => [], 100);
    const count = (table: string) => Number(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.['count']);
    for (let batch = 0; batch < 1000; batch++)
      await database.write(() => {
        for (let at = 1; at <= 10; at++) {
          const key = batch * 10 + at;
          index.add({ head: { key, type, id: `e${key}`, startMs: key, domain: 'd' }, name: 'n', expression: `${key % 5}` });
        }
        index.work();
      });
    assert.ok(count('info_runs') < 25, `${count('info_runs')} runs`);
    assert.ok(count('info_runs') > 2, `${count('info_runs')} runs`);
    assert.deepEqual(index.find(type, 'n', '2', begin, 3), [
      { startMs: 9997, id: 'e9997' },
      { startMs: 9992, id: 'e9992' },
      { startMs: 9987, id: 'e9987' },
    ]);
    const found = () => index.find(type, 'n', '2', begin, 10_000).length;
    assert.equal(found(), 2000);
    const forget = () => {
      let rows = 0;
      return database
        .write(() => {
          rows = index.forget(8000, 5, 10_000);
        })
        .then(() => rows);
    };
    const runs = count('info_runs');
    while ((await forget()) > 0) assert.ok(count('info_runs') < runs);
    assert.equal(found(), 400);
    const keys = Number(database.prepare('SELECT sum(keys) AS keys FROM info_runs').get()?.['keys']);
    assert.ok(count('info_chunks') <= keys / 20, `${count('info_chunks')} texts of ${keys} keys`);
    // What is put later and started as early stays until it is said to be gone.
    await database.write(() => {
      index.add({ head: { key: 10_001, type, id: 'late', startMs: 7000, domain: 'd' }, name: 'n', expression: '2' });
      index.settle();
    });
    assert.deepEqual([found(), index.find(type, 'n', '2', { ...begin, startMs: 7500 }, 3)], [401, [{ startMs: 7000, id: 'late' }]]);
    // All went: numbers of entities begin anew.
    await database.write(() => index.settle());
    await database.write(() => void index.forget(20_000, 1_000_000, 0));
    assert.deepEqual([count('info_runs'), count('info_chunks'), index.boundary], [0, 0, 0]);
    database.close();
  });

  it('is whole again after a transaction that was undone while it wrote', async () => {
    const database = openIndexed();
    const kept: InfoOf[] = [];
    const index = new InfoIndex(database, (key) => kept.filter(({ head }) => head.key > key), 50);
    const put = (key: number) => {
      const info = { head: { key, type, id: `e${key}`, startMs: key, domain: 'd' }, name: 'n', expression: '1' };
      index.add(info);
      return info;
    };
    await database.write(() => {
      for (let key = 1; key <= 200; key++) kept.push(put(key));
    });
    await assert.rejects(
      database.write(() => {
        put(201);
        index.work();
        throw new Error('nothing of it is kept');
      }),
    );
    const found = () => index.find(type, 'n', '1', begin, 1000).map(({ startMs }) => startMs);
    const all = Array.from({ length: 200 }, (_, at) => 200 - at);
    assert.deepEqual(found(), all);
    for (let turn = 0; turn < 5; turn++) await database.write(() => index.work());
    assert.deepEqual(found(), all);
    assert.equal(index.boundary, 200);
    database.close();
  });

  it('knows again what a change took back that failed behind another of its transaction', async () => {
    const database = openIndexed();
    const all = [1, 2, 3].map((key) => ({ head: { key, type, id: `e${key}`, startMs: key, domain: 'd' }, name: 'n', expression: '1' }));
    let kept: readonly InfoOf[] = [];
    const index = new InfoIndex(database, (key) => kept.filter(({ head }) => head.key > key), 3);
    await database.write(() => {
      kept = all;
      for (const info of all) index.add(info);
    });
    const fails = (change: () => void) =>
      assert.rejects(
        database.write(() => {
          change();
          throw new Error('nothing of it is kept');
        }),
      );
    await Promise.all([
      fails(() => index.work()),
      fails(() => {
        kept = all.slice(1);
        index.remove(all[0]!);
      }),
      database.write(() => {
        kept = all;
      }),
    ]);
    assert.deepEqual(
      index.find(type, 'n', '1', begin, 9).map(({ id }) => id),
      ['e3', 'e2', 'e1'],
    );
    database.close();
  });
});
