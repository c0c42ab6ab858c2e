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

  it('are refused with a key that there is not, for nobody, or without a maximum', () => {
    for (const grant of ['[user=ada]', '[user=ada default_priority=3]', '[user=bob max_priority=1] [group=staff]'])
      assert.throws(() => parsePriorityGrants(grant), /names its max_priority: \[(user=ada|group=staff)/, grant);
    assert.throws(() => parsePriorityGrants('[user=ada colour=red max_priority=1]'), /No enum constant .*AppPriorityACLKeyType\.COLOUR/);
    assert.throws(() => parsePriorityGrants('[max_priority=4]'), /Index 0 out of bounds for length 0/);
    assert.deepEqual(parsePriorityGrants('[ ]'), []);
  });
});
