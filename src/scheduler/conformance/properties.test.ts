// What holds in every cluster under every workload: limits of nodes, queues and users, sums, fairness, and that chance alone decides nothing.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Random, seededRandom } from '../../lib/random.ts';
import type { Resource } from '../../model/resource.ts';
import type { CapacityDescription, FairDescription, FairQueueDescription, ShownQueue } from '../explain/description.ts';
import type { PolicyKind } from '../policy.ts';
import { Simulator, type SimulatorOptions } from './simulator.ts';

const seeds = 40;
const users = ['ada', 'bob', 'eve', 'kim'];
const dominantShare = (amount: Resource, total: Resource): number =>
  Math.max(...total.map((whole, i) => (whole > 0 ? (amount[i] ?? 0) / whole : 0)));
const plus = (a: Resource, b: Resource): number[] => [0, 1].map((i) => (a[i] ?? 0) + (b[i] ?? 0));
const sums = (amounts: readonly Resource[]): number[] => amounts.reduce<number[]>(plus, [0, 0]);

/** A tree of queues with random promises, maxima, user limits and orders. */
function capacityCluster(random: Random): { options: SimulatorOptions; queues: string[] } {
  const dominant = random.int(4) > 0;
  const queues: Record<string, string> = {
    'maximum-am-resource-percent': '1',
    'resource-calculator': dominant ? 'org.apache.hadoop.yarn.util.resource.DominantResourceCalculator' : '',
  };
  const leaves: string[] = [];
  const divide = (path: string, depth: number): void => {
    const names = Array.from({ length: 2 + random.int(2) }, (_, i) => `${'abc'[i]}${depth}`);
    queues[`${path}.queues`] = names.join(',');
    const weighted = random.int(2) === 0;
    let left = 100;
    names.forEach((name, i) => {
      const child = `${path}.${name}`;
      const part = i === names.length - 1 ? left : 10 * (1 + random.int(left / 10 - (names.length - 1 - i)));
      left -= part;
      queues[`${child}.capacity`] = weighted ? `${1 + random.int(4)}w` : String(part);
      if (!weighted && random.int(2)) queues[`${child}.maximum-capacity`] = String(Math.min(100, part + 10 * random.int(5)));
      if (random.int(3) === 0) queues[`${child}.ordering-policy`] = depth === 0 && random.int(2) ? 'priority-utilization' : '';
      if (random.int(3) === 0) queues[`${child}.priority`] = String(random.int(4));
      if (depth === 0 && random.int(2)) return divide(child, 1);
      queues[`${child}.ordering-policy`] = random.int(2) ? 'fair' : 'fifo';
      queues[`${child}.user-limit-factor`] = String([0.3, 0.7, 1, 2, 10, -1][random.int(6)]);
      queues[`${child}.minimum-user-limit-percent`] = String([20, 25, 50, 100][random.int(4)]);
      leaves.push(child);
    });
  };
  divide('root', 0);
  return { options: { queues }, queues: leaves };
}

/** Queues with weights, bounds and policies of the fair scheduler. */
function fairCluster(random: Random): { options: SimulatorOptions; queues: string[] } {
  const leaves: string[] = [];
  const queue = (name: string, path: string, depth: number): string => {
    const parts = [`<weight>${1 + random.int(4)}</weight>`];
    if (random.int(2)) parts.push(`<maxResources>${4096 * (1 + random.int(6))} mb, ${8 * (1 + random.int(6))} vcores</maxResources>`);
    if (random.int(3) === 0) parts.push(`<minResources>${1024 * random.int(4)} mb, ${random.int(4)} vcores</minResources>`);
    if (random.int(4) === 0) parts.push(`<maxRunningApps>${1 + random.int(4)}</maxRunningApps>`);
    if (depth === 0 && random.int(2)) {
      for (const child of ['x', 'y']) parts.push(queue(child, `${path}.${child}`, 1));
      return `<queue name="${name}">${parts.join('')}</queue>`;
    }
    if (random.int(3) === 0) parts.push('<schedulingPolicy>fifo</schedulingPolicy>');
    leaves.push(path);
    return `<queue name="${name}">${parts.join('')}</queue>`;
  };
  const body = ['a', 'b', 'c'].map((name) => queue(name, `root.${name}`, 0)).join('');
  const allocations = `<allocations><queueMaxAMShareDefault>-1.0</queueMaxAMShareDefault>${body}</allocations>`;
  return { options: { kind: 'fair', allocations }, queues: leaves };
}

