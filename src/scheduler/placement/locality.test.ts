import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { presetSettings } from '../conformance/presets.ts';
import { Simulator, type SimulatorOptions } from '../conformance/simulator.ts';
import type { PolicyKind } from '../policy.ts';

const queues = {
  'resource-calculator': 'org.apache.hadoop.yarn.util.resource.DominantResourceCalculator',
  'maximum-am-resource-percent': '1',
  'root.queues': 'default',
  'root.default.capacity': '100',
};

/** Ten nodes on two racks; the first is full; a request for it and its rack. Tells where its container goes and after how long. */
function placed(options: SimulatorOptions, racks: readonly string[], full: readonly number[] = [0]): { nodeId: string; afterMs: number } {
  const simulator = new Simulator(options);
  for (let i = 0; i < 10; i++)
    simulator.policy.addNode({ nodeId: `n${i}:1`, host: `n${i}`, rack: i < 5 ? '/a' : '/b', resource: [4096, 8], label: '' });
  simulator.run();
  const queue = 'root.default';
  for (const i of full) {
    const filler = simulator.submit({ queue });
    const request = { requestId: `fill${i}`, priority: 1, resource: [4096, 1], count: 1, nodes: [`n${i}`], relaxLocality: false };
    simulator.policy.updateRequests(filler.attemptId, [request], []);
    simulator.run();
  }
  const { attemptId, applicationId } = simulator.submit({ queue });
  simulator.policy.updateRequests(attemptId, [{ requestId: 'a', priority: 1, resource: [1024, 1], count: 1, nodes: ['n0'], racks }], []);
  const startMs = simulator.nowMs;
  for (;;) {
    simulator.run();
    const [containerId] = simulator.containersOf(applicationId);
    if (containerId) return { nodeId: simulator.containers.get(containerId)!.nodeId, afterMs: simulator.nowMs - startMs };
    const next = simulator.policy.nextDeadlineMs();
    // The machine's clock may be set meanwhile.
    simulator.setByMs -= 3_600_000;
    assert.ok(next !== undefined && next > simulator.nowMs, 'somebody waits, but nothing will wake the scheduler');
    assert.equal(simulator.policy.explanation?.(applicationId)?.requests[0]?.waitingReasons[0]?.rule, 'LOCALITY_WAIT');
    simulator.nowMs = next;
  }
}

const capacity = (more: Record<string, string> = {}): SimulatorOptions => ({ queues: { ...queues, ...more } });
const fair = (nodeLocality: number, rackLocality: number): SimulatorOptions => ({
  kind: 'fair' as PolicyKind,
  settings: {
    fair: { ...presetSettings.fair, nodeLocality, rackLocality },
  },
});

describe('locality delays', () => {
  it('let a request wait for its node, then take its rack', () => {
    const { nodeId, afterMs } = placed(capacity({ 'node-locality-delay': '5' }), ['/a']);
    assert.match(nodeId, /^n[1-4]:1$/);
    assert.equal(afterMs, 500);
  });

  it('last one heartbeat at most, however large they are', () => {
    assert.equal(placed(capacity(), ['/a']).afterMs, 1000);
  });

  it('let it wait for its rack, then go anywhere', () => {
    const rackFull = [0, 1, 2, 3, 4];
    const { nodeId, afterMs } = placed(capacity({ 'node-locality-delay': '2', 'rack-locality-additional-delay': '5' }), ['/a'], rackFull);
    assert.match(nodeId, /^n[5-9]:1$/);
    assert.equal(afterMs, 700);
  });

  it('do not hold up a request whose node is not there, or when they are off', () => {
    assert.equal(placed(capacity({ 'node-locality-delay': '-1' }), ['/a']).afterMs, 0);
    const simulator = new Simulator(capacity());
    simulator.addNodes(2);
    const { attemptId, applicationId } = simulator.submit({ queue: 'root.default' });
    simulator.policy.updateRequests(attemptId, [{ requestId: 'a', priority: 1, resource: [1024, 1], count: 1, nodes: ['elsewhere'] }], []);
    simulator.run();
    assert.equal(simulator.containersOf(applicationId).length, 1);
  });

  it('are parts of the cluster under the fair policy, and off without them', () => {
    assert.equal(placed(fair(0.3, -1), ['/a']).afterMs, 300);
    assert.equal(placed(fair(-1, -1), ['/a']).afterMs, 0);
  });

  it('end for each of several requests, whenever it began to wait', () => {
    const simulator = new Simulator(capacity());
    simulator.addNodes(3, 1024, 8);
    const request = (nodes: string[]): string => {
      const { attemptId, applicationId } = simulator.submit({ queue: 'root.default' });
      simulator.policy.updateRequests(attemptId, [{ requestId: 'a', priority: 1, resource: [512, 1], count: 1, nodes }], []);
      simulator.run();
      return applicationId;
    };
    for (let i = 0; i < 2; i++) request(['node0']);
    const early = request(['node0']);
    simulator.nowMs += 500;
    const late = request(['node0']);
    for (let deadlineMs = simulator.policy.nextDeadlineMs(); deadlineMs !== undefined; deadlineMs = simulator.policy.nextDeadlineMs()) {
      simulator.nowMs = deadlineMs;
      simulator.run();
    }
    for (const applicationId of [early, late]) assert.equal(simulator.containersOf(applicationId).length, 1);
  });

  it('are not named where the request has not come so far', () => {
    const simulator = new Simulator(
      capacity({
        'root.queues': 'default,other',
        'root.default.capacity': '50',
        'root.default.maximum-capacity': '50',
        'root.other.capacity': '50',
      }),
    );
    simulator.addNodes(1, 1024, 8);
    simulator.policy.addNode({ nodeId: 'large:1', host: 'large', rack: '/default-rack', resource: [5120, 8], label: '' });
    const [first, second] = [1, 2].map(() => simulator.submit({ queue: 'root.default' }));
    simulator.run();
    const request = { requestId: 'a', priority: 1, resource: [1024, 1] };
    simulator.policy.updateRequests(second!.attemptId, [{ ...request, count: 2, nodes: ['node0'] }], []);
    simulator.policy.schedule(1, () => 'container_1_0002_000001_000001');
    simulator.policy.updateRequests(first!.attemptId, [{ ...request, resource: [2560, 1], count: 1 }], []);
    simulator.run();
    assert.deepEqual(simulator.policy.explanation(second!.applicationId)!.requests[0]!.waitingReasons, [
      { rule: 'BEHIND_APPLICATION', queue: 'root.default', partition: '', other: first!.applicationId },
    ]);
  });
});
