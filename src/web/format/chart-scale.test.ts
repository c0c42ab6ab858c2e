import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { movedTo, stepsOf, topOf } from './chart-scale.ts';

it('draws lines at even numbers: whole GiB for memory, thousands for counts', () => {
  const has = (measured: Parameters<typeof stepsOf>[0]) => [1000, 1024, 2000, 2048, 0.5].map((step) => stepsOf(measured).includes(step));
  assert.deepEqual(has('memory'), [false, true, false, true, false]);
  assert.deepEqual(has('count'), [true, false, true, false, false]);
  assert.deepEqual(has('fine'), [true, false, true, false, true]);
});

describe('the height of a chart', () => {
  it('is that of its highest line', () => {
    assert.equal(topOf([{ values: [1, 100, null] }], 100), 108);
    assert.equal(topOf([{ values: [0, 0] }], 0), 1);
  });

  it('is at most about twice of what there is', () => {
    const there = { values: [30, 40, null], isBound: true };
    assert.equal(topOf([{ values: [20, 40_000, 12] }, there], 40_000), 86.4);
    assert.equal(topOf([{ values: [20, 50, 12] }, there], 50), 54);
    // A cluster without nodes.
    assert.equal(topOf([{ values: [100] }, { values: [0], isBound: true }], 100), 108);
  });

  it('leads by keys from moment to moment, no further than there are samples, and back to now', () => {
    const moved = (key: string, pointed?: number) => movedTo(key, pointed, 30);
    assert.deepEqual([moved('ArrowLeft'), moved('ArrowLeft', 5), moved('ArrowLeft', 0)], [29, 4, 0]);
    assert.deepEqual([moved('ArrowRight', 5), moved('ArrowRight', 29), moved('PageDown', 25), moved('PageUp', 25)], [6, 29, 15, 29]);
    assert.deepEqual(
      [moved('Home'), moved('End', 3), moved('Escape', 3), moved('Escape'), moved('x', 3)],
      [0, 29, 'now', undefined, undefined],
    );
  });
});
