import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { computeShares, type Sharer } from './shares.ts';

interface Wish {
  readonly weight?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly takesPart?: boolean;
}

/** The shares of the wishes of one resource type. */
function sharesOf(total: number, wishes: readonly Wish[], steady = false): number[] {
  const shares: number[] = [];
  const sharers = wishes.map(
    ({ weight = 1, minimum = 0, maximum = Number.MAX_SAFE_INTEGER, takesPart = true }, place): Sharer => ({
      weight,
      takesPart,
      minimumOf: () => minimum,
      maximumOf: () => maximum,
      setShare: (_, value) => {
        shares[place] = value;
      },
    }),
  );
  computeShares(sharers, total, 0, steady);
  return shares;
}

describe('fair shares', () => {
  it('go by weight', () => {
    assert.deepEqual(sharesOf(40, [{}, {}, {}, {}]), [10, 10, 10, 10]);
    assert.deepEqual(sharesOf(45, [{ weight: 2 }, {}, {}, { weight: 0.5 }]), [20, 10, 10, 5]);
  });

  it('stay below maxima, and others share what those leave', () => {
    assert.deepEqual(sharesOf(40, [{ maximum: 50 }, { maximum: 11 }, { maximum: 3 }, { maximum: 20 }]), [13, 11, 3, 13]);
    assert.deepEqual(sharesOf(100, [{ maximum: 10 }, { maximum: 20 }]), [10, 20]);
  });

  it('reach minima first, also where these are more than there is', () => {
    assert.deepEqual(sharesOf(40, [{ minimum: 20 }, {}, {}]), [20, 10, 10]);
    assert.deepEqual(sharesOf(10, [{ minimum: 20 }, { minimum: 18 }, {}]), [20, 18, 0]);
  });

  it('go by weight between minimum and maximum at once', () => {
    assert.deepEqual(sharesOf(8192, [{}, { weight: 3 }, { minimum: 2000 }, { weight: 5, maximum: 100 }]), [1523, 4569, 2000, 100]);
  });

  it('without weight are the minimum', () => {
    assert.deepEqual(sharesOf(40, [{ weight: 0, minimum: 4 }, { weight: 0 }, {}]), [4, 0, 36]);
  });

  it('are nothing for who takes no part, but for steady ones', () => {
    assert.deepEqual(sharesOf(40, [{ takesPart: false }, {}]), [0, 40]);
    assert.deepEqual(sharesOf(40, [{ takesPart: false }, {}], true), [20, 20]);
    assert.deepEqual(sharesOf(40, [{ maximum: 0 }, {}]), [0, 40]);
  });

  it('use up what there is, to less than one for each who shares', () => {
    for (let total = 0; total < 60; total++) {
      const shares = sharesOf(total, [{ weight: 3 }, { weight: 1.5, maximum: 9 }, { weight: 0.1 }, {}]);
      const given = shares.reduce((sum, share) => sum + share, 0);
      assert.ok(Math.abs(given - total) < shares.length, `${total}: ${shares}`);
    }
  });
});
