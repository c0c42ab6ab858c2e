import assert from 'node:assert/strict';
import { it } from 'node:test';
import { knownMeanMs } from './job-means.ts';

it('a mean that is longer than its job, or below nothing, is none', () => {
  const job = { startTime: 1_700_000_000_000, finishTime: 1_700_000_002_000 };
  assert.deepEqual(
    [0, 900, 2000, 2001, 1_700_000_005_000, -1, undefined].map((mean) => knownMeanMs(mean, job)),
    [0, 900, 2000, undefined, undefined, undefined, undefined],
  );
  assert.equal(knownMeanMs(900, { startTime: 1_700_000_000_000, finishTime: 0 }), 900, 'of a running job');
  assert.equal(knownMeanMs(1, { startTime: 2000, finishTime: 1000 }), undefined, 'of a job whose clock went back');
});
