import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type KeptSubmissionKey, SubmissionKeys } from './submission-keys.ts';

const aKey = (key: string, takenMs: number, more: Partial<KeptSubmissionKey> = {}): KeptSubmissionKey => ({
  applicationId: `application_1_${key}`,
  user: 'ada',
  key,
  digest: 'd'.repeat(43),
  takenMs,
  ...more,
});
const bounds = { maximumAgeMs: 100, mostOfUser: 3 };

describe('keys of submissions', () => {
  it('name their application until they are too old', () => {
    const keys = new SubmissionKeys([], bounds);
    keys.take(aKey('a', 0));
    assert.equal(keys.find('ada', 'a', 100)?.applicationId, 'application_1_a');
    assert.equal(keys.find('ada', 'a', 101), undefined);
    assert.equal(keys.find('bob', 'a', 0), undefined);
  });

  it('are bounded for each user: the oldest go, and are kept no longer', () => {
    const keys = new SubmissionKeys([], bounds);
    for (const [key, takenMs] of [
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ] as const)
      assert.deepEqual(keys.take(aKey(key, takenMs)).dropped, []);
    keys.take(aKey('x', 3, { user: 'bob' }));
    assert.deepEqual(keys.take(aKey('d', 4)).dropped, ['application_1_a']);
    assert.deepEqual(keys.take(aKey('e', 103)).dropped, ['application_1_b']);
    assert.deepEqual(keys.take(aKey('f', 200)).dropped, ['application_1_c', 'application_1_d']);
    assert.deepEqual(
      ['d', 'e', 'f'].map((key) => keys.find('ada', key, 200)?.key),
      [undefined, 'e', 'f'],
    );
    assert.equal(keys.find('bob', 'x', 100)?.key, 'x');
  });

  it('that are too old may be taken again', () => {
    const keys = new SubmissionKeys([], bounds);
    keys.take(aKey('a', 0));
    assert.deepEqual(keys.take(aKey('a', 500, { applicationId: 'application_1_z' })).dropped, ['application_1_a']);
    assert.equal(keys.find('ada', 'a', 500)?.applicationId, 'application_1_z');
  });

  it('are free again, and those that had to go are back, where a write failed', () => {
    const keys = new SubmissionKeys([], bounds);
    for (const [key, takenMs] of [
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ] as const)
      keys.take(aKey(key, takenMs));
    keys.take(aKey('d', 4)).undo();
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((key) => keys.find('ada', key, 4)?.key),
      ['a', 'b', 'c', undefined],
    );
  });

  it('of an earlier process count, in the order in which they were taken', () => {
    const keys = new SubmissionKeys([aKey('c', 3), aKey('a', 1), aKey('b', 2)], bounds);
    assert.deepEqual(keys.take(aKey('d', 4)).dropped, ['application_1_a']);
    assert.equal(keys.find('ada', 'c', 4)?.key, 'c');
  });
});
