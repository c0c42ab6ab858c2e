// Random clusters in which everything may change while applications wait: nodes, labels, queues, priorities, attempts, places, requests.
// For tests. A world is its policy, its number and nothing else, so that a failure can be repeated.
import { type Random, seededRandom } from '../../lib/random.ts';
import { parseConstraint } from '../../model/placement-constraint.ts';
import { schedulingDefaults } from '../../model/scheduling-defaults.ts';
import type { ResourceRequest } from '../entries.ts';
import { ConfigurationRefused, type Decision, type Parking, type PolicyKind, type SchedulerSettings } from '../policy.ts';
import { presetSettings } from './presets.ts';
import { Simulator } from './simulator.ts';

/** Which application was given what, where. */
function textOf(decision: Decision): string {
  const { kind, applicationId } = decision;
  if (kind === 'allocate') return `${applicationId} gets ${decision.requestId} [${decision.resource}] on ${decision.nodeId}`;
  if (kind === 'preempt') return `${applicationId} loses ${decision.containerId}`;
  if (kind === 'activated') return `${applicationId} is activated`;
  return `${applicationId}: ${kind} [${decision.resource}] at ${decision.priority} on ${decision.nodeId}`;
}

interface ChangingNode {
  readonly nodeId: string;
  readonly host: string;
  label: string;
  resource: number[];
  schedulable: boolean;
}

interface ChangingApplication {
  readonly applicationId: string;
  readonly masterMiB: number | undefined;
  attemptId: string;
  attempts: number;
  queue: string;
  readonly blacklist: Set<string>;
  readonly requestIds: Set<string>;
}

const users = ['ada', 'bob', 'eve', 'kim'];
const inner = ['root.a', 'root.c'];
const leaves = ['root.a.x', 'root.a.y', 'root.b', 'root.c.z'];
const constraints = ['notin,node,hb', 'in,node,zk', 'in,rack,all/hb', 'notin,rack,zk', 'cardinality,node,hb,0,1', 'java=8', 'java!=8'];
const features = ['labels', 'delays', 'preemption', 'moves', 'nodes', 'reload', 'crowd', 'tags', 'attempts', 'slices', 'orders'] as const;
type Features = Readonly<Record<(typeof features)[number], boolean>>;
const pick = <T>(random: Random, items: readonly T[]): T => items[random.int(items.length)]!;

/** How a world is run. */
export interface ChangingOptions {
  /** What the policy does with work that cannot be served; by default what it does in a cluster. */
  readonly parking?: Parking;
  /** The policy comes to rest after every single change. */
  readonly everyChange?: boolean;
  /** So many applications at a time, and so many nodes, whatever the number draws. */
  readonly crowd?: boolean;
}

export class ChangingWorld {
  readonly kind: PolicyKind;
  /** What was done, and what the policy decided then, in order. */
  readonly journal: string[] = [];
  readonly #options: ChangingOptions;
  readonly simulator: Simulator;
  readonly applications = new Map<string, ChangingApplication>();
  readonly decisions: Decision[] = [];
  readonly #random: Random;
  /** What may happen here. */
  readonly #has: Features;
  readonly #nodes = new Map<string, ChangingNode>();
  readonly #masters = new Set<string>();
  readonly #drf: boolean;
  readonly #partitions = new Map<string, { exclusive: boolean }>();
  #queues: Record<string, string> = {};
  #numbers = { nodes: 0, containers: 0 };

