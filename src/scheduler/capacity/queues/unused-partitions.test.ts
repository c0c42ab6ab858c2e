import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Simulator } from '../../conformance/simulator.ts';
import { CapacityPolicy } from '../policy.ts';

const queues = {
  'resource-calculator': 'org.apache.hadoop.yarn.util.resource.DominantResourceCalculator',
  'maximum-am-resource-percent': '1',
  'root.queues': 'default,other',
  'root.default.capacity': '60',
  'root.default.user-limit-factor': '10',
  'root.default.accessible-node-labels': '*',
  'root.default.accessible-node-labels.gpu.capacity': '100',
  'root.other.capacity': '40',
  'root.other.accessible-node-labels': ' ',
  'root.accessible-node-labels.gpu.capacity': '100',
};

function request(simulator: Simulator, attemptId: string, memoryMiB: number, count: number): void {
  simulator.policy.updateRequests(attemptId, [{ requestId: 'a', priority: 1, resource: [memoryMiB, 1], count }], []);
  simulator.run();
}

describe('labels', () => {
  it('that come and go without end take the places of those that are gone, unless something was there', () => {
    const simulator = new Simulator({ queues });
    const { nodes } = simulator.policy.account.ledger;
    const set = (...names: string[]) => simulator.policy.labels?.setPartitions(new Map(names.map((name) => [name, { exclusive: true }])));
    simulator.addNodes(1);
    for (let turn = 0; turn < 50; turn++) {
      set('gpu', `a${turn}`, `b${turn}`);
      simulator.addNodes(1, 8192, 8, `a${turn}`);
      simulator.run();
      for (const id of [...nodes.byId.keys()].filter((name) => name.endsWith(`a${turn}:1`))) simulator.policy.removeNode(id);
      set('gpu');
    }
    const places = nodes.partitions.length;
    assert.ok(places <= 4, `${places} places`);
    set('gpu', 'asked');
    const asked = simulator.submit({ queue: 'default', masterMiB: 1024, masterLabel: 'asked' });
    const place = nodes.partition('asked').index;
    for (const name of ['one', 'two']) set('gpu', name);
    assert.equal(nodes.partition('asked').index, place, 'an application waits for it');
    assert.notEqual(nodes.partition('two').index, place);
    simulator.policy.removeApplication(asked.applicationId);
    assert.deepEqual(nodes.partition('two').total, [0, 0]);
    assert.ok(nodes.partitions.length <= places + 1);
  });

  it('in which something once was are kept, of those that are gone the last hundred, and each in which something is', () => {
    const simulator = new Simulator({ queues });
    const { policy } = simulator;
    assert.ok(policy instanceof CapacityPolicy);
    const { nodes } = policy.account.ledger;
    const set = (...labels: string[]) => policy.labels.setPartitions(new Map(labels.map((label) => [label, { exclusive: false }])));
    /** An application whose containers are lent what nodes with labels have. */
    const lent = (user: string, wanted: number) => {
      const made = simulator.submit({ queue: 'default', user });
      request(simulator, made.attemptId, 2048, wanted);
      return made.applicationId;
    };
    const count = (applicationId: string) => simulator.containersOf(applicationId).length;
    simulator.addNodes(1, 1024, 8);
    set('gpu', 'held', 'waiting');
    simulator.addNodes(1, 2048, 8, 'held');
    const held = lent('ada', 1);
    const waiting = simulator.submit({ queue: 'default', masterMiB: 1024, masterLabel: 'waiting' });
    simulator.run();
    assert.equal(count(held), 1);
    for (let turn = 0; turn < 350; turn++) {
      const label = `a${turn}`;
      set('gpu', label);
      simulator.addNodes(1, 2048, 8, label);
      const one = lent('eve', 2);
      simulator.run();
      assert.equal(count(one), 1, `${label} has room for one: ${JSON.stringify(policy.explanation(one))}`);
      simulator.finish(one);
      policy.removeNode(`node0${label}:1`);
      policy.checkParked();
    }
    const left = new Set(nodes.inOrderOfArrival().map(({ name }) => name));
    assert.ok(nodes.partitions.length < 120, `${nodes.partitions.length} places`);
    for (const kept of ['held', 'waiting', 'a260', 'a349']) assert.ok(left.has(kept), kept);
    assert.ok(!left.has('a200'));
    assert.equal(count(held), 1);
    assert.ok(policy.usage(waiting.applicationId));
  });
});
