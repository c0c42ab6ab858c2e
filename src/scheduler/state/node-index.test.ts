import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../../lib/random.ts';
import { SchedulerNode } from './model.ts';
import { NodeIndex } from './node-index.ts';

describe('node index', () => {
  it('finds a node with room exactly when there is one, going round', () => {
    const random = seededRandom(3);
    const index = new NodeIndex(2);
    const nodes = Array.from(
      { length: 70 },
      (_, i) =>
        new SchedulerNode({ nodeId: `n${i}:1`, host: `n${i}`, rack: '/r', resource: [random.int(100), random.int(10)], label: '' }, 2),
    );
    for (const node of nodes) index.add(node);
    for (let i = 0; i < 500; i++) {
      const node = nodes[random.int(nodes.length)]!;
      node.schedulable = random.int(5) > 0;
      index.refresh(node);
      const wanted = [random.int(110), random.int(11)];
      const hasRoom = index.hasRoom(wanted);
      const found = index.find(wanted);
      const exists = nodes.some(({ available, open }) => open && available[0]! >= wanted[0]! && available[1]! >= wanted[1]!);
      assert.equal(found !== undefined, exists);
      assert.equal(hasRoom, exists);
      if (found) assert.ok(found.open && found.available[0]! >= wanted[0]! && found.available[1]! >= wanted[1]!);
    }
    assert.notEqual(index.find([0, 0]), index.find([0, 0]));
  });

  it('forgets what it found to be missing when other types count, and when a node holds it', () => {
    const index = new NodeIndex(2);
    const node = new SchedulerNode({ nodeId: 'n:1', host: 'n', rack: '/r', resource: [4, 1], label: '' }, 2);
    index.add(node);
    assert.equal(index.hasRoom([4, 2]), false);
    index.counted = 1;
    assert.equal(index.hasRoom([4, 2]), true);
    assert.equal(index.hasRoom([5, 2]), false);
    node.resize([5, 1], 2);
    index.refresh(node);
    assert.equal(index.find([5, 2]), node);
  });
});
