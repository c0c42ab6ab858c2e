// Domains, flows, entities of version 2, tokens and retention in a real database.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { seededRandom } from '../../lib/random.ts';
import { type Database, openDatabase } from '../../storage/sqlite.ts';
import { parseExact } from '../../wire/timeline/exact-json.ts';
import { DomainStore } from './domain-store.ts';
import { EntityStore } from './entity-store.ts';
import { dayMs, FlowStore } from './flow-store.ts';
import { atOnce } from './gradually.ts';
import { timelineMigrations } from './migrations.ts';
import { startRetention } from './retention.ts';
import { timelineTokenStore } from './token-store.ts';
import { prefixNumber, sortablePrefix, V2Store } from './v2-store.ts';

function aDatabase(file = ':memory:'): Database {
  const database = openDatabase(file, { logger: silentLogger });
  database.migrate(timelineMigrations);
  return database;
}

describe('domains', () => {
  it('keep their creation time when they are replaced, and are read anew', async () => {
    const database = aDatabase();
    const store = new DomainStore(database);
    assert.equal(store.get('d'), undefined);
    await database.write(() => store.put({ id: 'd', owner: 'ann', description: '', readers: 'bob', writers: '' }, 5));
    assert.deepEqual(store.get('d'), {
      id: 'd',
      description: undefined,
      owner: 'ann',
      readers: 'bob',
      writers: undefined,
      createdtime: 5,
      modifiedtime: 5,
    });
    await database.write(() => store.put({ id: 'd', owner: 'ann', description: 'of ann', writers: '*' }, 9));
    const { readers, writers, description, createdtime, modifiedtime } = store.get('d') ?? {};
    assert.deepEqual(
      { readers, writers, description, createdtime, modifiedtime },
      {
        readers: undefined,
        writers: '*',
        description: 'of ann',
        createdtime: 5,
        modifiedtime: 9,
      },
    );
  });

  it('are listed by owner, the newest first, and equal ones by id', async () => {
    const database = aDatabase();
    const store = new DomainStore(database);
    await database.write(() => {
      for (const [id, atMs] of [
        ['b', 1],
        ['a', 1],
        ['c', 3],
      ] as const)
        store.put({ id, owner: 'ann' }, atMs);
      store.put({ id: 'x', owner: 'bob' }, 2);
    });
    assert.deepEqual(
      store.ofOwner('ann').map(({ id }) => id),
      ['c', 'a', 'b'],
    );
    assert.deepEqual(store.ofOwner('carl'), []);
  });

  it('stay right when there are more than memory keeps', async () => {
    const database = aDatabase();
    const store = new DomainStore(database);
    await database.write(() => {
      for (let i = 0; i < 1500; i++) store.put({ id: `d${i}`, owner: `o${i}` }, i);
    });
    for (let i = 0; i < 1500; i++) assert.equal(store.get(`d${i}`)?.owner, `o${i}`);
    await database.write(() => store.put({ id: 'd7', owner: 'other' }, 2000));
    assert.equal(store.get('d7')?.owner, 'other');
  });
});

