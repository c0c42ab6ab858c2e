import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Histogram } from './histogram.ts';

it('times are told by classes, each with all below it, and their sum', () => {
  const histogram = new Histogram('x_seconds', 'Of x.');
  for (const ms of [0.2, 1, 3, 40, 99_000]) histogram.add(ms);
  assert.equal(
    histogram.text(),
    `# HELP x_seconds Of x.
# TYPE x_seconds histogram
x_seconds_bucket{le="0.001"} 2
x_seconds_bucket{le="0.005"} 3
x_seconds_bucket{le="0.025"} 3
x_seconds_bucket{le="0.1"} 4
x_seconds_bucket{le="0.5"} 4
x_seconds_bucket{le="2.5"} 4
x_seconds_bucket{le="10"} 4
x_seconds_bucket{le="+Inf"} 5
x_seconds_sum 99.0442
x_seconds_count 5
`,
  );
});

it('classes may be finer than the usual ones', () => {
  const histogram = new Histogram('x_seconds', 'Of x.', [0.0005]);
  for (const ms of [0.2, 3]) histogram.add(ms);
  assert.match(histogram.text(), /le="0.0005"} 1\nx_seconds_bucket\{le="\+Inf"} 2\n/);
});
