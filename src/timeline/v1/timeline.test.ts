import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { Failure } from '../../model/errors.ts';
import { openDatabase } from '../../storage/sqlite.ts';
import { onSmallDisk } from '../../storage/test-support/small-disk.ts';
import { writeJson } from '../../wire/codec/json.ts';
import { putErrorCodes } from '../../wire/timeline/entity.ts';
import { timelineEntity } from '../../wire/timeline/v1-records.ts';
import { DomainStore } from '../store/domain-store.ts';
import { EntityStore, mostFilterValues } from '../store/entity-store.ts';
import { atOnce } from '../store/gradually.ts';
import { timelineMigrations } from '../store/migrations.ts';
import { startRetention } from '../store/retention.ts';
import type { AccessRules } from './access.ts';
import { pairParameter, pairsParameter } from './query.ts';
import { Timeline } from './timeline.ts';

const open: AccessRules = { enabled: false, isAdmin: () => false, allows: () => false };
const closed: AccessRules = {
  enabled: true,
  isAdmin: (user) => user === 'root',
  allows: (list, user) => list === '*' || list.split(',').includes(user),
};

async function aTimeline(rules: AccessRules = open, more: { maximumWaiting?: number } = {}) {
  const { database, disk } = onSmallDisk(openDatabase(':memory:', { logger: silentLogger }));
  database.migrate(timelineMigrations);
  const clock = new ManualClock();
  const entities = new EntityStore(database);
  const timeline = new Timeline({
    database,
    entities,
    domains: new DomainStore(database),
    rules,
    mayView: (_id, user) => user === 'ann' || user === 'root',
    clock,
    ...more,
  });
  await timeline.ensureDefaultDomain('root');
  return { timeline, database, disk, clock, entities };
}

/** What a query selects. */
const listed = (timeline: Timeline, query: Parameters<Timeline['search']>[0], user: string | undefined) =>
  [...timeline.search(query, user)].filter((entity) => entity !== undefined);
const ids = (entities: { entity: string }[]) => entities.map(({ entity }) => entity);

test('entities come newest start first, equal ones by id, and pages continue from an id', async () => {
  const { timeline } = await aTimeline();
  await timeline.putEntities(
    [
      { entity: 'a', entitytype: 't', starttime: 1 },
      { entity: 'c', entitytype: 't', starttime: 2 },
      { entity: 'b', entitytype: 't', starttime: 2 },
      {
        entity: 'd',
        entitytype: 't',
        events: [
          { timestamp: 9, eventtype: 'X' },
          { timestamp: 3, eventtype: 'X' },
        ],
      },
      { entity: 'other', entitytype: 'u', starttime: 5 },
    ],
    'ann',
  );
  const list = (query = {}) => ids(listed(timeline, { type: 't', limit: 100, ...query }, 'ann'));
  assert.deepEqual(list(), ['d', 'b', 'c', 'a']);
  assert.deepEqual(list({ fromId: 'c' }), ['c', 'a']);
  assert.deepEqual(list({ fromId: 'd', windowEndMs: 2 }), ['b', 'c', 'a']);
  assert.deepEqual(list({ fromId: 'nope' }), []);
  assert.deepEqual(list({ windowStartMs: 1, windowEndMs: 2 }), ['b', 'c']);
  assert.deepEqual(list({ limit: 2 }), ['d', 'b']);
  assert.deepEqual(list({ limit: 0 }), []);
});

