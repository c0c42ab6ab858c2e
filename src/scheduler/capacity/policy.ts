// The capacity policy: queues with guarantees, limits per queue and user, priorities, partitions, preemption (Hadoop's CapacityScheduler).

import type { Resource } from '../../model/resource.ts';
import type { ApplicationPriorities, LabelledNodes, PolicyNames, QueueEditing, QueueFileContents, ReservableQueues } from '../abilities.ts';
import type { SchedulerDescription } from '../explain/description.ts';
import type { Explanation } from '../explain/explanation.ts';
import { capacityLocality, Locality, type LocalityRules } from '../placement/locality.ts';
import { holds } from '../placement/node-choice.ts';
import type {
  Admission,
  ApplicationUsage,
  ContainerNumbering,
  ContainerRecord,
  Decision,
  Found,
  NewApplication,
  NewAttempt,
  NodeChange,
  NodeView,
  Placement,
  PolicyOptions,
  QueueAcl,
  RequestName,
  ResourceRequest,
  SchedulerMetrics,
  SchedulingPolicy,
  Submission,
} from '../policy.ts';
import { allocateTo } from '../state/allocate.ts';
import { arrivalOrder } from '../state/arrival-order.ts';
import { componentwiseMin, normalizeRequest } from '../state/calculator.ts';
import { inHashOrder } from '../state/java-order.ts';
import { Ledger } from '../state/ledger.ts';
import type { OpenRequest, SchedulerAttempt, SchedulerNode } from '../state/model.ts';
import type { Partition } from '../state/nodes.ts';
import { openRequestOf } from '../state/open-request.ts';
import { PendingSizes } from '../state/pending-sizes.ts';
import { nodeUsageOf } from '../state/usage-views.ts';
import type { CapacityApplication } from './application.ts';
import { Books } from './cycle/books.ts';
import { Cycle } from './cycle/cycle.ts';
import { ActivityBook } from './description/activity-book.ts';
import { describeCapacity, type Health } from './description/describe.ts';
import { waitingText } from './description/explain.ts';
import { type Admitted, admit, forget } from './limits/admission.ts';
import { explainCapacity } from './limits/hindrances.ts';
import { limitInputs } from './limits/limits.ts';
import { capacityPriorities } from './limits/priorities.ts';
import { heapFor, Running } from './limits/running.ts';
import { PreemptionMonitor } from './preemption/preemption.ts';
import { borrow } from './queues/borrowing.ts';
import { placeByMapping } from './queues/mapping.ts';
import { followPlan, planQueueViews } from './queues/plan-queues.ts';
import { QueueExpiry, used } from './queues/queue-expiry.ts';
import { capacityMetrics } from './queues/root-metrics.ts';
import { settleSizes, settleSizesAround } from './queues/sizes.ts';
import { QueueTree } from './queues/tree.ts';
import { usageOf } from './queues/usage.ts';
import { clusterOptions } from './settings/cluster-options.ts';
import { mayAccess, refusesLabels, refusesMove } from './settings/permissions.ts';

export class CapacityPolicy implements SchedulingPolicy {
  readonly names: PolicyNames = { short: 'capacity', title: 'Capacity Scheduler', className: 'CapacityScheduler' };
  readonly priorities: ApplicationPriorities;
  readonly activities: ActivityBook;
  readonly #options: PolicyOptions;
  readonly #types: number;
  readonly #ledger: Ledger<CapacityApplication>;
  readonly #tree: QueueTree;
  readonly #locality: Locality;
  readonly #cycle: Cycle;
  readonly #monitor: PreemptionMonitor | undefined;
  #expiry: QueueExpiry | undefined;
  readonly #running: Running;
  readonly #health: Health;
  readonly #sizes = new PendingSizes();
  #arrivals = 0;
  /** Something changed that may help anybody: all are looked at again. */
  #dirty = true;
  #lendingOwed = false;
  readonly #freedReserved = new Set<SchedulerNode>();
  #sizeStale = true;

