// What every policy must do, whatever its order: run by each policy's test.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../../lib/random.ts';
import type { SimulatorOptions } from './simulator.ts';
import { Simulator } from './simulator.ts';

interface Options {
  /** Builds a fresh policy with a queue `default` (and others). */
  readonly simulator: SimulatorOptions;
  /** Queues that submissions go to. */
  readonly queues: readonly string[];
}

const histories = 40;
const steps = 120;

/** The suite. */
export function conforms(name: string, { simulator: options, queues }: Options): void {
  const fresh = (nodes = 3): Simulator => {
    const simulator = new Simulator(options);
    simulator.addNodes(nodes);
    simulator.run();
    return simulator;
  };
  const queue = queues[0]!;

  describe(`${name}: conformance`, () => {
    it('gives a master a container and counts it', () => {
      const simulator = fresh();
      const { applicationId } = simulator.submit({ queue, masterMiB: 1024 });
      const decisions = simulator.run();
      assert.equal(decisions.filter(({ kind }) => kind === 'allocate').length, 1);
      const usage = simulator.policy.usage(applicationId)!;
      assert.equal(usage.runningContainers, 1);
      assert.equal(usage.allocated[0], 1024);
      assert.equal(simulator.policy.metrics().containersAllocated, 1);
    });

    it('gives an ask as many containers as it wants, and no more', () => {
      const simulator = fresh();
      const { attemptId, applicationId } = simulator.submit({ queue });
      simulator.policy.updateRequests(attemptId, [{ requestId: 'a', priority: 1, resource: [1024, 1], count: 5 }], []);
      simulator.run();
      assert.equal(simulator.containersOf(applicationId).length, 5);
      assert.equal(simulator.policy.usage(applicationId)!.pendingContainers, 0);
    });

    it('gives a request that no node can hold nothing, not less than it asked for, and says so', () => {
      const simulator = fresh();
      const { attemptId, applicationId } = simulator.submit({ queue });
      const [largest] = simulator.policy.maximumAllocation();
      simulator.policy.updateRequests(attemptId, [{ requestId: 'a', priority: 1, resource: [largest! + 1, 1], count: 1 }], []);
      simulator.run();
      assert.equal(simulator.containersOf(applicationId).length, 0);
      simulator.policy.updateRequests(attemptId, [{ requestId: 'a', priority: 1, resource: [largest! - 1, 1], count: 1 }], []);
      simulator.run();
      assert.equal(simulator.containersOf(applicationId).length, 1);
    });

    it('replaces an ask with the same id and forgets a cancelled one', () => {
      const simulator = fresh(0);
      const { attemptId, applicationId } = simulator.submit({ queue });
      simulator.policy.updateRequests(attemptId, [{ requestId: 'a', priority: 1, resource: [1024, 1], count: 5 }], []);
      simulator.policy.updateRequests(attemptId, [{ requestId: 'a', priority: 1, resource: [2048, 1], count: 2 }], []);
      assert.equal(simulator.policy.usage(applicationId)!.pendingContainers, 2);
      simulator.policy.updateRequests(attemptId, [], ['a']);
      assert.equal(simulator.policy.usage(applicationId)!.pendingContainers, 0);
    });

    it('gives nothing on nodes that are not schedulable or that the attempt excludes', () => {
      const simulator = fresh(2);
      simulator.policy.updateNode('node0:1', { schedulable: false });
      const { attemptId, applicationId } = simulator.submit({ queue });
      simulator.policy.updateBlacklist(attemptId, ['node1'], []);
      simulator.policy.updateRequests(attemptId, [{ requestId: 'a', priority: 1, resource: [1024, 1], count: 1 }], []);
      simulator.run();
      assert.equal(simulator.containersOf(applicationId).length, 0);
      simulator.policy.updateBlacklist(attemptId, [], ['node1']);
      simulator.run();
      assert.deepEqual(
        [...simulator.containers.values()].map(({ nodeId }) => nodeId),
        ['node1:1'],
      );
    });

    it('prefers the asked host and stays there where locality is not relaxed', () => {
      const simulator = fresh(3);
      const { attemptId } = simulator.submit({ queue });
      simulator.policy.updateRequests(
        attemptId,
        [{ requestId: 'a', priority: 1, resource: [1024, 1], count: 2, nodes: ['node2'], relaxLocality: false }],
        [],
      );
      simulator.run();
      assert.deepEqual(
        [...simulator.containers.values()].map(({ nodeId }) => nodeId),
        ['node2:1', 'node2:1'],
      );
    });

    it('places as many at each place as are wanted there, and no more where locality is not relaxed', () => {
      const simulator = fresh(3);
      const { attemptId, applicationId } = simulator.submit({ queue });
      const placeCounts = new Map([
        ['node1', 1],
        ['node2', 2],
      ]);
      const asked = { requestId: 'a', priority: 1, resource: [512, 1], nodes: ['node1', 'node2'], placeCounts };
      simulator.policy.updateRequests(attemptId, [{ ...asked, count: 5, relaxLocality: false }], []);
      simulator.run();
      assert.deepEqual([...simulator.containers.values()].map(({ nodeId }) => nodeId).sort(), ['node1:1', 'node2:1', 'node2:1']);
      assert.equal(simulator.policy.usage(applicationId)?.pendingContainers, 0);
      // What is wanted at several places is one container all the same.
      simulator.policy.updateRequests(attemptId, [{ ...asked, count: 1, relaxLocality: false }], []);
      simulator.run();
      assert.equal(simulator.containers.size, 4);
    });

    it('serves waiting asks when containers end', () => {
      const simulator = fresh(1);
      const { attemptId, applicationId } = simulator.submit({ queue });
      simulator.policy.updateRequests(attemptId, [{ requestId: 'a', priority: 1, resource: [4096, 1], count: 10 }], []);
      simulator.run();
      const running = simulator.containersOf(applicationId).length;
      assert.ok(running >= 1 && running <= 2);
      simulator.end(simulator.containersOf(applicationId)[0]!);
      simulator.run();
      assert.equal(simulator.containersOf(applicationId).length, running);
    });

    it('leaves nothing behind when applications end', () => {
      const simulator = fresh();
      const started = queues.map((name) => simulator.submit({ queue: name, masterMiB: 512 }));
      simulator.run();
      for (const { applicationId } of started) simulator.finish(applicationId);
      simulator.run();
      const metrics = simulator.policy.metrics();
      assert.deepEqual([metrics.containersAllocated, metrics.containersPending, metrics.appsPending, metrics.appsRunning], [0, 0, 0, 0]);
      assert.deepEqual(
        [metrics.allocated, metrics.pending, metrics.reserved],
        [
          [0, 0],
          [0, 0],
          [0, 0],
        ],
      );
    });

    it('counts recovered containers and does not ask for a master again', () => {
      const simulator = fresh();
      const { applicationId, attemptId } = simulator.submit({ queue, masterMiB: 1024, recovering: true });
      simulator.policy.recoverContainer({
        containerId: 'container_1',
        applicationId,
        attemptId,
        nodeId: 'node0:1',
        resource: [1024, 1],
        priority: 0,
        isMaster: true,
      });
      assert.equal(simulator.run().filter(({ kind }) => kind === 'allocate').length, 0);
      assert.equal(simulator.policy.usage(applicationId)!.runningContainers, 1);
    });

    it('stays consistent through random histories', () => {
      for (let seed = 1; seed <= histories; seed++) history(seed, new Simulator(options), queues);
    });
  });
}

