// Random clusters with applications on them, for tests: what explanations and policies have to hold against.
import assert from 'node:assert/strict';
import { type Random, seededRandom } from '../../lib/random.ts';
import type { Resource } from '../../model/resource.ts';
import type { RequestExplanation, WaitingReason } from '../explain/explanation.ts';
import type { PolicyKind } from '../policy.ts';
import { Simulator } from './simulator.ts';

export interface TestNode {
  readonly nodeId: string;
  readonly host: string;
  readonly label: string;
  readonly resource: Resource;
  schedulable: boolean;
}

export interface TestApplication {
  readonly applicationId: string;
  readonly attemptId: string;
  readonly queue: string;
  readonly blacklist: Set<string>;
  readonly requests: Map<string, { nodes: readonly string[]; relaxLocality: boolean }>;
}

const users = ['ada', 'bob', 'eve'];
export const pick = <T>(random: Random, items: readonly T[]): T => items[random.int(items.length)]!;

/** A cluster with applications on it, and everything that was done to it. */
export class World {
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
    this.simulator.policy.labels?.setPartitions(new Map([['gpu', { exclusive: true }]]));
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

  /** Settings of the fair queues by path; `users`: the maximum, for each user, of running applications. */
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
    const application = { applicationId, attemptId, queue, blacklist: new Set<string>(), requests: new Map() };
    this.applications.set(applicationId, application);
    if (random.int(5) === 0) {
      application.blacklist.add(pick(random, [...this.nodes.values()]).host);
      this.simulator.policy.updateBlacklist(attemptId, [...application.blacklist], []);
    }
    for (let i = random.int(3); i > 0; i--) this.request(application, `ask${i}`);
  }

  request(application: TestApplication, requestId: string): void {
    const { random } = this;
    const nodes = random.int(4) === 0 ? [`host${random.int(7)}`] : [];
    const relaxLocality = nodes.length === 0 || random.int(2) === 0;
    application.requests.set(requestId, { nodes, relaxLocality });
    const label = this.kind === 'capacity' && random.int(5) === 0 ? 'gpu' : '';
    const resource = [512 * (1 + random.int(9)), 1 + random.int(3)];
    this.simulator.policy.updateRequests(
      application.attemptId,
      [{ requestId, priority: 1 + random.int(3), resource, count: 1 + random.int(4), nodes, relaxLocality, labelExpression: label }],
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

  waiting(): { application: TestApplication; request: RequestExplanation; whole: WaitingReason | undefined }[] {
    return [...this.applications.values()].flatMap((application) => {
      const explained = this.simulator.policy.explanation(application.applicationId);
      assert.ok(explained, `${application.applicationId} is known`);
      return explained.requests.map((request) => ({ application, request: request, whole: explained.application }));
    });
  }

  pendingOf(application: TestApplication, requestId: string): number {
    const usage = this.simulator.policy.usage(application.applicationId)!;
    return usage.requests().find((request) => request.requestId === requestId && request.resourceName === '*')?.count ?? 0;
  }
}
