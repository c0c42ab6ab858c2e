// The capacity policy: queues with guarantees, limits per queue and user, priorities, partitions, preemption (Hadoop's CapacityScheduler).

import type { Resource } from '../../model/resource.ts';
import type { ApplicationPriorities, LabelledNodes, PolicyNames, QueueEditing, QueueFileContents, ReservableQueues } from '../abilities.ts';
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
import type { Explanation } from '../explain/explanation.ts';
import { capacityLocality, Locality, type LocalityRules } from '../placement/locality.ts';
import type {
  ApplicationUsage,
  ContainerNumbering,
  ContainerRecord,
  Decision,
  Found,
  PolicyAccount,
  PolicyOptions,
  QueueAcl,
  SchedulerMetrics,
  SchedulingPolicy,
} from '../policy.ts';
import { arrivalOrder } from '../state/arrival-order.ts';
import { componentwiseMin, normalizeRequest } from '../state/calculator.ts';
import { inHashOrder } from '../state/java-order.ts';
import { Ledger } from '../state/ledger.ts';
import type { SchedulerAttempt } from '../state/model.ts';
import { openRequestOf } from '../state/open-request.ts';
import { PendingSizes } from '../state/pending-sizes.ts';
import { nodeUsageOf } from '../state/usage-views.ts';
import type { CapacityApplication } from './application.ts';
import { Accounting } from './cycle/accounting.ts';
import { Cycle } from './cycle/cycle.ts';
import { Parked } from './cycle/parked.ts';
import { ActivityBook } from './description/activity-book.ts';
import { describeCapacity, type Health } from './description/describe.ts';
import { waitingText } from './description/explain.ts';
import { type Admitted, admit, forget } from './limits/admission.ts';
import { capacityPriorities } from './limits/priorities.ts';
import { Reach } from './limits/reach.ts';
import { Running } from './limits/running.ts';
import { explainCapacity } from './limits/waiting-reasons.ts';
import { PreemptionMonitor, preemptsWithinMs } from './preemption/preemption.ts';
import { placeByMapping } from './queues/mapping.ts';
import { defaultChildPath, followPlan, planQueueViews, shownPath } from './queues/plan-queues.ts';
import { QueueExpiry, used } from './queues/queue-expiry.ts';
import { capacityMetrics } from './queues/root-metrics.ts';
import { settleSizesAround } from './queues/sizes.ts';
import { QueueTree } from './queues/tree.ts';
import { vacateUnused } from './queues/unused-partitions.ts';
import { headroomOf, usageOf } from './queues/usage.ts';
import { clusterOptions } from './settings/cluster-options.ts';
import { mayAccess, refusesLabels, refusesMove } from './settings/permissions.ts';

