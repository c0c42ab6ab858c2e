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

  it('are refused in words', () => {
    const refused = (part: Partial<typeof change>, message: string) =>
      assert.throws(() => applyChange(before, { ...change, ...part } as never), new ChangeRefused(message));
    refused({ remove: ['root'] as never }, "Can't remove queue root");
    refused({ remove: ['root.x'] as never }, 'Queue root.x not found');
    refused({ add: [{ queue: 'root.a', parameters: [] }] as never }, "Can't add existing queue root.a");
    refused({ add: [{ queue: 'x', parameters: [] }] as never }, "Can't add invalid queue x");
  });
});
