import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom, systemRandom } from './random.ts';

describe('chance', () => {
  it('with a seed is the same again, and another with another seed', () => {
    const draw = (seed: number) => {
      const random = seededRandom(seed);
      return [random.next(), random.int(1000), random.bytes(4).toString('hex')];
    };
    assert.deepEqual(draw(5), draw(5));
    assert.notDeepEqual(draw(5), draw(6));
    assert.deepEqual(draw(-1), draw(2 ** 32 - 1));
  });

  it('stays within its bounds, and reaches all of them', () => {
    for (const random of [systemRandom, seededRandom(1)]) {
      const drawn = Array.from({ length: 500 }, () => random.int(6));
      assert.deepEqual([...new Set(drawn)].sort(), [0, 1, 2, 3, 4, 5]);
      for (let i = 0; i < 100; i++) {
        const number = random.next();
        assert.ok(number >= 0 && number < 1);
      }
      assert.equal(random.bytes(33).length, 33);
      assert.equal(random.int(1), 0);
    }
    for (const length of [0, 1, 16, 100, 257, 5000]) assert.equal(systemRandom.bytes(length).length, length);
    const drawn = Array.from({ length: 1000 }, () => systemRandom.bytes(16).toString('hex'));
    assert.equal(new Set(drawn).size, drawn.length);
  });
});