const unlimited = { maximumLifetimeSeconds: -1, defaultLifetimeSeconds: -1 };

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
  readonly #parked: Parked;
  readonly #reach: Reach;
  readonly #running: Running;
  readonly #health: Health;
  readonly #sizes = new PendingSizes();
  #arrivals = 0;

  constructor(options: PolicyOptions) {
    this.#options = options;
    const now = () => options.clock.now();
    const steadyMs = () => options.clock.steadyMs();
    this.#types = options.types.count;
    const accounting = new Accounting(options.settings.minimumAllocation, this.#sizes);
    this.#ledger = new Ledger(this.#types, accounting);
    this.#tree = new QueueTree(options.properties, options.types, options.settings, this.#ledger.nodes);
    // By memory alone, nodes give more vcores than they have.
    if (this.#tree.calculator.kind === 'default') this.#ledger.nodes.counted = 1;
    this.#locality = new Locality(this.#localityRules(), options.settings.heartbeatIntervalMs, steadyMs);
    const { parking = 'on', settings } = options;
    this.#parked = new Parked(this.#tree, this.#ledger.nodes, typeof parking === 'string' ? undefined : parking);
    accounting.open(this.#tree, this.#ledger.nodes, this.#parked);
    this.#reach = new Reach(this.#tree, this.#ledger, settings.heartbeatIntervalMs, steadyMs);
    this.#running = new Running(this.#tree, this.#ledger, this.#parked, this.#reach);
    this.priorities = capacityPriorities(this.#tree, this.#ledger.applications, settings, (application) =>
      this.#standingChanged(application),
    );
    this.account = {
      ledger: this.#ledger,
      applications: () => this.#applicationsAsLet(),
      inform: (copy) => {
        if (copy instanceof CapacityPolicy) copy.#reach.takeOver(this.#reach);
      },
      empty: (of, preempts = false) => this.#empty(of, preempts),
      preemptsWithinMs: preemptsWithinMs(options.settings.preemption),
    };
    this.activities = new ActivityBook(this.#tree, this.#ledger, now);
    this.#health = { lastRunMs: now(), allocation: undefined, release: undefined, preemption: undefined, reservation: undefined };
    this.#monitor = settings.preemption && new PreemptionMonitor(settings.preemption, this.#tree, this.#ledger, steadyMs);
    this.#cycle = new Cycle({
      tree: this.#tree,
      ledger: this.#ledger,
      sizes: this.#sizes,
      locality: this.#locality,
      parked: this.#parked,
      running: this.#running,
      monitor: this.#monitor,
      expiry: settings.deletesQueues ? new QueueExpiry(this.#tree, steadyMs) : undefined,
      health: this.#health,
      freedNodes: accounting.freedNodes,
      reserving: accounting.reserving,
      now,
      isEverythingVisited: parking === 'off',
    });
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
    this.#cycle.settleSizes();
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
    used(entry.queue, this.#options.clock.steadyMs());
    // Lifetimes are those of the queue that was named, where that runs applications: a reservable one does not itself.
    const named = this.#tree.get(application.queue);
    const { maximumLifetimeSeconds, defaultLifetimeSeconds } = named?.settings.isPlan ? unlimited : entry.queue.settings;
    const queue = shownPath(entry.queue, named === entry.queue);
    return { accepted: true, queue, priority: entry.priority, maximumLifetimeSeconds, defaultLifetimeSeconds };
  }

  removeApplication(applicationId: string): void {
    const application = this.#ledger.applications.get(applicationId);
    if (!application) return;
    if (application.attempt) this.removeAttempt(application.attempt.attemptId, false);
    for (const container of [...application.containers]) this.containerEnded(container.containerId);
    this.#ledger.applications.delete(applicationId);
    forget(application);
  }

  addAttempt(attempt: NewAttempt): void {
    this.#cycle.settleSizes();
    const application = this.#ledger.applications.get(attempt.applicationId);
    if (!application) return;
    const entry = this.#ledger.addAttempt(application, attempt.attemptId);
    const master = attempt.masterRequest;
    application.masterPartition = this.#partitionOf(application, master?.labelExpression);
    application.masterResource = master
      ? this.normalize(master.resource, application.queue.path)
      : [...this.#options.settings.minimumAllocation];
    entry.masterPlaced = master === undefined;
    // What the last nodes took with them is settled first: it may activate who waits, and not this one.
    if (this.#ledger.nodes.total.every((amount) => amount === 0)) this.#cycle.settleSizes();
    this.#running.begin(application);
    // It asks once it is there, as in Hadoop: who comes and goes until then is judged without it.
    if (master) this.#putRequest(entry, master, true);
  }

  removeAttempt(attemptId: string, keepContainers: boolean): void {
    this.#cycle.settleSizes();
    const attempt = this.#ledger.attempts.get(attemptId);
    if (!attempt) return;
    const application = attempt.application as CapacityApplication;
    this.#reach.look();
    for (const request of [...attempt.requests.inOrder()]) this.#ledger.removeRequest(attempt, request);
    if (!keepContainers) for (const container of [...application.containers]) this.containerEnded(container.containerId);
    if (!this.#ledger.removeAttempt(attempt)) return;
    this.#running.retire(application);
  }

  updateRequests(attemptId: string, requests: readonly ResourceRequest[], cancels: readonly RequestName[]): void {
    const attempt = this.#ledger.attempts.get(attemptId);
    if (!attempt) return;
    for (const name of cancels) {
      const request = attempt.requests.get(name);
      if (request) this.#ledger.removeRequest(attempt, request);
    }
    for (const request of requests) this.#putRequest(attempt, request, false);
  }

  updateBlacklist(attemptId: string, add: readonly string[], remove: readonly string[]): void {
    const attempt = this.#ledger.attempts.get(attemptId);
    if (!attempt) return;
    attempt.changeBlacklist(add, remove);
    this.#standingChanged(attempt.application as CapacityApplication);
  }

  moveApplication(applicationId: string, queue: string): { moved: string } | { refused: string } {
    this.#cycle.settleSizes();
    const application = this.#ledger.applications.get(applicationId);
    if (!application) return { refused: `App to be moved ${applicationId} not found.` };
    const named = this.#tree.get(queue);
    const target = named?.settings.isPlan ? this.#tree.get(defaultChildPath(named)) : named;
    if (!target) return { refused: `The specified Queue: ${queue} doesn't exist` };
    if (!target.leaf) return { refused: `The specified Queue: ${queue} is not a Leaf Queue.` };
    if (target === application.queue) return { moved: shownPath(target, true) };
    const refused = refusesMove(application, target);
    if (refused) return { refused };
    this.#running.move(application, target);
    return { moved: shownPath(target, true) };
  }

  maximumLifetimeSecondsOf(queue: string): number {
    const named = this.#tree.get(queue);
    return named?.leaf ? named.settings.maximumLifetimeSeconds : -1;
  }

  // ---- nodes

  addNode(node: NodeView): void {
    if (this.#ledger.nodes.byId.has(node.nodeId)) this.removeNode(node.nodeId);
    this.#ledger.nodes.add(node);
    this.#cycle.resized();
  }

  removeNode(nodeId: string): void {
    const node = this.#ledger.nodes.byId.get(nodeId);
    if (!node) return;
    if (node.reservation) this.#ledger.unreserve(node.reservation);
    this.#ledger.nodes.remove(node);
    if (node.resource.some((amount) => amount !== 0)) this.#cycle.resized();
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
      this.#parked.changed('roomGrew', node, 0);
      return;
    }
    if (change.schedulable !== undefined) {
      node.schedulable = change.schedulable;
      if (!change.schedulable && node.reservation) this.#ledger.unreserve(node.reservation);
      this.#ledger.nodes.refresh(node);
    }
    if (change.resource) this.#ledger.resize(node, change.resource);
    if (change.attributes) this.#ledger.nodes.attributes.set(node, change.attributes);
    if (change.label !== undefined && change.label !== name) {
      this.#ledger.relabel(node, change.label);
      this.#running.relabelled(node);
    }
    this.#cycle.resized();
    if (change.isOvercommitted) this.#cycle.settleSizes();
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
    const isKnown = (name: string) => partitions.has(name);
    vacateUnused(this.#tree.root, this.#ledger, isKnown, (partition) => this.#parked.forgetPartition(partition));
    for (const [name, { exclusive }] of partitions) {
      this.#knownPartitions.add(name);
      this.#ledger.nodes.partition(name).exclusive = exclusive;
    }
    this.#cycle.resized();
  }

  // ---- containers

  containerEnded(containerId: string): void {
    this.#reach.look();
    const container = this.#ledger.release(containerId);
    if (!container) return;
    const application = container.application as CapacityApplication;
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
    return this.#cycle.run(budget, nextContainerId);
  }

  hasWork(): boolean {
    return this.#cycle.hasWork();
  }

  nextDeadlineMs(): number | undefined {
    return this.#cycle.nextDeadlineMs();
  }

  /** Throws unless all work that waits is in exactly one place. For tests: it walks everything. */
  checkParked(): void {
    this.#parked.check();
  }

  // ---- views

  explain(applicationId: string): string {
    this.#cycle.settleSizes();
    const application = this.#ledger.applications.get(applicationId);
    return application ? waitingText(application, this.#tree) : '';
  }

  explanation(applicationId: string): Explanation | undefined {
    this.#cycle.settleSizes();
    const application = this.#ledger.applications.get(applicationId);
    return (
      application &&
      explainCapacity(application, { tree: this.#tree, ledger: this.#ledger, running: this.#running, locality: this.#locality })
    );
  }

  usage(applicationId: string): ApplicationUsage | undefined {
    this.#cycle.settleSizes();
    const application = this.#ledger.applications.get(applicationId);
    return application && usageOf(application, this.#tree, this.#ledger);
  }

  headroom(applicationId: string): Resource | undefined {
    this.#cycle.settleSizes();
    const application = this.#ledger.applications.get(applicationId);
    return application && headroomOf(application, this.#tree, this.#ledger);
  }

  preempting(applicationId: string): readonly string[] {
    return this.#monitor?.announced(applicationId) ?? [];
  }

  get countsCores(): boolean {
    return this.#tree.calculator.kind !== 'default';
  }

  get pendingContainers(): number {
    return this.#ledger.pendingContainers;
  }

  describe(): SchedulerDescription {
    this.#cycle.settleSizes();
    return describeCapacity(this.#tree, this.#ledger, this.#health, this.maximumAllocation());
  }

  metrics(): SchedulerMetrics {
    this.#cycle.settleSizes();
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

  isOf(applicationId: string, queue: string): boolean {
    const wanted = this.#tree.get(queue);
    let at = this.#ledger.applications.get(applicationId)?.queue;
    while (at && at !== wanted) at = at.parent;
    return at !== undefined;
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
      this.#cycle.settleSizes();
      return planQueueViews(this.#tree);
    },
    follow: (path, running) => {
      this.#cycle.settleSizes();
      const followed = followPlan(this.#tree, path, running, (application, target) => this.#running.move(application, target));
      if (followed.changed) this.#cycle.resized();
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
    }
    this.#cycle.resized();
    this.#cycle.settleSizes();
    this.#parked.rebuild();
    this.#running.letNextRun('sizesChanged');
  }

  readonly account: PolicyAccount;

  #applicationsAsLet(): ReturnType<PolicyAccount['applications']> {
    const standing = ({ isActive, isRunnable }: CapacityApplication) => (isActive ? 0 : isRunnable ? 1 : 2);
    return [...this.#ledger.applications.values()]
      .sort((a, b) => standing(a) - standing(b) || a.order - b.order)
      .map((application) => ({
        application,
        queue: application.queue.path,
        held: !application.isActive,
        masterLabel: this.#ledger.nodes.partitions[application.masterPartition]!.name,
      }));
  }

  #empty(now: () => number, preempts: boolean): CapacityPolicy {
    const { settings: own } = this.#options;
    const settings = preempts ? own : { ...own, preemption: undefined };
    const empty = new CapacityPolicy({ ...this.#options, properties: this.#tree.properties.all, settings, clock: { now, steadyMs: now } });
    empty.#tree.obtainAll(this.#tree);
    return empty;
  }

  // ---- inside

  #putRequest(attempt: SchedulerAttempt, request: ResourceRequest, isMaster: boolean): void {
    const application = attempt.application as CapacityApplication;
    const { applicationId } = application;
    const labelExpression = labelOf(application, request.labelExpression);
    const entry = openRequestOf(request, {
      applicationId,
      resource: this.#sizes.share(request.exact ? request.resource : this.normalize(request.resource, application.queue.path)),
      partition: this.#ledger.nodes.partition(labelExpression).index,
      labelExpression,
      isMaster,
      nowMs: this.#options.clock.now(),
    });
    this.#ledger.putRequest(attempt, entry);
  }

  /** Its turn, or the nodes it takes, are others: as if it requested anew. */
  #standingChanged(application: CapacityApplication): void {
    for (let partition = 0; partition < application.queue.shares.length; partition++)
      if (application.queue.shares[partition]?.line) this.#parked.changed('requestChanged', application, partition);
  }

  #partitionOf(application: CapacityApplication, expression: string | undefined): number {
    return this.#ledger.nodes.partition(labelOf(application, expression)).index;
  }

  #localityRules(): LocalityRules {
    const { properties } = this.#tree;
    return capacityLocality(properties.read(clusterOptions.nodeLocalityDelay), properties.read(clusterOptions.rackLocalityDelay));
  }
}

/** What is asked, else what its application names, else the queue's; an empty name is one, too (normalizeNodeLabelExpressionInRequest). */
const labelOf = (application: CapacityApplication, expression: string | undefined): string =>
  (expression ?? application.labelExpression ?? application.queue.settings.defaultLabel ?? '').trim();
