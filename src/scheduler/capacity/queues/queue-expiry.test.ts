import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Simulator } from '../../conformance/simulator.ts';

const queues = {
  'resource-calculator': 'org.apache.hadoop.yarn.util.resource.DominantResourceCalculator',
  'maximum-am-resource-percent': '1',
  'auto-queue-creation-v2.queue-expiration-time': '60',
  'root.queues': 'team,keep',
  'root.team.capacity': '1w',
  'root.team.auto-queue-creation-v2.enabled': 'true',
  'root.keep.capacity': '1w',
  'root.keep.auto-queue-creation-v2.enabled': 'true',
  'root.keep.auto-queue-creation-v2.leaf-template.auto-queue-creation-v2.queue-auto-removal.enable': 'false',
};

test('automatic queues that no application uses go after their time, parents after their children; what is used or kept stays', () => {
  const simulator = new Simulator({ queues, settings: { deletesQueues: true } });
  simulator.addNodes(1);
  const known = (...paths: string[]) => paths.map((path) => simulator.policy.resolveQueue(path) !== 'unknown');
  const pass = (seconds: number) => {
    for (let i = 0; i < seconds; i += 10) {
      simulator.nowMs += 10_000;
      simulator.run();
    }
  };
  const ada = simulator.submit({ queue: 'root.team.one.ada', masterMiB: 512 });
  const bob = simulator.submit({ queue: 'root.team.bob', masterMiB: 512 });
  const kept = simulator.submit({ queue: 'root.keep.eve', masterMiB: 512 });
  simulator.run();
  assert.deepEqual(known('root.team.one.ada', 'root.team.bob', 'root.keep.eve'), [true, true, true]);
  pass(600);
  assert.deepEqual(known('root.team.one.ada', 'root.team.bob'), [true, true]);
  for (const { applicationId } of [ada, kept]) simulator.finish(applicationId);
  pass(60);
  assert.deepEqual(known('root.team.one.ada'), [true]);
  pass(60);
  assert.deepEqual(known('root.team.one.ada', 'root.team.one'), [false, true]);
  pass(120);
  assert.deepEqual(known('root.team.one', 'root.team', 'root.team.bob', 'root.keep.eve'), [false, true, true, true]);
  simulator.finish(bob.applicationId);
  const again = simulator.submit({ queue: 'root.team.one.ada', masterMiB: 512 });
  simulator.run();
  assert.equal(simulator.containersOf(again.applicationId).length, 1);
});
