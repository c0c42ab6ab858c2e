// The fifo policy: one queue, whatever it is called; applications in the order of their arrival, memory only (Hadoop's FifoScheduler).

import { type Resource, zeros } from '../../model/resource.ts';
import { noPriorities, type PolicyNames } from '../abilities.ts';
import type {
  Admission,
  NewApplication,
  NewAttempt,
  NodeChange,
  NodeView,
  Placement,
  RequestName,
  ResourceRequest,
  Submission,
} from '../entries.ts';
import type { SchedulerDescription } from '../explain/description.ts';
import { explainRequests } from '../explain/explain-requests.ts';
import type { Explanation, WaitingReason } from '../explain/explanation.ts';
import { pickNode } from '../placement/node-choice.ts';
import type {
  ApplicationUsage,
  ContainerNumbering,
  ContainerRecord,
  Decision,
  Found,
  PolicyAccount,
  PolicyOptions,
  SchedulerMetrics,
  SchedulingPolicy,
} from '../policy.ts';
import { allocateTo } from '../state/allocate.ts';
import { arrivalOrder } from '../state/arrival-order.ts';
import { componentwiseMin, defaultCalculator, float, normalizeRequest } from '../state/calculator.ts';
import { Ledger } from '../state/ledger.ts';
import { type OpenRequest, SchedulerApplication } from '../state/model.ts';
import { openRequestOf } from '../state/open-request.ts';
import { shownName } from '../state/requests.ts';
import { metricsOf, nodeUsageOf, usageOfApplication } from '../state/usage-views.ts';

class FifoApplication extends SchedulerApplication {
  /** As the submitter named it. */
  readonly queue: string;
  constructor(application: NewApplication, order: number, types: number) {
    super(application, order, types);
    this.queue = application.queue;
  }
}

export class FifoPolicy implements SchedulingPolicy {
  readonly names: PolicyNames = { short: 'fifo', title: 'Fifo Scheduler', className: 'FifoScheduler' };
  readonly priorities = noPriorities();
  readonly #options: PolicyOptions;
  readonly #types: number;
  readonly #ledger: Ledger<FifoApplication>;
  readonly #totals: { used: number[]; pending: number[]; reserved: number[]; pendingContainers: number };
  /** By arrival. */
  readonly #line: FifoApplication[] = [];
  #arrivals = 0;
  #dirty = true;
  readonly account: PolicyAccount;

  constructor(options: PolicyOptions) {
    this.#options = options;
    this.#types = options.types.count;
    const totals = { used: zeros(this.#types), pending: zeros(this.#types), reserved: zeros(this.#types), pendingContainers: 0 };
    this.#totals = totals;
    this.#ledger = new Ledger(this.#types, {
      usedChanged: (_application, _partition, resource, sign) => {
        for (let i = 0; i < resource.length; i++) totals.used[i]! += sign * resource[i]!;
      },
      reservedChanged: () => {},
      pendingChanged: (_application, _partition, resource, count) => {
        totals.pendingContainers += count;
        for (let i = 0; i < resource.length; i++) totals.pending[i]! += count * resource[i]!;
      },
      reservedNodeFreed: () => {},
    });
    this.account = {
      ledger: this.#ledger,
      applications: () => this.#line.map((application) => ({ application, queue: application.queue })),
      empty: (now) => new FifoPolicy({ ...options, clock: { now, steadyMs: now } }),
    };
  }

  // ---- applications

  place({ applicationId, queue = 'default' }: Submission): Placement {
    if (queue === '')
      return { rejected: `Failed to place application ${applicationId} in a queue and submit context queue is null or empty` };
    return { queue };
  }

  checkAccess(): boolean {
    return true;
  }

  submissionDenied(applicationId: string, user: string, queue: string): string {
    return `User ${user} does not have permission to submit ${applicationId} to queue ${queue}`;
  }

  isUnguarded(): boolean {
    return false;
  }

