// The owner of the resource manager's state and its only writer. Commands come in (from HTTP, nodes, masters), entities change
// through their tables, the scheduler proposes and this file commits. Nothing here awaits inside a change: that is the lock.
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import { Timers } from '../lib/timers.ts';
import { formatApplicationId, formatContainerId, parseAttemptId } from '../model/ids.ts';
import type { Resource, ResourceTypes } from '../model/resource.ts';
import type { SchedulingPolicy } from '../scheduler/policy.ts';
import type { AllocateResponse, CompletedContainer } from '../wire/cluster/master-protocol.ts';
import type { NodeCommand, NodeMessage, RegisterMessage, SignalCommand } from '../wire/cluster/node-channel.ts';
import { type Application, type Attempt, type Container, currentAttempt } from './applications/application.ts';
import { isEndedAttempt } from './applications/attempt-states.ts';
import { dated } from './applications/diagnostics.ts';
import { type AcceptedSubmission, ApplicationLife } from './cluster/application-life.ts';
import { AttemptLife, type FinishedMaster, type RegisteredMaster } from './cluster/attempt-life.ts';
import { ContainerLife } from './cluster/container-life.ts';
import { ContainerResizes } from './cluster/container-resizes.ts';
import { MasterLife, type TakenRequest } from './cluster/master-life.ts';
import { NodeLife } from './cluster/node-life.ts';
import { type LeaveSeconds, NodeRemoval } from './cluster/node-removal.ts';
import { type ClusterObserver, tellAll } from './cluster/observer.ts';
import { Opportunistic, type OpportunisticCounts, type OpportunisticRequest } from './cluster/opportunistic.ts';
import type { ClusterSettings } from './cluster/settings.ts';
import type { ClusterView, FoundAttempt } from './cluster/view.ts';
import { ApplicationPlaces } from './nodes/application-places.ts';
import type { DynamicResource } from './nodes/dynamic-resources.ts';
import type { Membership } from './nodes/membership.ts';
import type { Node, NodeAttribute } from './nodes/node.ts';
import type { NodeState } from './nodes/node-states.ts';
import type { Fragments, ResourceManagerStore } from './store/resource-manager-store.ts';

/** Where labels of nodes come from; implemented by the label manager. */
export interface LabelSource {
  /** The partition of a node; '' for none. */
  labelOf(nodeId: string): string;
  /** A node says which labels it has; followed where nodes may say so. */
  reported?(nodeId: string, labels: readonly string[]): void;
}

/** Attributes that administrators gave to hosts; implemented by the attribute manager. */
export interface AttributeSource {
  of(host: string): readonly NodeAttribute[];
}

/** What the cluster is built of. */
export interface ClusterDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly store: ResourceManagerStore;
  readonly policy: SchedulingPolicy;
  readonly types: ResourceTypes;
  readonly settings: ClusterSettings;
  readonly membership: Membership;
  readonly labels: LabelSource;
  readonly attributes?: AttributeSource;
  readonly containerTokenKey: Buffer;
  /** Random name of this process, told to nodes. */
  readonly session: string;
  /** Number of restarts before this one, part of container ids. */
  readonly epoch: number;
  readonly observers: readonly ClusterObserver[];
  /** Renders an ended application for lists; undefined where nobody lists. */
  readonly render?: (application: Application) => Fragments | undefined;
}

/** A slice ends with whichever comes first; then whatever else waits in the event loop has its turn. */
const decisionsPerSlice = 500;
const sliceMs = 1;
/** Asked of the policy at a time. */
const decisionsPerCall = 50;

/** The state of the resource manager. */
export class Cluster {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly store: ResourceManagerStore;
  readonly policy: SchedulingPolicy;
  readonly types: ResourceTypes;
  readonly settings: ClusterSettings;
  readonly membership: Membership;
  readonly labels: LabelSource;
  readonly attributes: AttributeSource;
  readonly containerTokenKey: Buffer;
  readonly session: string;
  readonly epoch: number;
  readonly tell: Required<ClusterObserver>;
  readonly timers: Timers;