describe('flows', () => {
  const context = (run: number, sequence: number, flow = 'f') => ({
    cluster: 'c',
    user: 'ann',
    flow,
    run,
    application: `application_1_${String(sequence).padStart(4, '0')}`,
    version: '1',
    timestamp: 1,
    sequence,
  });

  it('begin with their first application and end with the last that ended', async () => {
    const database = aDatabase();
    const store = new FlowStore(database);
    await database.write(() => {
      store.putApplication(context(7, 1), 200);
      store.putApplication(context(7, 2), 100);
    });
    assert.deepEqual(
      { ...store.run('c', 'ann', 'f', 7) },
      { cluster: 'c', user: 'ann', flow: 'f', run: 7, startedMs: 100, finishedMs: null },
    );
    await database.write(() => {
      store.finishApplication(context(7, 1), 900);
      store.finishApplication(context(7, 2), 500);
    });
    assert.equal(store.run('c', 'ann', 'f', 7)?.finishedMs, 900);
    assert.equal(store.run('c', 'ann', 'f', 8), undefined);
  });

  it('keep the first flow of an application', async () => {
    const database = aDatabase();
    const store = new FlowStore(database);
    await database.write(() => {
      store.putApplication(context(1, 1, 'first'), 1);
      store.putApplication(context(2, 1, 'second'), 2);
    });
    assert.equal(store.contextOf('c', 'application_1_0001')?.flow, 'first');
    assert.equal(store.contextOf('other', 'application_1_0001'), undefined);
  });

  it('list applications and runs the newest first, and go on from a given one', async () => {
    const database = aDatabase();
    const store = new FlowStore(database);
    await database.write(() => {
      for (const run of [1, 2, 3])
        for (const sequence of [run * 10, run * 10 + 1]) store.putApplication(context(run, sequence), run * 1000);
    });
    const flow = { cluster: 'c', user: 'ann', flow: 'f' };
    const sequences = (found: Iterable<{ application: string }>) => [...found].map(({ application }) => Number(application.slice(-4)));
    assert.deepEqual(sequences(store.applications(flow)), [31, 30, 21, 20, 11, 10]);
    assert.deepEqual(sequences(store.applications({ ...flow, run: 2 })), [21, 20]);
    assert.deepEqual(sequences(store.applications(flow, { run: 2, timestamp: 1, sequence: 20 })), [20, 11, 10]);
    const runs = (range: { fromRun?: number; startMs?: number; endMs?: number; limit?: number }) =>
      [...store.runs(flow, { startMs: 0, endMs: 9999, limit: 9, ...range })].map(({ run }) => run);
    assert.deepEqual(runs({}), [3, 2, 1]);
    assert.deepEqual(runs({ fromRun: 2 }), [2, 1]);
    assert.deepEqual(runs({ startMs: 2000, endMs: 2999 }), [2]);
    assert.deepEqual(runs({ limit: 1 }), [3]);
  });

  it('are active on the days on which an application of theirs began or ended', async () => {
    const database = aDatabase();
    const store = new FlowStore(database);
    await database.write(() => {
      store.putApplication(context(1, 1), dayMs + 5);
      store.putApplication(context(2, 2), dayMs + 6);
      store.putApplication(context(1, 3, 'g'), 3 * dayMs);
      store.finishApplication(context(1, 1), 3 * dayMs + 1);
    });
    const days = (range: Partial<Parameters<FlowStore['activity']>[1]> = {}) =>
      Array.from(store.activity('c', { startDayMs: 0, endDayMs: 9 * dayMs, limit: 9, ...range }), ({ dayMs: day, flow, runs }) => [
        day / dayMs,
        flow,
        runs.map(({ run }) => run).join(),
      ]);
    assert.deepEqual(days(), [
      [3, 'f', '1'],
      [3, 'g', '1'],
      [1, 'f', '1,2'],
    ]);
    assert.deepEqual(days({ from: { dayMs: 3 * dayMs, user: 'ann', flow: 'g' } }), [
      [3, 'g', '1'],
      [1, 'f', '1,2'],
    ]);
    assert.deepEqual(days({ endDayMs: 2 * dayMs }), [[1, 'f', '1,2']]);
    assert.deepEqual(days({ limit: 1 }), [[3, 'f', '1']]);
  });

  it('take entities while the collector of the application is open', async () => {
    const database = aDatabase();
    const store = new FlowStore(database);
    const id = 'application_1_0001';
    await database.write(() => store.putApplication(context(1, 1), 1));
    assert.equal(store.collectorOpen('c', id, 0), false);
    await database.write(() => store.setCollector('c', id, 100));
    assert.deepEqual(
      [store.collectorOpen('c', id, 100), store.collectorOpen('c', id, 101), store.collectorOpen('x', id, 1)],
      [true, false, false],
    );
  });
});

