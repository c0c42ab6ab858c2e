// The cluster as its doors see it: what can be read of it, and what can be done to it. Each method is one change of the state, made without
// a pause; what the change leaves to be written, sent and told is carried out right after it (cluster/effects.ts).
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import type { Timers } from '../lib/timers.ts';
import { formatApplicationId } from '../model/ids.ts';
import type { Resource, ResourceTypes } from '../model/resource.ts';
import type { SchedulingPolicy } from '../scheduler/policy.ts';
import type { AllocateResponse } from '../wire/cluster/master-protocol.ts';
import type { NodeMessage, RegisterMessage, SignalCommand } from '../wire/cluster/node-channel.ts';
import type { Application, Attempt, Container } from './applications/application.ts';
import type { AcceptedSubmission } from './cluster/applications.ts';
import type { FinishedMaster, RegisteredMaster } from './cluster/attempts.ts';
import { type EffectPorts, Effects, type NodeSender } from './cluster/effects.ts';
import type { TakenRequest } from './cluster/masters.ts';
import type { LabelSource } from './cluster/node-registration.ts';
import type { LeaveSeconds } from './cluster/node-removal.ts';
import type { AttributeSource } from './cluster/nodes.ts';
import type { ClusterObserver } from './cluster/observer.ts';
import type { OpportunisticCounts, OpportunisticRequest } from './cluster/opportunistic.ts';
import { type ApplicationParts, applicationParts, type ContainerParts, containerParts, nodeParts } from './cluster/parts.ts';
import { recover } from './cluster/recovery.ts';
import { Scheduling } from './cluster/scheduling.ts';
import type { ClusterSettings } from './cluster/settings.ts';
import { ClusterState } from './cluster/state.ts';
import type { ClusterSizes, ClusterView } from './cluster/view.ts';
import { type Render, writesOn } from './cluster/writes.ts';
import type { DynamicResource } from './nodes/dynamic-resources.ts';
import type { Membership } from './nodes/membership.ts';
import { type Node, type NodeAttribute, noOpportunistic } from './nodes/node.ts';
import type { NodeState } from './nodes/node-states.ts';
import type { ResourceManagerStore } from './store/resource-manager-store.ts';

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
  /** Renders an ended application for lists; absent where nothing lists. */
  readonly render?: Render;
  /** Runs around each effect that is carried out. */
  readonly aroundEffect?: EffectPorts['around'];
}

const trimIntervalMs = 60_000;

/** The resource manager's applications, containers and nodes. */
export class Cluster {
  readonly clock: Clock;
  readonly policy: SchedulingPolicy;
  readonly types: ResourceTypes;
  readonly settings: ClusterSettings;
  readonly labels: LabelSource;
  readonly epoch: number;
  /** What doors, views and commands read. */
  readonly view: ClusterView;
  readonly #store: ResourceManagerStore;
  readonly #logger: Logger;
  readonly #state = new ClusterState();
  readonly #effects: Effects;
  readonly #timers: Timers;
  readonly #containers: ContainerParts;
  readonly #applications: ApplicationParts;
  readonly #nodes: ReturnType<typeof nodeParts>;
  readonly #scheduling: Scheduling;
  #sequence = 0;

  constructor(dependencies: ClusterDependencies) {
    const { clock, logger, store, policy, observers, render } = dependencies;
    this.clock = clock;
    this.policy = policy;
    this.types = dependencies.types;
    this.settings = dependencies.settings;
    this.labels = dependencies.labels;
    this.epoch = dependencies.epoch;
    this.#store = store;
    this.#logger = logger;
    const write = writesOn(store, (application) => render?.(application));
    this.#effects = new Effects({ clock, logger, write, observers, around: dependencies.aroundEffect });
    this.#timers = this.#effects.timers();
    const basis = {
      ...dependencies,
      attributes: dependencies.attributes ?? { of: () => [] },
      state: this.#state,
      effects: this.#effects,
      timers: this.#timers,
    };
    const nodeFreed = (nodeId: string): void => this.#nodes.removal.freed(nodeId);
    this.#containers = containerParts(
      basis,
      { masterEnded: (...end) => this.#applications.ends.masterEnded(...end), nodeFreed },
      (application, attempt) => this.#applications.ends.masterExpired(application, attempt),
    );
    this.#applications = applicationParts(basis, this.#containers, nodeFreed);
    this.#nodes = nodeParts(basis, this.#containers, this.#applications);
    const { containerEnds: ends, opportunistic, nextContainerId } = this.#containers;
    this.#scheduling = new Scheduling({ ...basis, starts: this.#applications.starts, ends, opportunistic, nextContainerId });
    this.view = viewOf(this.#state, this.#applications);
    this.#change(() => this.#trim());
    this.#change(() => this.#expireUnused());
  }

  #change<T>(run: () => T): T {
    return this.#effects.change(run);
  }

