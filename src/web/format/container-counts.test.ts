import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { containerCountsInWords, containerCountsOf } from './container-counts.ts';

describe('counts of containers', () => {
  it('name what there is, in the order of a life', () => {
    const counts = containerCountsOf({
      runningContainers: 5,
      pendingContainers: 1200,
      endedContainers: { succeeded: 2, failed: 1, stopped: 0 },
    });
    assert.equal(containerCountsInWords(counts ?? []), '1,200 asked for, 5 there, 2 succeeded, 1 failed');
    assert.deepEqual(
      counts?.map(({ kind }) => kind),
      ['waiting', 'running', 'good', 'bad'],
    );
  });

  it('tell nothing there from what may not be viewed', () => {
    assert.equal(containerCountsInWords(containerCountsOf({ runningContainers: 0, pendingContainers: 0 }) ?? []), 'none');
    assert.equal(containerCountsOf({}), undefined);
  });
});