test('a later put merges: the first start time stays, events and other info by key, filter values add up', async () => {
  const { timeline } = await aTimeline();
  await timeline.putEntities(
    [
      {
        entity: 'a',
        entitytype: 't',
        starttime: 5,
        events: [{ timestamp: 5, eventtype: 'S', eventinfo: { n: 1 } }],
        primaryfilters: { user: ['x'] },
        otherinfo: { k: 1, gone: null },
      },
    ],
    'ann',
  );
  await timeline.putEntities(
    [
      {
        entity: 'a',
        entitytype: 't',
        starttime: 99,
        events: [
          { timestamp: 5, eventtype: 'S', eventinfo: { n: 2 } },
          { timestamp: 6, eventtype: 'E' },
        ],
        primaryfilters: { user: ['y'] },
        otherinfo: { k: 2 },
      },
    ],
    'ann',
  );
  const merged = atOnce(timeline.entity('t', 'a', undefined, 'ann'));
  assert.deepEqual(merged, {
    entitytype: 't',
    entity: 'a',
    starttime: 5,
    domain: 'DEFAULT',
    events: [
      { timestamp: 6, eventtype: 'E', eventinfo: {} },
      { timestamp: 5, eventtype: 'S', eventinfo: { n: 2 } },
    ],
    relatedentities: {},
    primaryfilters: { user: ['x', 'y'] },
    otherinfo: { k: 2 },
  });
  const [byNew] = listed(timeline, { type: 't', limit: 1, primaryFilter: { name: 'user', value: 'y' } }, 'ann');
  assert.deepEqual(byNew?.primaryfilters, { user: ['y'] });
  assert.deepEqual(byNew?.otherinfo, { k: 2 });
  const [byOld] = listed(timeline, { type: 't', limit: 1, primaryFilter: { name: 'user', value: 'x' } }, 'ann');
  assert.deepEqual(byOld?.otherinfo, { k: 1 });
});

test('filters tell integers, floating numbers, booleans and texts apart', async () => {
  const { timeline } = await aTimeline();
  await timeline.putEntities(
    [
      { entity: 'int', entitytype: 't', starttime: 1, primaryfilters: { v: [5] }, otherinfo: { w: 7 } },
      { entity: 'text', entitytype: 't', starttime: 2, primaryfilters: { v: ['5'] }, otherinfo: { w: '7' } },
      { entity: 'half', entitytype: 't', starttime: 3, primaryfilters: { v: [1.5] } },
    ],
    'ann',
  );
  const primary = (text: string) => ids(listed(timeline, { type: 't', limit: 9, primaryFilter: pairParameter(text)! }, 'ann'));
  assert.deepEqual(primary('v:5'), ['int']);
  assert.deepEqual(primary('v:"5"'), ['text']);
  assert.deepEqual(primary('v:1.5'), ['half']);
  const secondary = (text: string) => ids(listed(timeline, { type: 't', limit: 9, secondaryFilters: pairsParameter(text)! }, 'ann'));
  assert.deepEqual(secondary('w:7'), ['int']);
  assert.deepEqual(secondary('w:"7",v:"5"'), ['text']);
  assert.deepEqual(secondary('v:1.5'), ['half']);
});

test('a relation shows on the entity it names, which is made where it is missing', async () => {
  const { timeline } = await aTimeline();
  await timeline.putEntities([{ entity: 'job', entitytype: 'J', starttime: 7, relatedentities: { T: ['task'] } }], 'ann');
  assert.deepEqual(atOnce(timeline.entity('T', 'task', new Set(['RELATEDENTITIES']), 'ann')), {
    entitytype: 'T',
    entity: 'task',
    starttime: 7,
    domain: 'DEFAULT',
    relatedentities: { J: ['job'] },
  });
  assert.deepEqual(atOnce(timeline.entity('J', 'job', new Set(['RELATEDENTITIES']), 'ann')).relatedentities, {});
});

test('new entities without a time are refused only where events are null; the rest of the batch stays', async () => {
  const { timeline } = await aTimeline();
  const errors = await timeline.putEntities(
    [
      { entity: 'a', entitytype: 't', events: null },
      { entity: 'b', entitytype: 't' },
    ],
    'ann',
  );
  assert.deepEqual(errors, [{ entity: 'a', entitytype: 't', errorcode: 1 }]);
  assert.equal(
    writeJson(timelineEntity, atOnce(timeline.entity('t', 'b', new Set(), 'ann'))),
    '{"entitytype":"t","entity":"b","starttime":9223372036854775807,"domain":"DEFAULT"}',
  );
  await assert.rejects(
    timeline.putEntities([{ entity: 'c', entitytype: 't', starttime: 1 }, { entitytype: 't' } as never], 'ann'),
    /Incomplete entity/,
  );
  assert.throws(() => timeline.entity('t', 'c', undefined, 'ann'), /is not found/);
});

