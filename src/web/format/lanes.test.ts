import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lanesOf, marksOf } from './lanes.ts';

describe('bars of a timeline', () => {
  it('never overlap within a lane, keep to their node, and need no more lanes than run at once', () => {
    const seed = 20_261_123;
    let state = seed;
    // A linear congruence; the upper bits are the ones that look like chance.
    const whole = (below: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return (state >>> 8) % below;
    };
    const bars = Array.from({ length: 400 }, () => {
      const from = whole(1000);
      return { node: `n${whole(3)}`, from, to: from + 1 + whole(80) };
    });
    const found = lanesOf(bars);
    assert.deepEqual(
      found.map(({ node }) => node),
      ['n0', 'n1', 'n2'],
    );
    assert.equal(found.flatMap(({ lanes }) => lanes.flat()).length, bars.length, `seed ${seed}`);
    for (const { node, lanes } of found) {
      for (const lane of lanes)
        lane.forEach((bar, index) => assert.ok(bar.node === node && (index === 0 || lane[index - 1]!.to <= bar.from), `seed ${seed}`));
      const own = bars.filter((bar) => bar.node === node);
      const most = Math.max(...own.map(({ from }) => own.filter((other) => other.from <= from && from < other.to).length));
      assert.equal(lanes.length, most, `seed ${seed}`);
    }
  });

  it('have an axis in lengths that people count in', () => {
    assert.deepEqual(marksOf(4200, 6), [0, 1000, 2000, 3000, 4000]);
    assert.deepEqual(marksOf(200_000, 8), [0, 30_000, 60_000, 90_000, 120_000, 150_000, 180_000]);
    assert.deepEqual(
      marksOf(40 * 3_600_000, 6),
      [0, 8, 16, 24, 32, 40].map((hours) => hours * 3_600_000),
    );
  });
});