  constructor(options: PolicyOptions) {
    this.#options = options;
    this.#types = options.types.count;
    const books = new Books(options.settings.minimumAllocation, this.#sizes, {
      woken: (application, partition) => this.#cycle.wake(application, partition),
      reservedNodeFreed: (node) => this.#freedReserved.add(node),
      eased: (queue, partition) => this.#cycle.eased(queue, partition),
      roomGrew: (node, unreserved) => this.#cycle.roomGrew(node, unreserved),
    });
    this.#ledger = new Ledger(this.#types, books);
    this.#tree = new QueueTree(options.properties, options.types, options.settings, this.#ledger.nodes);
    books.open(this.#tree, this.#ledger.nodes);
    // By memory alone, nodes give more vcores than they have.
    if (this.#tree.calculator.kind === 'default') this.#ledger.nodes.counted = 1;
    this.#locality = new Locality(this.#localityRules(), options.settings.heartbeatIntervalMs, options.now);
    this.#cycle = new Cycle(this.#tree, this.#ledger, this.#sizes, this.#locality, options.now);
    this.#monitor = options.settings.preemption
      ? new PreemptionMonitor(options.settings.preemption, this.#tree, this.#ledger, options.now)
      : undefined;
    if (options.settings.deletesQueues) this.#expiry = new QueueExpiry(this.#tree, options.now);
    this.priorities = capacityPriorities(this.#tree, this.#ledger.applications, options.settings, () => {
      this.#dirty = true;
    });
    this.activities = new ActivityBook(this.#tree, this.#ledger, options.now);
    this.#health = { lastRunMs: options.now(), allocation: undefined, release: undefined, preemption: undefined, reservation: undefined };
    this.#running = new Running(this.#tree, this.#ledger, this.#cycle, options.now);
    this.#resized();
  }

  // ---- applications

  place(submission: Submission): Placement {
    const placement = placeByMapping(this.#tree, submission, this.#options.settings.groupsOf(submission.user));
    if (submission.queue !== '' || 'rejected' in placement || placement.mapped) return placement;
    return { rejected: `Failed to place application ${submission.applicationId} in a queue and submit context queue is null or empty` };
  }

  checkAccess(queue: string, user: string, groups: readonly string[], acl: QueueAcl): boolean {
    return !this.#options.settings.aclEnabled || mayAccess(this.#tree, queue, user, groups, acl);
  }

  submissionDenied(applicationId: string, user: string, queue: string): string {
    return `User ${user} does not have permission to submit ${applicationId} to queue ${queue}`;
  }

  isUnguarded(queue: string): boolean {
    return this.#tree.resolve(queue) === 'unknown';
  }

  checkLabels(queue: string, expression: string | undefined): string | undefined {
    return refusesLabels(this.#tree, queue, expression, this.#options.settings.nodeLabelsEnabled, this.#knownPartitions);
  }

  addApplication(application: NewApplication): Admission {
    this.#settleSize();
    const admitted: Admitted = admit(
      this.#tree,
      application,
      this.#ledger.applications,
      this.#options.settings,
      this.#types,
      arrivalOrder(application.applicationId, this.#arrivals++),
    );
    if (admitted.created) settleSizesAround(admitted.created, this.#tree, this.#ledger, this.#running);
    if ('rejected' in admitted)
      return { accepted: false, rejected: admitted.rejected, queue: this.#tree.get(application.queue)?.path ?? application.queue };
    const { application: entry } = admitted;
    this.#ledger.applications.set(entry.applicationId, entry);
    used(entry.queue, this.#options.now());
    const { maximumLifetimeSeconds, defaultLifetimeSeconds } = entry.queue.settings;
    // Clients know the reservable queue, not the child that runs what has no reservation.
    const { parent } = entry.queue;
    const shown = parent?.settings.isPlan ? parent.path : entry.queue.path;
    return { accepted: true, queue: shown, priority: entry.priority, maximumLifetimeSeconds, defaultLifetimeSeconds };
  }

  removeApplication(applicationId: string): void {
    const application = this.#ledger.applications.get(applicationId);
    if (!application) return;
    if (application.attempt) this.removeAttempt(application.attempt.attemptId, false);
    for (const container of [...application.containers]) this.containerEnded(container.containerId);
    this.#ledger.applications.delete(applicationId);
    forget(application);
    this.#cycle.eased(application.queue, 0);
  }

  addAttempt(attempt: NewAttempt): void {
    this.#settleSize();
    const application = this.#ledger.applications.get(attempt.applicationId);
    if (!application) return;
    const entry = this.#ledger.addAttempt(application, attempt.attemptId);
    const master = attempt.masterRequest;
    application.masterPartition = this.#partitionOf(application, master?.labelExpression);
    application.masterResource = master
      ? this.normalize(master.resource, application.queue.path)
      : [...this.#options.settings.minimumAllocation];
    entry.masterPlaced = master === undefined;
    if (master) this.#putRequest(entry, master, true);
    this.#running.begin(application);
  }

  removeAttempt(attemptId: string, keepContainers: boolean): void {
    this.#settleSize();
    const attempt = this.#ledger.attempts.get(attemptId);
    if (!attempt) return;
    const application = attempt.application as CapacityApplication;
    this.#running.look(application);
    this.#running.changed();
    for (const request of [...attempt.requests.inOrder()]) this.#withdraw(attempt, request);
    if (!keepContainers) for (const container of [...application.containers]) this.containerEnded(container.containerId);
    this.#ledger.attempts.delete(attemptId);
    if (application.attempt !== attempt) return;
    application.attempt = undefined;
    this.#running.retire(application);
    this.#cycle.eased(application.queue, application.masterPartition);
  }

  updateRequests(attemptId: string, requests: readonly ResourceRequest[], cancels: readonly RequestName[]): void {
    const attempt = this.#ledger.attempts.get(attemptId);
    if (!attempt) return;
    for (const name of cancels) {
      const request = attempt.requests.get(name);
      if (request) this.#withdraw(attempt, request);
    }
    for (const request of requests) this.#putRequest(attempt, request, false);
  }

  updateBlacklist(attemptId: string, add: readonly string[], remove: readonly string[]): void {
    const attempt = this.#ledger.attempts.get(attemptId);
    if (!attempt) return;
    attempt.changeBlacklist(add, remove);
    this.#dirty = true;
  }

  moveApplication(applicationId: string, queue: string): { moved: string } | { refused: string } {
    this.#settleSize();
    const application = this.#ledger.applications.get(applicationId);
    if (!application) return { refused: `App to be moved ${applicationId} not found.` };
    const named = this.#tree.get(queue);
    const target = named?.settings.isPlan ? this.#tree.get(`${named.path}.${named.path}-default`) : named;
    if (!target) return { refused: `The specified Queue: ${queue} doesn't exist` };
    if (!target.leaf) return { refused: `The specified Queue: ${queue} is not a Leaf Queue. Move is supported only between Leaf Queues.` };
    if (target === application.queue) return { moved: target.path };
    const refused = refusesMove(application, target);
    if (refused) return { refused };
    this.#running.move(application, target);
    this.#dirty = true;
    return { moved: target.path };
  }

  // ---- nodes

  addNode(node: NodeView): void {
    if (this.#ledger.nodes.byId.has(node.nodeId)) this.removeNode(node.nodeId);
    this.#ledger.nodes.add(node);
    this.#resized();
  }

  removeNode(nodeId: string): void {
    const node = this.#ledger.nodes.byId.get(nodeId);
    if (!node) return;
    if (node.reservation) this.#ledger.unreserve(node.reservation);
    this.#ledger.nodes.remove(node);
    this.#resized();
  }

  updateNode(nodeId: string, change: NodeChange): void {
    const node = this.#ledger.nodes.byId.get(nodeId);
    if (!node) return;
    const { name } = this.#ledger.nodes.partitions[node.partition]!;
    if (
      !change.resource &&
      !change.attributes &&
      (change.label ?? name) === name &&
      (change.schedulable ?? node.schedulable) === node.schedulable
    ) {
      this.#cycle.roomGrew(node, false);
      return;
    }
    if (change.schedulable !== undefined) {
      node.schedulable = change.schedulable;
      if (!change.schedulable && node.reservation) this.#ledger.unreserve(node.reservation);
      this.#ledger.nodes.refresh(node);
    }
    if (change.resource) this.#ledger.nodes.resize(node, change.resource);
    if (change.attributes) this.#ledger.nodes.attributes.set(node, change.attributes);
    if (change.label !== undefined && change.label !== name) {
      this.#ledger.relabel(node, change.label);
      this.#running.relabelled(node);
    }
    this.#resized();
  }

  readonly #knownPartitions = new Set<string>();

  readonly labels: LabelledNodes = {
    setPartitions: (partitions) => this.#setPartitions(partitions),
    queueUsing: (label) =>
      inHashOrder([...this.#tree.root.walk()], (queue) => queue.path).find((queue) => queue.settings.accessibleLabels.includes(label))
        ?.path,
  };

  #setPartitions(partitions: ReadonlyMap<string, { exclusive: boolean }>): void {
    this.#knownPartitions.clear();
    for (const [name, { exclusive }] of partitions) {
      this.#knownPartitions.add(name);
      this.#ledger.nodes.partition(name).exclusive = exclusive;
    }
    this.#resized();
  }

  // ---- containers

  containerEnded(containerId: string): void {
    const held = this.#ledger.containers.get(containerId);
    if (held?.isMaster) this.#running.look(held.application as CapacityApplication);
    const container = this.#ledger.release(containerId);
    if (!container) return;
    const application = container.application as CapacityApplication;
    this.#running.changed();
    this.#health.release = { nodeId: container.node.nodeId, containerId, queue: application.queue.path };
  }

  recoverContainer(container: ContainerRecord): void {
    if (this.#ledger.containers.has(container.containerId)) return;
    const attempt = this.#ledger.attempts.get(container.attemptId) ?? this.#ledger.applications.get(container.applicationId)?.attempt;
    const node = this.#ledger.nodes.byId.get(container.nodeId);
    if (!attempt || !node) return;
    if (container.isMaster) {
      const master = attempt.requests.inOrder().find((request) => request.isMaster);
      if (master) this.#ledger.removeRequest(attempt, master);
    }
    const { containerId, resource, priority, isMaster, allocationTags } = container;
    this.#ledger.recover(attempt, node, containerId, resource, priority, isMaster, allocationTags);
  }

  // ---- decisions

  schedule(budget: number, nextContainerId: ContainerNumbering): Decision[] {
    this.#settleSize();
    const { decisions } = this.#running;
    this.#running.decisions = [];
    this.#health.lastRunMs = this.#options.now();
    if (this.#locality.takeDue()) this.#dirty = true;
    if (this.#cycle.begin(this.#dirty || this.#ledger.tagsCame)) {
      this.#dirty = false;
      this.#ledger.tagsCame = false;
    }
    this.#serveReservations(decisions, nextContainerId);
    do {
      for (const partition of this.#ledger.nodes.partitions) this.#placeIn(partition, budget, nextContainerId, decisions);
    } while (decisions.length < budget && this.#cycle.again());
    // A slice that gave all it may has not come to partitions that lend.
    this.#lendingOwed = decisions.length >= budget && this.#ledger.nodes.partitions.length > 1;
    for (const decision of borrow(this.#tree, this.#ledger, budget - decisions.length, nextContainerId, this.#options.now())) {
      decisions.push(decision);
      // What the request kept back from other queues of the default partition is theirs.
      this.#cycle.eased(this.#ledger.applications.get(decision.applicationId)!.queue, 0);
    }
    for (const decision of this.#monitor?.run() ?? []) {
      decisions.push(decision);
      if (decision.kind === 'unreserve') this.#dirty = true;
      if (decision.kind === 'preempt') {
        const container = this.#ledger.containers.get(decision.containerId);
        if (container)
          this.#health.preemption = {
            nodeId: container.node.nodeId,
            containerId: decision.containerId,
            queue: (container.application as CapacityApplication).queue.path,
          };
      }
    }
    if (this.#expiry?.run()) this.#resized();
    return decisions;
  }

  hasWork(): boolean {
    return (
      this.#dirty ||
      this.#ledger.tagsCame ||
      this.#lendingOwed ||
      this.#running.decisions.length > 0 ||
      this.#cycle.ready ||
      this.#cycle.isOwedNow ||
      this.#locality.isDue ||
      (this.#monitor?.isDue() ?? false)
    );
  }

  nextDeadlineMs(): number | undefined {
    const times = [this.#monitor?.nextMs(), this.#expiry?.nextMs, this.#locality.nextMs, this.#cycle.owedMs].filter(
      (time) => time !== undefined,
    );
    return times.length > 0 ? Math.min(...times) : undefined;
  }

  // ---- views

  explain(applicationId: string): string {
    this.#settleSize();
    const application = this.#ledger.applications.get(applicationId);
    if (!application?.attempt || application.attempt.masterPlaced || application.unmanaged) return '';
    return waitingText(application.reason);
  }

  explanation(applicationId: string): Explanation | undefined {
    this.#settleSize();
    const application = this.#ledger.applications.get(applicationId);
    return (
      application &&
      explainCapacity(application, { tree: this.#tree, ledger: this.#ledger, running: this.#running, locality: this.#locality })
    );
  }

  usage(applicationId: string): ApplicationUsage | undefined {
    this.#settleSize();
    const application = this.#ledger.applications.get(applicationId);
    return application && usageOf(application, this.#tree, this.#ledger);
  }

  describe(): SchedulerDescription {
    this.#settleSize();
    return describeCapacity(this.#tree, this.#ledger, this.#health, this.maximumAllocation());
  }

  metrics(): SchedulerMetrics {
    this.#settleSize();
    return capacityMetrics(this.#tree, this.#ledger);
  }

  nodeUsage(nodeId: string): ReturnType<SchedulingPolicy['nodeUsage']> {
    const node = this.#ledger.nodes.byId.get(nodeId);
    return node && nodeUsageOf(node, this.#ledger.nodes);
  }

  resolveQueue(name: string): Found {
    return this.#tree.resolve(name);
  }

  queueOfFilter(name: string): Found {
    return this.#tree.resolve(name);
  }

  applicationsOf(queue: string): string[] {
    const at = this.#tree.get(queue);
    if (!at) return [];
    return [...at.walk()].flatMap((below) => [...(below.leaf?.applications ?? [])].map((application) => application.applicationId));
  }

  maximumAllocation(queue?: string): Resource {
    const configured = this.configuredMaximum(queue);
    const largest = this.#ledger.nodes.largest();
    return largest ? componentwiseMin(configured, largest) : configured;
  }

  configuredMaximum(queue?: string): Resource {
    return (
      (queue === undefined ? undefined : this.#tree.get(queue)?.settings.maximumAllocation) ?? this.#options.settings.maximumAllocation
    );
  }

  minimumAllocation(): Resource {
    return this.#options.settings.minimumAllocation;
  }

  normalize(resource: Resource, queue?: string): Resource {
    const { minimumAllocation } = this.#options.settings;
    const { calculator } = this.#tree;
    return calculator.made(normalizeRequest(resource, minimumAllocation, this.maximumAllocation(queue), minimumAllocation, this.#types));
  }

  clusterResource(partition?: string): Resource {
    return partition === undefined ? this.#ledger.nodes.total : this.#ledger.nodes.partition(partition).total;
  }

  readonly reservable: ReservableQueues = {
    list: () => {
      this.#settleSize();
      return planQueueViews(this.#tree);
    },
    follow: (path, running) => {
      this.#settleSize();
      const followed = followPlan(this.#tree, path, running, (application, target) => this.#running.move(application, target));
      if (followed.changed) this.#resized();
      return followed;
    },
  };

  readonly queueEditing: QueueEditing = {
    replace: (properties) => this.#reconfigure(properties),
    check: (properties) => this.#tree.check(properties),
  };

  reload({ properties }: QueueFileContents): void {
    this.#reconfigure(properties);
  }

  #reconfigure(properties: ReadonlyMap<string, string>): void {
    this.#tree.replace(properties);
    this.#locality.rules = this.#localityRules();
    for (const application of this.#ledger.applications.values()) {
      const queue = this.#tree.byPath(application.queue.path);
      if (queue?.leaf && !queue.leaf.applications.has(application)) this.#running.move(application, queue);
      this.#dirty = true;
    }
    this.#resized();
    this.#settleSize();
    this.#cycle.rebuild();
    this.#running.letNextRun();
  }

  // ---- inside

  /** What the request kept back from other queues is theirs. */
  #withdraw(attempt: SchedulerAttempt, request: OpenRequest): void {
    this.#ledger.removeRequest(attempt, request);
    this.#cycle.eased((attempt.application as CapacityApplication).queue, request.partition);
  }

  #putRequest(attempt: SchedulerAttempt, request: ResourceRequest, isMaster: boolean): void {
    const application = attempt.application as CapacityApplication;
    const { applicationId, labelExpression } = application;
    const entry = openRequestOf(request, {
      applicationId,
      resource: this.#sizes.share(request.exact ? request.resource : this.normalize(request.resource, application.queue.path)),
      partition: this.#partitionOf(application, request.labelExpression),
      labelExpression: request.labelExpression ?? labelExpression,
      isMaster,
      nowMs: this.#options.now(),
    });
    heapFor(application.queue, entry.partition);
    const before = attempt.requests.get(entry.purpose ?? entry.requestId);
    if (before && wantsLess(entry, before)) this.#cycle.eased(application.queue, before.partition);
    this.#ledger.putRequest(attempt, entry);
  }

  #partitionOf(application: CapacityApplication, expression: string | undefined): number {
    const label = expression?.trim() || application.labelExpression || application.queue.settings.defaultLabel || '';
    return this.#ledger.nodes.partition(label).index;
  }

  /** A reserved node that has room now gives it to whom it was kept for. */
  #serveReservations(decisions: Decision[], nextContainerId: ContainerNumbering): void {
    for (const node of this.#freedReserved) {
      const reservation = node.reservation;
      if (!reservation) continue;
      if (!holds(node.available, reservation, this.#ledger.nodes.partitions[node.partition]!)) continue;
      const application = reservation.application as CapacityApplication;
      const { request } = reservation;
      const attemptId = application.attempt!.attemptId;
      this.#ledger.unreserve(reservation);
      const decision = allocateTo(this.#ledger, application, request, node, nextContainerId(attemptId), true);
      decisions.push(decision);
      this.#noteAllocation(decision, application);
    }
    this.#freedReserved.clear();
  }

  #placeIn(partition: Partition, budget: number, nextContainerId: ContainerNumbering, decisions: Decision[]): void {
    while (decisions.length < budget) {
      const decision = this.#cycle.place(partition, nextContainerId);
      if (!decision) break;
      decisions.push(decision);
      const served = this.#cycle.served!;
      if (decision.kind === 'allocate') this.#noteAllocation(decision, served);
      else if (decision.kind === 'reserve')
        this.#health.reservation = { nodeId: decision.nodeId, containerId: 'N/A', queue: served.queue.path };
    }
  }

  #noteAllocation(decision: Extract<Decision, { kind: 'allocate' }>, application: CapacityApplication): void {
    this.#running.changed();
    this.#health.allocation = { nodeId: decision.nodeId, containerId: 'N/A', queue: application.queue.path };
    // The master asks for its headroom at once, which fixes what clients see as its user's limit.
    if (decision.isMaster)
      application.owner.shownLimit = application.queue.leaf!.users.limitOf(
        application.owner,
        limitInputs(application.queue, this.#ledger.nodes.partitions[application.masterPartition]!, this.#tree, false),
      );
  }

  #localityRules(): LocalityRules {
    const { properties } = this.#tree;
    return capacityLocality(properties.read(clusterOptions.nodeLocalityDelay), properties.read(clusterOptions.rackLocalityDelay));
  }

  /** Nodes or settings changed: promises, limits and who may run are worked out anew, once, when somebody needs them. */
  #resized(): void {
    this.#sizeStale = true;
    this.#dirty = true;
  }

  #settleSize(): void {
    if (!this.#sizeStale) return;
    this.#sizeStale = false;
    settleSizes(this.#tree, this.#ledger, this.#running);
    this.#dirty = true;
  }
}

/** Some of what the request before kept back from other queues is theirs. */
const wantsLess = (request: OpenRequest, before: OpenRequest): boolean =>
  request.count < before.count ||
  request.partition !== before.partition ||
  request.resource.some((value, i) => value < before.resource[i]!);
