// Explanations against random clusters and workloads: every request that waits has a reason, the reason is true of the numbers that the
// policy itself shows, and who removes what is named, step by step, gets the request served.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Random, seededRandom } from '../../lib/random.ts';
import { difference, type Resource } from '../../model/resource.ts';
import { dominantCalculator } from './calculator.ts';
import type { AskExplanation, Hindrance } from './explanation.ts';
import type { PolicyKind } from './policy.ts';
import { Simulator } from './simulator.ts';

const seed = Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_121);

interface TestNode {
  readonly nodeId: string;
  readonly host: string;
  readonly label: string;
  readonly resource: Resource;
  schedulable: boolean;
}

interface TestApplication {
  readonly applicationId: string;
  readonly attemptId: string;
  readonly queue: string;
  readonly blacklist: Set<string>;
  readonly asks: Map<string, { nodes: readonly string[]; relaxLocality: boolean }>;
}

const users = ['ada', 'bob', 'eve'];
const pick = <T>(random: Random, items: readonly T[]): T => items[random.int(items.length)]!;

/** A cluster with applications on it, and everything that was done to it. */
class World {
  readonly random: Random;
  readonly kind: PolicyKind;
  readonly nodes = new Map<string, TestNode>();
  readonly applications = new Map<string, TestApplication>();
  readonly simulator: Simulator;
  readonly queues: Record<string, string> = {};
  readonly leaves: readonly string[];

  constructor(kind: PolicyKind, number: number) {
    this.random = seededRandom(number);
    this.kind = kind;
    this.leaves = kind === 'fifo' ? ['default'] : ['root.a.x', 'root.a.y', 'root.b'];
    if (kind === 'capacity') this.queues = this.#capacityQueues();
    const allocations = kind === 'fair' ? this.#fairQueues() : undefined;
    this.simulator = new Simulator({ kind, queues: this.queues, ...(allocations !== undefined && { allocations }) });
    this.simulator.policy.setPartitions(new Map([['gpu', { exclusive: true }]]));
    const { random } = this;
    for (let i = random.int(5); i >= 0; i--)
      this.addNode([1024 * (1 + random.int(8)), 1 + random.int(8)], random.int(4) === 0 && kind === 'capacity' ? 'gpu' : '');
    for (const node of this.nodes.values()) if (random.int(6) === 0) this.setSchedulable(node, false);
  }