/** One history: every step something happens, then the sums are checked. A failure names its seed. */
function history(seed: number, simulator: Simulator, queues: readonly string[]): void {
  const random = seededRandom(seed);
  const pick = <T>(items: readonly T[]): T => items[random.int(items.length)]!;
  const live: { applicationId: string; attemptId: string }[] = [];
  const nodes = new Map<string, number[]>();
  let requests = 0;
  const addNode = (number: number): void => {
    const resource = [4096 + 1024 * random.int(5), 4 + random.int(8)];
    nodes.set(`node${number}:1`, resource);
    simulator.policy.addNode({ nodeId: `node${number}:1`, host: `node${number}`, rack: `/rack${number % 2}`, resource, label: '' });
  };
  for (let i = 0; i < 3; i++) addNode(i);
  const actions: (() => void)[] = [
    () => {
      const { admission, ...ids } = simulator.submit({
        queue: pick(queues),
        user: pick(['ada', 'bob', 'eve']),
        priority: random.int(4) - 1,
        ...(random.int(2) ? { masterMiB: 256 * (1 + random.int(8)) } : {}),
      });
      if (admission.accepted) live.push(ids);
    },
    () => {
      if (live.length === 0) return;
      const { attemptId } = pick(live);
      simulator.policy.updateRequests(
        attemptId,
        [
          {
            requestId: `a${requests++ % 9}`,
            priority: random.int(3),
            resource: [256 * (1 + random.int(16)), 1 + random.int(3)],
            count: random.int(6),
          },
        ],
        [],
      );
    },
    () => {
      const containers = [...simulator.containers.keys()];
      if (containers.length > 0) simulator.end(pick(containers));
    },
    () => {
      if (live.length === 0) return;
      const [ended] = live.splice(random.int(live.length), 1);
      simulator.finish(ended!.applicationId);
    },
    () => {
      const number = random.int(6);
      const nodeId = `node${number}:1`;
      if (!nodes.has(nodeId)) return addNode(number);
      if (nodes.size < 2) return;
      for (const [containerId, container] of simulator.containers) if (container.nodeId === nodeId) simulator.end(containerId);
      simulator.policy.removeNode(nodeId);
      nodes.delete(nodeId);
    },
    () => {
      if (live.length > 0) simulator.policy.moveApplication?.(pick(live).applicationId, pick(queues));
    },
    () => {
      if (live.length > 0) simulator.policy.priorities.set(pick(live).applicationId, random.int(6));
    },
    () => {
      simulator.nowMs += 1000;
    },
  ];
  for (let step = 0; step < steps; step++) {
    pick(actions)();
    simulator.run();
    check(simulator, nodes, live, ['root', 'root.default', ...queues], `seed ${seed}, step ${step}`);
  }
}

