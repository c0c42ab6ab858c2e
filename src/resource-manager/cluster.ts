// The cluster as its doors see it: what can be read of it, and what can be done to it. What changes the state is made without
// a pause (`allocate`, which waits, is a change before and one after it); what a change leaves to be written, sent and told is carried out right after it (cluster/effects.ts).
import type { ContainerTokenContent } from '../auth/container-token.ts';
import type { DynamicResource } from '../config/dynamic-resources.ts';
import type { Clock } from '../lib/clock.ts';
import type { ApplicationIdParts } from '../model/ids.ts';
import type { Resource, ResourceTypes } from '../model/resource.ts';
import type { SchedulingPolicy } from '../scheduler/policy.ts';
import type { AllocateResponse } from '../wire/cluster/master-protocol.ts';
import type { RegisterMessage, SignalCommand } from '../wire/cluster/node-channel.ts';
import type { Application } from './applications/application.ts';
import type { Attempt } from './applications/attempt.ts';
import type { Container } from './applications/container.ts';
import { ApplicationIds } from './cluster/application-ids.ts';
import type { AcceptedSubmission } from './cluster/applications.ts';
import type { FinishedMaster, RegisteredMaster } from './cluster/attempts.ts';
import type { ClusterSizes, ClusterView } from './cluster/cluster-view.ts';
import type { ClusterDependencies } from './cluster/dependencies.ts';
import type { NodeSender } from './cluster/effects.ts';
import type { EventFigures } from './cluster/event-figures.ts';
import type { CallWait } from './cluster/master-calls.ts';
import type { RegisteredAnew, TakenRequest, ToldContainers } from './cluster/masters.ts';
import type { RegisteredNodeMessage } from './cluster/node-messages.ts';
import type { LeaveSeconds } from './cluster/node-removal.ts';
import type { ClusterObserver } from './cluster/observer.ts';
import type { OpportunisticView } from './cluster/opportunistic.ts';
import {
  type ApplicationParts,
  applicationParts,
  type ClusterBasis,
  type ContainerParts,
  clusterBasis,
  containerParts,
  type NodeParts,
  nodeParts,
} from './cluster/parts.ts';
import { recover } from './cluster/recovery.ts';
import { Scheduling } from './cluster/scheduling.ts';
import type { SchedulingFigures } from './cluster/scheduling-figures.ts';
import type { ClusterSettings } from './cluster/settings.ts';
import { keepUp } from './cluster/upkeep.ts';
import { viewOf } from './cluster/view.ts';
import type { Node, NodeAttribute } from './nodes/node.ts';
import type { NodeState } from './nodes/node-states.ts';

/** The resource manager's applications, containers and nodes. */
export class Cluster {
  readonly clock: Clock;
  readonly policy: SchedulingPolicy;
  readonly types: ResourceTypes;
  readonly settings: ClusterSettings;
  readonly epoch: number;
  /** What doors, views and commands read. */
  readonly view: ClusterView;
  readonly opportunistic: OpportunisticView;
  readonly #basis: ClusterBasis;
  readonly #containers: ContainerParts;
  readonly #applications: ApplicationParts;
  readonly #nodes: NodeParts;
  readonly #scheduling: Scheduling;
  readonly #ids: ApplicationIds;

  constructor(dependencies: ClusterDependencies) {
    this.clock = dependencies.clock;
    this.policy = dependencies.policy;
    this.types = dependencies.types;
    this.settings = dependencies.settings;
    this.epoch = dependencies.epoch;
    this.#ids = new ApplicationIds(this.settings.clusterTimestamp);
    const basis = clusterBasis(dependencies);
    this.#basis = basis;
    const nodeFreed = (nodeId: string): void => this.#nodes.removal.freed(nodeId);
    this.#containers = containerParts(
      basis,
      { masterEnded: (...end) => this.#applications.ends.masterEnded(...end), nodeFreed },
      (application, attempt) => this.#applications.ends.masterExpired(application, attempt),
    );
    this.#applications = applicationParts(basis, this.#containers, { nodeFreed, whenIdle: (done) => this.#scheduling.whenIdle(done) });
    this.#nodes = nodeParts(basis, this.#containers, this.#applications);
    const { containerEnds: ends, opportunistic, nextContainerId } = this.#containers;
    this.opportunistic = opportunistic;
    this.#scheduling = new Scheduling({ ...basis, starts: this.#applications.starts, ends, opportunistic, nextContainerId });
    this.view = viewOf(basis.state, basis.effects, this.#applications.waitingTexts, this.#containers.expected);
    this.#change(() => {
      this.#nodes.removal.recover();
      keepUp({ ...basis, ends, memory: this.#applications.memory });
    });
  }

  #change<T>(run: () => T): T {
    return this.#basis.effects.change(run);
  }