  #capacityQueues(): Record<string, string> {
    const { random } = this;
    const queues: Record<string, string> = {
      'maximum-am-resource-percent': pick(random, ['0.2', '0.5', '1']),
      'node-locality-delay': '-1',
      'root.queues': 'a,b',
      'root.a.queues': 'x,y',
      'root.a.capacity': '60',
      'root.b.capacity': '40',
      'root.a.x.capacity': '50',
      'root.a.y.capacity': '50',
    };
    if (random.int(3) > 0) queues['resource-calculator'] = 'org.apache.hadoop.yarn.util.resource.DominantResourceCalculator';
    for (const queue of ['root.a', 'root.b', 'root.a.x', 'root.a.y']) {
      if (random.int(2) === 0) queues[`${queue}.maximum-capacity`] = pick(random, ['60', '80', '100']);
      if (random.int(4) === 0) queues[`${queue}.max-parallel-apps`] = String(1 + random.int(2));
      queues[`${queue}.user-limit-factor`] = pick(random, ['0.5', '1', '2', '10']);
      queues[`${queue}.minimum-user-limit-percent`] = pick(random, ['100', '50', '25']);
      if (queue !== 'root.a') queues[`${queue}.ordering-policy`] = pick(random, ['fifo', 'fair']);
    }
    if (random.int(2) === 0) {
      queues['root.accessible-node-labels.gpu.capacity'] = '100';
      queues['root.a.accessible-node-labels'] = 'gpu';
      queues['root.a.accessible-node-labels.gpu.capacity'] = '100';
      queues['root.a.x.accessible-node-labels.gpu.capacity'] = '50';
      queues['root.a.y.accessible-node-labels.gpu.capacity'] = '50';
    }
    if (random.int(4) === 0) queues['user.max-parallel-apps'] = '2';
    return queues;
  }

  /** Settings of the fair queues by path; `users`: everybody's maximum of running applications. */
  readonly fair = new Map<string, Map<string, string>>();

  #fairQueues(): string {
    const { random, fair } = this;
    for (const path of ['root.a', 'root.a.x', 'root.a.y', 'root.b']) {
      const settings = new Map<string, string>();
      if (random.int(2) === 0) settings.set('maxResources', `${4096 * (1 + random.int(4))} mb,${4 * (1 + random.int(4))} vcores`);
      if (random.int(3) === 0) settings.set('maxRunningApps', String(1 + random.int(3)));
      if (random.int(2) === 0) settings.set('maxAMShare', pick(random, ['0.1', '0.5', '-1.0']));
      settings.set('schedulingPolicy', pick(random, path === 'root.a' ? ['fair', 'drf'] : ['fair', 'drf', 'fifo']));
      fair.set(path, settings);
    }
    if (random.int(3) === 0) fair.set('users', new Map([['userMaxAppsDefault', '2']]));
    return this.fairText();
  }

  fairText(): string {
    const inside = (path: string): string =>
      [...(this.fair.get(path) ?? [])].map(([name, value]) => `<${name}>${value}</${name}>`).join('');
    const queue = (path: string, children = ''): string =>
      `<queue name="${path.slice(path.lastIndexOf('.') + 1)}">${inside(path)}${children}</queue>`;
    return `<allocations>${queue('root.a', queue('root.a.x') + queue('root.a.y'))}${queue('root.b')}${inside('users')}</allocations>`;
  }

  addNode(resource: Resource, label: string, host = `host${this.nodes.size}`): void {
    const node = { nodeId: `${host}:${this.nodes.size + 1}`, host, label, resource, schedulable: true };
    this.nodes.set(node.nodeId, node);
    this.simulator.policy.addNode({ nodeId: node.nodeId, host, rack: '/rack', resource, label });
  }

  setSchedulable(node: TestNode, schedulable: boolean): void {
    node.schedulable = schedulable;
    this.simulator.policy.updateNode(node.nodeId, { schedulable });
  }

  submit(): void {
    const { random } = this;
    const queue = pick(random, this.leaves);
    const managed = random.int(3) > 0;
    const { applicationId, attemptId, admission } = this.simulator.submit({
      queue,
      user: pick(random, users),
      priority: random.int(3),
      ...(managed && { masterMiB: 512 * (1 + random.int(4)) }),
    });
    if (!admission.accepted) return;
    const application = { applicationId, attemptId, queue, blacklist: new Set<string>(), asks: new Map() };
    this.applications.set(applicationId, application);
    if (random.int(5) === 0) {
      application.blacklist.add(pick(random, [...this.nodes.values()]).host);
      this.simulator.policy.updateBlacklist(attemptId, [...application.blacklist], []);
    }
    for (let i = random.int(3); i > 0; i--) this.ask(application, `ask${i}`);
  }

  ask(application: TestApplication, askId: string): void {
    const { random } = this;
    const nodes = random.int(4) === 0 ? [`host${random.int(7)}`] : [];
    const relaxLocality = nodes.length === 0 || random.int(2) === 0;
    application.asks.set(askId, { nodes, relaxLocality });
    const label = this.kind === 'capacity' && random.int(5) === 0 ? 'gpu' : '';
    const resource = [512 * (1 + random.int(9)), 1 + random.int(3)];
    this.simulator.policy.updateAsks(
      application.attemptId,
      [{ askId, priority: 1 + random.int(3), resource, count: 1 + random.int(4), nodes, relaxLocality, labelExpression: label }],
      [],
    );
  }

  step(): void {
    const { random, simulator } = this;
    for (let i = random.int(4); i > 0; i--) this.submit();
    simulator.nowMs += random.int(1000);
    simulator.run();
    const containers = [...simulator.containers.keys()];
    for (let i = random.int(4); i > 0 && containers.length > 0; i--) simulator.end(containers.splice(random.int(containers.length), 1)[0]!);
    simulator.run();
  }

  waiting(): { application: TestApplication; ask: AskExplanation; whole: Hindrance | undefined }[] {
    return [...this.applications.values()].flatMap((application) => {
      const explained = this.simulator.policy.explanation(application.applicationId);
      assert.ok(explained, `${application.applicationId} is known`);
      return explained.asks.map((ask) => ({ application, ask, whole: explained.application }));
    });
  }

  pendingOf(application: TestApplication, askId: string): number {
    const usage = this.simulator.policy.usage(application.applicationId)!;
    return usage.asks.find((ask) => ask.askId === askId && ask.resourceName === '*')?.count ?? 0;
  }
}