interface World {
  readonly simulator: Simulator;
  readonly live: { applicationId: string; attemptId: string; queue: string; user: string }[];
  readonly nodes: Map<string, Resource>;
  /** The calculator looks at all resources. */
  dominant?: boolean;
}

function begin({ options }: { options: SimulatorOptions }, random: Random): World {
  const simulator = new Simulator(options);
  const nodes = new Map<string, Resource>();
  for (let i = 0; i < 2 + random.int(4); i++) {
    const resource = [4096 * (1 + random.int(3)), 4 + random.int(12)];
    nodes.set(`n${i}:1`, resource);
    simulator.policy.addNode({ nodeId: `n${i}:1`, host: `n${i}`, rack: `/${i % 2}`, resource, label: '' });
  }
  return { simulator, live: [], nodes };
}

/** One thing happens. Nothing shrinks here: what was within a limit stays within it. */
function step({ simulator, live }: World, queues: readonly string[], random: Random): void {
  const choice = random.int(10);
  if (choice < 3 || live.length === 0) {
    const queue = queues[random.int(queues.length)]!;
    const user = users[random.int(users.length)]!;
    const { admission, ...ids } = simulator.submit({ queue, user, priority: random.int(4), ...(random.int(2) ? { masterMiB: 512 } : {}) });
    if (admission.accepted) live.push({ ...ids, queue, user });
  } else if (choice < 7) {
    const { attemptId } = live[random.int(live.length)]!;
    const resource = [256 * (1 + random.int(12)), 1 + random.int(3)];
    simulator.policy.updateRequests(
      attemptId,
      [{ requestId: `a${random.int(3)}`, priority: random.int(3), resource, count: random.int(9) }],
      [],
    );
  } else if (choice < 9) {
    const containers = [...simulator.containers.keys()];
    if (containers.length > 0) simulator.end(containers[random.int(containers.length)]!);
  } else {
    const [ended] = live.splice(random.int(live.length), 1);
    simulator.finish(ended!.applicationId);
  }
  simulator.nowMs += random.int(500);
  simulator.run();
}

function checkNodes({ simulator, nodes }: World, where: string): Resource {
  const given: Resource[] = [];
  for (const [nodeId, total] of nodes) {
    const { used } = simulator.policy.nodeUsage(nodeId)!;
    given.push(used);
    assert.ok(used[0]! <= total[0]!, `${where}: ${nodeId} gives ${used} of ${total}`);
  }
  return sums(given);
}

const flat = <T extends { children: readonly T[] }>(queue: T): T[] => [queue, ...queue.children.flatMap((child) => flat(child))];

/** Applications' own numbers by queue. */
function byQueue({ simulator, live }: World): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const { applicationId, queue } of live) {
    const { allocated, reserved } = simulator.policy.usage(applicationId)!;
    found.set(queue, plus(found.get(queue) ?? [0, 0], plus(allocated, reserved)));
  }
  return found;
}

function checkCapacity(world: World, where: string): void {
  const { root } = world.simulator.policy.describe() as CapacityDescription;
  const given = checkNodes(world, where);
  const total = sums([...world.nodes.values()]);
  const applications = byQueue(world);
  assert.deepEqual(
    plus(given, root.usage.find(({ partition }) => partition === '')?.reserved ?? [0, 0]),
    plus(root.used, [0, 0]),
    `${where}: root`,
  );
  for (const queue of flat<ShownQueue>(root)) {
    const held = plus(queue.used, [0, 0]);
    const maximum = queue.capacities[0]!.effectiveMaximum.amount;
    const most = world.dominant ? dominantShare(maximum, total) : maximum[0]! / total[0]!;
    const share = world.dominant ? dominantShare(held, total) : held[0]! / total[0]!;
    assert.ok(share <= most + 1e-6, `${where}: ${queue.path} holds ${held} of ${maximum}`);
    if (queue.isLeaf) {
      assert.deepEqual(held, applications.get(queue.path) ?? [0, 0], `${where}: applications of ${queue.path}`);
      assert.deepEqual(held, sums(queue.leaf!.users.map((user) => user.used)), `${where}: users of ${queue.path}`);
    } else assert.deepEqual(held, sums(queue.children.map((child) => child.used)), `${where}: children of ${queue.path}`);
  }
}