test('domains decide who reads and writes; a caller without a name reads nothing', async () => {
  const { timeline } = await aTimeline(closed);
  await timeline.putDomain({ id: 'd', readers: 'bob', writers: 'carl' }, 'ann');
  const put = (user: string, entity: string, domain?: string) =>
    timeline.putEntities([{ entity, entitytype: 't', starttime: 1, ...(domain ? { domain } : {}) }], user);
  assert.deepEqual(await put('ann', 'own', 'd'), []);
  assert.deepEqual(await put('carl', 'written', 'd'), []);
  assert.deepEqual(await put('bob', 'refused', 'd'), [{ entity: 'refused', entitytype: 't', errorcode: 4 }]);
  assert.deepEqual(await put('ann', 'lost', 'none'), [{ entity: 'lost', entitytype: 't', errorcode: 4 }]);
  assert.deepEqual(await put('ann', 'own'), [{ entity: 'own', entitytype: 't', errorcode: 4 }]);
  const seen = (user: string | undefined) => ids(listed(timeline, { type: 't', limit: 9 }, user));
  assert.deepEqual(seen('bob'), ['own', 'written']);
  assert.deepEqual(seen('root'), ['own', 'written']);
  assert.deepEqual(seen('carl'), []);
  assert.deepEqual(seen(undefined), []);
  assert.throws(() => timeline.entity('t', 'own', undefined, 'dan'), /dan is not allowed to get/);
  assert.throws(() => timeline.entity('t', 'own', undefined, undefined), /null is not allowed to get/);
  assert.deepEqual(await timeline.putEntities([{ entity: 'r', entitytype: 't', starttime: 1, relatedentities: { t: ['own'] } }], 'ann'), [
    { entity: 'r', entitytype: 't', errorcode: 6 },
  ]);
  assert.equal(atOnce(timeline.entity('t', 'r', undefined, 'dan')).entity, 'r');
  const several = await timeline.putEntities(
    [
      { entity: 'refused', entitytype: 't', starttime: 1, domain: 'none' },
      { entity: 'timeless', entitytype: 't', events: null },
    ],
    'ann',
  );
  assert.deepEqual(
    several.map(({ entity }) => entity),
    ['timeless', 'refused'],
    'refusals come last',
  );
});

test('a domain is shown to its owner and administrators, and keeps its owner', async () => {
  const { timeline, clock } = await aTimeline(closed);
  await timeline.putDomain({ id: 'd', description: 'x' }, 'ann');
  clock.advance(5);
  await assert.rejects(timeline.putDomain({ id: 'd', readers: '*', writers: '*' }, 'bob'), /bob is not allowed to override/);
  await assert.rejects(timeline.putDomain({ id: 'd', readers: '*' }, 'ann'), /both/);
  await timeline.putDomain({ id: 'd', owner: 'eve', readers: '*', writers: ' ' }, 'root');
  const domain = timeline.domain('d', 'ann');
  assert.equal(domain.owner, 'ann');
  assert.equal(domain.modifiedtime - domain.createdtime, 5);
  assert.equal(domain.description, undefined);
  const hidden: unknown[] = [];
  const hide = (notFound: Failure) => {
    hidden.push(notFound);
    return notFound;
  };
  assert.throws(
    () => timeline.domain('d', 'bob', hide),
    (error) => hidden[0] === error && error instanceof Failure && /Timeline domain \[d\] is not found/.test(error.message),
  );
  assert.throws(() => timeline.domain('e', 'bob', hide), /Timeline domain \[e\] is not found/);
  assert.equal(hidden.length, 1);
  assert.deepEqual(timeline.domainsOf('ann', 'bob'), []);
  assert.equal(timeline.domainsOf(undefined, 'ann').length, 1);
});

