import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shownStretch, stretchOf, stretchText, zoomedBy } from './stretch.ts';

describe('a stretch of time', () => {
  it('is what an address names, and none where it names nothing that is one', () => {
    assert.deepEqual(stretchOf('1100-1300'), { fromMs: 1100, toMs: 1300 });
    assert.equal(stretchText({ fromMs: 1100, toMs: 1300 }), '1100-1300');
    for (const text of [undefined, '', '5-5', '9-3', 'a-b', '1-2-3']) assert.equal(stretchOf(text), undefined);
  });

  const times = [1000, 2000, 3000, 4000, 5000];

  it('is shown by a chart where two samples lie in it; else all is', () => {
    assert.deepEqual(shownStretch(times, { fromMs: 1500, toMs: 3000 }), { fromMs: 1500, toMs: 3000 });
    for (const [fromMs, toMs] of [
      [1500, 2500],
      [0, 900],
      [5000, 9000],
      [9000, 9900],
    ] as const)
      assert.equal(shownStretch(times, { fromMs, toMs }), undefined);
    assert.equal(shownStretch(times, undefined), undefined);
    assert.equal(shownStretch([], { fromMs: 1, toMs: 9 }), undefined);
  });

  it('becomes half and twice as long by keys, around the moment that is pointed at', () => {
    assert.deepEqual(zoomedBy('+', times, undefined, 5000), { fromMs: 3000, toMs: 5000 });
    assert.deepEqual(zoomedBy('=', times, undefined, 2000), { fromMs: 1500, toMs: 3500 });
    // One sample alone would be left.
    assert.equal(zoomedBy('+', times, { fromMs: 1500, toMs: 3500 }, 1500), undefined);
    assert.deepEqual(zoomedBy('-', times, { fromMs: 3000, toMs: 4000 }, 3500), { fromMs: 2500, toMs: 4500 });
    assert.equal(zoomedBy('-', times, { fromMs: 1500, toMs: 4500 }, 3000), 'whole');
    // No address has a moment before the epoch.
    assert.deepEqual(zoomedBy('-', [100, 20_000], { fromMs: 100, toMs: 4100 }, 4100), { fromMs: 0, toMs: 8000 });
    assert.equal(zoomedBy('0', times, { fromMs: 3000, toMs: 4000 }, 3500), 'whole');
  });

  it('is left as it is by other keys, and where nothing is to be made smaller or larger', () => {
    assert.deepEqual(
      [zoomedBy('x', times, undefined, 1), zoomedBy('-', times, undefined, 1), zoomedBy('0', times, undefined, 1)],
      [undefined, undefined, undefined],
    );
    assert.deepEqual([zoomedBy('+', [], undefined, 1), zoomedBy('+', [1000], undefined, 1000)], [undefined, undefined]);
  });
});
