import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Simulator } from '../conformance/simulator.ts';
import type { FairQueueDescription } from '../explain/description.ts';

const simulatorOf = (inside: string): Simulator => {
  const simulator = new Simulator({
    kind: 'fair',
    allocations: `<allocations>${inside}</allocations>`,
    settings: { maximumAllocation: [8192, 8] },
  });
  simulator.addNodes(1, 8192, 8);
  return simulator;
};

function queueOf(simulator: Simulator, name: string): FairQueueDescription {
  const description = simulator.policy.describe();
  assert.ok(description.kind === 'fair');
  const find = (queue: FairQueueDescription): FairQueueDescription | undefined =>
    queue.name === name ? queue : queue.children.map(find).find((found) => found !== undefined);
  return find(description.root)!;
}

/** Containers of an application that wants eight of 1 GiB in the queue. */
function given(simulator: Simulator, queue: string, memoryMiB = 1024): number {
  const { applicationId, attemptId } = simulator.submit({ queue });
  simulator.policy.updateRequests(attemptId, [{ requestId: 'a', priority: 1, resource: [memoryMiB, 1], count: 8 }], []);
  simulator.run();
  return simulator.containersOf(applicationId).length;
}
const noMasterLimit = '<queueMaxAMShareDefault>-1</queueMaxAMShareDefault>';

