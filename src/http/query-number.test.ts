import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Failure } from '../model/errors.ts';
import { Query } from './query.ts';
import { type NumberBounds, readCount, readNumber } from './query-number.ts';

const read = (text: string, bounds: Partial<NumberBounds> = {}) => readNumber(new Query(text), 'n', { usual: 7, ...bounds });
const refusal = (act: () => number): string => {
  try {
    return `was read: ${act()}`;
  } catch (error) {
    assert.ok(error instanceof Failure);
    assert.equal(error.code, 'BAD_REQUEST');
    return error.message;
  }
};

describe('a whole number of a query', () => {
  it('is what its digits say, up to both bounds, and the usual one where it is absent', () => {
    assert.equal(read('other=1'), 7);
    assert.equal(read('n=0'), 0);
    assert.equal(read('n=12&n=13', { most: 12 }), 12);
    assert.equal(read('n=3', { least: 3 }), 3);
    assert.equal(read('n=000000012', { most: 12 }), 12);
    assert.equal(read(`n=${Number.MAX_SAFE_INTEGER}`), Number.MAX_SAFE_INTEGER);
    assert.equal(read(`n=${Number.MIN_SAFE_INTEGER}`, { least: Number.MIN_SAFE_INTEGER }), Number.MIN_SAFE_INTEGER);
    assert.ok(Object.is(read('n=-0', { least: -1 }), 0));
  });

  it('is refused where it is beyond a bound, which the refusal tells', () => {
    assert.match(
      refusal(() => read('n=13', { most: 12 })),
      /n must be a whole number up to 12$/,
    );
    assert.match(
      refusal(() => read('n=13', { least: 2, most: 12 })),
      /n must be a whole number from 2 to 12$/,
    );
    assert.match(
      refusal(() => read('n=1', { least: 2, most: 12 })),
      /from 2 to 12$/,
    );
    assert.match(
      refusal(() => read('n=13', { most: 12, unit: 'milliseconds' })),
      /n must be a whole number of milliseconds up to 12$/,
    );
    assert.match(
      refusal(() => read('n=9007199254740992')),
      /n must be a whole number from 0 on$/,
    );
    assert.match(
      refusal(() => read('n=-9007199254740992', { least: Number.MIN_SAFE_INTEGER })),
      /n must be a whole number$/,
    );
  });

  for (const text of ['', '-1', '-0', '+1', '%201', '1%20', '1.0', '1e3', '0x10', 'NaN', 'Infinity', '١', '0000000001', '9'.repeat(400)])
    it(`is not "${text.slice(0, 20)}"`, () => {
      assert.match(
        refusal(() => read(`n=${text}`, { most: 1000 })),
        /n must be a whole number up to 1000$/,
      );
    });
});

describe('a count of a query', () => {
  it('is from 1 on, and the usual one also where nothing is said of it', () => {
    const count = (text: string) => readCount(new Query(text), 'n', { usual: 5, most: 9 });
    assert.deepEqual([count(''), count('n='), count('n=1'), count('n=9')], [5, 5, 1, 9]);
    for (const text of ['n=0', 'n=10', 'n=-1', 'n=x'])
      assert.match(
        refusal(() => count(text)),
        /n must be a whole number from 1 to 9$/,
      );
  });
});
