import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compared } from '../../bench/comparison.ts';
import type { BenchReport } from '../../bench/performance-page.ts';

const report = (first: number, more: BenchReport['results'][string] = []): BenchReport => ({
  date: '2026-11-23T01:00:00.000Z',
  node: 'v26.10.0',
  cores: 2,
  load: [0, 0],
  method: 'by hand',
  results: { submit: [{ name: 'first', value: first, unit: 'ms' }, ...more] },
});

test('two checkouts are compared by the middle of their rounds, in what both measure', () => {
  const newer = [{ name: 'newer', value: 1, unit: 'ms' }];
  const ours = [report(12, newer), report(1000, newer), report(11, newer)];
  const theirs = [report(10), report(16), report(9)];
  assert.deepEqual(compared('submit', ours, theirs), [{ name: 'first', unit: 'ms', ours: '12', theirs: '10', ratio: '1.20' }]);
  assert.deepEqual(compared('submit', ours, [report(0)])[0]?.ratio, '');
});
