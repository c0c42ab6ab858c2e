import assert from 'node:assert/strict';
import { it } from 'node:test';
import { daysOf, rangeOf } from './days.ts';

it('reads ranges of days, with open ends and of one day alone', () => {
  assert.deepEqual(daysOf('20261101-20261130'), { from: '2026-11-01', to: '2026-11-30' });
  assert.deepEqual(daysOf('20261101-'), { from: '2026-11-01' });
  assert.deepEqual(daysOf('-20261130'), { to: '2026-11-30' });
  assert.deepEqual(daysOf('20261129'), { from: '2026-11-29', to: '2026-11-29' });
  for (const other of [undefined, '', 'yesterday', '2026-11-29']) assert.deepEqual(daysOf(other), {});
});

it('writes what the reader takes', () => {
  assert.equal(rangeOf({ from: '2026-11-01', to: '2026-11-30' }), '20261101-20261130');
  assert.equal(rangeOf({ from: '2026-11-01' }), '20261101-');
  assert.equal(rangeOf({ to: '2026-11-30' }), '-20261130');
  assert.equal(rangeOf({}), undefined);
});