  /** Live applications, and ended ones until nothing more can come for them. */
  readonly applications = new Map<string, Application>();
  readonly nodes = new Map<string, Node>();
  readonly places = new ApplicationPlaces();
  /** Live containers by id. */
  readonly live = new Map<string, Container>();
  /** Applications whose master waits for a container. */
  readonly waiting = new Set<Application>();
  /** Submissions whose first write is under way. */
  readonly submissions = new Map<string, Promise<void>>();
  /** Application of an attempt, for those in memory. */
  readonly attemptIndex = new Map<string, Application>();
  /** When each master was last heard of. */
  readonly lastContacts = new Map<string, number>();
  /** Sizes of nodes that were changed by an administrator. */
  readonly nodeResources = new Map<string, Resource>();
  /** Ends of containers for masters that have not come back yet after a restart. */
  readonly earlyReports = new Map<string, CompletedContainer[]>();

  readonly life = new ApplicationLife(this);
  readonly attempts = new AttemptLife(this);
  readonly containers = new ContainerLife(this);
  readonly masters = new MasterLife(this);
  readonly nodeLife = new NodeLife(this);
  readonly opportunistic = new Opportunistic(this);
  readonly removal = new NodeRemoval(this);
  readonly resizes = new ContainerResizes(this);

  /** What doors, views and commands read. */
  readonly view: ClusterView = this.#view();

  readonly #observers: ClusterObserver[];
  readonly #render: ClusterDependencies['render'];
  #sequence = 0;
  #scheduled = false;
  #closed = false;
  #placements: number[] = [];

  constructor(dependencies: ClusterDependencies) {
    this.clock = dependencies.clock;
    this.logger = dependencies.logger;
    this.store = dependencies.store;
    this.policy = dependencies.policy;
    this.types = dependencies.types;
    this.settings = dependencies.settings;
    this.membership = dependencies.membership;
    this.labels = dependencies.labels;
    this.attributes = dependencies.attributes ?? { of: () => [] };
    this.containerTokenKey = dependencies.containerTokenKey;
    this.session = dependencies.session;
    this.epoch = dependencies.epoch;
    this.#observers = [...dependencies.observers];
    this.tell = tellAll(this.#observers);
    this.timers = new Timers(dependencies.clock);
    this.#render = dependencies.render;
    this.#trim();
    this.#expire();
  }

  #view(): ClusterView {
    const { applications, live, nodes } = this;
    return {
      application: (id) => this.find(id),
      applications: () => applications.values(),
      get applicationCount() {
        return applications.size;
      },
      isWaiting: (application) => this.waiting.has(application),
      submission: (id) => this.submissions.get(id),
      attempt: (id) => this.findAttempt(id),
      container: (id) => live.get(id),
      containers: () => live.values(),
      get containerCount() {
        return live.size;
      },
      node: (id) => nodes.get(id),
      nodes: () => nodes.values(),
      get nodeCount() {
        return nodes.size;
      },
      sizes: () => ({
        applications: applications.size,
        attempts: this.attemptIndex.size,
        containers: live.size,
        nodes: nodes.size,
        waiting: this.waiting.size,
        submissions: this.submissions.size,
        placed: this.places.size,
        lastContacts: this.lastContacts.size,
        earlyReports: this.earlyReports.size,
        ...this.masters.sizes,
      }),
    };
  }

  // ---- applications

  /** Creates an application, whose id is free. Resolves when it is durable. */
  submit(accepted: AcceptedSubmission): Promise<void> {
    return this.life.submit(accepted);
  }

  /** Kills on a user's wish. Resolves when the end is durable; 'done' when there was nothing left to do. */
  killByUser(application: Application, user: string | undefined, reason: string | undefined): Promise<'done' | 'begun'> {
    return this.life.killByUser(application, user, reason);
  }