describe('limits of fair queues', () => {
  it('are the maxima of the queue and of all above it', () => {
    assert.equal(given(simulatorOf('<queue name="a"><maxResources>3072 mb, 8 vcores</maxResources></queue>'), 'root.a'), 3);
    const nested = '<queue name="a"><maxResources>2048 mb, 8 vcores</maxResources><queue name="x"/></queue>';
    assert.equal(given(simulatorOf(nested), 'root.a.x'), 2);
    assert.equal(given(simulatorOf('<queue name="a"><maxResources>8192 mb, 3 vcores</maxResources></queue>'), 'root.a'), 3);
  });

  it('may be parts of the cluster, and follow its size', () => {
    const simulator = simulatorOf('<queue name="a"><maxResources>50%</maxResources></queue>');
    assert.equal(given(simulator, 'root.a'), 4);
    simulator.policy.addNode({ nodeId: 'more:1', host: 'more', rack: '/r', resource: [8192, 8], label: '' });
    simulator.run();
    assert.equal(simulator.policy.metrics().containersAllocated, 8);
  });

  it('hold back applications beyond the number of a queue or a user until one ends', () => {
    for (const inside of [
      '<queue name="a"><maxRunningApps>1</maxRunningApps></queue>',
      '<queue name="a"/><user name="ada"><maxRunningApps>1</maxRunningApps></user>',
      '<queue name="a"/><userMaxAppsDefault>1</userMaxAppsDefault>',
    ]) {
      const simulator = simulatorOf(inside + noMasterLimit);
      const first = simulator.submit({ queue: 'root.a', masterMiB: 1024 });
      const second = simulator.submit({ queue: 'root.a', masterMiB: 1024 });
      simulator.run();
      assert.deepEqual([simulator.containersOf(first.applicationId).length, simulator.containersOf(second.applicationId).length], [1, 0]);
      assert.equal(queueOf(simulator, 'root.a').pendingApplications, 1);
      simulator.finish(first.applicationId);
      simulator.run();
      assert.equal(simulator.containersOf(second.applicationId).length, 1);
    }
  });

  it('let masters take their part of the fair share, and -1 all of it', () => {
    const masters = (share: string): number => {
      const inside = `<queue name="a"><maxAMShare>${share}</maxAMShare></queue>`;
      const simulator = simulatorOf(`${inside}<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>`);
      for (let i = 0; i < 8; i++) simulator.submit({ queue: 'root.a', masterMiB: 1024 });
      simulator.run();
      return simulator.policy.metrics().containersAllocated;
    };
    assert.deepEqual([masters('0.5'), masters('0.25'), masters('-1')], [4, 2, 8]);
  });

  it('count vcores of masters against what is free where only memory is shared out (FSLeafQueue.canRunAppAM)', () => {
    const simulator = simulatorOf('<queue name="a"><maxAMShare>0.5</maxAMShare></queue>');
    for (let i = 0; i < 8; i++) simulator.submit({ queue: 'root.a', masterMiB: 1024 });
    simulator.run();
    // Half of the 5 vcores that are left after the third, rounded up.
    assert.deepEqual([simulator.policy.metrics().containersAllocated, queueOf(simulator, 'root.a').amMaximum], [3, [4096, 3]]);
  });

  it('bound a container by the nearest queue that says so', () => {
    const inside =
      '<queue name="a"><maxContainerAllocation>2048 mb, 2 vcores</maxContainerAllocation><queue name="x"/></queue><queue name="b"/>';
    const { policy } = simulatorOf(inside);
    assert.deepEqual(
      [policy.configuredMaximum('root.a.x'), policy.configuredMaximum('root.b')],
      [
        [2048, 2],
        [8192, 8],
      ],
    );
    assert.deepEqual(policy.normalize([9999, 9], 'root.a.x'), policy.normalize([9999, 9], 'root.a'));
  });

  it('are told with the queue that refused, the nearest first, and its numbers', () => {
    const inside =
      '<queue name="a"><maxResources>3072 mb, 8 vcores</maxResources>' +
      '<queue name="x"/><queue name="y"><maxResources>8192 mb, 1 vcores</maxResources></queue></queue>';
    const waitingIn = (queue: string) => {
      const simulator = simulatorOf(inside);
      const { applicationId, attemptId } = simulator.submit({ queue });
      simulator.policy.updateRequests(attemptId, [{ requestId: 'a', priority: 1, resource: [1024, 1], count: 8 }], []);
      simulator.run();
      return simulator.policy.explanation(applicationId)!.requests[0]!.waitingReasons[0];
    };
    const asked = [1024, 1];
    assert.deepEqual(waitingIn('root.a.x'), {
      rule: 'ANCESTOR_MAXIMUM',
      queue: 'root.a',
      partition: '',
      asked,
      used: [3072, 3],
      limit: [3072, 8],
    });
    assert.deepEqual(waitingIn('root.a.y'), {
      rule: 'QUEUE_MAXIMUM',
      queue: 'root.a.y',
      partition: '',
      asked,
      used: [1024, 1],
      limit: [8192, 1],
    });
  });

  it('of running applications are told with the user or the queue whose number it is', () => {
    const heldBack = (inside: string) => {
      const simulator = simulatorOf(inside + noMasterLimit);
      simulator.submit({ queue: 'root.a.x', masterMiB: 1024 });
      const { applicationId } = simulator.submit({ queue: 'root.a.x', masterMiB: 1024 });
      simulator.run();
      return simulator.policy.explanation(applicationId)!.application;
    };
    const queues = '<queue name="a"><maxRunningApps>1</maxRunningApps><queue name="x"/></queue>';
    assert.deepEqual(heldBack(queues), { rule: 'QUEUE_PARALLEL_LIMIT', queue: 'root.a', running: 1, maximum: 1 });
    const users = '<queue name="a"><queue name="x"/></queue><userMaxAppsDefault>1</userMaxAppsDefault>';
    assert.deepEqual(heldBack(users), { rule: 'USER_PARALLEL_LIMIT', user: 'ada', running: 1, maximum: 1 });
  });

  it('of masters are told with what the masters of the queue hold', () => {
    const simulator = simulatorOf(
      '<queue name="a"><maxAMShare>0.25</maxAMShare></queue><defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>',
    );
    const ids = [0, 1, 2].map(() => simulator.submit({ queue: 'root.a', masterMiB: 1024 }).applicationId);
    simulator.run();
    const { amMaximum, amUsed } = queueOf(simulator, 'root.a');
    const [reason] = simulator.policy.explanation(ids[2]!)!.requests[0]!.waitingReasons;
    assert.deepEqual(reason, {
      rule: 'QUEUE_MASTER_LIMIT',
      queue: 'root.a',
      partition: '',
      asked: [1024, 1],
      used: [...amUsed],
      limit: [...amMaximum],
    });
    assert.deepEqual(amUsed, [2048, 2]);
  });

  it('are told to masters as headroom', () => {
    const simulator = simulatorOf('<queue name="a"><maxResources>3072 mb, 8 vcores</maxResources></queue>');
    const { applicationId, attemptId } = simulator.submit({ queue: 'root.a' });
    assert.deepEqual(simulator.policy.usage(applicationId)!.headroom, [3072, 8]);
    simulator.policy.updateRequests(attemptId, [{ requestId: 'a', priority: 1, resource: [1024, 1], count: 1 }], []);
    simulator.run();
    assert.deepEqual(simulator.policy.usage(applicationId)!.headroom, [2048, 7]);
  });

  it('open lists of a parent hold below it, a root without a list is open', () => {
    const inside =
      '<queue name="root"><aclSubmitApps> </aclSubmitApps><aclAdministerApps>eve</aclAdministerApps>' +
      '<queue name="a"><aclSubmitApps>ada staff</aclSubmitApps><queue name="x"/></queue></queue>';
    const { policy } = simulatorOf(inside);
    assert.equal(policy.checkAccess('root.a.x', 'ada', [], 'SUBMIT_APPLICATIONS'), true);
    assert.equal(policy.checkAccess('root.a.x', 'ben', ['staff'], 'SUBMIT_APPLICATIONS'), true);
    assert.equal(policy.checkAccess('root.a.x', 'ben', [], 'SUBMIT_APPLICATIONS'), false);
    assert.equal(policy.checkAccess('root.a', 'eve', [], 'ADMINISTER_QUEUE'), true);
    assert.equal(simulatorOf('<queue name="a"/>').policy.checkAccess('root.a', 'anybody', [], 'ADMINISTER_QUEUE'), true);
  });
});
