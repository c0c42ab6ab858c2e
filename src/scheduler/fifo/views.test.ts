import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Simulator } from '../conformance/simulator.ts';
import type { FifoDescription } from '../explain/description.ts';
import { userHoldings } from '../explain/user-holdings.ts';

function fixture(nodes = 1): Simulator {
  const simulator = new Simulator({ kind: 'fifo' });
  simulator.addNodes(nodes, 8192, 8);
  return simulator;
}
const described = (simulator: Simulator): FifoDescription => {
  const description = simulator.policy.describe();
  assert.ok(description.kind === 'fifo');
  return description;
};
const request = (requestId: string, memoryMiB: number, count: number) => ({ requestId, priority: 1, resource: [memoryMiB, 1], count });

describe('the fifo policy', () => {
  it('has one queue, in which applications stay under the name they came with', () => {
    const { policy } = fixture();
    assert.deepEqual(policy.place({ applicationId: 'a', user: 'ada', queue: undefined, name: 'x', tags: [] }), { queue: 'default' });
    assert.deepEqual(policy.resolveQueue('root.default'), { queue: 'default' });
    assert.equal(policy.resolveQueue('sales'), 'unknown');
    assert.deepEqual(policy.queueOfFilter('root.default'), { queue: 'default' });
    assert.deepEqual(policy.queueOfFilter('sales'), { queue: 'sales' });
    const simulator = fixture();
    simulator.submit({ queue: 'sales' });
    simulator.submit({ queue: 'root.default' });
    simulator.submit({ queue: 'default' });
    assert.deepEqual(simulator.policy.applicationsOf('sales'), ['application_1_0001']);
    assert.deepEqual(simulator.policy.applicationsOf('default'), ['application_1_0002', 'application_1_0003']);
  });

  it('knows no priorities, moves, labels, plans or editing', () => {
    const simulator = fixture();
    const { admission, applicationId } = simulator.submit({ priority: 7 });
    assert.ok(admission.accepted && admission.priority === 0);
    const { policy } = simulator;
    const wanted = { applicationId, user: 'ada', groups: [], queue: 'default', priority: 3 };
    assert.deepEqual([policy.priorities.check(wanted), policy.priorities.checkChange(wanted)], [{ priority: 0 }, { priority: 0 }]);
    assert.equal(policy.priorities.set(applicationId, 3), 0);
    assert.deepEqual(
      [policy.moveApplication, policy.labels, policy.reservable, policy.queueEditing, policy.reload, policy.activities],
      [undefined, undefined, undefined, undefined, undefined, undefined],
    );
    assert.equal(policy.checkLabels('default', ' '), undefined);
    assert.match(policy.checkLabels('default', 'gpu')!, /queue=default doesn't have permission to access all labels/);
    assert.equal(policy.checkAccess('default', 'eve', [], 'ADMINISTER_QUEUE'), true);
    assert.equal(policy.isUnguarded('nowhere'), false);
  });

  it('rounds memory up to steps and gives one vcore, whatever was asked for', () => {
    const { policy } = fixture();
    assert.deepEqual(policy.normalize([1000, 3]), [1024, 1]);
    assert.deepEqual(policy.normalize([0, 0]), [128, 1]);
    assert.deepEqual(policy.maximumAllocation(), [8192, 4]);
    policy.removeNode('node0:1');
    assert.deepEqual(
      [policy.maximumAllocation(), policy.clusterResource()],
      [
        [8192, 4],
        [0, 0],
      ],
    );
  });

  it('uses nothing of nothing, and passes over nodes with less than the smallest container', () => {
    const simulator = fixture(0);
    assert.equal(described(simulator).usedCapacity, 0);
    simulator.addNodes(1, 64, 8);
    const { attemptId, applicationId } = simulator.submit({});
    simulator.policy.updateRequests(attemptId, [request('a', 64, 1)], []);
    simulator.run();
    assert.equal(simulator.containersOf(applicationId).length, 0);
  });

  it('shows what its nodes give and have left', () => {
    const simulator = fixture(2);
    const { attemptId, applicationId } = simulator.submit({});
    simulator.policy.updateRequests(attemptId, [request('a', 2048, 3)], []);
    simulator.run();
    assert.deepEqual(described(simulator), {
      kind: 'fifo',
      usedCapacity: Math.fround(6144 / 16_384),
      minimumQueueMemoryMiB: 128,
      maximumQueueMemoryMiB: 8192,
      nodes: 2,
      usedNodeMemoryMiB: 6144,
      availableNodeMemoryMiB: 10_240,
      totalNodeMemoryMiB: 16_384,
      containers: 3,
    });
    assert.deepEqual(userHoldings(simulator.policy.account.ledger.applications.values()), [
      { name: 'ada', used: [6144, 3], runningApplications: 1, pendingApplications: 0 },
    ]);
    const metrics = simulator.policy.metrics();
    assert.deepEqual([metrics.appsRunning, metrics.appsPending, metrics.containersAllocated], [1, 0, 3]);
    assert.deepEqual(
      [metrics.allocated, metrics.available, metrics.total],
      [
        [6144, 3],
        [10_240, 13],
        [16_384, 16],
      ],
    );
    const usage = simulator.policy.usage(applicationId)!;
    assert.deepEqual([usage.allocated, usage.runningContainers, usage.queueUsagePercentage], [[6144, 3], 3, 37.5]);
    assert.equal(usage.byPartition, undefined);
    assert.equal(simulator.policy.usage('nobody'), undefined);
  });

  it('says that a request waits behind the one before it', () => {
    const simulator = fixture();
    const { attemptId, applicationId } = simulator.submit({});
    simulator.policy.updateRequests(attemptId, [request('large', 5000, 2), { ...request('small', 128, 1), priority: 2 }], []);
    simulator.run();
    const { requests } = simulator.policy.explanation(applicationId)!;
    assert.deepEqual(
      requests.map(({ requestId, waitingReasons }) => [requestId, waitingReasons[0]!.rule]),
      [
        ['large', 'NODES_FULL'],
        ['small', 'BEHIND_REQUEST'],
      ],
    );
    assert.equal(simulator.policy.explanation('nobody'), undefined);
  });

  it('passes over excluded nodes and nodes out of service', () => {
    const simulator = fixture(2);
    const { attemptId, applicationId } = simulator.submit({});
    simulator.policy.updateBlacklist(attemptId, ['node0'], []);
    simulator.policy.updateNode('node1:1', { schedulable: false });
    simulator.policy.updateRequests(attemptId, [request('a', 1024, 1)], []);
    simulator.run();
    assert.equal(simulator.containersOf(applicationId).length, 0);
    simulator.policy.updateBlacklist(attemptId, [], ['node0']);
    simulator.run();
    assert.equal(simulator.policy.nodeUsage('node0:1')!.containers, 1);
  });

  it('keeps containers for the next attempt where that is asked for', () => {
    const simulator = fixture();
    const { attemptId, applicationId } = simulator.submit({});
    simulator.policy.updateRequests(attemptId, [request('a', 1024, 2)], []);
    simulator.run();
    simulator.policy.removeAttempt(attemptId, true);
    assert.equal(simulator.policy.usage(applicationId)!.runningContainers, 2);
    simulator.policy.addAttempt({ applicationId, attemptId: 'second', keepContainersOf: attemptId });
    simulator.policy.removeAttempt('second', false);
    assert.equal(simulator.policy.nodeUsage('node0:1')!.containers, 0);
  });

  it('takes back what ran before a restart, once', () => {
    const simulator = fixture();
    const { attemptId, applicationId } = simulator.submit({ masterMiB: 1024 });
    const container = { containerId: 'c1', applicationId, attemptId, nodeId: 'node0:1', resource: [1024, 1], priority: 0, isMaster: true };
    simulator.policy.recoverContainer(container);
    simulator.policy.recoverContainer(container);
    simulator.policy.recoverContainer({ ...container, containerId: 'c2', nodeId: 'gone:1' });
    assert.deepEqual(simulator.run(), []);
    assert.deepEqual(simulator.policy.nodeUsage('node0:1')!.used, [1024, 1]);
  });
});
