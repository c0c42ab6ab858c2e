import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parsePriorityGrants } from './priority-grants.ts';

describe('priority lists of queues', () => {
  it('grant priorities from the lowest on', () => {
    const grants = parsePriorityGrants('[user=ada max_priority=8 default_priority=3] [group=staff max_priority=4]');
    assert.deepEqual(
      grants.map(({ maximum }) => maximum),
      [4, 8],
    );
  });
});
