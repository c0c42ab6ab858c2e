import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiFailure } from './http.ts';
import { between, changeEach } from './several.ts';

const items = Array.from({ length: 10 }, (_, index) => index);
const never = () => false;

describe('many changes', () => {
  it('are each answered by themselves, a few at a time, and what is refused says why', async () => {
    let [underWay, most] = [0, 0];
    const steps: number[] = [];
    const { done, refused, left } = await changeEach(
      items,
      async (item) => {
        most = Math.max(most, ++underWay);
        await Promise.resolve();
        underWay--;
        if (item % 4 === 1) throw new ApiFailure(403, '', `${item} is another's`);
      },
      { tell: (state) => steps.push(state.done.length + state.refused.length), isStopped: never },
    );
    assert.equal(most, 4);
    assert.deepEqual(steps, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    assert.deepEqual(
      done.toSorted((a, b) => a - b),
      [0, 2, 3, 4, 6, 7, 8],
    );
    assert.deepEqual(refused.map(({ reason }) => reason).toSorted(), ["1 is another's", "5 is another's", "9 is another's"]);
    assert.deepEqual(left, []);
  });

  it('stop where they are told to, and where nobody answers any more', async () => {
    const asked: number[] = [];
    const stopped = await changeEach(items, async (item) => asked.push(item), {
      tell: () => undefined,
      isStopped: () => asked.length >= 3,
    });
    assert.deepEqual([stopped.done.length + stopped.left.length, stopped.done.length < 8], [10, true]);
    // Without an answer, and where the session has ended; what one alone may not, the next one may.
    for (const [status, asked, left] of [
      [0, 4, 6],
      [401, 4, 6],
      [403, 10, 0],
    ] as const) {
      const gone = await changeEach(items, () => Promise.reject(new ApiFailure(status, '', 'no')), {
        tell: () => undefined,
        isStopped: never,
      });
      assert.deepEqual([gone.done.length, gone.refused.length, gone.left.length], [0, asked, left], String(status));
    }
  });
});

describe('what lies between two places', () => {
  it('has both, in either direction', () => {
    assert.deepEqual(between(items, 2, 4), [2, 3, 4]);
    assert.deepEqual(between(items, 4, 2), [2, 3, 4]);
    assert.deepEqual(between(items, 9, 9), [9]);
  });
});
