import assert from 'node:assert/strict';
import { test } from 'node:test';
import { convertUnits, parseAmount } from './units.ts';

test('amounts are converted between units and rounded down', () => {
  assert.equal(convertUnits(5, 'Gi', 'Mi'), 5120);
  assert.equal(convertUnits(5, 'G', 'M'), 5000);
  assert.equal(convertUnits(1500, 'M', 'G'), 1);
  assert.equal(convertUnits(1, 'G', 'Gi'), 0);
  assert.equal(convertUnits(2, 'Gi', 'M'), 2147);
  assert.equal(convertUnits(3, '', 'm'), 3000);
  assert.equal(convertUnits(7, '', ''), 7);
});

test('amounts are read with their unit', () => {
  assert.deepEqual(parseAmount(' 12Gi '), { amount: 12, unit: 'Gi' });
  assert.deepEqual(parseAmount('3'), { amount: 3, unit: '' });
  for (const bad of ['', 'x', '-1', '1.5', '3Zi', '3 4']) assert.equal(parseAmount(bad), undefined, bad);
});
