import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { openDatabase } from '../../storage/sqlite.ts';
import { entityText } from '../http/v1-lists.ts';
import { DomainStore } from '../store/domain-store.ts';
import { entityFields } from '../store/entity-query.ts';
import { EntityStore } from '../store/entity-store.ts';
import { atOnce } from '../store/gradually.ts';
import { timelineMigrations } from '../store/migrations.ts';
import { type PostedEntity, portionsOf } from './portions.ts';
import { Timeline } from './timeline.ts';

const fields = new Set(entityFields);
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
const big: PostedEntity = {
  entity: 'big',
  entitytype: 't',
  domain: 'd',
  primaryfilters: { f: ['x', 1] },
  events: numbers(9000).map((at) => ({ timestamp: 5 + ((at * 7919) % 3000), eventtype: `E${at % 7}`, eventinfo: { at } })),
  otherinfo: Object.fromEntries([...numbers(5000).map((at) => [`i${at}`, at] as const), ['gone', null], ['__proto__', 'own']]),
  relatedentities: { R: numbers(3000).map((at) => `r${at}`), ['__proto__']: ['p'] },
};

function aStore() {
  const database = openDatabase(':memory:', { logger: silentLogger });
  database.migrate(timelineMigrations);
  return { database, entities: new EntityStore(database) };
}

/** All that is stored of an entity, and of its views by primary filters. */
function stored(entities: EntityStore) {
  const views = [undefined, { name: 'f', value: 'x' }, { name: 'f', value: 1 }].map((primaryFilter) =>
    entities.list({ type: 't', limit: 10, fields, visible: () => true, ...(primaryFilter ? { primaryFilter } : {}) }),
  );
  return { views, related: entities.list({ type: 'R', limit: 10_000, fields, visible: () => true }) };
}

test('an entity with many parts is stored in portions as it would be at once', async () => {
  const portions = portionsOf([big, { entity: 'small', entitytype: 't', starttime: 1 }]);
  assert.ok(portions.length > 5);
  for (const { entities } of portions) assert.ok(JSON.stringify(entities).length < 200_000);
  assert.deepEqual(portions.at(-1), { entities: [{ entity: 'small', entitytype: 't', starttime: 1 }], isRest: false });
  const [whole, sliced] = [aStore(), aStore()];
  for (const { database, entities } of [whole, sliced])
    await database.write(
      () => void entities.put([{ entity: 'big', entitytype: 't', domain: 'd', starttime: 99, otherinfo: { gone: 1, i7: 'old' } }], 3),
    );
  await whole.database.write(() => void whole.entities.put([{ ...big, domain: 'd' }], 4));
  for (const { entities } of portions.slice(0, -1))
    await sliced.database.write(
      () =>
        void sliced.entities.put(
          entities.map((one) => ({ ...one, domain: 'd' })),
          4,
        ),
    );
  assert.deepEqual(stored(sliced.entities), stored(whole.entities));
});

test('a new entity without a start time begins with its first event, wherever that stands', () => {
  const { starttime } = portionsOf([{ ...big, events: [...big.events!, { timestamp: 2, eventtype: 'first' }] }])[0]!.entities[0]!;
  assert.equal(starttime, 2);
});

test('what is wrong with an entity as a whole is told once', async () => {
  const { database, entities } = aStore();
  const rules = { enabled: true, isAdmin: () => false, allows: () => false };
  const timeline = new Timeline({
    database,
    entities,
    domains: new DomainStore(database),
    rules,
    mayView: () => true,
    clock: new ManualClock(),
  });
  assert.deepEqual(await timeline.putEntities([big], 'ann'), [{ entity: 'big', entitytype: 't', errorcode: 4 }]);
});

test('the text of an entity with many parts is that of one with few, and comes in pieces', async () => {
  const { database, entities } = aStore();
  await database.write(() => void entities.put([{ ...big, domain: 'd' }], 4));
  const read = () => entities.read(entities.head('t', 'big')!, fields);
  const entity = atOnce(read());
  const pieces = [...{ [Symbol.iterator]: () => entityText('json', read()) }];
  assert.ok(pieces.length > 100);
  const parsed = JSON.parse(pieces.join('') + last(entityText('json', read()))) as typeof entity;
  assert.deepEqual([parsed.events, parsed.otherinfo, parsed.primaryfilters], [entity.events, entity.otherinfo, entity.primaryfilters]);
});

function last(pieces: Iterator<string, string>): string {
  for (;;) {
    const { done, value } = pieces.next();
    if (done) return value;
  }
}
