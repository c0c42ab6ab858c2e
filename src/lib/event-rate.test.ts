import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EventRate } from './event-rate.ts';
import { seededRandom } from './random.ts';

describe('a rate', () => {
  it('counts the events of the last second, however many there are', () => {
    const rate = new EventRate();
    for (let ms = 0; ms < 1000; ms++) rate.add(500, 1_700_000_000_000 + ms);
    assert.equal(rate.perSecond(1_700_000_000_999), 500_000);
    assert.equal(rate.perSecond(1_700_000_001_499), 250_000);
    assert.equal(rate.perSecond(1_700_000_003_000), 0);
  });

  it('is right to within one slice of 20 ms on either side', () => {
    const random = seededRandom(3);
    const rate = new EventRate();
    const events: number[] = [];
    let nowMs = 5000;
    for (let i = 0; i < 3000; i++) {
      nowMs += random.int(random.int(100) === 0 ? 3000 : 4);
      rate.add(1, nowMs);
      events.push(nowMs);
      const within = (ms: number) => events.filter((at) => at > nowMs - ms).length;
      const counted = rate.perSecond(nowMs);
      assert.ok(counted >= within(980) && counted <= within(1020), `${counted} at ${nowMs}`);
    }
  });
});