  // ---- applications

  /** The next application id of this start. Ids are never given twice. */
  newApplicationId(): string {
    return formatApplicationId({ clusterTimestamp: this.settings.clusterTimestamp, sequence: ++this.#sequence });
  }

  /** A submitted id of this start is above all that will be given. */
  reserveSequence(clusterTimestamp: number, sequence: number): void {
    if (clusterTimestamp === this.settings.clusterTimestamp && sequence > this.#sequence && sequence < this.#sequence + 1_000_000)
      this.#sequence = sequence;
  }

  /** An application of any age. */
  findAny(id: string): Application | undefined {
    const live = this.#state.application(id);
    if (live) return live;
    const row = this.#store.finished(id);
    return row && this.#store.applicationOf(row);
  }

  /** Takes over what an earlier process stored. Call once, before anything else reaches the cluster. */
  recover(): void {
    const { applications, attempts, ends } = this.#applications;
    const ports = { state: this.#state, policy: this.policy, applications, attempts, ends, watch: this.#containers.watch };
    this.#change(() => recover(this.#store.liveApplications(), { ...ports, logger: this.#logger }));
  }

  /** Creates an application, whose id is free. Resolves when it is durable. */
  submit(accepted: AcceptedSubmission): Promise<void> {
    return this.#change(() => this.#applications.applications.submit(accepted));
  }

  /** Kills on a user's wish. Resolves when the end is durable; 'done' when there was nothing left to do. */
  async killByUser(application: Application, user: string | undefined, reason: string | undefined): Promise<'done' | 'begun'> {
    const durable = this.#change(() => this.#applications.ends.killByUser(application, user, reason));
    const isDone = durable === undefined || application.submission.unmanaged;
    await durable;
    return isDone ? 'done' : 'begun';
  }

  /** Kills for the given reason. Resolves when the end is durable. */
  kill(application: Application, diagnostics: string): Promise<void> {
    return this.#change(() => this.#applications.ends.kill(application, diagnostics));
  }

  /** Moves to another queue, with everything it holds. Resolves to the queue's shown name, or the refusal's text. */
  async move(application: Application, queue: string): Promise<{ moved: string } | { refused: string }> {
    const result = this.#change(() => this.#applications.applications.move(application, queue));
    if ('refused' in result) return result;
    await result.durable;
    return { moved: result.moved };
  }

  /** Sets the priority; resolves to what holds now. */
  async setPriority(application: Application, priority: number): Promise<number> {
    await this.#change(() => this.#applications.applications.setPriority(application, priority));
    return application.priority;
  }

  /** Sets the end of life (ms since the epoch), cut to the queue's limit; undefined: unlimited (up to that limit). */
  setLifetime(application: Application, expiryMs: number | undefined): Promise<void> {
    return this.#change(() => this.#applications.applications.setLifetime(application, expiryMs));
  }

  /** Lets the container's node send a signal to it; does nothing while the node has no channel. */
  signal({ id: containerId, nodeId }: Container, command: SignalCommand): void {
    this.#change(() => this.#effects.send(nodeId, { type: 'signalContainers', containers: [{ containerId, command }] }));
  }

  /** Nodes that the next master of the application does not go to. */
  avoidedNodes(application: Application): readonly string[] {
    return this.#applications.attempts.avoidedNodes(application);
  }

  // ---- masters

  /** The master registered (again after a restart of either side). Resolves when durable; undefined where its state does not take it. */
  registerMaster(application: Application, attempt: Attempt, at: RegisteredMaster): Promise<void> | undefined {
    return this.#change(() => this.#applications.masters.register(application, attempt, at));
  }

  /** Takes a master's requests, releases and progress, waits up to `waitMs` for news, answers. */
  allocate(
    application: Application,
    attempt: Attempt,
    request: TakenRequest,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<AllocateResponse> {
    return this.#applications.calls.allocate(application, attempt, request, waitMs, signal);
  }

  /** The master says it is done. Resolves when durable; undefined where the attempt's state does not take it. */
  unregisterMaster(application: Application, attempt: Attempt, last: FinishedMaster): Promise<void> | undefined {
    return this.#change(() => this.#applications.ends.unregister(application, attempt, last));
  }

  /** Whether the notes of an application stay within what is kept of it. */
  mayKeepNotes(applicationId: string, notes: readonly string[]): boolean {
    return this.#applications.masters.mayKeep(applicationId, notes);
  }

  /** What the application's masters wanted remembered, the earliest first. */
  notesOf(applicationId: string): readonly string[] {
    return this.#store.notesOf(applicationId);
  }

  /** What a master shows to the container's node. */
  tokenOf(application: Application, container: Container): string {
    return this.#applications.masters.tokenOf(application, container);
  }

  /** Opportunistic containers that an attempt asked for and has not got. */
  opportunisticRequestsOf(attemptId: string): readonly OpportunisticRequest[] {
    return this.#containers.opportunistic.requestsOf(attemptId);
  }

  /** Opportunistic containers of the node that have not begun. */
  opportunisticLoadOf(node: Node): number {
    return this.#containers.opportunistic.loadOf(node);
  }

  get opportunisticCounts(): Readonly<OpportunisticCounts> {
    return this.#containers.opportunistic.counts;
  }

  // ---- nodes

  /** A node introduces itself with everything on it. Returns undefined when it is refused. */
  registerNode(message: RegisterMessage, sender: NodeSender, rack = message.rack): Node | undefined {
    return this.#change(() => this.#nodes.registration.register(message, sender, rack));
  }

  /** Whether the node is reached by that channel, and not by a later one or by none. */
  isReachedBy(node: Node, sender: NodeSender): boolean {
    return this.#effects.isConnectedBy(node.id, sender);
  }

  /** Takes what a registered node says. */
  takeNodeMessage(node: Node, message: Exclude<NodeMessage, RegisterMessage>): void {
    this.#change(() => this.#takeNodeMessage(node, message));
  }

  #takeNodeMessage(node: Node, message: Exclude<NodeMessage, RegisterMessage>): void {
    const { nodes, reports, registration } = this.#nodes;
    // Any message is a sign of life.
    nodes.heard(node);
    switch (message.type) {
      case 'containers':
        for (const report of message.reports) reports.container(node, report);
        return;
      case 'usage':
        node.usage = { node: message.node, containers: message.containers };
        node.opportunistic = message.opportunistic ?? noOpportunistic;
        return;
      case 'health':
        return nodes.health(node, message.healthy, message.report, message.time);
      case 'descriptors':
        registration.takeDescriptors(node, message);
        return nodes.attributesChanged((other) => other === node);
      case 'logAggregation':
        return reports.logAggregation(node, message.applicationId, message.status, message.diagnostics);
      case 'signalled':
        return;
      case 'shutdown':
        return nodes.leave(node, 'shutdown');
    }
  }

  /** The connection of a node went down or came back; its session goes on. */
  nodeConnected(node: Node, connected: boolean): void {
    this.#change(() => this.#nodes.nodes.connection(node, connected));
  }

  /** The session of a node's channel ended: the node may come back until it expires. */
  nodeDisconnected(node: Node): void {
    this.#change(() => this.#nodes.nodes.disconnected(node));
  }

  /** Changes what a node offers. `overcommitTimeoutMs` undefined or 0: what no longer fits is taken at once; negative: as before. */
  resizeNode(node: Node, resource: Resource, overcommitTimeoutMs: number | undefined): void {
    this.#change(() => this.#nodes.sizes.resize(node, resource, overcommitTimeoutMs));
  }

  /** Other sizes of nodes (by id) from now on; nodes that are there are changed at once. Returns their ids. */
  useDynamicResources(dynamic: ReadonlyMap<string, DynamicResource>): string[] {
    return this.#change(() => this.#nodes.sizes.useDynamicResources(dynamic));
  }

  /** What the node says of itself and what administrators said of its host. */
  attributesOf(node: Node): readonly NodeAttribute[] {
    return this.#nodes.nodes.attributesOf(node);
  }

  /** Attributes of the nodes for which `changed` holds are others now. */
  attributesChanged(changed: (node: Node) => boolean): void {
    this.#change(() => this.#nodes.nodes.attributesChanged(changed));
  }

  /** Reads the include and exclude files again and acts on them; what changed is answered. A time of the exclude file goes before `seconds`. */
  refreshMembership(seconds: LeaveSeconds): { readonly nodeId: string; readonly state: NodeState }[] {
    return this.#change(() => this.#nodes.removal.refresh(seconds));
  }

  /** Takes a node out by hand, until `resumeNode`. */
  drainNode(node: Node, seconds: LeaveSeconds): void {
    this.#change(() => this.#nodes.removal.drain(node, seconds));
  }

  /** Undoes `drainNode`. False where the exclude file keeps the node out. */
  resumeNode(node: Node): boolean {
    return this.#change(() => this.#nodes.removal.resume(node));
  }

  /** Takes a node out: at once, or after its applications ended or the time is over. */
  decommissionNode(node: Node, seconds: LeaveSeconds): void {
    this.#change(() => this.#nodes.removal.decommission(node, seconds));
  }

  // ---- the whole

  /** Hears of changes from now on. */
  observe(observer: ClusterObserver): void {
    this.#effects.observe(observer);
  }

  /** Lets the scheduler work after the current turn of the event loop; calls until then count once. */
  scheduleSoon(): void {
    this.#change(() => this.#effects.wakeScheduler());
  }

  /** Containers given in the last second. */
  placementsPerSecond(): number {
    return this.#scheduling.placementsPerSecond();
  }

  /** How much is kept in memory, by kind. */
  sizes(): ClusterSizes {
    return { ...this.#state.sizes(), ...this.#containers.sessions.sizes() };
  }

  /** Drops what retention no longer covers, now and then. */
  #trim(): void {
    const { retentionMs, retentionCount } = this.settings;
    const failed = (error: unknown): 'given up' => {
      this.#logger.error({ err: error }, 'old applications could not be trimmed');
      return 'given up';
    };
    this.#effects.persist({ kind: 'trim', beforeMs: this.clock.now() - retentionMs, count: retentionCount }, { failed });
    this.#timers.set('trim', trimIntervalMs, () => this.#trim());
  }

  #expireUnused(): void {
    const { containerExpiryMs } = this.settings;
    this.#containers.containerEnds.expireUnused(this.clock.now() - containerExpiryMs);
    this.#timers.set('unused containers', Math.max(1000, containerExpiryMs / 10), () => this.#expireUnused());
  }

  /** Stops all timers and scheduling; the store stays open. */
  close(): void {
    this.#scheduling.close();
    this.#effects.close();
    this.#timers.close();
  }
}

/** Reading access to the state, with what the scheduler says of those who wait. */
function viewOf(state: ClusterState, { waitingTexts }: Pick<ApplicationParts, 'waitingTexts'>): ClusterView {
  return {
    application: (id) => state.application(id),
    applications: () => state.applications(),
    get applicationCount() {
      return state.applicationCount;
    },
    isWaiting: (application) => state.isWaiting(application),
    waitingText: (application, ageMs) => waitingTexts.of(application, ageMs),
    submission: (applicationId) => state.submission(applicationId),
    attempt: (id) => state.attempt(id),
    container: (id) => state.container(id),
    containers: () => state.containers(),
    get containerCount() {
      return state.containerCount;
    },
    node: (id) => state.node(id),
    nodes: () => state.nodes(),
    get nodeCount() {
      return state.nodeCount;
    },
  };
}
