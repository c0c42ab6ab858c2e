// The entity store against a model that keeps everything in plain arrays: whatever is put in whatever order, reads and lists agree.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { silentLogger } from '../../lib/log.ts';
import { type Random, seededRandom } from '../../lib/random.ts';
import { openDatabase } from '../../storage/sqlite.ts';
import { type JsonValue, putErrorCodes, type TimelineEntity } from '../../wire/timeline/entity.ts';
import { type EntityField, noStartMs } from './entity-query.ts';
import { type EntityPut, EntityStore } from './entity-store.ts';
import { timelineMigrations } from './migrations.ts';

const everything: ReadonlySet<EntityField> = new Set(['EVENTS', 'RELATEDENTITIES', 'PRIMARYFILTERS', 'OTHERINFO']);
const nothing: ReadonlySet<EntityField> = new Set();
const visible = (): boolean => true;

function aStore(sizes: { longest?: number; longestTail?: number } = {}) {
  const database = openDatabase(':memory:', { logger: silentLogger });
  database.migrate(timelineMigrations);
  const store = new EntityStore(database, sizes);
  return {
    database,
    store,
    /** Puts in a change of its own and gives the errors. */
    async put(entities: readonly EntityPut[], nowMs = 1000) {
      let errors: ReturnType<EntityStore['put']> = [];
      await database.write(() => {
        errors = store.put(entities, nowMs);
      });
      return errors;
    },
  };
}

const entity = (id: string, more: Partial<EntityPut> = {}): EntityPut => ({
  entity: id,
  entitytype: 't',
  domain: 'd',
  starttime: 10,
  ...more,
});
/** The times of the events of each entity. */
function joined(parts: ReturnType<EntityStore['events']>): [id: string, times: number[]][] {
  const times = new Map<string, number[]>();
  for (const part of parts)
    if (part) times.set(part.entity, [...(times.get(part.entity) ?? []), ...part.events.map(({ timestamp }) => timestamp)]);
  return [...times];
}
const idsOf = (entities: readonly TimelineEntity[]): string[] => entities.map(({ entity: id }) => id);