function checkFair(world: World, where: string): void {
  const { root } = world.simulator.policy.describe() as FairDescription;
  const given = checkNodes(world, where);
  assert.deepEqual(given, plus(root.used, [0, 0]), `${where}: root`);
  const applications = new Map<string, number[]>();
  for (const { applicationId, queue } of world.live)
    applications.set(queue, plus(applications.get(queue) ?? [0, 0], world.simulator.policy.usage(applicationId)!.allocated));
  for (const queue of flat<FairQueueDescription>(root)) {
    const { maximum, used } = queue;
    // The root's maximum is the cluster, whose vcores the fair policy does not watch.
    for (const i of queue === root ? [0] : [0, 1])
      assert.ok(
        used[i]! <= maximum.amount[i]! || maximum.amount[i] === root.maximum.amount[i],
        `${where}: ${queue.name} holds ${used} of ${maximum.amount}`,
      );
    assert.ok(queue.activeApplications <= queue.maximumApplications, `${where}: ${queue.name} runs too many`);
    if (queue.isLeaf)
      assert.deepEqual(plus(used, [0, 0]), applications.get(queue.name) ?? [0, 0], `${where}: applications of ${queue.name}`);
    else assert.deepEqual(plus(used, [0, 0]), sums(queue.children.map((child) => child.used)), `${where}: children of ${queue.name}`);
  }
}

const clusters: Partial<Record<PolicyKind, (random: Random) => { options: SimulatorOptions; queues: string[] }>> = {
  capacity: capacityCluster,
  fair: fairCluster,
  fifo: () => ({ options: { kind: 'fifo' }, queues: ['default'] }),
};

describe('in random clusters', () => {
  for (const kind of ['capacity', 'fair'] as const) {
    it(`no node or queue of the ${kind} policy is over its limit, and usage adds up at every level`, () => {
      for (let seed = 1; seed <= seeds; seed++) {
        const random = seededRandom(seed);
        const cluster = clusters[kind]!(random);
        const world = begin(cluster, random);
        world.dominant = (cluster.options.queues?.['resource-calculator'] ?? '') !== '';
        for (let i = 0; i < 80; i++) {
          step(world, cluster.queues, random);
          (kind === 'fair' ? checkFair : checkCapacity)(world, `seed ${seed}, step ${i}`);
        }
      }
    });
  }

  for (const kind of ['capacity', 'fair', 'fifo'] as const) {
    it(`the ${kind} policy decides the same from the same seed`, () => {
      const decisions = (seed: number): string => {
        const random = seededRandom(seed);
        const cluster = clusters[kind]!(random);
        const world = begin(cluster, random);
        for (let i = 0; i < 80; i++) step(world, cluster.queues, random);
        return JSON.stringify(world.simulator.decisions);
      };
      for (let seed = 1; seed <= 10; seed++) assert.equal(decisions(seed), decisions(seed), `seed ${seed}`);
    });
  }

  it('no user of a queue passes its limit by more than the container that reaches it', () => {
    for (let seed = 1; seed <= seeds; seed++) {
      const random = seededRandom(seed);
      const weights: Record<string, string> = random.int(2)
        ? { 'root.q.user-settings.ada.weight': '2', 'root.q.user-settings.bob.weight': '0.5' }
        : {};
      const simulator = new Simulator({
        queues: {
          'resource-calculator': 'org.apache.hadoop.yarn.util.resource.DominantResourceCalculator',
          'maximum-am-resource-percent': '1',
          'root.queues': 'q,rest',
          'root.q.capacity': '50',
          'root.q.user-limit-factor': String([0.3, 0.5, 1, 2][random.int(4)]),
          'root.q.minimum-user-limit-percent': String([20, 25, 40][random.int(3)]),
          'root.rest.capacity': '50',
          ...weights,
        },
      });
      const size = 256 * (1 + random.int(8));
      // Whoever asks before anything of the user has begun is not counted among those who ask.
      simulator.addNodes(2 + random.int(6), 16_384, 64);
      for (const user of users.slice(0, 1 + random.int(users.length))) {
        const { attemptId } = simulator.submit({ queue: 'root.q', user });
        simulator.policy.updateRequests(attemptId, [{ requestId: 'a', priority: 1, resource: [size, 1], count: 500 }], []);
      }
      simulator.run();
      const { root } = simulator.policy.describe() as CapacityDescription;
      for (const user of root.children.find(({ name }) => name === 'q')!.leaf!.users) {
        const most = user.limit[0]! + Math.ceil(size / 128) * 128;
        assert.ok(user.used[0]! <= most, `seed ${seed}: ${user.name} holds ${user.used} of ${user.limit}`);
      }
    }
  });
});

