import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultCalculator, dominantCalculator, multiplyRoundedUp, normalizeRequest } from './calculator.ts';

describe('calculators', () => {
  it('compare by memory alone or by the dominant share', () => {
    assert.ok(defaultCalculator.compare([100, 10], [10, 9], [20, 1]) < 0);
    assert.ok(dominantCalculator.compare([100, 10], [10, 9], [20, 1]) > 0);
    assert.equal(dominantCalculator.compare([0, 0], [1, 2], [2, 1]), 0);
  });

  it('divide as float32', () => {
    assert.equal(dominantCalculator.divide([20_480, 64], [768, 3], [2048, 6]) * 100, Math.fround(0.46875) * 100);
  });

  it('round requests to the minimum and the step, not beyond the maximum, and never cut them', () => {
    const sizes = [0, 1, 100, 128, 129, 1000, 8190, 9000].map(
      (memory) => normalizeRequest([memory, 0], [128, 1], [8191, 4], [128, 1], 2)[0],
    );
    assert.deepEqual(sizes, [128, 128, 128, 128, 256, 1024, 8191, 9000]);
    assert.deepEqual(multiplyRoundedUp(dominantCalculator, [8192, 25], 0.25, [128, 1]), [2048, 7]);
  });
});