// ---- is it true?

const above = (used: Resource, asked: Resource, limit: Resource): boolean =>
  used.some((value, i) => value + (asked[i] ?? 0) > (limit[i] ?? 0) + 1e-6);

/** What the node must be like for what it is said to be. */
function nodeSays(world: World, node: TestNode, application: TestApplication, ask: AskExplanation): string {
  const resource = world.kind === 'fifo' ? ask.resource.slice(0, 1) : ask.resource;
  const fits = (room: Resource) => resource.every((value, i) => value <= room[i]!);
  const wish = world.applications.get(application.applicationId)!.asks.get(ask.askId);
  if (!node.schedulable) return 'UNSCHEDULABLE';
  if (application.blacklist.has(node.host)) return 'BLACKLISTED';
  if (!fits(node.resource)) return 'TOO_SMALL';
  if (wish && !wish.relaxLocality && !wish.nodes.includes(node.host)) return 'ELSEWHERE';
  return fits(world.simulator.policy.nodeUsage(node.nodeId)!.available) ? 'FITS' : 'FULL';
}

function checkNodes(world: World, application: TestApplication, ask: AskExplanation): Map<string, number> {
  const counts = new Map<string, number>();
  const own = [...world.nodes.values()].filter(({ label }) => label === ask.partition);
  for (const node of own) {
    const says = nodeSays(world, node, application, ask);
    counts.set(says, (counts.get(says) ?? 0) + 1);
  }
  assert.equal(ask.nodes.count, own.length);
  assert.equal(
    ask.nodes.groups.reduce((sum, { count }) => sum + count, 0),
    own.length,
  );
  for (const { why, count, nodeIds } of ask.nodes.groups) {
    assert.ok(nodeIds.length > 0 && nodeIds.length <= Math.min(5, count));
    // A reserved node may be full or not; it is not offered to others either way.
    if (!['RESERVED', 'FULL', 'FITS'].includes(why)) assert.equal(count, counts.get(why), `${why} of ${JSON.stringify(ask)}`);
    else assert.ok(count <= (counts.get('FULL') ?? 0) + (counts.get('FITS') ?? 0));
  }
  return counts;
}

