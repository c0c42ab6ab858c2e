import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comparedCounters, comparedSettings } from './comparison.ts';

describe('two jobs beside each other', () => {
  it('have every counter of either, apart by group', () => {
    const a = [
      {
        name: 'g',
        counters: [
          { name: 'x', total: 1 },
          { name: 'y', total: 2 },
        ],
      },
    ];
    const b = [
      { name: 'h', counters: [{ name: 'x', total: 9 }] },
      { name: 'g', counters: [{ name: 'x', total: 3 }] },
    ];
    assert.deepEqual(comparedCounters(a, b), [
      { group: 'g', name: 'x', a: 1, b: 3 },
      { group: 'g', name: 'y', a: 2, b: 0 },
      { group: 'h', name: 'x', a: 0, b: 9 },
    ]);
  });

  it('have the settings that differ, also those that one has not', () => {
    const a = [
      { name: 'z', value: '1' },
      { name: 'same', value: 's' },
      { name: 'm', value: '' },
    ];
    const b = [{ name: 'same', value: 's' }, { name: 'n', value: '2' }, { name: 'm' }];
    assert.deepEqual(comparedSettings(a, b), [
      { name: 'n', a: undefined, b: '2' },
      { name: 'z', a: '1', b: undefined },
    ]);
  });
});
