import assert from 'node:assert/strict';
import { test } from 'node:test';
import { doneOf, JobPace, remainingMs, waitsForContainers } from './job-pace.ts';

function pace(...samples: readonly (readonly [atMs: number, done: number, bytes?: number])[]): string {
  const followed = new JobPace();
  for (const [atMs, done, bytes] of samples) followed.add({ atMs, done, bytes });
  return followed.text();
}

test('a job is done as far as its tasks are, each counted once', () => {
  assert.equal(doneOf({ mapProgress: 50, reduceProgress: 0, mapsTotal: 3, reducesTotal: 1 }), 0.375);
  assert.equal(doneOf({ mapProgress: 100, reduceProgress: 0, mapsTotal: 5, reducesTotal: 0 }), 1);
  assert.equal(doneOf({ mapProgress: 0, reduceProgress: 0, mapsTotal: 0, reducesTotal: 0 }), 0);
});

test('the rate and the rest are told from the change over some seconds, and nothing before', () => {
  assert.equal(pace(), '');
  assert.equal(pace([0, 0, 0], [2900, 0.5, 1e6]), '');
  assert.equal(pace([0, 0.1, 0], [4000, 0.3, 8_000_000]), '2.0 MB/s, about 14.0 s left');
  assert.equal(pace([0, 0.1], [4000, 0.3]), 'about 14.0 s left');
  assert.equal(pace([0, 0.1, 5], [4000, 0.1, 5]), '', 'what stands still is not guessed at');
  assert.equal(pace([0, 0.9, 0], [5000, 1, 5_000_000]), '1.0 MB/s');
});

test('a job that becomes slower is measured by its last half minute', () => {
  assert.equal(pace([0, 0, 0], [10_000, 0.5, 0], [45_000, 0.55, 0], [75_000, 0.6, 0]), 'about 4 min 0 s left');
});

test('a job that has hardly begun is not guessed at: the little that is done by then would make hours of it', () => {
  assert.equal(pace([0, 0, 0], [4000, 0.0002, 400_000]), '0.1 MB/s');
  assert.equal(pace([0, 0, 0], [4000, 0.02, 0]), 'about 3 min 16 s left');
  assert.equal(pace([0, 0, 0], [30_000, 0.002, 0]), 'about 4 h 9 min left', 'half a minute tells');
  assert.equal(remainingMs(0.0002, 5000), undefined);
  assert.equal(remainingMs(0.0002, 30_000), 149_970_000);
});

test('the time until anything is done counts as waiting', () => {
  assert.equal(pace([0, 0, 0], [20_000, 0, 0], [22_000, 0.1, 1e6]), '', 'two seconds tell nothing');
  assert.equal(pace([0, 0, 0], [20_000, 0, 0], [24_000, 0.2, 4e6]), '1.0 MB/s, about 16.0 s left');
});

test('what a job takes yet follows from what it took so far, where it has done something', () => {
  assert.equal(remainingMs(0.25, 10_000), 30_000);
  for (const [done, elapsedMs] of [
    [0, 10_000],
    [1, 10_000],
    [0.5, 2999],
  ] as const)
    assert.equal(remainingMs(done, elapsedMs), undefined);
});

test('a job waits for containers while none of its attempts runs, whatever its tasks are called', () => {
  const job = { mapsRunning: 3, reducesRunning: 0, runningMapAttempts: 0, runningReduceAttempts: 0 };
  assert.equal(waitsForContainers(job), true);
  assert.equal(waitsForContainers({ ...job, runningReduceAttempts: 1 }), false);
  assert.equal(waitsForContainers({}), false, 'it is not known');
});