describe('one entity', () => {
  it('is read with exactly the parts that are asked for', async () => {
    const { store, put } = aStore();
    await put([
      entity('a', {
        events: [
          { timestamp: 3, eventtype: 'STARTED', eventinfo: { on: 'n1' } },
          { timestamp: 7, eventtype: 'ENDED' },
        ],
        primaryfilters: { user: ['ann', 'bob'] },
        otherinfo: { size: 5, nested: { list: [1, 'x', null] } },
        relatedentities: { job: ['j1'] },
      }),
    ]);
    assert.deepEqual(store.get('t', 'a', nothing), { entitytype: 't', entity: 'a', starttime: 10, domain: 'd' });
    assert.deepEqual(store.get('t', 'a', new Set<EntityField>(['LASTEVENTONLY']))?.events, [
      { timestamp: 7, eventtype: 'ENDED', eventinfo: {} },
    ]);
    assert.deepEqual(store.get('t', 'a', new Set<EntityField>(['EVENTS', 'LASTEVENTONLY']))?.events, [
      { timestamp: 7, eventtype: 'ENDED', eventinfo: {} },
      { timestamp: 3, eventtype: 'STARTED', eventinfo: { on: 'n1' } },
    ]);
    assert.deepEqual(store.get('t', 'a', new Set<EntityField>(['PRIMARYFILTERS']))?.primaryfilters, { user: ['ann', 'bob'] });
    assert.deepEqual(store.get('t', 'a', new Set<EntityField>(['OTHERINFO']))?.otherinfo, { size: 5, nested: { list: [1, 'x', null] } });
    // The relation is recorded on the entity that is named.
    assert.deepEqual(store.get('t', 'a', everything)?.relatedentities, {});
    assert.deepEqual(store.get('job', 'j1', everything)?.relatedentities, { t: ['a'] });
  });

  it('keeps its first start time, the earliest event where it names none, and Long.MAX_VALUE where it has neither', async () => {
    const { store, put } = aStore();
    await put([entity('named', { starttime: 5 }), entity('named', { starttime: 1 })]);
    assert.equal(store.head('t', 'named')?.startMs, 5);
    const events = [8, 4, 6].map((timestamp) => ({ timestamp, eventtype: 'E' }));
    await put([entity('by events', { starttime: undefined, events })]);
    assert.equal(store.head('t', 'by events')?.startMs, 4);
    await put([entity('without', { starttime: undefined })]);
    assert.equal(store.head('t', 'without')?.startMs, noStartMs);
    assert.equal(store.get('t', 'without', nothing)?.starttime, 2 ** 63);
  });

  it('is refused without a start time where events are null, and others of the same put are stored', async () => {
    const { store, put } = aStore();
    const errors = await put([entity('bad', { starttime: undefined, events: null }), entity('good')]);
    assert.deepEqual(errors, [{ entity: 'bad', entitytype: 't', errorcode: putErrorCodes.NO_START_TIME }]);
    assert.equal(store.head('t', 'bad'), undefined);
    assert.ok(store.head('t', 'good'));
    // Once it exists, null events change nothing.
    await put([entity('good', { starttime: undefined, events: null, otherinfo: { k: 1 } })]);
    assert.deepEqual(store.get('t', 'good', everything)?.otherinfo, { k: 1 });
  });

  it('does not relate to an entity of another domain, and says so', async () => {
    const { store, put } = aStore();
    await put([entity('theirs', { entitytype: 'u', domain: 'other' })]);
    await put([entity('also theirs', { entitytype: 'u', domain: 'other' })]);
    const errors = await put([entity('mine', { relatedentities: { u: ['theirs', 'also theirs', 'theirs'], v: ['new'] } })]);
    const refused = { entity: 'mine', entitytype: 't', errorcode: putErrorCodes.FORBIDDEN_RELATION };
    assert.deepEqual(errors, [refused, refused]);
    assert.deepEqual(store.get('u', 'theirs', everything)?.relatedentities, {});
    // What it named and did not exist is there now, in its own domain and with its start.
    assert.deepEqual(store.head('v', 'new') && { ...store.head('v', 'new'), key: 0 }, {
      key: 0,
      type: 'v',
      id: 'new',
      startMs: 10,
      insertedMs: 1000,
      domain: 'd',
    });
  });

  it('takes names that mean something to JavaScript as names', async () => {
    const { store, put } = aStore();
    const otherinfo = Object.fromEntries([
      ['__proto__', 1],
      ['constructor', 2],
      ['toString', 3],
    ]);
    const primaryfilters = Object.fromEntries([['__proto__', ['x']]]);
    await put([entity('a', { otherinfo, primaryfilters })]);
    const read = store.get('t', 'a', everything);
    assert.deepEqual(Object.entries(read?.otherinfo ?? {}).sort(), [
      ['__proto__', 1],
      ['constructor', 2],
      ['toString', 3],
    ]);
    assert.deepEqual(Object.entries(read?.primaryfilters ?? {}), [['__proto__', ['x']]]);
    assert.equal(({} as Record<string, unknown>)['x'], undefined);
  });
});

describe('events of several entities', () => {
  it('come newest entity first, in a window, of the wanted types, at most so many of each', async () => {
    const { store, put } = aStore();
    const events = [1, 2, 3, 4].map((timestamp) => ({ timestamp, eventtype: timestamp % 2 ? 'ODD' : 'EVEN' }));
    await put([
      entity('old', { starttime: 1, events }),
      entity('new', { starttime: 2, events }),
      entity('hidden', { domain: 'x', events }),
    ]);
    const ids = ['old', 'hidden', 'new', 'new', 'absent'];
    const times = (more: object) => joined(store.events({ type: 't', ids, limit: 10, ...more }, ({ domain }) => domain === 'd'));
    assert.deepEqual(times({}), [
      ['new', [4, 3, 2, 1]],
      ['old', [4, 3, 2, 1]],
    ]);
    assert.deepEqual(times({ windowStartMs: 1, windowEndMs: 3 }), [
      ['new', [3, 2]],
      ['old', [3, 2]],
    ]);
    assert.deepEqual(times({ eventTypes: new Set(['ODD']), limit: 1 }), [
      ['new', [3]],
      ['old', [3]],
    ]);
    assert.deepEqual(times({ limit: 0 }), [
      ['new', []],
      ['old', []],
    ]);
  });
});

