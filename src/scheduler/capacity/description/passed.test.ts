import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Simulator } from '../../conformance/simulator.ts';

const queues = {
  'root.queues': 'a,b',
  'root.a.capacity': '50',
  'root.b.capacity': '50',
  'root.accessible-node-labels.gpu.capacity': '100',
  'root.a.accessible-node-labels': 'gpu',
  'root.a.accessible-node-labels.gpu.capacity': '100',
  'maximum-am-resource-percent': '1',
};

describe('an application that its queue passes by', () => {
  const moved = (settings: Record<string, string> = {}) => {
    const simulator = new Simulator({ queues: { ...queues, ...settings } });
    simulator.addNodes(1, 8192, 8);
    const { applicationId } = simulator.submit({ queue: 'b', user: 'bob', masterMiB: 1024, priority: 3 });
    simulator.run();
    assert.ok('moved' in simulator.policy.moveApplication!(applicationId, 'a'));
    return { simulator, applicationId };
  };
  const limitOf = (simulator: Simulator, user: string) => {
    const description = simulator.policy.describe();
    assert.ok(description.kind === 'capacity');
    const queue = description.root.children.find(({ path }) => path === 'root.a');
    return queue?.leaf?.users.find(({ name }) => name === user)?.limit[0];
  };

  it('was moved there: the limit of its user is seen once something is given behind it', () => {
    const { simulator } = moved();
    assert.equal(limitOf(simulator, 'bob'), 0);
    simulator.submit({ queue: 'a', user: 'ada', masterMiB: 512, priority: 2 });
    simulator.run();
    assert.equal(limitOf(simulator, 'bob'), 4096);
  });

  it('was moved there: what is given before it, or was before it came, does not count', () => {
    const before = moved();
    before.simulator.submit({ queue: 'a', user: 'ada', masterMiB: 512, priority: 4 });
    before.simulator.run();
    assert.equal(limitOf(before.simulator, 'bob'), 0);
    const { simulator, applicationId } = moved();
    simulator.submit({ queue: 'a', user: 'ada', masterMiB: 512, priority: 2 });
    simulator.run();
    assert.ok('moved' in simulator.policy.moveApplication!(applicationId, 'b'));
    assert.ok('moved' in simulator.policy.moveApplication!(applicationId, 'a'));
    assert.equal(limitOf(simulator, 'bob'), 0);
  });

  it('waits in another partition: it is told the node on which others behind it were served, as it was before', () => {
    const simulator = new Simulator({ queues });
    simulator.policy.labels?.setPartitions(new Map([['gpu', { exclusive: true }]]));
    simulator.addNodes(1, 8192, 8, 'gpu');
    const waiting = simulator.submit({ queue: 'a', masterMiB: 256 });
    simulator.run();
    const text = () => simulator.policy.explain(waiting.applicationId);
    assert.match(text(), /assigned for AM\. {2}Details : AM Partition = <DEFAULT_PARTITION>/);
    simulator.submit({ queue: 'a', masterMiB: 512, masterLabel: 'gpu' });
    simulator.run();
    assert.match(
      text(),
      /Last Node which was processed .* \( Partition : \[gpu\], Total resource : <memory:8192, vCores:8>, Available resource : <memory:8192, vCores:8> \)\. Details/,
    );
  });
});
