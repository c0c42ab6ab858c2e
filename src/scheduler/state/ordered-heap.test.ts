import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../../lib/random.ts';
import { type Member, OrderedHeap } from './ordered-heap.ts';

describe('ordered heap', () => {
  it('keeps its order through changed keys and removals', () => {
    const random = seededRandom(7);
    const heap = new OrderedHeap<Member & { key: number }>(1, (a, b) => a.key < b.key);
    const items = Array.from({ length: 200 }, () => ({ places: [], key: random.int(1000) }));
    for (const item of items) heap.put(item);
    for (let i = 0; i < 500; i++) {
      const item = items[random.int(items.length)]!;
      if (random.int(4) === 0) heap.remove(item);
      else {
        item.key = random.int(1000);
        heap.put(item);
      }
    }
    const expected = items
      .filter((item) => heap.has(item))
      .map(({ key }) => key)
      .sort((a, b) => a - b);
    const seen: number[] = [];
    for (let first = heap.first(); first; first = heap.first()) {
      seen.push(first.key);
      heap.remove(first);
    }
    assert.deepEqual(seen, expected);
  });
});