  constructor(kind: PolicyKind, number: number, options: ChangingOptions = {}) {
    const random = seededRandom(number);
    this.kind = kind;
    this.#options = options;
    this.#random = random;
    const drawn = features.map((name) => [name, random.int(name === 'crowd' ? 6 : 3) === 0]);
    this.#has = { ...(Object.fromEntries(drawn) as Features), ...(options.crowd !== undefined && { crowd: options.crowd }) };
    this.#drf = random.int(2) === 0;
    if (kind === 'capacity') this.#queues = this.#capacityQueues();
    this.simulator = new Simulator({
      kind,
      queues: this.#queues,
      settings: this.#settings(),
      ...(options.parking !== undefined && { parking: options.parking }),
      ...(kind === 'fair' && { allocations: this.#fairQueues() }),
    });
    const ssd = { exclusive: random.int(2) === 0 };
    this.#partitions.set('gpu', { exclusive: true }).set('ssd', ssd);
    this.simulator.policy.labels?.setPartitions(this.#partitions);
    for (let i = this.#has.crowd ? 6 + random.int(10) : random.int(5); i >= 0; i--) this.#addNode();
  }

  /** Some things happen; the policy comes to rest. */
  step(): void {
    const random = this.#random;
    for (let i = random.int(this.#has.crowd ? 25 : 4); i > 0; i--) {
      this.#submit();
      this.#afterChange('submit', 0);
    }
    for (let i = random.int(4); i > 0; i--) {
      this.#change();
      this.#afterChange('change', 2);
    }
    this.pass(random.int(1000));
    const containers = [...this.simulator.containers.keys()];
    for (let i = random.int(this.#has.crowd ? 10 : 4); i > 0 && containers.length > 0; i--) {
      this.simulator.end(containers.splice(random.int(containers.length), 1)[0]!);
      this.#afterChange('end', 3);
    }
    this.run('step');
  }

  /** The policy comes to rest: after every change, else after one of so many (0: not at all). */
  #afterChange(what: string, oneOf: number): void {
    const drawn = oneOf > 0 && this.#random.int(oneOf) === 0;
    if (drawn || this.#options.everyChange) this.run(what);
  }

  /** Queues that a running cluster may have instead of its own, or may refuse: capacity alone. */
  otherQueues(): ReadonlyMap<string, string> {
    const queues = { ...this.#queues };
    this.#tune(queues);
    return new Map(Object.entries(queues).map(([key, value]) => [`yarn.scheduler.capacity.${key}`, value]));
  }

  /** Time goes by, and what falls due is done. */
  pass(delayMs: number): void {
    this.simulator.nowMs += delayMs;
    this.run(`pass ${delayMs}`);
  }

  /** As the cluster does: only while the policy says that there is work. Without parking until nothing more is decided. Returns the decisions. */
  run(what = 'run'): Decision[] {
    const { policy } = this.simulator;
    const made: Decision[] = [];
    const budget = this.#has.slices ? 1 + this.#random.int(4) : 1000;
    const isParking = this.#options.parking !== 'off';
    for (let slices = 0; !isParking || policy.hasWork(); slices++) {
      if (slices > 20_000) throw new Error('the policy never comes to rest');
      const decisions = policy.schedule(budget, (attemptId) => this.#nextContainerId(attemptId));
      made.push(...decisions);
      for (const decision of decisions) {
        if (decision.kind === 'allocate') this.#begin(decision);
        if (decision.kind === 'preempt') this.simulator.end(decision.containerId);
      }
      if (!isParking && decisions.length === 0) break;
    }
    this.decisions.push(...made);
    this.journal.push(`${what}: ${made.map(textOf).join('; ')}`);
    return made;
  }

  /** Has the fair or fifo policy visit everything; for the capacity policy `parking: 'off'` tells more. */
  lookAtAll(): void {
    const [first] = this.applications.values();
    if (first) this.simulator.policy.updateBlacklist(first.attemptId, [], []);
  }

  #begin({ containerId, applicationId, nodeId, isMaster }: Extract<Decision, { kind: 'allocate' }>): void {
    this.simulator.containers.set(containerId, { applicationId, nodeId });
    if (isMaster) this.#masters.add(containerId);
  }

  #nextContainerId(attemptId: string): string {
    return `${attemptId.replace('appattempt', 'container')}_${String(++this.#numbers.containers).padStart(6, '0')}`;
  }

  // ---- what there is

  #settings(): Partial<SchedulerSettings> {
    const random = this.#random;
    return {
      minimumAllocation: [pick(random, [128, 128, 512, 1024]), 1],
      preemption: this.#has.preemption
        ? {
            ...schedulingDefaults.preemption,
            maximumWaitBeforeKillMs: pick(random, [0, 3000, 15_000]),
            totalPerRound: pick(random, [0.1, 0.5, 1]),
            naturalTerminationFactor: pick(random, [0.2, 1]),
            balanceSatisfiedQueues: random.int(2) === 0,
            intraQueue: random.int(2) === 0,
            intraQueueMaximumLimit: pick(random, [0.2, 1]),
            intraQueueOrder: pick(random, ['userlimit_first', 'priority_first']),
          }
        : undefined,
      fair: {
        ...presetSettings.fair,
        preemption: this.#has.preemption,
        preemptionUtilizationThreshold: pick(random, [0, 0.8]),
        waitTimeBeforeKillMs: pick(random, [0, 5000]),
        sizeBasedWeight: random.int(4) === 0,
        nodeLocality: this.#has.delays ? 0.5 : -1,
        rackLocality: this.#has.delays ? 0.7 : -1,
      },
    };
  }

  #capacityQueues(): Record<string, string> {
    const random = this.#random;
    const weights = random.int(3) === 0;
    const queues: Record<string, string> = {
      'maximum-am-resource-percent': pick(random, ['0.1', '0.2', '0.5', '1']),
      'node-locality-delay': this.#has.delays ? pick(random, ['40', '1', '2']) : '-1',
      'rack-locality-additional-delay': pick(random, ['-1', '1', '3']),
      'root.queues': 'a,b,c',
      'root.a.queues': 'x,y',
      'root.c.queues': 'z',
    };
    // No two alike: the order among equals depends on which requested first.
    const parts = {
      'root.a': [50, 3],
      'root.b': [30, 2],
      'root.c': [20, 1],
      'root.a.x': [60, 2],
      'root.a.y': [40, 1],
      'root.c.z': [100, 1],
    };
    for (const [path, [percent, weight]] of Object.entries(parts)) queues[`${path}.capacity`] = weights ? `${weight}w` : String(percent);
    if (random.int(3) > 0) queues['resource-calculator'] = 'org.apache.hadoop.yarn.util.resource.DominantResourceCalculator';
    for (const label of this.#has.labels ? ['gpu', 'ssd'] : []) {
      queues[`root.accessible-node-labels.${label}.capacity`] = '100';
      for (const [path, [percent, weight]] of Object.entries(parts)) {
        queues[`${path}.accessible-node-labels`] = 'gpu,ssd';
        queues[`${path}.accessible-node-labels.${label}.capacity`] = weights ? `${weight}w` : String(percent);
      }
    }
    this.#tune(queues);
    return queues;
  }

  /** Sets what a running cluster may change, too. */
  #tune(queues: Record<string, string>): void {
    const random = this.#random;
    const set = (key: string, value: string | undefined): void => {
      if (value === undefined) delete queues[key];
      else queues[key] = value;
    };
    for (const path of [...inner, ...leaves]) {
      const isLeaf = leaves.includes(path);
      set(`${path}.maximum-capacity`, random.int(2) === 0 ? pick(random, ['60', '80', '100']) : undefined);
      set(`${path}.max-parallel-apps`, random.int(5) === 0 ? String(1 + random.int(3)) : undefined);
      set(`${path}.user-limit-factor`, pick(random, ['0.5', '1', '2', '10', '-1']));
      set(`${path}.minimum-user-limit-percent`, pick(random, ['100', '50', '25', '34']));
      set(`${path}.user-settings.ada.weight`, isLeaf && random.int(5) === 0 ? '0.5' : undefined);
      set(`${path}.priority`, this.#has.orders ? String(random.int(4)) : undefined);
      if (isLeaf) set(`${path}.ordering-policy`, pick(random, ['fifo', 'fair']));
      else set(`${path}.ordering-policy`, this.#has.orders ? pick(random, ['utilization', 'priority-utilization']) : undefined);
      if (isLeaf && random.int(4) === 0) set(`${path}.ordering-policy.fair.enable-size-based-weight`, 'true');
      set(`${path}.disable_preemption`, random.int(5) === 0 ? 'true' : undefined);
    }
    set('root.ordering-policy', this.#has.orders ? pick(random, ['utilization', 'priority-utilization']) : undefined);
    set('user.max-parallel-apps', random.int(4) === 0 ? '2' : undefined);
  }

  #fairQueues(): string {
    const random = this.#random;
    const queue = (name: string, children?: string): string => {
      const parts = [`<weight>${pick(random, [1, 2, 0.5])}</weight>`];
      if (random.int(2) === 0)
        parts.push(`<maxResources>${4096 * (1 + random.int(6))} mb,${4 * (1 + random.int(6))} vcores</maxResources>`);
      if (random.int(3) === 0) parts.push(`<minResources>${1024 * random.int(5)} mb,${random.int(5)} vcores</minResources>`);
      if (random.int(3) === 0) parts.push(`<maxRunningApps>${1 + random.int(3)}</maxRunningApps>`);
      if (random.int(2) === 0) parts.push(`<maxAMShare>${pick(random, ['0.1', '0.5', '-1.0'])}</maxAMShare>`);
      parts.push(`<fairSharePreemptionTimeout>${random.int(3)}</fairSharePreemptionTimeout>`);
      parts.push(
        `<schedulingPolicy>${this.#drf ? 'drf' : children === undefined ? pick(random, ['fair', 'fifo']) : 'fair'}</schedulingPolicy>`,
      );
      return `<queue name="${name}">${parts.join('')}${children ?? ''}</queue>`;
    };
    const below = queue('a', queue('x') + queue('y')) + queue('b') + queue('c', queue('z'));
    const root = `<queue name="root"><schedulingPolicy>${this.#drf ? 'drf' : 'fair'}</schedulingPolicy>${below}</queue>`;
    return `<allocations>${root}${random.int(3) === 0 ? '<userMaxAppsDefault>2</userMaxAppsDefault>' : ''}</allocations>`;
  }

  #label(): string {
    return this.#has.labels && this.kind === 'capacity' ? pick(this.#random, ['', '', 'gpu', 'ssd']) : '';
  }

  #size(): number[] {
    return [1024 * (1 + this.#random.int(8)), 1 + this.#random.int(8)];
  }

  // ---- what happens

  #addNode(beside?: ChangingNode): void {
    const random = this.#random;
    const number = ++this.#numbers.nodes;
    const host = beside?.host ?? `host${number}`;
    const node = { nodeId: `${host}:${number}`, host, label: this.#label(), resource: this.#size(), schedulable: true };
    this.#nodes.set(node.nodeId, node);
    const attributes = new Map([['rm.yarn.io/java', pick(random, ['8', '11'])]]);
    this.simulator.policy.addNode({ ...node, rack: `/rack${number % 3}`, attributes });
    if (random.int(6) === 0) this.#update(node, { schedulable: false });
  }

  #removeNode({ nodeId }: ChangingNode): void {
    for (const [id, container] of [...this.simulator.containers]) if (container.nodeId === nodeId) this.simulator.end(id);
    this.simulator.policy.removeNode(nodeId);
    this.#nodes.delete(nodeId);
  }

  #update(node: ChangingNode, change: Partial<Pick<ChangingNode, 'label' | 'resource' | 'schedulable'>>): void {
    Object.assign(node, change);
    this.simulator.policy.updateNode(node.nodeId, change);
  }

  #submit(): void {
    const random = this.#random;
    const queue = this.kind === 'fifo' ? 'default' : pick(random, leaves);
    const masterMiB = random.int(3) > 0 ? 512 * (1 + random.int(4)) : undefined;
    const { applicationId, attemptId, admission } = this.simulator.submit({
      queue,
      user: pick(random, users),
      priority: random.int(4),
      labelExpression: random.int(4) === 0 ? this.#label() : undefined,
      ...(masterMiB !== undefined && { masterMiB }),
    });
    if (!admission.accepted) return;
    const application = {
      applicationId,
      attemptId,
      masterMiB,
      queue,
      attempts: 1,
      blacklist: new Set<string>(),
      requestIds: new Set<string>(),
    };
    this.applications.set(applicationId, application);
    for (let i = random.int(3); i > 0; i--) this.#request(application);
  }

  #request(application: ChangingApplication): void {
    const random = this.#random;
    const nodes = random.int(4) === 0 ? [`host${1 + random.int(8)}`] : [];
    const counted = nodes.length > 0 && random.int(2) === 0;
    const bound = this.#has.tags && random.int(2) === 0;
    const request: ResourceRequest = {
      requestId: `ask${random.int(4)}`,
      priority: 1 + random.int(3),
      resource: [512 * (1 + random.int(9)), 1 + random.int(3)],
      count: random.int(5),
      nodes,
      racks: nodes.length > 0 && random.int(2) === 0 ? [`/rack${random.int(3)}`] : [],
      relaxLocality: nodes.length === 0 || random.int(2) === 0,
      ...(counted && { placeCounts: new Map(nodes.map((name) => [name, 1 + random.int(3)])) }),
      ...(random.int(3) === 0 && { labelExpression: this.#label() }),
      ...(this.#has.tags && random.int(2) === 0 && { allocationTags: [pick(random, ['hb', 'zk'])] }),
      ...(bound && { placementConstraint: parseConstraint(pick(random, constraints)) }),
    };
    application.requestIds.add(request.requestId);
    this.simulator.policy.updateRequests(application.attemptId, [request], []);
  }

  #exclude({ attemptId, blacklist }: ChangingApplication, { host }: ChangingNode): void {
    if (blacklist.size > 0 && this.#random.int(2) === 0) {
      this.simulator.policy.updateBlacklist(attemptId, [], [...blacklist]);
      blacklist.clear();
      return;
    }
    blacklist.add(host);
    this.simulator.policy.updateBlacklist(attemptId, [host], []);
  }

  /** Its master ended; the next attempt may keep what the one before held. */
  #tryAgain(application: ChangingApplication): void {
    const { policy } = this.simulator;
    const { applicationId, masterMiB, attemptId: before } = application;
    const keeps = this.#random.int(2) === 0;
    const own = this.simulator.containersOf(applicationId);
    for (const containerId of own) if (!keeps || this.#masters.has(containerId)) this.simulator.end(containerId);
    policy.removeAttempt(before, keeps);
    application.attempts++;
    application.attemptId = before.replace(/(?<!\d)\d+$/, String(application.attempts).padStart(6, '0'));
    application.requestIds.clear();
    application.blacklist.clear();
    policy.addAttempt({
      applicationId,
      attemptId: application.attemptId,
      ...(masterMiB !== undefined && { masterRequest: { requestId: 'master', priority: 0, resource: [masterMiB, 1], count: 1 } }),
      ...(keeps && { keepContainersOf: before }),
    });
    this.#request(application);
  }

  #finish({ applicationId, attemptId }: ChangingApplication): void {
    for (const containerId of this.simulator.containersOf(applicationId)) this.simulator.end(containerId);
    this.simulator.policy.removeAttempt(attemptId, false);
    this.simulator.policy.removeApplication(applicationId);
    this.applications.delete(applicationId);
  }

  #move(application: ChangingApplication): void {
    const moved = this.simulator.policy.moveApplication!(application.applicationId, pick(this.#random, leaves));
    if ('moved' in moved) application.queue = moved.moved;
  }

  #reload(): void {
    const { policy } = this.simulator;
    try {
      if (this.kind === 'fair') policy.reload!({ properties: new Map(), allocations: this.#fairQueues() });
      if (this.kind !== 'capacity') return;
      const queues = { ...this.#queues };
      this.#tune(queues);
      policy.queueEditing!.replace(new Map(Object.entries(queues).map(([key, value]) => [`yarn.scheduler.capacity.${key}`, value])));
      this.#queues = queues;
    } catch (error) {
      // What a running cluster may not change is as good a case as any: everything stays as it was.
      if (!(error instanceof ConfigurationRefused)) throw error;
    }
  }

  #change(): void {
    const random = this.#random;
    const has = this.#has;
    const node = this.#nodes.size > 0 ? pick(random, [...this.#nodes.values()]) : undefined;
    const choice = random.int(13);
    if (choice === 0 && has.reload) return this.#reload();
    if (choice === 1 && has.nodes) return this.#addNode(random.int(4) === 0 ? node : undefined);
    if (choice === 2 && has.nodes && node && this.#nodes.size > 1) return this.#removeNode(node);
    if (choice === 3 && has.nodes && node)
      return this.#update(node, random.int(3) > 0 ? { resource: this.#size() } : { label: this.#label() });
    if (choice === 4 && node) return this.#update(node, { schedulable: !node.schedulable });
    if (this.applications.size === 0) return;
    const application = pick(random, [...this.applications.values()]);
    if (choice === 5 && node) return this.#exclude(application, node);
    if (choice === 6 && has.moves && this.kind !== 'fifo') return this.#move(application);
    if (choice === 7 && has.orders) this.simulator.policy.priorities.set(application.applicationId, random.int(5));
    else if (choice === 8 && has.attempts) this.#tryAgain(application);
    else if (choice === 9) this.simulator.policy.updateRequests(application.attemptId, [], [...application.requestIds].slice(0, 1));
    else if (choice === 10) this.#finish(application);
    else this.#request(application);
  }
}