/** Nothing is given twice, no node gives more than it has, and every sum equals its parts. */
function check(
  simulator: Simulator,
  nodes: ReadonlyMap<string, readonly number[]>,
  live: readonly { applicationId: string }[],
  queues: readonly string[],
  where: string,
): void {
  const given = new Set<string>();
  for (const decision of simulator.decisions) {
    if (decision.kind !== 'allocate') continue;
    assert.ok(!given.has(decision.containerId), `${where}: ${decision.containerId} was given twice`);
    given.add(decision.containerId);
  }
  simulator.decisions.length = 0;
  let containers = 0;
  const used = [0, 0];
  for (const [nodeId, resource] of nodes) {
    const usage = simulator.policy.nodeUsage(nodeId)!;
    containers += usage.containers;
    for (const i of [0, 1]) {
      used[i]! += usage.used[i]!;
      assert.equal(usage.used[i]! + usage.available[i]!, resource[i], `${where}: ${nodeId}`);
    }
    assert.ok(usage.available[0]! >= 0, `${where}: ${nodeId} gives more memory than it has`);
  }
  assert.equal(containers, simulator.containers.size, `${where}: containers on nodes`);
  const metrics = simulator.policy.metrics();
  assert.deepEqual(metrics.allocated.slice(0, 2), used, `${where}: what queues and nodes count`);
  let held = 0;
  let pending = 0;
  for (const { applicationId } of live) {
    const usage = simulator.policy.usage(applicationId)!;
    held += usage.runningContainers;
    pending += usage.pendingContainers;
    assert.ok(usage.pending.every((value) => value >= 0) && usage.allocated.every((value) => value >= 0), `${where}: ${applicationId}`);
  }
  for (const queue of queues) {
    const ids = live.map(({ applicationId }) => applicationId).filter((id) => simulator.policy.isOf(id, queue));
    assert.deepEqual([...simulator.policy.applicationsOf(queue)].sort(), ids.sort(), `${where}: applications of ${queue}`);
  }
  const counted = { appsPending: 0, appsRunning: 0, containersReserved: 0 };
  for (const { applicationId } of live) {
    const { runningContainers, reservedContainers } = simulator.policy.usage(applicationId)!;
    counted[runningContainers > 0 ? 'appsRunning' : 'appsPending']++;
    counted.containersReserved += reservedContainers;
  }
  const { appsPending, appsRunning, containersReserved } = metrics;
  assert.deepEqual({ appsPending, appsRunning, containersReserved }, counted, `${where}: applications that run and wait`);
  assert.equal(held, simulator.containers.size, `${where}: containers of applications`);
  assert.equal(pending, metrics.containersPending, `${where}: what applications and queues wait for`);
  assert.equal(simulator.policy.pendingContainers, pending, `${where}: what is counted as waiting`);
  assert.ok(!simulator.policy.hasWork(), `${where}: work is left`);
  assert.equal(JSON.stringify(simulator.policy.describe()).includes('null'), false, `${where}: a number is missing in the description`);
}