  // ---- applications

  /** The next application id of this start. Ids are never given twice. */
  newApplicationId(): string {
    return this.#ids.next();
  }

  /** The id that `newApplicationId` would give now; it stays free. */
  upcomingApplicationId(): string {
    return this.#ids.upcoming();
  }

  /** Whether no application of any age can have this id; false says nothing. */
  isFreshId(id: ApplicationIdParts): boolean {
    return this.#ids.isFresh(id);
  }

  /** A submitted id of this start is above all that will be given. */
  reserveSequence(clusterTimestamp: number, sequence: number): void {
    this.#ids.reserve(clusterTimestamp, sequence);
  }

  /** An application of any age. */
  findAny(id: string): Application | undefined {
    const live = this.#basis.state.application(id);
    if (live) return live;
    const row = this.#basis.store.finished(id);
    return row && this.#basis.store.applicationOf(row);
  }

  /** Takes over what an earlier process stored. Call once, before anything else reaches the cluster. */
  recover(): void {
    const { applications, attempts, ends } = this.#applications;
    const { state, effects, store, logger, events } = this.#basis;
    const { watch, expected, sessions } = this.#containers;
    const ports = { state, effects, policy: this.policy, applications, attempts, ends, watch, expected, sessions, logger, events };
    const kept = { applications: store.liveApplications(), containers: store.containers(), unsettled: store.unsettledApplications() };
    this.#change(() => recover(kept, ports));
  }

  /** Creates an application, whose id is free. Resolves when it is durable. */
  submit(accepted: AcceptedSubmission): Promise<void> {
    return this.#change(() => this.#applications.applications.submit(accepted));
  }

  /** Kills on a user's wish. Resolves when the end is durable; 'done' when there was nothing left to do. Rejects where it could not be stored yet. */
  async killByUser(
    application: Application,
    user: string | undefined,
    reason: string | undefined,
    address?: string,
  ): Promise<'done' | 'begun'> {
    const durable = this.#change(() => this.#applications.ends.killByUser(application, user, reason, address));
    const isDone = durable === undefined || application.submission.unmanaged;
    await durable;
    return isDone ? 'done' : 'begun';
  }

  /** Fails an attempt on a user's wish. Resolves when that is durable; rejects where it could not be stored. */
  failAttempt(application: Application, attempt: Attempt): Promise<void> {
    return this.#change(() => this.#applications.ends.failByUser(application, attempt));
  }

  /** Kills for the given reason. Resolves when the end is durable. */
  kill(application: Application, diagnostics: string): Promise<void> {
    return this.#change(() => this.#applications.ends.kill(application, diagnostics));
  }

