// The fair policy: queues and applications get shares by weight, between a minimum and a maximum (Hadoop's FairScheduler).

import { isListed } from '../../model/access-list.ts';
import type { Resource } from '../../model/resource.ts';
import { type AllocationFile, noPriorities, type PolicyNames, type QueueFileContents, type ReservableQueues } from '../abilities.ts';
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
import { componentwiseMin, defaultCalculator, float, normalizeRequest } from '../state/calculator.ts';
import { Ledger } from '../state/ledger.ts';
import type { OpenRequest } from '../state/model.ts';
import { openRequestOf } from '../state/open-request.ts';
import { PendingSizes } from '../state/pending-sizes.ts';
import { metricsOf, nodeUsageOf, usageOfApplication } from '../state/usage-views.ts';
import { allocationKeys } from './allocation-keys.ts';
import { type Allocations, parseAllocations } from './allocations.ts';
import { countMaster, FairCycle } from './cycle.ts';
import { describeFair } from './describe.ts';
import { waitingText } from './explain.ts';
import { containerMaximum, refusesToRun } from './limits.ts';
import { defaultRules, placeByRules } from './placement.ts';
import { defaultChildOf, followPlan, planQueueViews } from './plan-queues.ts';
import { FairPreemption, preemptsWithinMs } from './preemption.ts';
import { FairApplication, type FairQueue, shareToApplications } from './queue.ts';
import { ShareKeeper } from './share-keeper.ts';
import { FairTree } from './tree.ts';
import { explainFair } from './waiting-reasons.ts';

export class FairPolicy implements SchedulingPolicy {
  readonly names: PolicyNames = { short: 'fair', title: 'Fair Scheduler', className: 'FairScheduler' };
  readonly priorities = noPriorities('The fair scheduler knows no priorities of applications.');
  readonly #options: PolicyOptions;
  readonly #types: number;
  #allocations: Allocations;
  #allocationsText: string | undefined;
  readonly #ledger: Ledger<FairApplication>;
  readonly #tree: FairTree;
  readonly #sizes = new PendingSizes();
  #arrivals = 0;
  #dirty = true;
  readonly #shares: ShareKeeper;
  readonly #cycle: FairCycle;
  #pendingDecisions: Decision[] = [];
  readonly #preemption: FairPreemption | undefined;