describe('an entity that grows', () => {
  const allOf = { type: 't', limit: 9, fields: everything, visible };

  it('shows the same, whether it is stored as one text or as rows, and goes whole', async () => {
    const grown = async (longest: number) => {
      const { database, store, put } = aStore({ longest });
      for (let at = 0; at < 40; at++)
        await put([
          entity('e', {
            primaryfilters: { user: ['ann', at % 3] },
            otherinfo: {
              [`name${at % 7}`]: at,
              [`name${(at + 3) % 9}`]: null,
              '\u{1F600}': 'two units',
              '\uFFFD': { __proto__: null, n: 1 },
            },
            events: [{ timestamp: at % 11, eventtype: at % 2 ? 'B' : 'A', eventinfo: { at } }],
          }),
        ]);
      const shown = [
        store.get('t', 'e', everything),
        store.get('t', 'e', new Set(['LASTEVENTONLY'])),
        ...['ann', 0, 1, 2].map((value) => store.list({ ...allOf, primaryFilter: { name: 'user', value } })),
        ...[34, 35, 38].map((value) => store.list({ ...allOf, secondaryFilters: [{ name: 'name3', value }] })),
        joined(store.events({ type: 't', ids: ['e'], windowStartMs: 2, windowEndMs: 7, limit: 4 }, visible)),
        joined(store.events({ type: 't', ids: ['e'], eventTypes: new Set(['B']), limit: 100 }, visible)),
      ];
      const rows = (table: string) => (database.prepare(`SELECT count(*) AS count FROM ${table}`).get() as { count: number }).count;
      const asRows = rows('view_events');
      await database.write(() => {
        for (let bite = 0, deleted = 0; deleted === 0; bite++) {
          assert.ok(bite < 1000, 'it never goes');
          deleted = store.expire(1000, 3).entities;
        }
      });
      for (const table of ['entities', 'views', 'view_events', 'view_info', 'view_filters', 'info_values'])
        assert.equal(rows(table), 0, table);
      database.close();
      return { shown: JSON.stringify(shown), asRows };
    };
    const rows = await grown(0);
    const text = await grown(1_000_000);
    const both = await grown(300);
    assert.deepEqual([text.shown, both.shown], [rows.shown, rows.shown]);
    assert.ok(rows.asRows > 0 && both.asRows > 0, `${both.asRows} of ${rows.asRows}`);
    assert.equal(text.asRows, 0);
  });

  it('is shown without what cannot be read of it', async () => {
    const { database, store, put } = aStore();
    await put([entity('e', { otherinfo: { n: 1 } }), entity('f', { otherinfo: { n: 1 } })]);
    database.prepare("UPDATE views SET document = '{' WHERE id = 'e'").run();
    const { otherinfo, events } = store.get('t', 'e', everything) ?? {};
    assert.deepEqual([otherinfo, events], [{}, []]);
    assert.deepEqual(store.get('t', 'f', everything)?.otherinfo, { n: 1 });
  });
});

describe('what is too old', () => {
  it('goes in slices, the oldest first, with its views and the relations on both sides', async () => {
    const { database, store, put } = aStore();
    await put([
      entity('old', { starttime: 1, primaryfilters: { user: ['ann'] }, relatedentities: { u: ['younger'] } }),
      entity('older', { starttime: 0 }),
      entity('young', { starttime: 9, relatedentities: { t: ['old'] } }),
    ]);
    await put([entity('younger', { entitytype: 'u', starttime: 9 })]);
    const expire = async (untilMs: number, most: number) => {
      let count = 0;
      await database.write(() => {
        count = store.expire(untilMs, most).entities;
      });
      return count;
    };
    while ((await expire(5, 1)) === 0) assert.ok(store.head('t', 'older'));
    assert.deepEqual([store.head('t', 'older'), store.head('t', 'old') !== undefined], [undefined, true]);
    // `younger` was made by its relation with the start of `old`.
    assert.equal(await expire(5, 100), 2);
    assert.equal(await expire(5, 100), 0);
    assert.equal(store.head('t', 'old'), undefined);
    assert.deepEqual(
      idsOf(store.list({ type: 't', primaryFilter: { name: 'user', value: 'ann' }, limit: 9, fields: nothing, visible })),
      [],
    );
    const counts = () =>
      ['views', 'view_filters', 'relations', 'info_values', 'insertions'].map(
        (table) => (database.prepare(`SELECT count(*) AS count FROM ${table}`).get() as { count: number }).count,
      );
    assert.deepEqual(counts(), [1, 0, 0, 0, 2]);
    assert.equal(await expire(10_000, 100), 1);
    assert.deepEqual(counts(), [0, 0, 0, 0, 0]);
  });
});

/** What the rules of LeveldbTimelineStore say, with nothing but arrays. */
class Model {
  readonly entities: {
    id: string;
    startMs: number;
    insertedMs: number;
    filters: Map<string, Set<string>>;
    info: Map<string, JsonValue>;
    /** What was put together with a primary filter, by filter: a list by that filter shows this much. */
    seenBy: Map<string, Map<string, JsonValue>>;
  }[] = [];