function checkClaim(world: World, application: TestApplication, ask: AskExplanation, hindrance: Hindrance): void {
  const counts = checkNodes(world, application, ask);
  const says = (why: string) => ask.nodes.groups.some((group) => group.why === why);
  const text = JSON.stringify(hindrance);
  switch (hindrance.rule) {
    case 'QUEUE_MAXIMUM':
    case 'ANCESTOR_MAXIMUM': {
      const { used, asked, limit } = hindrance as Required<Hindrance>;
      const total = world.simulator.policy.clusterResource(hindrance.partition);
      assert.ok(above(used, asked, limit) || dominantCalculator.compare(total, used, limit) >= 0, text);
      assert.ok(application.queue === hindrance.queue || application.queue.startsWith(`${hindrance.queue}.`), text);
      break;
    }
    case 'QUEUE_MASTER_LIMIT':
    case 'USER_MASTER_LIMIT':
      assert.ok(above(hindrance.used!, hindrance.asked!, hindrance.limit!), text);
      break;
    case 'USER_LIMIT':
      assert.ok(above(hindrance.used!, [], hindrance.limit!), text);
      assert.ok(difference(world.simulator.policy.usage(application.applicationId)!.allocated, hindrance.used!).length > 0);
      break;
    case 'QUEUE_PARALLEL_LIMIT':
    case 'USER_PARALLEL_LIMIT':
      assert.ok(hindrance.running! >= hindrance.maximum!, text);
      break;
    case 'NODES_FULL':
      assert.ok(!says('FITS') && says('FULL'), text);
      assert.ok(
        hindrance.missing!.some((value) => value > 0),
        text,
      );
      assert.deepEqual(
        difference(ask.nodes.closest!.available, world.simulator.policy.nodeUsage(hindrance.nodeId!)!.available),
        ask.resource.map(() => 0),
      );
      break;
    case 'NO_NODE_LARGE_ENOUGH':
      assert.equal(counts.get('TOO_SMALL'), ask.nodes.count, text);
      break;
    case 'NO_NODES':
    case 'NO_NODE_WITH_LABEL':
      assert.equal(Math.trunc(world.simulator.policy.clusterResource(hindrance.partition)[0]!), 0);
      break;
    case 'NODES_BLACKLISTED':
      assert.ok(says('BLACKLISTED') && !says('FULL') && !says('FITS'), text);
      break;
    case 'NODES_UNSCHEDULABLE':
      assert.ok(says('UNSCHEDULABLE') && !says('FULL') && !says('FITS'), text);
      break;
    case 'NODES_RESERVED':
      assert.ok(says('RESERVED') && !says('FITS'), text);
      break;
    case 'PREFERRED_PLACES':
      assert.ok(says('ELSEWHERE') && !says('FITS'), text);
      break;
    case 'RESERVED':
      assert.ok(world.simulator.policy.usage(application.applicationId)!.reservedContainers > 0, text);
      break;
    case 'BEHIND_APPLICATION':
      assert.ok(world.simulator.policy.usage(hindrance.other!)!.pendingContainers > 0, text);
      break;
    case 'BEHIND_REQUEST':
      assert.ok(world.pendingOf(application, hindrance.other!) > 0, text);
      break;
    case 'NO_SHARE_OF_LABEL':
      assert.equal(world.queues[`${hindrance.queue}.accessible-node-labels.gpu.capacity`], undefined);
      break;
    case 'LABEL_NOT_ACCESSIBLE':
      assert.notEqual(world.simulator.policy.checkLabels(application.queue, ask.partition), undefined, text);
      break;
    case 'ROOM_KEPT_FOR_QUEUE':
      assert.ok(world.simulator.policy.applicationsOf(hindrance.other!).length > 0, text);
      break;
    case 'NOT_YET_LOOKED_AT':
      assert.fail(`the policy is idle, yet nothing holds back ${JSON.stringify(ask)} of ${application.applicationId}`);
  }
}

// ---- does removing it help?