  /** Resolves when the queue and the priority that an application has now are durable; rejects where they cannot be stored. */
  settled(application: Application): Promise<void> {
    return this.#change(() => this.#applications.applications.settled(application));
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

  /** Sets how many instances of a run there are to be. Its master hears of it once that is durable (P1), or what holds where it cannot be. */
  async setInstances(application: Application, change: { readonly before: number; readonly after: number }): Promise<void> {
    try {
      await this.#change(() => this.#applications.applications.setInstances(application, change));
    } finally {
      this.#change(() => this.#applications.masters.tellInstances(application));
    }
  }

  /** Lets the container's node send a signal to it; does nothing while the node has no channel. */
  signal({ id: containerId, nodeId }: Container, command: SignalCommand): void {
    this.#change(() => this.#basis.effects.send(nodeId, { type: 'signalContainers', containers: [{ containerId, command }] }));
  }

  /** Nodes that the next master of the application does not go to. */
  avoidedNodes(application: Application): readonly string[] {
    return this.#applications.attempts.avoidedNodes(application);
  }

  // ---- masters

  /** The master registered (again after a restart of either side); undefined where its state does not take it. */
  registerMaster(application: Application, attempt: Attempt, at: RegisteredMaster): RegisteredAnew | undefined {
    return this.#change(() => this.#applications.masters.register(application, attempt, at));
  }

  /** Whether the master of an attempt has registered anew since a registration of that name: a copy that comes late. */
  isSupersededRegistration(attempt: Attempt, registrationId: string): boolean {
    return this.#applications.masters.isSuperseded(attempt, registrationId);
  }

  /** Takes a master's requests, releases and progress, waits (at most so many ms for news), answers. */
  allocate(
    application: Application,
    attempt: Attempt,
    request: TakenRequest,
    wait: CallWait,
    signal: AbortSignal,
  ): Promise<AllocateResponse> {
    return this.#applications.calls.allocate(application, attempt, request, wait, signal);
  }

  /** The answer to the last call of a master that registered in this process, undefined before it; undefined: there is no such master. */
  masterSession(attemptId: string): { readonly lastResponse: AllocateResponse | undefined } | undefined {
    return this.#containers.sessions.session(attemptId);
  }

  /** The containers of an answer, of which its form for masters says less. */
  toldBy(answer: AllocateResponse): ToldContainers {
    return this.#applications.masters.toldBy(answer);
  }

  /** The master says it is done, perhaps again. Resolves when durable; undefined where it is already, or the attempt's state does not take it. */
  unregisterMaster(application: Application, attempt: Attempt, last: FinishedMaster): Promise<void> | undefined {
    return this.#change(() => this.#applications.ends.unregister(application, attempt, last));
  }

  /** Why a master may not ask for all this beside what it asks for already; undefined: it may. */
  beyondAsks(attempt: Attempt, requests: Parameters<ApplicationParts['masters']['beyondAsks']>[1]): string | undefined {
    return this.#applications.masters.beyondAsks(attempt, requests);
  }

  /** Whether the notes of an application stay within what is kept of it. */
  mayKeepNotes(applicationId: string, notes: readonly string[]): boolean {
    return this.#applications.masters.mayKeep(applicationId, notes);
  }

  /** What the application's masters wanted remembered, the earliest first. */
  notesOf(applicationId: string): readonly string[] {
    return this.#basis.store.notesOf(applicationId);
  }

  /** What a master shows to the container's node. */
  tokenOf(application: Application, container: Container): string {
    return this.#applications.masters.tokenOf(application, container);
  }

  /** What a token of a container says, whoever writes it. */
  tokenContentOf(application: Application, container: Container): ContainerTokenContent {
    return this.#applications.masters.tokenContentOf(application, container);
  }

  // ---- nodes

  /**
   * A node introduces itself with everything on it. `session`: the number of its channel's session; one that began later has a greater one.
   * Returns undefined when it is refused.
   */
  registerNode(message: RegisterMessage, sender: NodeSender, rack = message.rack, session = 0): Node | undefined {
    return this.#change(() => this.#nodes.registration.register(message, sender, rack, session));
  }

  /** Whether the node is reached by that channel, and not by a later one or by none. */
  isReachedBy(node: Node, sender: NodeSender): boolean {
    return this.#basis.effects.isConnectedBy(node.id, sender);
  }

  /** Takes what a registered node says. */
  takeNodeMessage(node: Node, message: RegisteredNodeMessage): void {
    this.#change(() => this.#nodes.messages.take(node, message));
  }

  /** The connection of a node went down or came back; its session goes on. */
  nodeConnected(node: Node, connected: boolean): void {
    this.#change(() => this.#nodes.nodes.connection(node, connected));
  }

  /** The session of a node's channel ended: the node may come back until it expires. */
  nodeDisconnected(node: Node): void {
    this.#change(() => this.#nodes.nodes.disconnected(node));
  }

  /**
   * Changes what a node offers, once that is durable. `overcommitTimeoutMs` undefined or 0: what no longer fits is taken at once; negative:
   * as before.
   */
  resizeNode(node: Node, resource: Resource, overcommitTimeoutMs: number | undefined): Promise<void> {
    return this.#change(() => this.#nodes.sizes.resize(node, resource, overcommitTimeoutMs));
  }

  /** Takes over the sizes of nodes: of the file, and those that an earlier process stored. Call once, before nodes register. */
  recoverNodeSizes(dynamic: ReadonlyMap<string, DynamicResource>): void {
    this.#change(() => this.#nodes.sizes.recover(dynamic, this.#basis.store.nodeOrders.nodeSizes()));
  }

  /** Other sizes of nodes (by id) from now on; nodes that are there are changed at once. Resolves to their ids when it is durable. */
  async useDynamicResources(dynamic: ReadonlyMap<string, DynamicResource>): Promise<readonly string[]> {
    const { changed, durable } = this.#change(() => this.#nodes.sizes.useDynamicResources(dynamic));
    await Promise.all(durable);
    return changed;
  }

  /** What the node says of itself and what administrators said of its host. */
  attributesOf(node: Node): readonly NodeAttribute[] {
    return this.#nodes.nodes.attributesOf(node);
  }

  /** Attributes of the nodes for which `changed` holds are others now. */
  attributesChanged(changed: (node: Node) => boolean): void {
    this.#change(() => this.#nodes.nodes.attributesChanged(changed));
  }

  /**
   * Reads the include and exclude files again and acts on them. Resolves to what changed when it is durable. A time of the exclude file goes
   * before `seconds`.
   */
  async refreshMembership(seconds: LeaveSeconds): Promise<{ readonly nodeId: string; readonly state: NodeState }[]> {
    const { durable, changed } = this.#change(() => this.#nodes.removal.refresh(seconds));
    await Promise.all(durable);
    return changed();
  }

  /** Takes a node out by hand, until `resumeNode`, once that is durable. */
  drainNode(node: Node, seconds: LeaveSeconds): Promise<void> {
    return this.#change(() => this.#nodes.removal.drain(node, seconds));
  }

  /** Undoes `drainNode`, once that is durable. Resolves to false where the exclude file keeps the node out. */
  resumeNode(node: Node): Promise<boolean> {
    return this.#change(() => this.#nodes.removal.resume(node));
  }

  /** Takes a node out: at once, or after its applications ended or the time is over. */
  decommissionNode(node: Node, seconds: LeaveSeconds): void {
    this.#change(() => this.#nodes.removal.decommission(node, seconds));
  }

  // ---- the whole

  /** Hears of changes from now on. */
  observe(observer: ClusterObserver): void {
    this.#basis.effects.observe(observer);
  }

  /** Lets the scheduler work after the current turn of the event loop; calls until then count once. */
  scheduleSoon(): void {
    this.#change(() => this.#basis.effects.wakeScheduler());
  }

  /** What the scheduler did. */
  get schedulingFigures(): SchedulingFigures {
    return this.#basis.figures;
  }

  /** Which events came to the parts of the cluster. */
  get eventFigures(): EventFigures {
    return this.#basis.events;
  }

  /** Containers given in the last second. */
  placementsPerSecond(): number {
    return this.#scheduling.placementsPerSecond();
  }

  /** How much is kept in memory, by kind. */
  sizes(): ClusterSizes {
    return { ...this.#basis.state.sizes(), ...this.#containers.sessions.sizes(), expected: this.#containers.expected.size };
  }

  /** Stops all timers and scheduling; the store stays open. */
  close(): void {
    this.#scheduling.close();
    this.#basis.effects.close();
    this.#basis.timers.close();
  }
}