  put(put: EntityPut, nowMs: number): void {
    let one = this.entities.find(({ id }) => id === put.entity);
    if (!one) {
      const startMs = put.starttime ?? Math.min(...(put.events ?? []).map(({ timestamp }) => timestamp), noStartMs);
      one = { id: put.entity, startMs, insertedMs: nowMs, filters: new Map(), info: new Map(), seenBy: new Map() };
      this.entities.push(one);
    }
    const named = Object.entries(put.primaryfilters ?? {}).flatMap(([name, values]) => values.map((value) => `${name}=${value}`));
    for (const filter of named) {
      const [name = '', value = ''] = filter.split('=');
      one.filters.set(name, (one.filters.get(name) ?? new Set()).add(value));
      if (!one.seenBy.has(filter)) one.seenBy.set(filter, new Map());
    }
    for (const [name, value] of Object.entries(put.otherinfo ?? {})) {
      for (const shown of [one.info, ...named.map((filter) => one.seenBy.get(filter))])
        if (value === null) shown?.delete(name);
        else shown?.set(name, value);
    }
  }

  list(options: {
    filter?: string;
    startAboveMs?: number;
    untilMs?: number;
    insertedMs?: number;
    fromId?: string;
    info?: { name: string; value: JsonValue };
    limit: number;
  }) {
    let found = this.entities
      .filter(({ seenBy }) => options.filter === undefined || seenBy.has(options.filter))
      .filter(({ startMs }) => startMs > (options.startAboveMs ?? -1) && startMs <= (options.untilMs ?? noStartMs))
      .filter(({ insertedMs }) => insertedMs <= (options.insertedMs ?? Number.POSITIVE_INFINITY))
      .filter(({ info, seenBy }) => {
        const seen = options.filter === undefined ? info : seenBy.get(options.filter);
        return options.info === undefined || seen?.get(options.info.name) === options.info.value;
      })
      .sort((a, b) => b.startMs - a.startMs || (a.id < b.id ? -1 : 1));
    if (options.fromId !== undefined) {
      const from = this.entities.find(({ id }) => id === options.fromId);
      if (!from) return [];
      found = found.filter(({ startMs, id }) => startMs < from.startMs || (startMs === from.startMs && id >= from.id));
    }
    return found
      .slice(0, options.limit)
      .map(({ id, info, seenBy }) => ({ id, info: options.filter === undefined ? info : (seenBy.get(options.filter) ?? new Map()) }));
  }
}

const pick = <Item>(random: Random, items: readonly Item[]): Item => items[random.int(items.length)] as Item;
const maybe = <Value>(random: Random, value: () => Value): Value | undefined => (random.int(2) === 0 ? value() : undefined);

/** So that starts lie in several seconds, and several in one. */
const stepMs = 300;

function randomPut(random: Random): EntityPut {
  const events = maybe(random, () => Array.from({ length: random.int(3) }, () => ({ timestamp: random.int(20) * stepMs, eventtype: 'E' })));
  return {
    entity: `e${random.int(12)}`,
    entitytype: 't',
    domain: 'd',
    starttime: maybe(random, () => random.int(20) * stepMs),
    ...(events && { events }),
    ...(random.int(2) === 0 && { primaryfilters: { [pick(random, ['user', 'queue'])]: [pick(random, ['x', 'y'])] } }),
    ...(random.int(2) === 0 && { otherinfo: { [pick(random, ['a', 'b'])]: random.int(6) || null } }),
  };
}

