import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseConstraint } from '../../model/placement-constraint.ts';
import { conforms } from '../conformance/policy.conformance.ts';
import { Simulator } from '../conformance/simulator.ts';

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
  simulator.policy.updateRequests(attemptId, [{ requestId: 'a', priority: 0, resource: [1024, 2], count: 8 }], []);
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

test('who may stand beside a newcomer is served in as many slices as it takes', () => {
  const simulator = new Simulator({ kind: 'fifo' });
  simulator.addNodes(1, 8192, 8);
  const request = { priority: 1, resource: [1024, 1] };
  const follower = simulator.submit({ queue: 'default' });
  const besideLeader = parseConstraint('in,node,all/leader');
  simulator.policy.updateRequests(follower.attemptId, [{ ...request, requestId: 'a', count: 3, placementConstraint: besideLeader }], []);
  const leader = simulator.submit({ queue: 'default' });
  simulator.policy.updateRequests(leader.attemptId, [{ ...request, requestId: 'a', count: 1, allocationTags: ['leader'] }], []);
  let containers = 0;
  simulator.policy.schedule(10, (attemptId) => `${attemptId}_${containers++}`);
  while (simulator.policy.hasWork()) simulator.policy.schedule(1, (attemptId) => `${attemptId}_${containers++}`);
  assert.equal(simulator.policy.usage(follower.applicationId)!.pendingContainers, 0);
});

test('a request that waits for a place beside others holds up nothing, and is not named as what others wait for', () => {
  const simulator = new Simulator({ kind: 'fifo' });
  simulator.addNodes(1, 8192, 8);
  const { applicationId, attemptId } = simulator.submit({});
  const besideLeader = parseConstraint('in,node,all/leader');
  const requests = [
    { requestId: 'beside', priority: 1, resource: [1024, 1], count: 1, placementConstraint: besideLeader },
    { requestId: 'plain', priority: 2, resource: [1024, 1], count: 1 },
  ];
  simulator.policy.updateRequests(attemptId, requests, []);
  const rules = () =>
    simulator.policy.explanation(applicationId)!.requests.map(({ requestId, waitingReasons }) => [requestId, waitingReasons[0].rule]);
  assert.deepEqual(rules(), [
    ['beside', 'NODES_CONSTRAINED'],
    ['plain', 'NOT_YET_LOOKED_AT'],
  ]);
  simulator.run();
  assert.deepEqual(rules(), [['beside', 'NODES_CONSTRAINED']]);
});

test('the empty name is no queue; every other is', () => {
  const { policy } = new Simulator({ kind: 'fifo' });
  const place = (queue: string | undefined) =>
    policy.place({ applicationId: 'application_1_0001', user: 'ada', queue, name: 'n', tags: [] });
  assert.deepEqual(place(undefined), { queue: 'default' });
  assert.deepEqual(place(' x'), { queue: ' x' });
  assert.deepEqual(place(''), {
    rejected: 'Failed to place application application_1_0001 in a queue and submit context queue is null or empty',
  });
});

test('labels are refused: where there are none, and where the queue has none', () => {
  const sentence = (nodeLabelsEnabled: boolean) =>
    new Simulator({ kind: 'fifo', settings: { nodeLabelsEnabled } }).policy.checkLabels('other', 'gpu');
  assert.equal(sentence(false), 'Invalid resource request, node label not enabled but request contains label expression');
  assert.equal(
    sentence(true),
    "Invalid resource request, queue=default doesn't have permission to access all labels in resource request. labelExpression of resource request=gpu. Queue labels=",
  );
  assert.equal(new Simulator({ kind: 'fifo' }).policy.checkLabels('other', ' '), undefined);
});
