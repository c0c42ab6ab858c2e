// No application is overlooked that could be served: a change that may end its wait lets the cycle visit it again.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Simulator } from '../../conformance/simulator.ts';
import { CapacityPolicy } from '../policy.ts';

const queues = {
  'resource-calculator': 'org.apache.hadoop.yarn.util.resource.DominantResourceCalculator',
  'maximum-am-resource-percent': '1',
  'root.queues': 'a,b',
  'root.a.capacity': '50',
  'root.b.capacity': '50',
  'root.a.user-limit-factor': '10',
  'root.b.user-limit-factor': '10',
};
const withPrefix = (given: Record<string, string>) =>
  new Map(Object.entries(given).map(([key, value]) => [`yarn.scheduler.capacity.${key}`, value]));

function asking(simulator: Simulator, user: string, memoryMiB: number, count: number, queue = 'root.a'): string {
  const { attemptId, applicationId } = simulator.submit({ queue, user });
  simulator.policy.updateRequests(attemptId, [{ requestId: 'a', priority: 1, resource: [memoryMiB, 1], count }], []);
  return applicationId;
}

describe('the capacity policy looks again', () => {
  it('at applications that a larger max-parallel-apps lets run', () => {
    const small = { ...queues, 'root.a.max-parallel-apps': '1' };
    const simulator = new Simulator({ queues: small });
    simulator.addNodes(1);
    asking(simulator, 'ada', 1024, 1);
    const second = asking(simulator, 'ada', 1024, 1);
    simulator.run();
    assert.equal(simulator.policy.explanation(second)!.application!.rule, 'QUEUE_PARALLEL_LIMIT');
    simulator.policy.queueEditing!.replace(withPrefix({ ...small, 'root.a.max-parallel-apps': '2' }));
    simulator.run();
    assert.equal(simulator.containersOf(second).length, 1);
  });

  it('at all who ask when the order of their queue changes', () => {
    const simulator = new Simulator({ queues });
    simulator.addNodes(1, 4096, 8);
    const early = asking(simulator, 'ada', 1024, 4);
    simulator.run(2);
    const late = asking(simulator, 'bob', 1024, 4);
    simulator.policy.queueEditing!.replace(withPrefix({ ...queues, 'root.a.ordering-policy': 'fair' }));
    simulator.run();
    for (const id of simulator.containersOf(early).slice(0, 2)) simulator.end(id);
    simulator.run();
    assert.equal(simulator.containersOf(late).length, 2);
  });

  it('at a user whose limit grew with what others took', () => {
    const one = { ...queues, 'root.a.user-limit-factor': '1', 'root.a.minimum-user-limit-percent': '50', 'root.a.maximum-capacity': '100' };
    const simulator = new Simulator({ queues: one });
    simulator.addNodes(1, 16_384, 64);
    const ids = ['ada', 'bob', 'eve'].map((user) => asking(simulator, user, 1024, 8));
    simulator.run();
    for (const id of ids) {
      const explanation = simulator.policy.explanation(id)!;
      for (const request of explanation.requests) assert.notEqual(request.waitingReasons[0].rule, 'NOT_YET_LOOKED_AT', id);
    }
  });

  it('at everybody when a reserved node is let go', () => {
    const simulator = new Simulator({ queues: { ...queues, 'root.a.maximum-capacity': '100' } });
    simulator.addNodes(2, 8192, 8);
    const filler = asking(simulator, 'ada', 4096, 2);
    simulator.run();
    // One container is wanted, so one node is kept; when it is given elsewhere, that node is free for others.
    const large = asking(simulator, 'bob', 6144, 1);
    simulator.run();
    assert.equal(simulator.policy.explanation(large)!.requests[0]!.waitingReasons[0].rule, 'RESERVED');
    const small = asking(simulator, 'eve', 4096, 2);
    simulator.run();
    const kept = simulator.policy.explanation(large)!.requests[0]!.waitingReasons[0].nodeId!;
    const other = simulator.containersOf(filler).find((id) => simulator.containers.get(id)!.nodeId !== kept)!;
    simulator.end(other);
    simulator.run();
    simulator.end(simulator.containersOf(filler)[0]!);
    simulator.run();
    assert.equal(simulator.containersOf(large).length, 1);
    assert.equal(simulator.containersOf(small).length, 2);
  });

  const three = { ...queues, 'root.queues': 'a,b,c', 'root.a.capacity': '50', 'root.b.capacity': '30', 'root.c.capacity': '20' };

  it('at queues for which room was kept, when one asks whose turn comes before theirs', () => {
    const simulator = new Simulator({ queues: three });
    simulator.addNodes(1, 8192, 8);
    asking(simulator, 'ada', 4096, 1);
    simulator.run();
    asking(simulator, 'bob', 5120, 1, 'root.c');
    simulator.run();
    const first = asking(simulator, 'eve', 2048, 1, 'root.b');
    simulator.run();
    assert.equal(simulator.containersOf(first).length, 1);
  });

  it('at a user who may keep another node, now that its limit grew with what others took', () => {
    const one = { ...queues, 'root.a.user-limit-factor': '100', 'root.a.minimum-user-limit-percent': '1' };
    const simulator = new Simulator({ queues: one });
    simulator.addNodes(10, 4096, 8);
    asking(simulator, 'kim', 2048, 10, 'root.b');
    for (let i = 0; i < 10; i++) simulator.run();
    const large = asking(simulator, 'ada', 3072, 2);
    asking(simulator, 'bob', 1024, 6);
    simulator.run();
    assert.equal(simulator.policy.usage(large)!.reservedContainers, 2);
  });

  it('at other queues when a request finds its place in a partition that lends', () => {
    const simulator = new Simulator({ queues: three });
    simulator.policy.labels?.setPartitions(new Map([['lent', { exclusive: false }]]));
    simulator.addNodes(1, 4096, 8);
    simulator.addNodes(1, 3072, 8, 'lent');
    asking(simulator, 'ada', 2048, 1, 'root.c');
    simulator.run();
    const large = asking(simulator, 'bob', 3072, 1, 'root.a');
    const small = asking(simulator, 'eve', 2048, 1, 'root.b');
    simulator.run();
    assert.equal(simulator.containersOf(large).length, 1);
    assert.equal(simulator.containersOf(small).length, 1);
  });

  it('at a new request where the default partition is used up and another lends its nodes', () => {
    const simulator = new Simulator({ queues: { ...queues, 'root.a.queues': 'x', 'root.a.x.capacity': '100' } });
    simulator.policy.labels?.setPartitions(new Map([['lent', { exclusive: false }]]));
    simulator.addNodes(1, 3072, 8, 'lent');
    const { attemptId, applicationId } = simulator.submit({ queue: 'root.a.x' });
    const request = { requestId: 'a', priority: 1, resource: [4096, 1], count: 1 };
    simulator.policy.updateRequests(attemptId, [request], []);
    simulator.run();
    simulator.policy.updateRequests(attemptId, [{ ...request, resource: [1024, 1] }], []);
    assert.ok(simulator.policy.hasWork());
    simulator.run();
    assert.equal(simulator.containersOf(applicationId).length, 1);
  });

  it('at other queues when a request wants less than before', () => {
    const simulator = new Simulator({ queues: three });
    simulator.addNodes(1, 8192, 8);
    asking(simulator, 'ada', 4096, 1);
    simulator.run();
    const { attemptId } = simulator.submit({ queue: 'root.b', user: 'bob' });
    const request = { requestId: 'a', priority: 1, resource: [5120, 1], count: 1 };
    simulator.policy.updateRequests(attemptId, [request], []);
    simulator.run();
    const small = asking(simulator, 'eve', 2048, 1, 'root.c');
    simulator.run();
    assert.equal(simulator.policy.explanation(small)!.requests[0]!.waitingReasons[0].rule, 'ROOM_KEPT_FOR_QUEUE');
    simulator.policy.updateRequests(attemptId, [{ ...request, count: 0 }], []);
    assert.ok(simulator.policy.hasWork());
    simulator.run();
    assert.equal(simulator.containersOf(small).length, 1);
  });

  it('at a request that fits no longer into what is left to its queue, now that another queue below the same parent was served', () => {
    const below = { 'root.a.queues': 'x,y', 'root.a.x.capacity': '50', 'root.a.y.capacity': '50', 'root.a.y.user-limit-factor': '10' };
    const simulator = new Simulator({ queues: { ...queues, ...below, 'root.a.maximum-capacity': '50' } });
    simulator.addNodes(2, 8192, 16);
    const { attemptId } = simulator.submit({ queue: 'root.a.x', user: 'ada' });
    const request = { requestId: 'a', priority: 1, resource: [3072, 1], count: 1, nodes: ['elsewhere'], relaxLocality: false };
    simulator.policy.updateRequests(attemptId, [request], []);
    simulator.run();
    asking(simulator, 'bob', 2048, 3, 'root.a.y');
    simulator.run();
    // Of 16 GiB the two queues have 6, and the 2 that are left to them are kept for the request of 3.
    const other = asking(simulator, 'eve', 3072, 3, 'root.b');
    simulator.run();
    assert.equal(simulator.containersOf(other).length, 2);
  });

  it('at a request in a later queue when what is left is kept for an earlier one', () => {
    const below = { 'root.a.queues': 'x,y', 'root.a.x.capacity': '50', 'root.a.y.capacity': '50', 'root.a.maximum-capacity': '50' };
    const simulator = new Simulator({ queues: { ...queues, ...below, 'root.a.x.maximum-capacity': '50' } });
    simulator.addNodes(2, 8192, 16);
    const nowhere = { requestId: 'a', priority: 1, count: 1, nodes: ['elsewhere'], relaxLocality: false };
    const { attemptId: later } = simulator.submit({ queue: 'root.a.y', user: 'ada' });
    simulator.policy.updateRequests(later, [{ ...nowhere, resource: [5120, 1] }], []);
    simulator.run();
    // Of 8 GiB that both queues may have, 4 are kept for a request of 5 in the first: the other 4 for that of 5 in the second.
    const { attemptId: earlier } = simulator.submit({ queue: 'root.a.x', user: 'bob' });
    simulator.policy.updateRequests(earlier, [{ ...nowhere, resource: [5120, 1] }], []);
    const other = asking(simulator, 'eve', 3072, 3, 'root.b');
    simulator.run();
    assert.equal(simulator.containersOf(other).length, 2);
  });

  it('at a partition in which an application that may not run yet wants a size that a node has room for', () => {
    const simulator = new Simulator({ queues: { ...queues, 'node-locality-delay': '1', 'root.b.max-parallel-apps': '1' } });
    simulator.policy.addNode({ nodeId: 'large:1', host: 'large', rack: '/rack', resource: [4096, 8], label: '' });
    simulator.addNodes(9, 1024, 8);
    asking(simulator, 'ada', 3072, 1);
    simulator.run();
    asking(simulator, 'ada', 4096, 1);
    simulator.submit({ queue: 'root.b', user: 'kim' });
    simulator.run();
    const { attemptId } = simulator.submit({ queue: 'root.a', user: 'bob' });
    const named = { requestId: 'a', priority: 1, resource: [2048, 1], count: 1, nodes: ['large'], relaxLocality: true };
    simulator.policy.updateRequests(attemptId, [named], []);
    simulator.run();
    // No node holds what is wanted, and the large one is kept: the request is not visited, so that its delay has not begun.
    assert.equal(simulator.policy.nextDeadlineMs(), undefined);
    asking(simulator, 'eve', 1024, 1, 'root.b');
    assert.ok(simulator.policy.hasWork());
    simulator.run();
    assert.notEqual(simulator.policy.nextDeadlineMs(), undefined);
  });

  it('no longer at an application whose last request got the node that was kept for it', () => {
    const simulator = new Simulator({ queues: { ...queues, 'root.a.maximum-capacity': '100' } });
    simulator.addNodes(2, 4096, 8);
    const small = asking(simulator, 'ada', 2048, 2);
    simulator.run();
    const large = asking(simulator, 'bob', 4096, 1);
    simulator.run();
    const kept = simulator.policy.explanation(large)!.requests[0]!.waitingReasons[0].nodeId;
    simulator.end(simulator.containersOf(small).find((id) => simulator.containers.get(id)!.nodeId === kept)!);
    simulator.run();
    assert.equal(simulator.containersOf(large).length, 1);
    assert.ok(simulator.policy instanceof CapacityPolicy);
    simulator.policy.checkParked();
  });

  it('at partitions that lend after a slice that gave all it may', () => {
    const simulator = new Simulator({ queues });
    simulator.policy.labels?.setPartitions(new Map([['lent', { exclusive: false }]]));
    simulator.addNodes(2, 1536, 8);
    simulator.addNodes(1, 2048, 8, 'lent');
    const applicationId = asking(simulator, 'ada', 2048, 1);
    asking(simulator, 'bob', 1024, 1);
    let containers = 0;
    // Two are activated, one is served.
    simulator.policy.schedule(3, () => `container_${containers++}`);
    while (simulator.policy.hasWork()) simulator.policy.schedule(1, () => `container_${containers++}`);
    assert.equal(simulator.policy.usage(applicationId)!.pendingContainers, 0);
  });
});
