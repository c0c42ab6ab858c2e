import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conforms } from '../policy.conformance.ts';
import { Simulator } from '../simulator.ts';

conforms('fifo', { simulator: { kind: 'fifo' }, queues: ['default', 'other'] });

test('whoever does not fit does not hold up those behind', () => {
  const simulator = new Simulator({ kind: 'fifo' });
  simulator.addNodes(1, 8192, 8);
  simulator.submit({ masterMiB: 7168 });
  const large = simulator.submit({ masterMiB: 4096 });
  const small = simulator.submit({ masterMiB: 512, queue: 'nowhere' });
  simulator.run();
  assert.equal(simulator.containersOf(large.applicationId).length, 0);
  assert.equal(simulator.containersOf(small.applicationId).length, 1);
});

test('vcores do not limit', () => {
  const simulator = new Simulator({ kind: 'fifo' });
  simulator.addNodes(1, 8192, 1);
  const { applicationId, attemptId } = simulator.submit({});
  simulator.policy.updateAsks(attemptId, [{ askId: 'a', priority: 0, resource: [1024, 2], count: 8 }], []);
  simulator.run();
  assert.equal(simulator.containersOf(applicationId).length, 8);
});

test('an order of arrival is kept over several slices', () => {
  const simulator = new Simulator({ kind: 'fifo' });
  simulator.addNodes(1, 8192, 8);
  const first = simulator.submit({ masterMiB: 8192 });
  const second = simulator.submit({ masterMiB: 8192 });
  simulator.run(1);
  assert.equal(simulator.containersOf(first.applicationId).length, 1);
  simulator.finish(first.applicationId);
  simulator.run(1);
  assert.equal(simulator.containersOf(second.applicationId).length, 1);
});
