import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DurationFigure } from './duration-figure.ts';
import { RecentDurations } from './recent-durations.ts';

it('durations are shown by their mean over all', () => {
  const figure = new DurationFigure();
  assert.deepEqual([figure.count, figure.averageMs], [0, 0]);
  for (const ms of [1, 2, 6, -1]) figure.add(ms);
  assert.deepEqual([figure.count, figure.averageMs], [4, 2.25]);
});

it('durations are shown by percentiles of the last whole window of ten seconds', () => {
  let nowMs = 123_456;
  const recent = new RecentDurations({ steadyMs: () => nowMs });
  const shown = () => [recent.count, ...[50, 75, 90, 95, 99].map((percent) => recent.percentile(percent))];
  for (let ms = 100; ms >= 1; ms--) recent.add(ms);
  assert.deepEqual(shown(), [0, 0, 0, 0, 0, 0]);
  nowMs = 130_000;
  assert.deepEqual(shown(), [100, 50, 75, 90, 95, 99]);
  recent.add(7);
  assert.deepEqual(shown(), [100, 50, 75, 90, 95, 99]);
  nowMs = 140_000;
  assert.deepEqual(shown(), [1, 7, 7, 7, 7, 7]);
  recent.add(9);
  nowMs = 160_000;
  assert.deepEqual(shown(), [0, 0, 0, 0, 0, 0]);
});

it('durations of a window are kept in part where they are very many', () => {
  let nowMs = 0;
  const recent = new RecentDurations({ steadyMs: () => nowMs });
  for (let n = 0; n < 100_000; n++) recent.add(n / 1000);
  nowMs = 10_000;
  assert.equal(recent.count, 100_000);
  for (const percent of [50, 90, 99])
    assert.ok(Math.abs(recent.percentile(percent) - percent) < 0.5, `${percent}: ${recent.percentile(percent)}`);
});