  /** Kills for the given reason. Resolves when the end is durable. */
  kill(application: Application, diagnostics: string): Promise<void> {
    return this.life.kill(application, diagnostics);
  }

  /** Moves to another queue, with everything it holds. Resolves to the queue's shown name, or the refusal's text. */
  move(application: Application, queue: string): Promise<{ moved: string } | { refused: string }> {
    return this.life.move(application, queue);
  }

  /** Sets the priority; resolves to what holds now. */
  setPriority(application: Application, priority: number): Promise<number> {
    return this.life.setPriority(application, priority);
  }

  /** Sets the end of life (ms since the epoch), cut to the queue's limit; undefined: unlimited (up to that limit). */
  setLifetime(application: Application, expiryMs: number | undefined): Promise<void> {
    return this.life.setLifetime(application, expiryMs);
  }

  /** Lets the container's node send a signal to it; does nothing while the node has no channel. */
  signal(container: Container, command: SignalCommand): void {
    this.nodes.get(container.nodeId)?.send?.({ type: 'signalContainers', containers: [{ containerId: container.id, command }] });
  }

  /** Nodes that the next master of the application does not go to. */
  avoidedNodes(application: Application): readonly string[] {
    return this.attempts.avoidedNodes(application);
  }

  // ---- masters

  /** The master registered (again after a restart of either side). Resolves when durable; undefined where its state does not take it. */
  registerMaster(application: Application, attempt: Attempt, at: RegisteredMaster): Promise<void> | undefined {
    return this.masters.register(application, attempt, at);
  }

