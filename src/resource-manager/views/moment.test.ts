import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { OncePerMoment } from './moment.ts';

/** A value that counts how often it was made, and the cluster around it. */
function counted() {
  let changes = 0;
  let nowMs = 1000;
  let made = 0;
  const value = new OncePerMoment<number>({ changes: () => changes, clock: { now: () => nowMs }, longestMs: 250 });
  return {
    get: () => value.get(() => ++made),
    fail: () => value.get(() => assert.fail('it was made')),
    change: () => void changes++,
    later: (ms: number) => {
      nowMs += ms;
    },
  };
}

describe('what is made once in a moment', () => {
  test('is the same until something changes', () => {
    const { get, change, later } = counted();
    assert.deepEqual([get(), get()], [1, 1]);
    later(249);
    assert.equal(get(), 1);
    change();
    assert.deepEqual([get(), get()], [2, 2]);
  });

  test('is made anew after the longest time, and when the clock goes back', () => {
    const { get, later } = counted();
    assert.equal(get(), 1);
    later(250);
    assert.equal(get(), 2);
    later(-1);
    assert.deepEqual([get(), get()], [3, 3]);
  });

  test('is not what it was before where it could not be made', () => {
    const { get, fail, change } = counted();
    assert.equal(get(), 1);
    change();
    assert.throws(fail, /it was made/);
    assert.equal(get(), 2);
  });
});
