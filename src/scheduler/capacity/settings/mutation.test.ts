import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { applyChange, ChangeRefused } from './mutation.ts';

describe('changes of the configuration', () => {
  const before = new Map([
    ['yarn.scheduler.capacity.root.queues', 'a,b'],
    ['yarn.scheduler.capacity.root.a.capacity', '50'],
    ['yarn.scheduler.capacity.root.b.capacity', '50'],
  ]);
  const change = { remove: [], add: [], update: [], global: [] };

  it('remove, add, update and set globally, in this order', () => {
    const after = applyChange(before, {
      remove: ['root.a'],
      add: [
        {
          queue: 'root.c',
          parameters: [
            ['capacity', '50'],
            ['state', ''],
          ],
        },
      ],
      update: [{ queue: 'root.b', parameters: [['capacity', '']] }],
      global: [['x', 'y']],
    });
    assert.deepEqual(Object.fromEntries(after), {
      'yarn.scheduler.capacity.root.queues': 'b,c',
      'yarn.scheduler.capacity.root.c.capacity': '50',
      x: 'y',
    });
    assert.equal(before.size, 3);
  });

  it('count in their order: what an earlier part of it said is there for the later ones', () => {
    const key = (rest: string) => `yarn.scheduler.capacity.${rest}`;
    const tree = new Map([
      [key('root.queues'), 'a, b'],
      [key('root.ordering-policy'), 'priority-utilization'],
      [key('root.a.queues'), 'x,y'],
      [key('root.a.x.capacity'), '1'],
      [key('root.ab.capacity'), '2'],
      [key('root.a'), 'no queue'],
    ]);
    const after = applyChange(tree, {
      ...change,
      remove: ['root.a.x', 'root.a', 'root.b'] as never,
      add: [
        { queue: 'root.c.d', parameters: [['capacity', '1']] },
        { queue: 'root.c', parameters: [['queues', 'e']] },
        { queue: 'root.c.f', parameters: [] },
        { queue: 'root.b', parameters: [['ordering-policy', 'fair']] },
      ] as never,
    });
    assert.deepEqual(
      [...after],
      [
        [key('root.ab.capacity'), '2'],
        [key('root.a'), 'no queue'],
        [key('root.c.queues'), 'e,f'],
        [key('root.c.d.capacity'), '1'],
        [key('root.queues'), 'c,b'],
        [key('root.b.ordering-policy'), 'fair'],
      ],
    );
    const refused = (remove: readonly string[], message: string) =>
      assert.throws(() => applyChange(tree, { ...change, remove } as never), new ChangeRefused(message));
    refused(['root.a', 'root.a.x'], 'Queue root.a.x not found');
    refused(['root.b', 'root.b'], 'Queue root.b not found');
  });

  it('are refused in words', () => {
    const refused = (part: Partial<typeof change>, message: string) =>
      assert.throws(() => applyChange(before, { ...change, ...part } as never), new ChangeRefused(message));
    refused({ remove: ['root'] as never }, "Can't remove queue root");
    refused({ remove: ['root.x'] as never }, 'Queue root.x not found');
    refused({ add: [{ queue: 'root.a', parameters: [] }] as never }, "Can't add existing queue root.a");
    refused({ add: [{ queue: 'x', parameters: [] }] as never }, "Can't add invalid queue x");
    const nameless = [{ queue: undefined, parameters: [] }] as never;
    refused({ add: nameless }, 'A queue to add has no queue-name.');
    refused({ add: nameless, remove: ['root.x'] as never }, 'Queue root.x not found');
  });
});