test('events are listed for each known entity, filtered, newest first', async () => {
  const { timeline } = await aTimeline();
  const events = [1, 2, 3].map((timestamp) => ({ timestamp, eventtype: timestamp === 2 ? 'B' : 'A' }));
  await timeline.putEntities(
    [
      { entity: 'x', entitytype: 't', events },
      { entity: 'y', entitytype: 't', starttime: 9 },
    ],
    'ann',
  );
  const query = (more = {}) => {
    const times = new Map<string, number[]>();
    for (const part of timeline.events({ type: 't', ids: ['x', 'nope', 'y'], limit: 10, ...more }, 'ann'))
      if (part) times.set(part.entity, [...(times.get(part.entity) ?? []), ...part.events.map(({ timestamp }) => timestamp)]);
    return [...times];
  };
  assert.deepEqual(query(), [
    ['y', []],
    ['x', [3, 2, 1]],
  ]);
  assert.deepEqual(query({ eventTypes: new Set(['A']), windowStartMs: 1 }), [
    ['y', []],
    ['x', [3]],
  ]);
  assert.deepEqual(query({ limit: 1 }), [
    ['y', []],
    ['x', [3]],
  ]);
});

test('when more waits than the store may take, puts are refused with OVERLOADED', async () => {
  const { timeline } = await aTimeline(open, { maximumWaiting: 1 });
  const first = timeline.putEntities([{ entity: 'a', entitytype: 't', starttime: 1 }], 'ann');
  await assert.rejects(timeline.putEntities([{ entity: 'b', entitytype: 't', starttime: 1 }], 'ann'), { code: 'OVERLOADED' });
  await first;
  assert.deepEqual(await timeline.putEntities([{ entity: 'b', entitytype: 't', starttime: 1 }], 'ann'), []);
});

test('an entity has so many values of primary filters, and a put so many parts; what is more is refused and leaves nothing', async () => {
  const { timeline, entities } = await aTimeline();
  const filters = (from: number, count: number) => ({ f: Array.from({ length: count }, (_, index) => from + index) });
  const put = (entity: string, primaryfilters: Record<string, number[]>, more: object = {}) =>
    timeline.putEntities([{ entity, entitytype: 't', starttime: 1, primaryfilters, ...more }], 'ann');
  const tooMany = (entity: string) => [{ entity, entitytype: 't', errorcode: putErrorCodes.IO_EXCEPTION }];
  assert.deepEqual(await put('many', filters(0, mostFilterValues + 1)), tooMany('many'));
  assert.equal(entities.head('t', 'many'), undefined);
  assert.deepEqual(await put('a', filters(0, mostFilterValues - 1)), []);
  assert.deepEqual(await put('a', filters(0, mostFilterValues)), [], 'one more, and those that it has');
  assert.deepEqual(await put('a', filters(mostFilterValues - 1, 2), { otherinfo: { seen: 1 } }), tooMany('a'));
  assert.deepEqual(await put('a', {}, { otherinfo: { size: 1 } }), []);
  assert.deepEqual(entities.get('t', 'a', new Set(['OTHERINFO']))?.otherinfo, { size: 1 });
  const info = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`i${index}`, index]));
  await assert.rejects(put('b', filters(0, 100), { otherinfo: info }), { code: 'TIMELINE_ENTITY_TOO_LARGE' });
  assert.equal(entities.head('t', 'b'), undefined);
});

