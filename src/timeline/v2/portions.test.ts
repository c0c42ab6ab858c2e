import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '../../lib/log.ts';
import { openDatabase } from '../../storage/sqlite.ts';
import type { EntityV2 } from '../../wire/timeline/v2-entity.ts';
import { atOnce } from '../store/gradually.ts';
import { timelineMigrations } from '../store/migrations.ts';
import { V2Store } from '../store/v2-store.ts';
import { portionsOf } from './portions.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
const valuesOf = (count: number) => Object.fromEntries(numbers(count).map((at) => [String(1000 + at), at]));
const big: EntityV2 = {
  type: 'T',
  id: 'big',
  idprefix: 5,
  createdtime: 9,
  info: Object.fromEntries([...numbers(3000).map((at) => [`i${at}`, { at }] as const), ['__proto__', 1]]),
  configs: Object.fromEntries(numbers(5000).map((at) => [`c${at}`, `v${at}`])),
  metrics: [{ id: 'a', type: 'TIME_SERIES', values: valuesOf(7000) }, { id: 'none' }, { id: 'b', values: valuesOf(3) }],
  events: numbers(2500).map((at) => ({ id: `e${at % 9}`, timestamp: at, info: { at } })),
  relatesto: { X: ['1', '2'] },
  isrelatedto: { Y: ['3'] },
};

function stored(put: (store: V2Store) => void) {
  const database = openDatabase(':memory:', { logger: silentLogger });
  database.migrate(timelineMigrations);
  const store = new V2Store(database);
  void database.write(() => put(store));
  database.flush();
  const head = store.find('s', 'T', 'big')!;
  const { key } = head;
  const metrics = atOnce(store.metrics(key, { limit: 100_000, startMs: 0, endMs: 1e9 }));
  const parts = [store.info(key), store.configs(key), store.events(key)].map((reading) => atOnce<unknown>(reading));
  return {
    created: head.createdMs,
    prefix: head.prefix,
    parts,
    metrics,
    relations: [store.relations(key, 'to'), store.relations(key, 'by')],
  };
}

test('an entity with many parts is stored in portions as it would be at once', () => {
  const portions = portionsOf([{ type: 'T', id: 'small' }, big, { type: 'T', id: 'other', events: [] }]);
  assert.ok(portions.length > 3);
  for (const portion of portions) assert.ok(JSON.stringify(portion).length < 300_000);
  assert.deepEqual(portions.at(-1)!.at(-1), { type: 'T', id: 'other', events: [] });
  const whole = stored((store) => store.put('s', big));
  const sliced = stored((store) => {
    for (const entity of portions.flat()) store.put('s', entity);
  });
  assert.deepEqual(sliced, whole);
  assert.equal(whole.metrics[1]?.points.length, 7000);
});

test('few entities with few parts are one portion', () => {
  const entities = numbers(50).map((at): EntityV2 => ({ type: 'T', id: `${at}`, info: { at }, events: [] }));
  assert.deepEqual(portionsOf(entities), [entities]);
  assert.deepEqual(portionsOf([]), []);
});