  /** Takes a master's requests, releases and progress, waits up to `waitMs` for news, answers. */
  allocate(
    application: Application,
    attempt: Attempt,
    request: TakenRequest,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<AllocateResponse> {
    return this.masters.allocate(application, attempt, request, waitMs, signal);
  }

  /** The master says it is done. Resolves when durable; undefined where the attempt's state does not take it. */
  unregisterMaster(application: Application, attempt: Attempt, last: FinishedMaster): Promise<void> | undefined {
    return this.attempts.unregister(application, attempt, last);
  }

  /** Whether the notes of an application stay within what is kept of it. */
  mayKeepNotes(applicationId: string, notes: readonly string[]): boolean {
    return this.masters.mayKeep(applicationId, notes);
  }

  /** What the application's masters wanted remembered, the earliest first. */
  notesOf(applicationId: string): readonly string[] {
    return this.store.notesOf(applicationId);
  }

  /** What a master shows to the container's node. */
  tokenOf(application: Application, container: Container): string {
    return this.masters.tokenOf(application, container);
  }

  /** Opportunistic containers that an attempt asked for and has not got. */
  opportunisticRequestsOf(attemptId: string): readonly OpportunisticRequest[] {
    return this.opportunistic.requestsOf(attemptId);
  }

  /** Opportunistic containers of the node that have not begun. */
  opportunisticLoadOf(node: Node): number {
    return this.opportunistic.loadOf(node);
  }

  get opportunisticCounts(): Readonly<OpportunisticCounts> {
    return this.opportunistic.counts;
  }

  // ---- nodes

  /** A node introduces itself with everything on it. Returns undefined when it is refused. */
  registerNode(message: RegisterMessage, send: (command: NodeCommand) => void, rack = message.rack): Node | undefined {
    return this.nodeLife.register(message, send, rack);
  }

  /** Takes what a registered node says. */
  takeNodeMessage(node: Node, message: Exclude<NodeMessage, RegisterMessage>): void {
    this.nodeLife.message(node, message);
  }

  /** The connection of a node went down or came back; its session goes on. */
  nodeConnected(node: Node, connected: boolean): void {
    this.nodeLife.connection(node, connected);
  }

  /** The session of a node's channel ended: the node may come back until it expires. */
  nodeDisconnected(node: Node): void {
    this.nodeLife.disconnected(node);
  }

  /** Changes what a node offers. `overcommitTimeoutMs` undefined or 0: what no longer fits is taken at once; negative: as before. */
  resizeNode(node: Node, resource: Resource, overcommitTimeoutMs: number | undefined): void {
    this.nodeLife.resize(node, resource, overcommitTimeoutMs);
  }

  /** Other sizes of nodes (by id) from now on; nodes that are there are changed at once. Returns their ids. */
  useDynamicResources(dynamic: ReadonlyMap<string, DynamicResource>): string[] {
    return this.nodeLife.useDynamicResources(dynamic);
  }

  /** What the node says of itself and what administrators said of its host. */
  attributesOf(node: Node): readonly NodeAttribute[] {
    return this.nodeLife.attributesOf(node);
  }

  /** Attributes of the nodes for which `changed` holds are others now. */
  attributesChanged(changed: (node: Node) => boolean): void {
    this.nodeLife.attributesChanged(changed);
  }

  /** Reads the include and exclude files again and acts on them; what changed is answered. A time of the exclude file goes before `seconds`. */
  refreshMembership(seconds: LeaveSeconds): { readonly nodeId: string; readonly state: NodeState }[] {
    return this.removal.refresh(seconds);
  }

  /** Takes a node out by hand, until `resumeNode`. */
  drainNode(node: Node, seconds: LeaveSeconds): void {
    this.removal.drain(node, seconds);
  }

  /** Undoes `drainNode`. False where the exclude file keeps the node out. */
  resumeNode(node: Node): boolean {
    return this.removal.resume(node);
  }

  /** Takes a node out: at once, or after its applications ended or the time is over. */
  decommissionNode(node: Node, seconds: LeaveSeconds): void {
    this.removal.decommission(node, seconds);
  }

  // ---- the rest

  /** Lets somebody else hear of changes from now on. */
  observe(observer: ClusterObserver): void {
    this.#observers.push(observer);
  }

  /** The next application id of this start. Ids are never given twice. */
  newApplicationId(): string {
    return formatApplicationId({ clusterTimestamp: this.settings.clusterTimestamp, sequence: ++this.#sequence });
  }

  /** A submitted id of this start is above all that will be given. */
  reserveSequence(clusterTimestamp: number, sequence: number): void {
    if (clusterTimestamp === this.settings.clusterTimestamp && sequence > this.#sequence && sequence < this.#sequence + 1_000_000)
      this.#sequence = sequence;
  }

  /** A live or recently ended application, its waiting text brought up to date; older ones come from `ended`. */
  find(id: string): Application | undefined {
    const application = this.applications.get(id);
    if (application) this.refreshWaiting(application);
    return application;
  }

  /** An application of any age. */
  findAny(id: string): Application | undefined {
    const live = this.find(id);
    if (live) return live;
    const row = this.store.finished(id);
    return row && this.store.applicationOf(row);
  }

  /** The live application and attempt of an attempt id. */
  findAttempt(attemptId: string): FoundAttempt | undefined {
    const application = this.attemptIndex.get(attemptId);
    const attempt = application?.attempts.find(({ id }) => id === attemptId);
    return application && attempt ? { application, attempt } : undefined;
  }

  /** Live applications that have their current master on a node. */
  attemptsOf(nodeId: string): { application: Application; attempt: Attempt }[] {
    const found: { application: Application; attempt: Attempt }[] = [];
    for (const application of this.applications.values()) {
      const attempt = currentAttempt(application);
      if (attempt && attempt.masterNodeId === nodeId && !isEndedAttempt[attempt.state] && attempt.state !== 'ALLOCATED_SAVING')
        found.push({ application, attempt });
    }
    return found;
  }

  /** Takes over what the scheduler says of a waiting application. */
  refreshWaiting(application: Application): void {
    if (!this.waiting.has(application)) return;
    const attempt = currentAttempt(application);
    if (attempt?.state !== 'SCHEDULED') return;
    const text = this.policy.explain(application.id);
    const shown = attempt.launchDiagnostics.replace(/^\[[^\]]*\] /, '');
    if (text === shown) return;
    attempt.launchDiagnostics = text === '' ? '' : dated(this.clock.now(), text);
    application.version++;
  }

  /** Forgets an ended application in memory; the store has it. */
  forget(id: string): void {
    const application = this.applications.get(id);
    if (!application || application.finishedMs === 0) return;
    this.applications.delete(id);
    this.life.forgotten(id);
    for (const attempt of application.attempts) {
      this.attemptIndex.delete(attempt.id);
      this.lastContacts.delete(attempt.id);
    }
    this.masters.forget(application);
  }

  /** Rendered fragments of an ended application. */
  render(application: Application): Fragments | undefined {
    return this.#render?.(application);
  }

  /** Lets the scheduler work after the current turn of the event loop; calls until then count once. */
  scheduleSoon(): void {
    if (this.#scheduled || this.#closed) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (!this.#closed) this.schedule();
    });
  }

  /** One slice of scheduling; what it leaves is done in the next turn of the event loop. */
  schedule(): void {
    const beganMs = this.clock.now();
    let made = 0;
    do made += this.#propose();
    while (made < decisionsPerSlice && this.clock.now() - beganMs < sliceMs && this.policy.hasWork());
    // What was given may be what others waited for.
    if (this.policy.hasWork()) this.scheduleSoon();
    this.opportunistic.schedule();
    const deadlineMs = this.policy.nextDeadlineMs();
    if (deadlineMs !== undefined) this.timers.set('scheduler', Math.max(1, deadlineMs - this.clock.now()), () => this.schedule());
  }

  /** Proposals of the policy, committed one by one; how many. */
  #propose(): number {
    const decisions = this.policy.schedule(decisionsPerCall, (attemptId) => this.nextContainerId(attemptId));
    for (const decision of decisions) {
      switch (decision.kind) {
        case 'allocate':
          this.containers.allocated(decision);
          break;
        case 'preempt':
          this.containers.preempt(decision.containerId);
          break;
        default: {
          const application = this.applications.get(decision.applicationId);
          if (application) application.version++;
        }
      }
    }
    if (decisions.length > 0) this.#countPlacements(decisions.filter(({ kind }) => kind === 'allocate').length);
    return decisions.length;
  }

  /** Containers given in the last second. */
  placementsPerSecond(): number {
    const fromMs = this.clock.now() - 1000;
    this.#placements = this.#placements.filter((ms) => ms >= fromMs);
    return this.#placements.length;
  }

  #countPlacements(count: number): void {
    const nowMs = this.clock.now();
    if (this.#placements.length > 100_000) this.#placements = [];
    for (let i = 0; i < count; i++) this.#placements.push(nowMs);
  }

  /** The next container id of an attempt. */
  nextContainerId(attemptId: string): string {
    const found = this.findAttempt(attemptId);
    const number = found ? ++found.attempt.lastContainerNumber : 1;
    return formatContainerId({ ...parseAttemptId(attemptId), number, epoch: this.epoch });
  }

  /** Drops what retention no longer covers, now and then every minute. */
  #trim(): void {
    const { retentionMs, retentionCount } = this.settings;
    void this.store
      .trimFinished(this.clock.now() - retentionMs, retentionCount)
      .catch((error: unknown) => this.logger.error({ err: error }, 'old applications could not be trimmed'));
    this.timers.set('trim', 60_000, () => this.#trim());
  }

  #expire(): void {
    this.containers.expireUnused();
    this.timers.set('unused containers', Math.max(1000, this.settings.containerExpiryMs / 10), () => this.#expire());
  }

  /** Stops all timers and scheduling; the store stays open. */
  close(): void {
    this.#closed = true;
    this.timers.close();
  }
}
