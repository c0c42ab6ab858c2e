// What a cycle of the capacity policy would come to, against what the cycle and the explanations say.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Simulator } from '../../conformance/simulator.ts';
import type { ActivityEntry } from '../../explain/activities.ts';

const dominant = {
  'resource-calculator': 'org.apache.hadoop.yarn.util.resource.DominantResourceCalculator',
  'maximum-am-resource-percent': '1',
};
const twoQueues = { ...dominant, 'root.queues': 'a,b', 'root.a.capacity': '50', 'root.b.capacity': '50', 'root.a.maximum-capacity': '50' };

function requesting(simulator: Simulator, queue: string, memoryMiB: number, count = 1, user = 'ada'): string {
  const { attemptId, applicationId } = simulator.submit({ queue, user });
  simulator.policy.updateRequests(attemptId, [{ requestId: 'a', priority: 1, resource: [memoryMiB, 1], count }], []);
  return applicationId;
}

const rootOf = (simulator: Simulator): ActivityEntry => simulator.policy.activities!.cycle('node0:1').root;
const childOf = ({ children }: ActivityEntry, name: string): ActivityEntry => {
  const found = children.find((child) => child.name === name);
  assert.ok(found, `${name} of ${children.map((child) => child.name).join(', ')}`);
  return found;
};

describe('the activities of a cycle', () => {
  it('reject a queue that holds its maximum, and skip one that requests nothing', () => {
    const simulator = new Simulator({ queues: twoQueues });
    simulator.addNodes(1, 8192, 8);
    requesting(simulator, 'root.a', 1024, 8);
    simulator.run();
    const root = rootOf(simulator);
    assert.deepEqual(childOf(root, 'root.a'), {
      name: 'root.a',
      state: 'REJECTED',
      diagnostic: 'Queue hits max-capacity limit',
      children: [],
    });
    assert.equal(childOf(root, 'root.b').diagnostic, 'Queue does not need more resource');
  });

  it('reject a request that the queue has too little left for, and end the turn of the queue there', () => {
    const simulator = new Simulator({ queues: twoQueues });
    simulator.addNodes(1, 8192, 8);
    const served = requesting(simulator, 'root.a', 3072);
    simulator.run();
    const first = requesting(simulator, 'root.a', 2048);
    requesting(simulator, 'root.a', 1024);
    simulator.run();
    const leaf = childOf(rootOf(simulator), 'root.a');
    const text = 'Queue does not have enough headroom for inner highest-priority request';
    assert.deepEqual([leaf.state, leaf.diagnostic], ['REJECTED', `${text} from ${first}`]);
    assert.deepEqual(
      leaf.children.map(({ name }) => name),
      [served, first],
    );
    assert.equal(childOf(leaf, first).children[0]!.diagnostic, text);
  });

  it('reject the applications of a user above its limit, whether they want more or not, and go on with those of others', () => {
    const simulator = new Simulator({
      queues: { ...dominant, 'root.queues': 'a', 'root.a.capacity': '100', 'root.a.user-limit-factor': '0.25' },
    });
    simulator.addNodes(1, 8192, 8);
    // It wants no more.
    const held = requesting(simulator, 'root.a', 1024, 3);
    simulator.run();
    const other = requesting(simulator, 'root.a', 8192, 1, 'ben');
    simulator.run();
    const leaf = childOf(rootOf(simulator), 'root.a');
    const { state, diagnostic } = childOf(leaf, held);
    assert.deepEqual([state, diagnostic], ['REJECTED', 'Queue hits user max-capacity limit']);
    assert.equal(leaf.children.length, 2);
    assert.equal(leaf.children[1]!.name, other);
  });

  it('say of the node what the checks of nodes say', () => {
    const simulator = new Simulator({ queues: { ...dominant, 'root.queues': 'a', 'root.a.capacity': '100' } });
    simulator.addNodes(2, 4096, 8);
    const applicationId = requesting(simulator, 'root.a', 4096, 1);
    const diagnosticOn = (nodeId: string): string | undefined => {
      const leaf = childOf(simulator.policy.activities!.cycle(nodeId).root, 'root.a');
      return childOf(leaf, applicationId).children[0]!.children[0]!.diagnostic;
    };
    simulator.policy.updateBlacklist(`${applicationId.replace('application', 'appattempt')}_000001`, ['node0'], []);
    assert.equal(diagnosticOn('node0:1'), 'Node is blacklisted');
    assert.equal(diagnosticOn('node1:1'), 'Node does not have sufficient resource for request');
  });

  it('look at an application that wants nothing, as long as another of its queue wants something', () => {
    const simulator = new Simulator({ queues: twoQueues });
    simulator.addNodes(1, 8192, 8);
    const served = requesting(simulator, 'root.a', 3072);
    simulator.run();
    const of = () => simulator.policy.activities!.application(served);
    assert.equal(of(), undefined);
    requesting(simulator, 'root.a', 2048);
    simulator.run();
    assert.deepEqual(of()?.requests, [{ name: 'request', state: 'SKIPPED', children: [] }]);
  });

  it('visit applications in the order in which the queue serves them', () => {
    const simulator = new Simulator({
      queues: {
        ...dominant,
        'root.queues': 'a',
        'root.a.capacity': '100',
        'root.a.ordering-policy': 'fair',
        'root.a.user-limit-factor': '10',
      },
    });
    simulator.addNodes(2, 3072, 8);
    const first = requesting(simulator, 'root.a', 2048, 2);
    simulator.run();
    const more = { requestId: 'b', priority: 1, resource: [2048, 1], count: 8 };
    simulator.policy.updateRequests(`${first.replace('application', 'appattempt')}_000001`, [more], []);
    const second = requesting(simulator, 'root.a', 2048, 1);
    simulator.run();
    const leaf = childOf(rootOf(simulator), 'root.a');
    assert.deepEqual(
      leaf.children.map(({ name }) => name),
      [second, first],
    );
  });
});