  constructor(options: PolicyOptions) {
    this.#options = options;
    const steadyMs = () => options.clock.steadyMs();
    this.#types = options.types.count;
    this.#allocationsText = options.allocations;
    this.#allocations = parseAllocations(options.allocations, options.types);
    this.#ledger = new Ledger(this.#types, {
      usedChanged: (application, _partition, resource, sign, containers) => this.#charge(application, resource, sign, containers),
      reservedChanged: (application, _partition, resource, sign) => {
        this.#chargeReserved(application, resource, sign);
        // A node that is no longer kept for a request may serve another.
        if (sign < 0) this.#dirty = true;
      },
      pendingChanged: (application, _partition, resource, count) => {
        this.#sizes.change(0, resource, count);
        this.#chargePending(application, resource, count);
      },
      reservedNodeFreed: (node) => this.#cycle.reservedNodeFreed(node),
    });
    this.#tree = new FairTree(
      this.#allocations,
      { types: options.types, sizeBasedWeight: options.settings.fair.sizeBasedWeight, cluster: () => this.#ledger.nodes.total },
      steadyMs,
    );
    const patience = () => (options.settings.fair.preemption ? preemptsWithinMs(options.settings.fair, this.#allocations) : undefined);
    this.account = {
      ledger: this.#ledger,
      applications: () =>
        [...this.#ledger.applications.values()]
          .sort((a, b) => Number(b.isRunnable) - Number(a.isRunnable) || a.order - b.order)
          .map((application) => ({ application, queue: application.queue.path })),
      empty: (of, preempts) => this.#empty(of, preempts),
      // Files say how patient queues are, and may be replaced.
      get preemptsWithinMs() {
        return patience();
      },
    };
    this.#shares = new ShareKeeper(this.#tree.root, options.settings.fair.updateIntervalMs, steadyMs);
    this.#cycle = new FairCycle(this.#tree, this.#ledger, this.#shares, this.#sizes, options);
    if (options.settings.fair.preemption) this.#preemption = new FairPreemption(options.settings.fair, this.#ledger, steadyMs);
  }

  // ---- applications

  place(submission: Submission): Placement {
    const rules = this.#allocations.rules ?? defaultRules(this.#options.settings.fair);
    return placeByRules(rules, submission, this.#options.settings.groupsOf(submission.user), {
      exists: (path) => this.#tree.get(path) !== undefined,
    });
  }

  checkAccess(queue: string, user: string, groups: readonly string[], acl: QueueAcl): boolean {
    if (!this.#options.settings.aclEnabled) return true;
    for (let at = this.#tree.get(queue); at; at = at.parent) {
      const list = acl === 'ADMINISTER_QUEUE' ? at.settings.administer : at.settings.submit;
      if (list ? isListed(list, user, groups) : at.parent === undefined) return true;
    }
    return false;
  }

  submissionDenied(applicationId: string, user: string, queue: string): string {
    return `User ${user} does not have permission to submit ${applicationId} to queue ${queue} denied by ACL for queue ${queue}`;
  }

  isUnguarded(): boolean {
    return false;
  }

  checkLabels(_queue: string, expression: string | undefined): string | undefined {
    if (!expression?.trim()) return undefined;
    return 'Invalid resource request, node label not enabled but request contains label expression';
  }

  addApplication(application: NewApplication): Admission {
    const { user, applicationId } = application;
    const refuse = (rejected: string): Admission => ({ accepted: false, rejected, queue: application.queue });
    const reserved = this.#reservedName(application);
    if ('rejected' in reserved) return refuse(reserved.rejected);
    const { name } = reserved;
    const isNew = !this.#tree.get(name);
    if (isNew && !application.recovering && !this.#mayCreate(name, user)) {
      return refuse(`User ${user} does not have permission to submit ${applicationId} to queue ${name}`);
    }
    const queue = this.#tree.obtain(name.startsWith('root') ? name : `root.${name}`, true);
    if (!queue?.isLeaf) return refuse(`${name} is not a leaf queue`);
    const order = arrivalOrder(applicationId, this.#arrivals++);
    const entry = new FairApplication({ ...application, priority: 0 }, order, this.#types, queue, this.#options.clock.steadyMs());
    this.#ledger.applications.set(applicationId, entry);
    queue.applications.push(entry);
    this.#stale(isNew);
    return { accepted: true, queue: queue.path, priority: 0, defaultLifetimeSeconds: -1, maximumLifetimeSeconds: -1 };
  }

  /** A reservable queue runs what has a reservation in that one's child, everything else in its default child. */
  #reservedName({ queue, reservationId, applicationId, recovering }: NewApplication): { name: string } | { rejected: string } {
    const plan = this.#tree.get(queue);
    if (!plan?.settings.isReservable) return { name: queue };
    if (reservationId === undefined) return { name: defaultChildOf(plan) };
    const path = `${plan.path}.${reservationId}`;
    if (this.#tree.get(path)) return { name: path };
    if (recovering) return { name: defaultChildOf(plan) };
    return { rejected: `Application ${applicationId} submitted to a reservation which is not yet currently active: ${path}` };
  }

  removeApplication(applicationId: string): void {
    const application = this.#ledger.applications.get(applicationId);
    if (!application) return;
    if (application.attempt) this.removeAttempt(application.attempt.attemptId, false);
    for (const container of [...application.containers]) this.containerEnded(container.containerId);
    this.#ledger.applications.delete(applicationId);
    remove(application.queue.applications, application);
    application.queue.unusedSinceMs = this.#options.clock.steadyMs();
    this.#stale(false);
  }

  addAttempt({ applicationId, attemptId, masterRequest }: NewAttempt): void {
    const application = this.#ledger.applications.get(applicationId);
    if (!application) return;
    const attempt = this.#ledger.addAttempt(application, attemptId);
    attempt.masterPlaced = masterRequest === undefined;
    application.masterRuns = false;
    this.#makeRunnable(application);
    if (masterRequest) this.#ledger.putRequest(attempt, this.#open(application, masterRequest, true));
    this.#stale(false);
  }

  removeAttempt(attemptId: string, keepContainers: boolean): void {
    const attempt = this.#ledger.attempts.get(attemptId);
    if (!attempt) return;
    const application = attempt.application as FairApplication;
    for (const request of [...attempt.requests.inOrder()]) this.#ledger.removeRequest(attempt, request);
    if (!keepContainers) for (const container of [...application.containers]) this.containerEnded(container.containerId);
    if (!this.#ledger.removeAttempt(attempt)) return;
    this.#retire(application);
    this.#runMore();
    this.#stale(false);
  }

  updateRequests(attemptId: string, requests: readonly ResourceRequest[], cancels: readonly RequestName[]): void {
    const attempt = this.#ledger.attempts.get(attemptId);
    if (!attempt) return;
    for (const name of cancels) {
      const request = attempt.requests.get(name);
      if (request) this.#ledger.removeRequest(attempt, request);
    }
    for (const request of requests) this.#ledger.putRequest(attempt, this.#open(attempt.application as FairApplication, request, false));
    this.#dirty = true;
  }

  updateBlacklist(attemptId: string, add: readonly string[], removed: readonly string[]): void {
    this.#ledger.attempts.get(attemptId)?.changeBlacklist(add, removed);
    this.#dirty = true;
  }

  moveApplication(applicationId: string, queue: string): { moved: string } | { refused: string } {
    const application = this.#ledger.applications.get(applicationId);
    if (!application) return { refused: `App to be moved ${applicationId} not found.` };
    const target = this.#tree.get(queue);
    if (!target) return { refused: `Target queue ${queue} not found or is not a leaf queue.` };
    if (!target.isLeaf) return { refused: `Target queue ${queue} not found or is not a leaf queue.` };
    if (target === application.queue) return { moved: target.path };
    if (application.isRunnable && target.runnable >= target.settings.maximumRunning)
      return { refused: `Moving app attempt to queue ${target.path} would violate queue maxRunningApps constraints` };
    this.#ledger.rebook(application, () => {
      const { attempt } = application;
      const ran = application.masterRuns;
      this.#retire(application);
      remove(application.queue.applications, application);
      application.queue = target;
      target.applications.push(application);
      if (attempt) this.#makeRunnable(application);
      if (ran) countMaster(application, 1);
    });
    this.#runMore();
    this.#stale(false);
    return { moved: target.path };
  }

  // ---- nodes

  addNode(node: NodeView): void {
    if (this.#ledger.nodes.byId.has(node.nodeId)) this.removeNode(node.nodeId);
    this.#ledger.nodes.add({ ...node, label: '' });
    this.#stale(true);
  }

  removeNode(nodeId: string): void {
    const node = this.#ledger.nodes.byId.get(nodeId);
    if (!node) return;
    if (node.reservation) this.#ledger.unreserve(node.reservation);
    this.#ledger.nodes.remove(node);
    this.#stale(true);
  }

  updateNode(nodeId: string, change: NodeChange): void {
    const node = this.#ledger.nodes.byId.get(nodeId);
    if (!node) return;
    if (change.schedulable !== undefined) {
      node.schedulable = change.schedulable;
      if (!change.schedulable && node.reservation) this.#ledger.unreserve(node.reservation);
    }
    if (change.resource) this.#ledger.resize(node, change.resource);
    if (change.attributes) this.#ledger.nodes.attributes.set(node, change.attributes);
    this.#ledger.nodes.refresh(node);
    this.#stale(true);
  }

  // ---- containers

  containerEnded(containerId: string): void {
    const container = this.#ledger.release(containerId);
    if (!container) return;
    const application = container.application as FairApplication;
    if (container.isMaster && application.masterRuns) countMaster(application, -1);
    this.#stale(false);
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
    if (container.isMaster) countMaster(attempt.application as FairApplication, 1);
  }

  // ---- decisions

  schedule(budget: number, nextContainerId: ContainerNumbering): Decision[] {
    const decisions = this.#pendingDecisions;
    this.#pendingDecisions = [];
    this.#shares.refreshForMasters(this.#ledger.nodes.total);
    if (this.#cycle.locality.takeDue()) this.#dirty = true;
    if (this.#dirty || this.#ledger.tagsCame) {
      this.#dirty = false;
      this.#ledger.tagsCame = false;
      this.#cycle.restore();
    }
    this.#cycle.serveReservations(decisions, nextContainerId);
    while (decisions.length < budget) {
      const decision = this.#cycle.place(nextContainerId);
      if (!decision) break;
      decisions.push(decision);
    }
    if (this.#preemption?.isDue()) {
      this.#refreshShares();
      shareToApplications(this.#tree.root);
      decisions.push(...this.#preemption.run(this.#tree.root.used));
    }
    return decisions;
  }

  hasWork(): boolean {
    return (
      this.#dirty ||
      this.#ledger.tagsCame ||
      this.#pendingDecisions.length > 0 ||
      this.#cycle.ready ||
      this.#cycle.locality.isDue ||
      (this.#preemption?.isDue() ?? false)
    );
  }

  nextDeadlineMs(): number | undefined {
    const times = [this.#preemption?.nextMs(), this.#cycle.locality.nextMs].filter((time) => time !== undefined);
    return times.length > 0 ? Math.min(...times) : undefined;
  }

  // ---- views

  explain(applicationId: string): string {
    const application = this.#ledger.applications.get(applicationId);
    if (!application?.attempt || application.attempt.masterPlaced) return '';
    const master = application.attempt.requests.inOrder().find((request) => request.isMaster);
    return waitingText(application, master);
  }

  explanation(applicationId: string): Explanation | undefined {
    const application = this.#ledger.applications.get(applicationId);
    if (!application) return undefined;
    this.#refreshShares();
    return explainFair(application, {
      ledger: this.#ledger,
      root: this.#tree.root,
      allocations: this.#allocations,
      locality: this.#cycle.locality,
    });
  }

  usage(applicationId: string): ApplicationUsage | undefined {
    const application = this.#ledger.applications.get(applicationId);
    if (!application) return undefined;
    this.#refreshShares();
    const { total } = this.#ledger.nodes;
    const used = application.counts.total('used');
    const capacity = total[0]! > 0 ? float(application.queue.fair[0]! / total[0]!) : 0;
    const ofQueue = total.map((value) => Math.trunc(value * capacity));
    // By memory alone, whatever the policy of the queue (FairScheduler.getResourceCalculator).
    const empty = defaultCalculator.empty(total);
    const queuePercentage = empty ? 0 : float(defaultCalculator.divide(total, used, ofQueue) * 100);
    const clusterPercentage = empty ? 0 : float(defaultCalculator.divide(total, used, total) * 100);
    const headroom = this.headroom(applicationId)!;
    return usageOfApplication(application, this.#ledger, {
      queuePercentage: Number.isFinite(queuePercentage) ? queuePercentage : 0,
      clusterPercentage,
      headroom,
      isActive: application.isRunnable,
    });
  }

  headroom(applicationId: string): Resource | undefined {
    const queue = this.#ledger.applications.get(applicationId)?.queue;
    if (!queue) return undefined;
    const { used } = this.#tree.root;
    return this.#ledger.nodes.total.map((value, i) => Math.max(0, Math.min(value - used[i]!, queue.maximumOf(i) - queue.used[i]!)));
  }

  readonly countsCores = true;

  get pendingContainers(): number {
    return this.#ledger.pendingContainers;
  }

  describe(): SchedulerDescription {
    // What the others would always get stays until a queue comes, or sizes or settings change, as in Hadoop.
    if (this.#tree.forgetUnused(this.#options.clock.steadyMs())) this.#stale(false);
    this.#refreshShares();
    return {
      kind: 'fair',
      root: describeFair(this.#tree.root, this.#ledger.nodes.total, (queue) =>
        containerMaximum(queue, this.#ledger.nodes.total, this.maximumAllocation()),
      ),
    };
  }

  metrics(): SchedulerMetrics {
    const { used, pending, reserved, pendingContainers } = this.#tree.root;
    return metricsOf(this.#ledger, { used, pending, reserved, pendingContainers });
  }

  nodeUsage(nodeId: string): ReturnType<SchedulingPolicy['nodeUsage']> {
    const node = this.#ledger.nodes.byId.get(nodeId);
    return node && nodeUsageOf(node, this.#ledger.nodes);
  }

  resolveQueue(name: string): Found {
    const queue = this.#tree.get(name);
    return queue ? { queue: queue.path } : 'unknown';
  }

  queueOfFilter(name: string): Found {
    return { queue: this.#tree.get(name)?.path ?? name };
  }

  applicationsOf(queue: string): string[] {
    const at = this.#tree.get(queue);
    return at ? [...at.walk()].flatMap((below) => below.applications.map(({ applicationId }) => applicationId)) : [];
  }

  isOf(applicationId: string, queue: string): boolean {
    const wanted = this.#tree.get(queue);
    let at: FairQueue | undefined = this.#ledger.applications.get(applicationId)?.queue;
    while (at && at !== wanted) at = at.parent;
    return at !== undefined;
  }

  maximumAllocation(queue?: string): Resource {
    const configured = this.configuredMaximum(queue);
    const largest = this.#ledger.nodes.largest();
    return largest ? componentwiseMin(configured, largest) : configured;
  }

  configuredMaximum(queue?: string): Resource {
    const { maximumAllocation } = this.#options.settings;
    const at = queue === undefined ? undefined : this.#tree.get(queue);
    return at ? containerMaximum(at, this.#ledger.nodes.total, maximumAllocation) : maximumAllocation;
  }

  minimumAllocation(): Resource {
    return this.#options.settings.minimumAllocation;
  }

  normalize(resource: Resource, queue?: string): Resource {
    const { minimumAllocation, incrementMemoryMiB, incrementVcores } = this.#options.settings;
    return normalizeRequest(resource, minimumAllocation, this.maximumAllocation(queue), [incrementMemoryMiB, incrementVcores], this.#types);
  }

  reload(files: QueueFileContents): void {
    const allocations = parseAllocations(files.allocations, this.#options.types);
    this.#tree.replace(allocations);
    this.#allocations = allocations;
    this.#allocationsText = files.allocations;
    this.#runMore();
    this.#stale(true);
  }

  readonly allocationFile: AllocationFile = {
    keys: allocationKeys,
    text: () => this.#allocationsText,
    replace: (allocations) => this.reload({ properties: new Map(), allocations }),
  };

  readonly account: PolicyAccount;

  #empty(now: () => number, preempts = false): FairPolicy {
    const { settings } = this.#options;
    const allocations = this.#allocationsText;
    const empty = new FairPolicy({
      ...this.#options,
      allocations,
      settings: { ...settings, fair: { ...settings.fair, preemption: preempts && settings.fair.preemption } },
      clock: { now, steadyMs: now },
    });
    empty.#tree.obtainAll(this.#tree);
    return empty;
  }

  readonly reservable: ReservableQueues = {
    list: () => {
      this.#refreshShares();
      return planQueueViews(this.#tree, this.#allocations, this.#ledger.nodes.total);
    },
    follow: (path, running) => {
      this.#refreshShares();
      const changed = followPlan(this.#tree, path, running, (application, target) => {
        this.moveApplication(application.applicationId, target.path);
      });
      if (changed) this.#stale(true);
      return { changed, mustEnd: [] };
    },
  };

  clusterResource(): Resource {
    return this.#ledger.nodes.total;
  }

  // ---- inside: sums of queues

  #charge(application: FairApplication, resource: Resource, sign: 1 | -1, containers: number): void {
    for (let at: FairQueue | undefined = application.queue; at; at = at.parent) {
      at.allocatedContainers += containers;
      for (let i = 0; i < resource.length; i++) at.used[i]! += sign * resource[i]!;
      if (at.parent?.askingQueues.has(at)) at.parent.askingQueues.put(at);
    }
    const { asking } = application.queue;
    if (asking.has(application)) asking.put(application);
  }

  #chargeReserved(application: FairApplication, resource: Resource, sign: 1 | -1): void {
    for (let at: FairQueue | undefined = application.queue; at; at = at.parent) {
      at.reservedContainers += sign;
      for (let i = 0; i < resource.length; i++) at.reserved[i]! += sign * resource[i]!;
    }
  }

  #chargePending(application: FairApplication, resource: Resource, count: number): void {
    for (let at: FairQueue | undefined = application.queue; at; at = at.parent) {
      at.pendingContainers += count;
      for (let i = 0; i < resource.length; i++) at.pending[i]! += count * resource[i]!;
    }
    this.#shares.stale(false);
    if (count > 0 && application.isRunnable) this.#cycle.wake(application);
  }

  #open(application: FairApplication, request: ResourceRequest, isMaster: boolean): OpenRequest {
    const resource = this.#sizes.share(request.exact ? request.resource : this.normalize(request.resource, application.queue.path));
    return openRequestOf(request, { applicationId: application.applicationId, resource, isMaster, nowMs: this.#options.clock.now() });
  }

  // ---- inside: which applications may run

  #mayCreate(name: string, user: string): boolean {
    let path = name.startsWith('root.') ? name : `root.${name}`;
    while (!this.#tree.get(path)) path = path.slice(0, path.lastIndexOf('.'));
    const groups = this.#options.settings.groupsOf(user);
    return this.checkAccess(path, user, groups, 'SUBMIT_APPLICATIONS') || this.checkAccess(path, user, groups, 'ADMINISTER_QUEUE');
  }

  /** Limits allow more again: the applications held back, in their order. */
  #runMore(): void {
    const heldBack = [...this.#ledger.applications.values()].filter((other) => other.attempt && !other.isRunnable);
    for (const other of heldBack.sort((a, b) => a.order - b.order)) this.#makeRunnable(other);
  }

  #makeRunnable(application: FairApplication): void {
    const refused = refusesToRun(application, this.#allocations, this.#ledger.applications.values());
    if (refused) {
      this.#cycle.note(application, refused.kind);
      return;
    }
    application.isRunnable = true;
    application.reason = 'none';
    application.atShareMs = this.#options.clock.steadyMs();
    for (let at: FairQueue | undefined = application.queue; at; at = at.parent) at.runnable++;
    if (application.pendingContainers > 0) this.#cycle.wake(application);
    this.#stale(false);
  }

  #retire(application: FairApplication): void {
    const { queue } = application;
    queue.asking.remove(application);
    remove(queue.passedOver as FairApplication[], application);
    if (application.masterRuns) countMaster(application, -1);
    if (application.isRunnable) for (let at: FairQueue | undefined = queue; at; at = at.parent) at.runnable--;
    application.isRunnable = false;
  }

  // ---- inside: shares and preemption

  #stale(steady: boolean): void {
    this.#dirty = true;
    this.#shares.stale(steady);
  }

  #refreshShares(): void {
    this.#shares.refresh(this.#ledger.nodes.total);
  }
}

function remove<T>(list: T[], item: T): void {
  const place = list.indexOf(item);
  if (place >= 0) list.splice(place, 1);
}
