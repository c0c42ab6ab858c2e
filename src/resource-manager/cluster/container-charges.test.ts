import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aContainer } from '../test-support/builders.ts';
import { ContainerCharges } from './container-charges.ts';

function charges() {
  const room = new Map<string, readonly number[]>();
  const charges = new ContainerCharges({
    containerEnded: (id) => assert.ok(room.delete(id), `${id} has no room`),
    recoverContainer({ containerId, resource }) {
      assert.ok(!room.has(containerId), `${containerId} has room already`);
      room.set(containerId, resource);
    },
  });
  return { room, charges };
}

describe('the room of a container in the scheduler', () => {
  it('is counted under its own id, with its size', () => {
    const { room, charges: held } = charges();
    const container = aContainer({ id: 'c1' });
    held.adopt(container);
    held.resize(container, [2048, 2]);
    assert.deepEqual([...room], [['c1', [2048, 2]]]);
    assert.equal(held.chargedTo('c1'), 'c1');
    held.release(container);
    assert.equal(room.size, 0);
  });

  it('is that of the container given for its promotion from then on', () => {
    const { room, charges: held } = charges();
    const container = aContainer({ id: 'c1' });
    room.set('c7', container.resource);
    held.take(container, 'c7');
    assert.equal(held.chargedTo('c7'), 'c1');
    held.resize(container, [2048, 2]);
    assert.deepEqual([...room], [['c7', [2048, 2]]]);
    held.release(container);
    assert.deepEqual([room.size, container.chargedAs, held.chargedTo('c7')], [0, undefined, 'c7']);
  });

  it('that nothing takes is given back', () => {
    const { room, charges: held } = charges();
    room.set('c8', [1, 1]);
    held.giveBack('c8');
    assert.equal(room.size, 0);
  });
});
