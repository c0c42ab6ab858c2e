import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Simulator } from '../../conformance/simulator.ts';
import type { CapacityDescription } from '../../explain/description.ts';

const two = {
  'resource-calculator': 'org.apache.hadoop.yarn.util.resource.DominantResourceCalculator',
  'maximum-am-resource-percent': '1',
  'root.queues': 'default,other',
  'root.default.capacity': '60',
  'root.default.user-limit-factor': '10',
  'root.other.capacity': '40',
  'root.other.maximum-capacity': '80',
  'root.other.user-limit-factor': '10',
};

/** What limits the masters of a queue below the root. */
const limitOf = (simulator: Simulator, queue: string) =>
  (simulator.policy.describe() as CapacityDescription).root.children.find(({ name }) => name === queue)!.leaf!.amLimit;

describe('how far a queue could reach', () => {
  it('is known as long as something of it waits, also when that goes', () => {
    const ends: ((simulator: Simulator, applicationId: string) => void)[] = [
      ({ policy }, id) => policy.removeApplication(id),
      ({ policy }, id) => void policy.moveApplication?.(id, 'root.other'),
    ];
    for (const [end, passedMs, known] of ends.flatMap((one) => [[one, 5000, 5120] as const, [one, 10, 3072] as const])) {
      const simulator = new Simulator({ queues: { ...two, 'root.default.maximum-am-resource-percent': '0.5' } });
      simulator.addNodes(1, 10_240, 64);
      const later = (ms: number) => {
        simulator.run();
        simulator.nowMs += ms;
      };
      const other = simulator.submit({ queue: 'other', masterMiB: 4096 });
      later(5000);
      simulator.submit({ queue: 'default', masterMiB: 1024 });
      later(5000);
      const limit = () => limitOf(simulator, 'default')[0];
      const waiting = simulator.submit({ queue: 'default', masterMiB: 4096 });
      later(5000);
      assert.deepEqual([limit(), simulator.containersOf(waiting.applicationId).length], [3072, 0]);
      simulator.policy.removeApplication(other.applicationId);
      later(passedMs);
      assert.equal(limit(), 3072, 'nobody came or went in the queue');
      end(simulator, waiting.applicationId);
      assert.equal(limit(), known, 'no heartbeat told of it within an interval');
    }
  });

  it('stays as it was known while no node has room', () => {
    const simulator = new Simulator({ queues: { ...two, 'root.default.maximum-am-resource-percent': '0.5' } });
    simulator.addNodes(1, 10_240, 64);
    const limit = () => limitOf(simulator, 'default')[0];
    simulator.submit({ queue: 'default', masterMiB: 4096 });
    simulator.run();
    simulator.submit({ queue: 'other', masterMiB: 6144 });
    simulator.run();
    const waiting = simulator.submit({ queue: 'default', masterMiB: 1024 });
    simulator.nowMs += 60_000;
    simulator.policy.removeApplication(waiting.applicationId);
    assert.equal(limit(), 5120);
  });

  it('compares whole amounts, while each resource by itself limits what is placed', () => {
    const simulator = new Simulator({ queues: two });
    simulator.addNodes(1, 10_240, 64);
    simulator.submit({ queue: 'default', masterMiB: 6144 });
    simulator.run();
    const { attemptId, applicationId } = simulator.submit({ queue: 'other', masterMiB: 1024 });
    simulator.run();
    simulator.submit({ queue: 'other', masterMiB: 1024 });
    simulator.run();
    // 4 GiB and 63 vcores are left: of the vcores more than the maximum of 8 GiB and 51 vcores.
    assert.deepEqual(limitOf(simulator, 'other'), [8192, 51]);
    simulator.policy.updateRequests(attemptId, [{ requestId: 'a', priority: 1, resource: [1024, 1], count: 20 }], []);
    simulator.run();
    assert.equal(simulator.containersOf(applicationId).length, 3);
  });
});
