import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../../lib/random.ts';
import { ContainerTable } from './container-table.ts';
import type { HeldContainer } from './model.ts';

const ids = Array.from({ length: 30_000 }, (_, i) => `container_1_0001_01_${String(i).padStart(6, '0')}`);

describe('container table', () => {
  it('finds what a Map would find, through growing and emptying', () => {
    const random = seededRandom(11);
    const table = new ContainerTable();
    const expected = new Map<string, HeldContainer>();
    for (const partAdded of [0.9, 0.1, 0.7, 0]) {
      for (let i = 0; i < 100_000; i++) {
        const containerId = ids[random.int(ids.length)]!;
        if (random.next() >= partAdded) {
          assert.equal(table.take(containerId), expected.get(containerId));
          expected.delete(containerId);
        } else if (!expected.has(containerId)) {
          const container = { containerId } as HeldContainer;
          table.add(container);
          expected.set(containerId, container);
        }
      }
      assert.equal(table.size, expected.size);
      for (const containerId of ids) assert.equal(table.get(containerId), expected.get(containerId));
    }
  });
});