test('many entities are stored in portions, between which others are, and errors come in the order of one', async () => {
  const { timeline, database, entities } = await aTimeline(closed);
  await timeline.putDomain({ id: 'd', readers: '*', writers: 'ann' }, 'ann');
  const large = { entitytype: 't', domain: 'd', primaryfilters: { f: Array.from({ length: 150 }, (_, index) => index) } };
  const refused = { entity: 'other', entitytype: 't', domain: 'none', starttime: 1 };
  const posted = [refused, ...['a', 'b'].map((entity) => ({ ...large, entity, starttime: 1 })), { ...large, entity: 'c', events: null }];
  const all = timeline.putEntities(posted, 'ann');
  let stored: (object | undefined)[] = [];
  await database.write(() => {
    stored = ['a', 'b'].map((id) => entities.head('t', id));
  });
  assert.deepEqual(
    stored.map((head) => head !== undefined),
    [true, false],
    'another change waits for no more than one portion',
  );
  assert.deepEqual(
    (await all).map(({ entity, errorcode }) => [entity, errorcode]),
    [
      ['c', putErrorCodes.NO_START_TIME],
      ['other', putErrorCodes.ACCESS_DENIED],
    ],
  );
});

test('what cannot be kept is refused by the name of the disk, cannot be seen, and is taken with room again', async () => {
  const { timeline, disk } = await aTimeline(closed);
  const domain = { id: 'd', readers: 'bob', writers: 'ann' };
  const entity = { entity: 'a', entitytype: 't', starttime: 1, domain: 'd' };
  await timeline.putDomain({ ...domain, readers: '*' }, 'ann');
  disk.isFull = true;
  // The second reads the domain of the first inside the transaction that fails.
  const refused = [timeline.putEntities([entity], 'ann'), timeline.putDomain(domain, 'ann'), timeline.putEntities([entity], 'ann')];
  for (const each of refused) await assert.rejects(each, { code: 'STORE_DISK_FULL' });
  assert.equal(timeline.domain('d', 'ann').readers, '*');
  assert.deepEqual(listed(timeline, { type: 't', limit: 9 }, 'ann'), []);
  disk.isFull = false;
  await timeline.putDomain(domain, 'ann');
  assert.deepEqual(await timeline.putEntities([entity], 'ann'), []);
  assert.equal(timeline.domain('d', 'ann').readers, 'bob');
});

test('what one transaction cannot keep is refused as a whole, and what was read inside of it is forgotten', async () => {
  const { timeline, database } = await aTimeline(closed);
  const entity = { entity: 'a', entitytype: 't', starttime: 1, domain: 'd' };
  await timeline.putDomain({ id: 'd', readers: '*', writers: 'ann' }, 'ann');
  const limit = (pages: number) => database.prepare(`PRAGMA max_page_count = ${pages}`).get();
  limit(1);
  const refused = [
    timeline.putDomain({ id: 'd', readers: 'bob', writers: 'ann' }, 'ann'),
    timeline.putEntities([entity], 'ann'),
    timeline.putEntities([{ ...entity, entity: 'large', otherinfo: { large: 'x'.repeat(500_000) } }], 'ann'),
  ];
  for (const each of refused) await assert.rejects(each, { code: 'STORE_DISK_FULL' });
  limit(1_000_000);
  assert.equal(timeline.domain('d', 'ann').readers, '*');
  assert.deepEqual(listed(timeline, { type: 't', limit: 9 }, 'ann'), []);
});

test('old entities go, with their views and relations, and may be made again', async () => {
  const { timeline, database, entities, clock } = await aTimeline();
  const now = clock.now();
  await timeline.putEntities(
    [
      { entity: 'old', entitytype: 't', starttime: now - 2_000, primaryfilters: { u: ['x'] }, relatedentities: { t: ['new'] } },
      { entity: 'new', entitytype: 't', starttime: now },
    ],
    'ann',
  );
  const retention = startRetention({ database, entities, clock, logger: silentLogger, ttlMs: 1_500, intervalMs: 1_000, biteSize: 1 });
  await retention.pass();
  await retention.close();
  assert.deepEqual(ids(listed(timeline, { type: 't', limit: 9 }, 'ann')), []);
  await timeline.putEntities([{ entity: 'old', entitytype: 't', starttime: 4 }], 'ann');
  assert.equal(atOnce(timeline.entity('t', 'old', undefined, 'ann')).starttime, 4);
  assert.deepEqual(listed(timeline, { type: 't', limit: 9, primaryFilter: { name: 'u', value: 'x' } }, 'ann'), []);
});
