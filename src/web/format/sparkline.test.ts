import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sparkOf } from './sparkline.ts';

test('a small chart ends at what was given, and above that where more was used', () => {
  assert.deepEqual(sparkOf([0, 50, 100], 100), {
    line: 'M0 15.25L30 8L60 0.75',
    area: 'M0 15.25L30 8L60 0.75L60 16L0 16Z',
  });
  assert.equal(sparkOf([0, 200], 100)?.line, 'M0 15.25L60 0.75');
  assert.equal(sparkOf([0, 25], 100)?.line, 'M0 15.25L60 11.63');
});

test('nothing used, or nothing given, is a line at the bottom; one value is no line', () => {
  assert.equal(sparkOf([0, 0], 0)?.line, 'M0 15.25L60 15.25');
  assert.equal(sparkOf([5], 100), undefined);
  assert.equal(sparkOf([], 100), undefined);
});