describe('entities of version 2', () => {
  it('merge by key: created, info, configuration, points of metrics, events and relations', async () => {
    const database = aDatabase();
    const store = new V2Store(database);
    await database.write(() => {
      store.put('s', {
        type: 't',
        id: 'e',
        createdtime: 5,
        info: { a: 1, none: null },
        configs: { c: 'x' },
        metrics: [{ id: 'm', values: { '10': 1, '20': 2, soon: 3 } }],
        events: [{ id: 'E', timestamp: 1, info: { k: 'v' } }],
        relatesto: { u: ['1'] },
      });
      store.put('s', {
        type: 't',
        id: 'e',
        createdtime: 6,
        info: { a: 2, b: 3 },
        configs: { d: 'y' },
        metrics: [{ id: 'm', values: { '20': 5, '30': 6 } }],
        events: [
          { id: 'F', timestamp: 2 },
          { id: 'E', timestamp: 1, info: { l: 1 } },
        ],
        relatesto: { u: ['2'] },
        isrelatedto: { v: ['3'] },
      });
    });
    const head = store.find('s', 't', 'e');
    assert.equal(head?.createdMs, 6);
    const key = head?.key ?? 0;
    assert.deepEqual(atOnce(store.info(key)), { a: 2, b: 3 });
    assert.deepEqual([store.infoOf(key, 'a'), store.infoOf(key, 'none'), store.configOf(key, 'd')], [2, undefined, 'y']);
    assert.deepEqual(atOnce(store.configs(key)), { c: 'x', d: 'y' });
    const range = { limit: 9, startMs: 0, endMs: 99 };
    assert.deepEqual(atOnce(store.metrics(key, range)), [
      {
        id: 'm',
        points: [
          { timestampMs: 30, value: 6 },
          { timestampMs: 20, value: 5 },
          { timestampMs: 10, value: 1 },
        ],
      },
    ]);
    assert.deepEqual(atOnce(store.metrics(key, { ...range, limit: 1, endMs: 25 }))[0]?.points, [{ timestampMs: 20, value: 5 }]);
    assert.deepEqual(atOnce(store.metrics(key, { ...range, wanted: () => false })), []);
    assert.deepEqual([store.newestOf(key, 'm'), store.newestOf(key, 'other')], [6n, undefined]);
    assert.deepEqual(
      atOnce(store.events(key)).map(({ id }) => id),
      ['F', 'E'],
    );
    assert.deepEqual(atOnce(store.events(key))[1]?.info, { k: 'v', l: 1 });
    assert.deepEqual([store.hasEvent(key, 'E'), store.hasEvent(key, 'G')], [true, false]);
    // Relations of a type are replaced, as HBase replaces a column.
    assert.deepEqual([store.relations(key, 'to'), store.relations(key, 'by')], [{ u: ['2'] }, { v: ['3'] }]);
  });

  it('of applications add the newest value of each metric to those of their run, whatever the order and however often', async () => {
    const seed = Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_123);
    const random = seededRandom(seed);
    const database = aDatabase();
    const store = new V2Store(database);
    const points = new Map<string, Map<number, number>>();
    for (let put = 0; put < 200; put++) {
      const [id, metric] = [`application_${random.int(4)}`, `m${random.int(3)}`];
      const values = Object.fromEntries(Array.from({ length: random.int(3) }, () => [random.int(20), random.int(1000) - 500]));
      await database.write(() =>
        store.putApplication('s', { type: 'YARN_APPLICATION', id, idprefix: 0, metrics: [{ id: metric, values }] }),
      );
      const known = points.get(`${metric} ${id}`) ?? new Map();
      for (const [time, value] of Object.entries(values)) known.set(Number(time), value);
      points.set(`${metric} ${id}`, known);
    }
    const sums = [2, 1, 0].map((number) => {
      const series = [...points].filter(([name]) => name.startsWith(`m${number} `)).map(([, series]) => series);
      const newest = series.flatMap((one) =>
        one.size === 0 ? [] : [Math.max(...one.keys())].map((at) => ({ at, value: one.get(at) ?? 0 })),
      );
      return {
        id: `m${number}`,
        timestampMs: Math.max(...newest.map(({ at }) => at)),
        value: newest.reduce((sum, { value }) => sum + value, 0),
      };
    });
    assert.deepEqual(
      store.runMetrics('s').map((one) => ({ ...one })),
      sums,
      `seed ${seed}`,
    );
    assert.deepEqual(store.runMetrics('other'), []);
  });

  it('are kept apart by scope, type and prefix, and listed by prefix and id from a given one on', async () => {
    const database = aDatabase();
    const store = new V2Store(database);
    await database.write(() => {
      for (const [prefix, id] of [
        [2, 'b'],
        [1, 'z'],
        [2, 'a'],
        [-1, 'n'],
      ] as const)
        store.put('s', { type: 't', id, idprefix: prefix });
      for (const type of ['u', 'v', '', 'u']) store.put('other', { type, id: `b${type}` });
    });
    assert.deepEqual(
      [...store.list('s', 't')].map(({ id }) => id),
      ['z', 'a', 'b', 'n'],
    );
    assert.deepEqual(
      [...store.list('s', 't', { prefix: sortablePrefix(2), id: 'b' })].map(({ id }) => id),
      ['b', 'n'],
    );
    assert.deepEqual([store.types('s'), store.types('other'), store.types('none')], [['t'], ['', 'u', 'v'], []]);
    assert.equal(store.find('s', 't', 'a', sortablePrefix(1)), undefined);
    assert.equal(store.find('s', 't', 'a', sortablePrefix(2))?.id, 'a');
  });

  it('sort prefixes as unsigned 64-bit numbers and give them back as signed ones', () => {
    const random = seededRandom(7);
    const numbers = [0n, 1n, -1n, 2n ** 63n - 1n, -(2n ** 63n)];
    for (let i = 0; i < 200; i++) numbers.push(BigInt.asIntN(64, BigInt(`0x${random.bytes(8).toString('hex')}`)));
    const sortable = numbers.map((number) => sortablePrefix(parseExact(String(number))));
    numbers.forEach((number, i) => assert.equal(prefixNumber(sortable[i] ?? ''), number));
    const byText = numbers.map((number, i) => ({ number, text: sortable[i] ?? '' })).sort((a, b) => (a.text < b.text ? -1 : 1));
    const unsigned = byText.map(({ number }) => BigInt.asUintN(64, number));
    assert.deepEqual(
      unsigned,
      [...unsigned].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)),
    );
    assert.equal(sortablePrefix('no number'), sortablePrefix(0));
  });
});

