import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../lib/clock.ts';
import { silentLogger } from '../lib/log.ts';
import { QueueHistory, queueHistoryName } from './queue-history.ts';

const map = (entries: Readonly<Record<string, string>>) => new Map(Object.entries(entries));

function memoryStore(fails = false) {
  const saved = new Map<string, string>();
  return {
    saved,
    meta: (key: string) => saved.get(key),
    setMeta: async (key: string, value: string) => {
      if (fails) throw new Error('full');
      saved.set(key, value);
    },
  };
}

describe('the history of the queues', () => {
  it('says who changed which keys from what to what, the newest first, also after a restart', async () => {
    const store = memoryStore();
    const clock = new ManualClock(1000);
    const history = new QueueHistory(store, clock, silentLogger);
    await history.remember(map({ a: '1', b: '2', c: '3' }), map({ a: '1', b: '5', d: '4' }), 2, 'ann');
    await history.remember(map({ a: '1' }), map({ a: '2' }), 3, 'bob');
    for (const each of [history, new QueueHistory(store, clock, silentLogger)])
      assert.deepEqual(each.entries(), [
        { version: 3, atMs: 1000, user: 'bob', keys: [{ key: 'a', before: '1', after: '2' }], left: 0 },
        {
          ...{ version: 2, atMs: 1000, user: 'ann' },
          keys: [
            { key: 'b', before: '2', after: '5' },
            { key: 'c', before: '3' },
            { key: 'd', after: '4' },
          ],
          left: 0,
        },
      ]);
  });

  it('stays bounded, whatever is changed', async () => {
    const store = memoryStore();
    const history = new QueueHistory(store, new ManualClock(0), silentLogger);
    const many = map(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`key ${String(i).padStart(3, '0')}`, 'x'.repeat(2000)])));
    for (let version = 1; version <= 130; version++)
      await history.remember(version % 2 ? map({}) : many, version % 2 ? many : map({}), version, 'ann');
    const [first] = history.entries();
    assert.deepEqual([first?.version, first?.keys.length, first?.left], [130, 100, 200]);
    assert.ok(history.entries().length < 100);
    assert.ok(store.saved.get(queueHistoryName)!.length < 300_000);
    for (let version = 1; version <= 130; version++) await history.remember(map({}), map({ a: 'b' }), version, 'ann');
    assert.equal(history.entries().length, 100);
  });

  it('refuses no change because it cannot be kept', async () => {
    const history = new QueueHistory(memoryStore(true), new ManualClock(0), silentLogger);
    await history.remember(map({}), map({ a: '1' }), 2, 'ann');
    assert.equal(history.entries().length, 1);
  });
});
