// The work of Hadoop's TestCapacitySchedulerPerf: every user has what it may have, every application wants more, nodes report.
import assert from 'node:assert/strict';
import { Simulator } from '../../src/scheduler/conformance/simulator.ts';
import { cpuMs } from './load.ts';

function atTheLimit(queues: number, applications: number): Simulator {
  const names = Array.from({ length: queues }, (_, i) => `q${i}`);
  const queueSettings = (userLimitFactor: number): Record<string, string> => ({
    'resource-calculator': 'org.apache.hadoop.yarn.util.resource.DominantResourceCalculator',
    'maximum-am-resource-percent': '1',
    'root.queues': names.join(','),
    ...Object.fromEntries(names.map((name) => [`root.${name}.capacity`, String(100 / queues)])),
    ...Object.fromEntries(names.map((name) => [`root.${name}.maximum-capacity`, '100'])),
    ...Object.fromEntries(names.map((name) => [`root.${name}.user-limit-factor`, String(userLimitFactor)])),
  });
  const simulator = new Simulator({
    queues: queueSettings(100),
    settings: { minimumAllocation: [1024, 1], maximumAllocation: [1024 * 1024, 1024] },
  });
  const { policy } = simulator;
  const total = applications + queues;
  simulator.addNodes(2, total * 1024, total);
  const attempts = Array.from(
    { length: total },
    (_, i) => simulator.submit({ queue: `root.${names[i % queues]}`, user: 'user1' }).attemptId,
  );
  simulator.run();
  // All may run; now whoever has more than nothing is above its limit.
  policy.queueEditing!.replace(new Map(Object.entries(queueSettings(0)).map(([key, value]) => [`yarn.scheduler.capacity.${key}`, value])));
  for (const attemptId of attempts)
    policy.updateRequests(attemptId, [{ requestId: 'one', priority: 1, resource: [1024, 1], count: 1 }], []);
  const placed = simulator.run().filter(({ kind }) => kind === 'allocate').length;
  assert.equal(placed, queues, 'one container for each user');
  assert.equal(simulator.policy.metrics().containersPending, applications);
  return simulator;
}

/** Node updates a second, each with its look at who could get something: as they are, and with every application visited anew. */
export function nodeUpdates(queues: number, applications: number): { updates: number; anew: number } {
  const { policy } = atTheLimit(queues, applications);
  const none = (): string => assert.fail('no request may get anything');
  const rate = (count: number, change: (i: number) => void): number => {
    const began = cpuMs();
    for (let i = 0; i < count; i++) {
      change(i);
      policy.schedule(500, none);
    }
    return (1000 * count) / (cpuMs() - began);
  };
  const update = (i: number): void => policy.updateNode(`node${i % 2}:1`, { schedulable: true });
  rate(20_000, update);
  const updates = rate(1_000_000, update);
  const attemptId = 'appattempt_1_0001_000001';
  const all = (i: number): void => {
    update(i);
    policy.updateBlacklist(attemptId, [], []);
  };
  rate(1000, all);
  return { updates, anew: rate(10_000, all) };
}