/** Takes away what is named. Room is made generously: others that wait may take some of it. */
function remove(world: World, application: TestApplication, ask: AskExplanation, hindrance: Hindrance, times: number): boolean {
  const { simulator, queues } = world;
  const wish = application.asks.get(ask.askId);
  const room = () =>
    world.addNode(
      ask.resource.map((value) => value * 4 ** Math.min(times + 1, 8)),
      hindrance.partition ?? ask.partition,
      wish && !wish.relaxLocality ? wish.nodes[0] : undefined,
    );
  const set = (changes: Record<string, string>): void => {
    if (Object.entries(changes).every(([key, value]) => queues[key] === value)) return room();
    Object.assign(queues, changes);
    simulator.policy.reconfigure!(new Map(Object.entries(queues).map(([key, value]) => [`yarn.scheduler.capacity.${key}`, value])));
  };
  const { queue } = hindrance;
  const relax = (path: string, name: string, value?: string): boolean => {
    const settings = world.fair.get(path);
    const before = settings?.get(name);
    if (value !== undefined) world.fair.set(path, new Map(settings).set(name, value));
    else settings?.delete(name);
    if (before === value) room();
    else simulator.policy.reconfigureAllocations!(world.fairText());
    return true;
  };
  if (world.kind === 'fair') {
    if (hindrance.rule === 'QUEUE_MASTER_LIMIT') return relax(queue!, 'maxAMShare', '-1.0');
    if (hindrance.rule === 'QUEUE_MAXIMUM' || hindrance.rule === 'ANCESTOR_MAXIMUM') return relax(queue!, 'maxResources');
    if (hindrance.rule === 'QUEUE_PARALLEL_LIMIT') return relax(queue!, 'maxRunningApps');
    if (hindrance.rule === 'USER_PARALLEL_LIMIT') return relax('users', 'userMaxAppsDefault');
  }
  switch (hindrance.rule) {
    case 'QUEUE_MASTER_LIMIT':
    case 'USER_MASTER_LIMIT':
      set({ [`${queue}.maximum-am-resource-percent`]: '1', [`${queue}.user-limit-factor`]: '1000' });
      return true;
    case 'QUEUE_MAXIMUM':
    case 'ANCESTOR_MAXIMUM':
      if (queue === 'root') room();
      else set({ [`${queue}.maximum-capacity`]: '100' });
      return true;
    case 'USER_LIMIT':
      set({ [`${queue}.user-limit-factor`]: '1000', [`${queue}.minimum-user-limit-percent`]: '100' });
      return true;
    case 'QUEUE_PARALLEL_LIMIT':
      set({ [`${queue}.max-parallel-apps`]: '1000' });
      return true;
    case 'USER_PARALLEL_LIMIT':
      set({ 'user.max-parallel-apps': '1000' });
      return true;
    case 'BEHIND_APPLICATION':
      simulator.finish(hindrance.other!);
      return world.applications.delete(hindrance.other!);
    case 'BEHIND_REQUEST':
      simulator.policy.updateAsks(application.attemptId, [], [hindrance.other!]);
      return true;
    case 'ROOM_KEPT_FOR_QUEUE':
      for (const applicationId of simulator.policy.applicationsOf(hindrance.other!)) {
        simulator.finish(applicationId);
        world.applications.delete(applicationId);
      }
      return true;
    case 'NODES_BLACKLISTED':
      simulator.policy.updateBlacklist(application.attemptId, [], [...application.blacklist]);
      application.blacklist.clear();
      return true;
    case 'NODES_UNSCHEDULABLE':
      for (const node of world.nodes.values()) world.setSchedulable(node, true);
      return true;
    case 'RESERVED':
      for (const [containerId, { nodeId }] of [...simulator.containers]) if (nodeId === hindrance.nodeId) simulator.end(containerId);
      return true;
    case 'LABEL_NOT_ACCESSIBLE':
    case 'NO_SHARE_OF_LABEL':
      return false;
    case 'PREFERRED_PLACES':
      // It may exclude the very places it wants.
      simulator.policy.updateBlacklist(application.attemptId, [], [...application.blacklist]);
      application.blacklist.clear();
      room();
      return true;
    default:
      room();
      return true;
  }
}

function served(world: World, application: TestApplication, askId: string): string[] {
  const before = world.pendingOf(application, askId);
  const steps: string[] = [];
  for (let times = 0; times < 40; times++) {
    const ask = world.simulator.policy.explanation(application.applicationId)?.asks.find((other) => other.askId === askId);
    if (!ask || ask.count < before) return steps;
    const [hindrance] = ask.hindrances;
    steps.push(JSON.stringify(hindrance));
    try {
      checkClaim(world, application, ask, hindrance);
    } catch (error) {
      throw new Error(`${(error as Error).message}\nafter:\n${steps.join('\n')}`, { cause: error });
    }
    if (!remove(world, application, ask, hindrance, times)) return steps;
    world.simulator.nowMs += 1000;
    world.simulator.run();
  }
  assert.fail(`${application.applicationId} ${askId} was not served after:\n${steps.join('\n')}`);
}

for (const kind of ['capacity', 'fair', 'fifo'] as const) {
  describe(`explanations of the ${kind} policy`, () => {
    it(`are there for all that waits, and true (seed ${seed})`, () => {
      const property = fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (number) => {
        const world = new World(kind, number);
        for (let i = 0; i < 6; i++) {
          world.step();
          for (const { application, ask, whole } of world.waiting()) {
            assert.ok(ask.hindrances.length > 0);
            if (whole) assert.equal(ask.hindrances[0].rule, whole.rule);
            for (const hindrance of ask.hindrances) checkClaim(world, application, ask, hindrance);
          }
        }
      });
      fc.assert(property, { seed, numRuns: 150 });
    });

    it(`name what has to go for the request to be served (seed ${seed})`, () => {
      const property = fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (number) => {
        const world = new World(kind, number);
        for (let i = 0; i < 3; i++) world.step();
        const waiting = world.waiting();
        if (waiting.length === 0) return;
        const { application, ask } = pick(world.random, waiting);
        served(world, application, ask.askId);
      });
      fc.assert(property, { seed, numRuns: 200 });
    });
  });
}