describe('lists', () => {
  const seed = Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_122);

  it(`agree with a plain model over random puts and queries (seed ${seed})`, async () => {
    const random = seededRandom(seed);
    for (let world = 0; world < 12; world++) {
      // Views as one text each, as rows, and as texts that grow into rows; values in memory, or soon in runs; with another start now and then.
      const sizes = { ...([{}, { longest: 0 }, { longest: 30 }][world % 3] ?? {}), ...(world % 2 === 0 ? {} : { longestTail: 3 }) };
      const { database, ...first } = aStore(sizes);
      let { store } = first;
      const put = (entities: readonly EntityPut[], nowMs: number) => database.write(() => void store.put(entities, nowMs));
      const model = new Model();
      for (let nowMs = 1; nowMs <= 40; nowMs++) {
        const one = randomPut(random);
        await put([one], nowMs);
        model.put(one, nowMs);
        if (random.int(5) === 0) {
          const undone = randomPut(random);
          await assert.rejects(
            database.write(() => {
              store.put([undone], nowMs);
              throw new Error('nothing of it is kept');
            }),
          );
        }
        if (random.int(8) === 0) store = new EntityStore(database, sizes);
        const filter = maybe(random, () => `${pick(random, ['user', 'queue'])}=${pick(random, ['x', 'y'])}`);
        const [name = '', value = ''] = filter?.split('=') ?? [];
        const options = {
          limit: random.int(15),
          ...(filter && { filter }),
          ...(random.int(3) === 0 && { startAboveMs: random.int(20) * stepMs }),
          ...(random.int(3) === 0 && { untilMs: random.int(25) * stepMs }),
          ...(random.int(3) === 0 && { insertedMs: random.int(41) }),
          ...(random.int(3) === 0 && { info: { name: pick(random, ['a', 'b']), value: random.int(5) } }),
          ...(random.int(4) === 0 && { fromId: `e${random.int(14)}` }),
        };
        const listed = store.list({
          type: 't',
          limit: options.limit,
          fields: new Set<EntityField>(['OTHERINFO']),
          visible,
          ...(filter && { primaryFilter: { name, value } }),
          ...(options.startAboveMs !== undefined && { windowStartMs: options.startAboveMs }),
          ...(options.untilMs !== undefined && { windowEndMs: options.untilMs }),
          ...(options.insertedMs !== undefined && { fromInsertedMs: options.insertedMs }),
          ...(options.info && { secondaryFilters: [options.info] }),
          ...(options.fromId !== undefined && { fromId: options.fromId }),
        });
        const wanted = model.list(options).map(({ id, info }) => ({ id, info: Object.fromEntries([...info].sort()) }));
        assert.deepEqual(
          listed.map(({ entity: id, otherinfo }) => ({ id, info: otherinfo })),
          wanted,
          `world ${world}, step ${nowMs}: ${JSON.stringify(options)}`,
        );
      }
      database.close();
    }
  });

  it('leave out what the reader may not see, before the limit counts', async () => {
    const { store, put } = aStore();
    await put(Array.from({ length: 10 }, (_, i) => entity(`e${i}`, { starttime: i, domain: i % 2 ? 'odd' : 'even' })));
    const found = store.list({ type: 't', limit: 3, fields: nothing, visible: ({ domain }) => domain === 'odd' });
    assert.deepEqual(idsOf(found), ['e9', 'e7', 'e5']);
  });

  it('by secondary filters compare other info, else primary filters, by value and not by text', async () => {
    const { store, put } = aStore();
    await put([
      entity('number', { otherinfo: { n: 5 } }),
      entity('text', { otherinfo: { n: '5' } }),
      entity('filter', { primaryfilters: { n: [5] } }),
      entity('both', { otherinfo: { n: 6 }, primaryfilters: { n: [5] } }),
    ]);
    const by = (value: JsonValue) =>
      idsOf(store.list({ type: 't', limit: 9, fields: nothing, visible, secondaryFilters: [{ name: 'n', value }] })).sort();
    assert.deepEqual(by(5), ['filter', 'number']);
    assert.deepEqual(by('5'), ['text']);
    assert.deepEqual(by(6), ['both']);
  });
});

it('a store of an earlier version is searched by other info and by insertion like one of this', async () => {
  const database = openDatabase(':memory:', { logger: silentLogger });
  database.migrate(timelineMigrations.filter(({ id }) => id <= 3));
  await database.write(() => {
    for (const [id, startMs, value] of [
      ['early', -1500, '"x"'],
      ['late', 9000, '5'],
    ] as const) {
      const { lastInsertRowid } = database
        .prepare("INSERT INTO entities (type, id, start_ms, inserted_ms, domain) VALUES ('t', ?, ?, ?, 'd')")
        .run(id, startMs, startMs + 10);
      const view = database
        .prepare("INSERT INTO views (entity, type, filter_name, filter_value, start_ms, id) VALUES (?, 't', '', '', ?, ?)")
        .run(lastInsertRowid, startMs, id);
      database.prepare("INSERT INTO view_info (view, name, value) VALUES (?, 'n', ?)").run(view.lastInsertRowid, value);
    }
  });
  database.migrate(timelineMigrations);
  const store = new EntityStore(database);
  const query = { type: 't', limit: 9, fields: nothing, visible };
  assert.deepEqual(idsOf(store.list({ ...query, secondaryFilters: [{ name: 'n', value: 'x' }] })), ['early']);
  assert.deepEqual(idsOf(store.list({ ...query, secondaryFilters: [{ name: 'n', value: 5 }] })), ['late']);
  assert.deepEqual(idsOf(store.list({ ...query, fromInsertedMs: 0 })), ['early']);
  assert.deepEqual(idsOf(store.list({ ...query, fromInsertedMs: -1500 })), []);
});