  checkLabels(_queue: string, expression: string | undefined): string | undefined {
    const label = expression?.trim() ?? '';
    if (label === '') return undefined;
    if (!this.#options.settings.nodeLabelsEnabled)
      return 'Invalid resource request, node label not enabled but request contains label expression';
    // Whatever the queue is called, Hadoop's sentence names the one that there is, which has no labels.
    return `Invalid resource request, queue=default doesn't have permission to access all labels in resource request. labelExpression of resource request=${label}. Queue labels=`;
  }

  addApplication(application: NewApplication): Admission {
    const entry = new FifoApplication(
      { ...application, priority: 0 },
      arrivalOrder(application.applicationId, this.#arrivals++),
      this.#types,
    );
    this.#ledger.applications.set(entry.applicationId, entry);
    let place = this.#line.length;
    while (place > 0 && this.#line[place - 1]!.order > entry.order) place--;
    this.#line.splice(place, 0, entry);
    return { accepted: true, queue: application.queue, priority: 0, defaultLifetimeSeconds: -1, maximumLifetimeSeconds: -1 };
  }

  removeApplication(applicationId: string): void {
    const application = this.#ledger.applications.get(applicationId);
    if (!application) return;
    if (application.attempt) this.removeAttempt(application.attempt.attemptId, false);
    for (const container of [...application.containers]) this.containerEnded(container.containerId);
    this.#ledger.applications.delete(applicationId);
    this.#line.splice(this.#line.indexOf(application), 1);
  }

  addAttempt({ applicationId, attemptId, masterRequest }: NewAttempt): void {
    const application = this.#ledger.applications.get(applicationId);
    if (!application) return;
    const attempt = this.#ledger.addAttempt(application, attemptId);
    attempt.masterPlaced = masterRequest === undefined;
    if (masterRequest) this.#ledger.putRequest(attempt, this.#open(application.applicationId, masterRequest, true));
    this.#dirty = true;
  }

  removeAttempt(attemptId: string, keepContainers: boolean): void {
    const attempt = this.#ledger.attempts.get(attemptId);
    if (!attempt) return;
    for (const request of [...attempt.requests.inOrder()]) this.#ledger.removeRequest(attempt, request);
    if (!keepContainers) for (const container of [...attempt.application.containers]) this.containerEnded(container.containerId);
    this.#ledger.removeAttempt(attempt);
  }

  updateRequests(attemptId: string, requests: readonly ResourceRequest[], cancels: readonly RequestName[]): void {
    const attempt = this.#ledger.attempts.get(attemptId);
    if (!attempt) return;
    for (const name of cancels) {
      const request = attempt.requests.get(name);
      if (request) this.#ledger.removeRequest(attempt, request);
    }
    for (const request of requests) this.#ledger.putRequest(attempt, this.#open(attempt.application.applicationId, request, false));
    this.#dirty = true;
  }

  updateBlacklist(attemptId: string, add: readonly string[], remove: readonly string[]): void {
    this.#ledger.attempts.get(attemptId)?.changeBlacklist(add, remove);
    this.#dirty = true;
  }

  // ---- nodes

  addNode(node: NodeView): void {
    if (this.#ledger.nodes.byId.has(node.nodeId)) this.removeNode(node.nodeId);
    this.#ledger.nodes.add({ ...node, label: '' });
    this.#dirty = true;
  }

  removeNode(nodeId: string): void {
    const node = this.#ledger.nodes.byId.get(nodeId);
    if (node) this.#ledger.nodes.remove(node);
  }

  updateNode(nodeId: string, change: NodeChange): void {
    const node = this.#ledger.nodes.byId.get(nodeId);
    if (!node) return;
    if (change.schedulable !== undefined) node.schedulable = change.schedulable;
    if (change.resource) this.#ledger.nodes.resize(node, change.resource);
    if (change.attributes) this.#ledger.nodes.attributes.set(node, change.attributes);
    this.#ledger.nodes.refresh(node);
    this.#dirty = true;
  }

  // ---- containers

  containerEnded(containerId: string): void {
    if (this.#ledger.release(containerId)) this.#dirty = true;
  }

  recoverContainer(container: ContainerRecord): void {
    if (this.#ledger.containers.has(container.containerId)) return;
    const attempt = this.#ledger.attempts.get(container.attemptId) ?? this.#ledger.applications.get(container.applicationId)?.attempt;
    const node = this.#ledger.nodes.byId.get(container.nodeId);
    if (!attempt || !node) return;
    const master = container.isMaster ? attempt.requests.inOrder().find((request) => request.isMaster) : undefined;
    if (master) this.#ledger.removeRequest(attempt, master);
    const { containerId, resource, priority, isMaster, allocationTags } = container;
    this.#ledger.recover(attempt, node, containerId, resource, priority, isMaster, allocationTags);
  }

  // ---- decisions

  /** Every application in the line takes what fits, the first first; one that does not fit does not hold the others up. */
  schedule(budget: number, nextContainerId: ContainerNumbering): Decision[] {
    const decisions: Decision[] = [];
    const partition = this.#ledger.nodes.partitions[0]!;
    this.#ledger.tagsCame = false;
    // Until every application was visited: the budget may end before.
    this.#dirty = true;
    for (const application of this.#line) {
      const { attempt } = application;
      if (!attempt || application.pendingContainers === 0) continue;
      for (const request of [...attempt.requests.inOrder()]) {
        while (request.count > 0) {
          if (decisions.length >= budget) return decisions;
          const node = pickNode(this.#ledger.nodes, partition, this.#onNodes(request), attempt.blacklist);
          if (!node) break;
          decisions.push(allocateTo(this.#ledger, application, request, node, nextContainerId(attempt.attemptId), false));
        }
        if (request.count > 0 && endsTurn(request)) break;
      }
    }
    this.#dirty = false;
    return decisions;
  }

  /** As nodes are asked for it: vcores do not limit here, and a node with less than the smallest container is passed over. */
  #onNodes(request: OpenRequest): OpenRequest {
    const [smallest = 0] = this.minimumAllocation();
    return { ...request, resource: request.resource.map((value, i) => (i === 0 ? Math.max(value, smallest) : Number.NEGATIVE_INFINITY)) };
  }

  hasWork(): boolean {
    return (this.#dirty || this.#ledger.tagsCame) && this.#totals.pendingContainers > 0;
  }

  nextDeadlineMs(): undefined {
    return undefined;
  }

  // ---- views

  explain(): string {
    return '';
  }

  explanation(applicationId: string): Explanation | undefined {
    const application = this.#ledger.applications.get(applicationId);
    if (!application) return undefined;
    const { attempt } = application;
    const rules = {
      rules: () => [],
      onNodes: (request: OpenRequest) => this.#onNodes(request),
      turn: (request: OpenRequest): WaitingReason | undefined => {
        for (const earlier of attempt?.requests.inOrder() ?? []) {
          if (earlier === request) return undefined;
          if (endsTurn(earlier)) return { rule: 'BEHIND_REQUEST', partition: '', other: shownName(earlier) };
        }
        return undefined;
      },
    };
    return { queue: application.queue, ...explainRequests(attempt, this.#ledger.nodes, rules) };
  }

  usage(applicationId: string): ApplicationUsage | undefined {
    const application = this.#ledger.applications.get(applicationId);
    if (!application) return undefined;
    const { total } = this.#ledger.nodes;
    const part = total[0]! > 0 ? float(float(application.counts.total('used')[0]! / total[0]!) * 100) : 0;
    const headroom = this.#headroom();
    return usageOfApplication(application, this.#ledger, { queuePercentage: part, clusterPercentage: part, headroom, isActive: true });
  }

  headroom(applicationId: string): Resource | undefined {
    return this.#ledger.applications.has(applicationId) ? this.#headroom() : undefined;
  }

  #headroom(): Resource {
    return this.#ledger.nodes.total.map((value, i) => Math.max(0, value - this.#totals.used[i]!));
  }

  readonly countsCores = false;

  get pendingContainers(): number {
    return this.#ledger.pendingContainers;
  }

  describe(): SchedulerDescription {
    const { total, byId } = this.#ledger.nodes;
    const memory = total[0]!;
    let containers = 0;
    let available = 0;
    for (const node of byId.values()) {
      containers += node.containers.size;
      available += node.available[0]!;
    }
    return {
      kind: 'fifo',
      usedCapacity: memory === 0 ? 0 : float(this.#totals.used[0]! / memory),
      minimumQueueMemoryMiB: this.minimumAllocation()[0]!,
      maximumQueueMemoryMiB: this.maximumAllocation()[0]!,
      nodes: byId.size,
      usedNodeMemoryMiB: this.#totals.used[0]!,
      availableNodeMemoryMiB: available,
      totalNodeMemoryMiB: memory,
      containers,
    };
  }

  metrics(): SchedulerMetrics {
    return metricsOf(this.#ledger, this.#totals);
  }

  nodeUsage(nodeId: string): ReturnType<SchedulingPolicy['nodeUsage']> {
    const node = this.#ledger.nodes.byId.get(nodeId);
    return node && nodeUsageOf(node, this.#ledger.nodes);
  }

  resolveQueue(name: string): Found {
    return name === 'default' || name === 'root.default' ? { queue: 'default' } : 'unknown';
  }

  queueOfFilter(name: string): Found {
    const found = this.resolveQueue(name);
    return typeof found === 'object' ? found : { queue: name };
  }

  applicationsOf(queue: string): string[] {
    return this.#line.filter((application) => isIn(application, queue)).map(({ applicationId }) => applicationId);
  }

  isOf(applicationId: string, queue: string): boolean {
    const application = this.#ledger.applications.get(applicationId);
    return application !== undefined && isIn(application, queue);
  }

  maximumAllocation(): Resource {
    const largest = this.#ledger.nodes.largest();
    return largest ? componentwiseMin(this.configuredMaximum(), largest) : this.configuredMaximum();
  }

  configuredMaximum(): Resource {
    return this.#options.settings.maximumAllocation;
  }

  minimumAllocation(): Resource {
    return this.#options.settings.minimumAllocation;
  }

  /** Memory counts alone: a container has one vcore, whatever was asked for (DefaultResourceCalculator.normalize). */
  normalize(resource: Resource): Resource {
    const { minimumAllocation } = this.#options.settings;
    const step = minimumAllocation.map((value, i) => (i === 0 ? value : 0));
    return defaultCalculator.made(normalizeRequest(resource, minimumAllocation, this.maximumAllocation(), step, this.#types));
  }

  clusterResource(): Resource {
    return this.#ledger.nodes.total;
  }

  #open(applicationId: string, request: ResourceRequest, isMaster: boolean): OpenRequest {
    return openRequestOf(request, {
      applicationId,
      resource: request.exact ? request.resource : this.normalize(request.resource),
      isMaster,
      nowMs: this.#options.clock.now(),
    });
  }
}

/** A request that finds no node ends the turn of its application; one that waits for a place beside others holds up nothing behind it. */
const endsTurn = ({ placement }: OpenRequest): boolean => placement === undefined;

/** The one queue has two names. */
const isIn = (application: { readonly queue: string }, queue: string): boolean =>
  application.queue === queue || (queue === 'default' && application.queue === 'root.default');