describe('under fair ordering no application starves', () => {
  const orders: [string, SimulatorOptions][] = [
    [
      'capacity',
      {
        queues: {
          'maximum-am-resource-percent': '1',
          'root.queues': 'q',
          'root.q.capacity': '100',
          'root.q.user-limit-factor': '10',
          'root.q.ordering-policy': 'fair',
        },
      },
    ],
    [
      'fair',
      { kind: 'fair', allocations: '<allocations><queue name="q"/><queueMaxAMShareDefault>-1.0</queueMaxAMShareDefault></allocations>' },
    ],
  ];
  for (const [name, options] of orders) {
    it(`of the ${name} policy: those who ask alike never differ by more than a container`, () => {
      for (let seed = 1; seed <= 20; seed++) {
        const random = seededRandom(seed);
        const simulator = new Simulator(options);
        simulator.addNodes(3, 8192, 64);
        const hungry: { applicationId: string; attemptId: string }[] = [];
        const request = ({ attemptId }: { attemptId: string }) =>
          simulator.policy.updateRequests(attemptId, [{ requestId: 'a', priority: 1, resource: [1024, 1], count: 100 }], []);
        const held = () => hungry.map(({ applicationId }) => simulator.containersOf(applicationId).length);
        for (let i = 0; i < 200; i++) {
          if (hungry.length < 3 || (hungry.length < 12 && random.int(20) === 0)) {
            // A newcomer is served before all others until it has caught up.
            const newcomer = simulator.submit({ queue: 'root.q' });
            hungry.push(newcomer);
            request(newcomer);
            simulator.run();
            for (let freed = 0; freed < 24 && Math.max(...held()) - Math.min(...held()) > 1; freed++) {
              const most = held().indexOf(Math.max(...held()));
              simulator.end(simulator.containersOf(hungry[most]!.applicationId)[0]!);
              simulator.run();
            }
          }
          const containers = [...simulator.containers.keys()];
          simulator.end(containers[random.int(containers.length)]!);
          for (const application of hungry) request(application);
          simulator.run();
          const numbers = held();
          assert.ok(Math.max(...numbers) - Math.min(...numbers) <= 1, `seed ${seed}, step ${i}: ${numbers}`);
          assert.equal(simulator.containers.size, 24, `seed ${seed}, step ${i}: room is left`);
        }
      }
    });
  }

  it('of fair queues: what they hold follows their weights', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const random = seededRandom(seed);
      const weights = [1 + random.int(4), 1 + random.int(4), 1 + random.int(4)];
      const allocations = `<allocations>${weights.map((weight, i) => `<queue name="q${i}"><weight>${weight}</weight></queue>`).join('')}<queueMaxAMShareDefault>-1.0</queueMaxAMShareDefault></allocations>`;
      const simulator = new Simulator({ kind: 'fair', allocations });
      simulator.addNodes(6, 8192, 64);
      for (let i = 0; i < 3; i++) {
        for (let j = 0; j <= random.int(3); j++) {
          const { attemptId } = simulator.submit({ queue: `root.q${i}` });
          // More than all that ends below, so that no queue runs out of requests.
          simulator.policy.updateRequests(attemptId, [{ requestId: 'a', priority: 1, resource: [1024, 1], count: 200 }], []);
        }
      }
      simulator.run();
      for (let i = 0; i < 100; i++) {
        const containers = [...simulator.containers.keys()];
        simulator.end(containers[random.int(containers.length)]!);
        simulator.run();
        const { root } = simulator.policy.describe() as FairDescription;
        const perWeight = root.children
          .filter(({ name }) => /q\d$/.test(name))
          .map((queue) => queue.used[0]! / 1024 / weights[Number(queue.name.at(-1))]!);
        const step = 1 / Math.min(...weights);
        assert.ok(
          Math.max(...perWeight) - Math.min(...perWeight) <= step + 1e-9,
          `seed ${seed}, step ${i}: ${perWeight} by weights ${weights}`,
        );
      }
    }
  });
});
