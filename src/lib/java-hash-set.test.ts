import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hashSetOrder } from './java-hash-set.ts';

describe("the order of Java's hash sets", () => {
  it('is that of places in a table which grows with them, and each text is there once', () => {
    assert.deepEqual(hashSetOrder(['b-tag', 'nightly', 'b-tag']), ['nightly', 'b-tag']);
    const letters = [...'zyxwvutsrqponm'];
    // Fourteen need a table of 32: 'm' (109) has place 13, 'z' (122) has 26.
    assert.deepEqual(hashSetOrder(letters), letters.toReversed());
    // In one of 16 'p' (112) is the first.
    assert.deepEqual(hashSetOrder(['o', 'p', 'q', 'n']), ['p', 'q', 'n', 'o']);
  });

  it('keeps those of one place as they came, and knows hashes beyond 16 bits', () => {
    assert.deepEqual(
      [hashSetOrder(['Aa', 'BB']), hashSetOrder(['BB', 'Aa'])],
      [
        ['Aa', 'BB'],
        ['BB', 'Aa'],
      ],
    );
    assert.deepEqual(hashSetOrder(['a rather long text', 'another one']), ['another one', 'a rather long text']);
  });
});