describe('tokens and their keys', () => {
  const identifier = {
    owner: 'ann',
    renewer: 'bob',
    realUser: '',
    issueDate: 10,
    maxDate: 20,
    sequenceNumber: 3,
    masterKeyId: 1,
  };

  it('are in the file when the call returns, and sequence numbers are never given again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'heddle-tokens-'));
    try {
      const file = join(folder, 'timeline.sqlite');
      const first = aDatabase(file);
      const store = timelineTokenStore(first);
      await store.putKey({ id: 1, secret: Buffer.from('secret'), createdMs: 5, mechanism: 'kerberos' });
      await store.putToken({ identifier, renewBeforeMs: 15 });
      // Another connection sees it before anything was closed.
      const second = aDatabase(file);
      const { keys, tokens, lastSequenceNumber } = timelineTokenStore(second).load();
      assert.deepEqual(keys, [{ id: 1, secret: Buffer.from('secret'), createdMs: 5, mechanism: 'kerberos' }]);
      assert.deepEqual(
        tokens.map((token) => [token.identifier.owner, token.identifier.renewer, token.renewBeforeMs]),
        [['ann', 'bob', 15]],
      );
      assert.equal(lastSequenceNumber, 3);
      await store.removeToken(3);
      await store.removeKey(1);
      assert.deepEqual(timelineTokenStore(second).load(), { keys: [], tokens: [], lastSequenceNumber: 3 });
      first.close();
      second.close();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('retention', () => {
  async function aRetention(count: number, biteSize: number) {
    const database = aDatabase();
    const entities = new EntityStore(database);
    const clock = new ManualClock(1_000_000);
    await database.write(() => {
      entities.put(
        Array.from({ length: count }, (_, i) => ({ entity: `e${i}`, entitytype: 't', domain: 'd', starttime: 999_000 + i * 100 })),
        1,
      );
    });
    const left = () => (database.prepare('SELECT count(*) AS count FROM entities').get() as { count: number }).count;
    const retention = startRetention({ database, entities, clock, logger: silentLogger, ttlMs: 500, intervalMs: 60_000, biteSize });
    return { clock, left, retention, database };
  }

  it('deletes what is older than the time to live, in as many bites as it takes', async () => {
    // An entity without anything is two rows.
    const { retention, left, clock } = await aRetention(10, 4);
    // The first pass began at once; closing waits for the bite in progress and leaves the rest.
    await retention.close();
    assert.equal(left(), 8);
    assert.equal(await retention.pass(), 4);
    assert.equal(left(), 4);
    clock.advance(200);
    assert.equal(await retention.pass(), 2);
  });

  it('comes again after the interval, until it is stopped', async () => {
    const { retention, clock, left, database } = await aRetention(10, 100);
    const turn = async () => {
      await new Promise((done) => setImmediate(done));
      database.flush();
      await new Promise((done) => setImmediate(done));
    };
    clock.advance(0);
    await turn();
    assert.equal(left(), 4);
    clock.advance(60_000);
    await turn();
    assert.equal(left(), 0);
    await retention.close();
  });
});
