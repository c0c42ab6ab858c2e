import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { containerLabel, instanceText, roleText } from './instance.ts';

describe('what a container is for', () => {
  it('is told by its instance, and by its try from the second on', () => {
    assert.equal(instanceText({ instance: 0, tryNumber: 1 }), 'instance 0');
    assert.equal(instanceText({ instance: 3, tryNumber: 2 }), 'instance 3, try 2');
    assert.equal(instanceText({}), undefined);
    assert.deepEqual([{ isMaster: true }, { isMaster: false, instance: 3, tryNumber: 2 }, { isMaster: false }].map(roleText), [
      'Master',
      'Instance 3, try 2',
      'Container',
    ]);
    assert.equal(containerLabel({ id: 'container_1_0001_01_000012' }), 'Container 12');
    assert.equal(containerLabel({ id: 'container_1_0001_01_000012', instance: 4, tryNumber: 1 }), 'Instance 4');
  });
});
