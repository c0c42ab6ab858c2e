// One cluster with simulated nodes and masters in virtual time. Everything random comes from one seed.
import { readContainerToken } from '../../src/auth/container-token.ts';
import type { DynamicResource } from '../../src/config/dynamic-resources.ts';
import { type Random, seededRandom } from '../../src/lib/random.ts';
import { ResourceTypes } from '../../src/model/resource.ts';
import { type Application, currentAttempt } from '../../src/resource-manager/applications/application.ts';
import {
  type ApplicationState,
  applicationTransitions,
  isCompletedState,
} from '../../src/resource-manager/applications/application-states.ts';
import type { Submission } from '../../src/resource-manager/applications/submission.ts';
import type { ClusterObserver } from '../../src/resource-manager/cluster/observer.ts';
import type { Cluster } from '../../src/resource-manager/cluster.ts';
import type { ResourceManagerStore } from '../../src/resource-manager/store/resource-manager-store.ts';
import type { PolicyKind } from '../../src/scheduler/policy.ts';
import type { Allocation } from '../../src/wire/cluster/master-protocol.ts';
import type { NodeCommand } from '../../src/wire/cluster/node-channel.ts';
import { type Conditions, perfect } from './conditions.ts';
import { CrashPoints } from './crash-points.ts';
import { Disk } from './disk.ts';
import { Latest, Ledger } from './ledger.ts';
import { ManagerProcess } from './manager.ts';
import { type Habits, quiet } from './master-kinds.ts';
import { byHand, type NodeHabits } from './node-ports.ts';
import { checkExpiry } from './promises.ts';
import type { SimulatedContainer } from './simulated-container.ts';
import { type MasterIdentity, SimulatedMaster } from './simulated-master.ts';
import { SimulatedNode } from './simulated-node.ts';
import { VirtualClock } from './virtual-clock.ts';
import { turns as passTurns } from './virtual-turns.ts';

const types = new ResourceTypes();

/** Of one random history at most: the longest of 1,500 had 5,111 events and gave 113 containers. What has more goes in circles. */
const mostEvents = 50_000;
const mostGiven = 1000;

/** Of the event loop, after each event: what a change leaves to be written is committed in the next one, and may wake the scheduler for another. */
const turnsOfAnEvent = 3;

export interface WorldOptions {
  readonly logAggregation?: boolean;
  /** Default: everything arrives at once, and nothing happens but by the test's hand. */
  readonly conditions?: (random: Random) => Conditions;
  readonly crashes?: (random: Random) => CrashPoints;
  readonly nodeHabits?: (random: Random) => NodeHabits;
  /** Of a master that begins; it lives by itself where they are given. */
  readonly masterHabits?: (random: Random) => Habits;
  readonly withReservations?: boolean;
  /** Somebody changes queues, labels and nodes; then some things may wait for ever. Default false. */
  readonly isAdministered?: boolean;
  /** Until what is written is durable, ms at most. */
  readonly slowestSyncMs?: (random: Random) => number;
  /** How long no resource manager runs after one died, ms; undefined: until the test starts one. */
  readonly restartMs?: (random: Random) => number;
}

export class World {
  readonly clock = new VirtualClock();
  readonly kind: PolicyKind;
  /** Of what happens. */
  readonly random: Random;
  readonly isAdministered: boolean;
  readonly conditions: Conditions;
  readonly crashes: CrashPoints;
  readonly disk: Disk;
  readonly ledger = new Ledger();
  readonly nodes: SimulatedNode[] = [];
  readonly masters: SimulatedMaster[] = [];
  /** Containers that were given, over all lives. */
  readonly given = new Set<string>();
  /** Laid over the queues from the next start on. */
  queues = new Map<string, string>();
  /** What the file of sizes of nodes says. */
  dynamicSizes: ReadonlyMap<string, DynamicResource> = new Map();
  /** Ids that were given, and one that was not. */
  readonly knownReservations = ['reservation_1000_0001'];
  readonly #options: WorldOptions;
  readonly #states = new Map<string, ApplicationState>();
  readonly #chance: { readonly network: Random; readonly nodes: Random; readonly masters: Random };
  readonly #nodeHabits: NodeHabits;
  #manager!: ManagerProcess;
  #epoch = -1;
  #events = 0;

  constructor(kind: PolicyKind, seed: number, options: WorldOptions = {}) {
    this.kind = kind;
    this.#options = options;
    this.isAdministered = options.isAdministered ?? false;
    // One sequence for each part: one of them may do less without changing what the others do.
    const part = (number: number) => seededRandom(seed * 16 + number);
    this.random = part(0);
    this.#chance = { network: part(1), nodes: part(2), masters: part(3) };
    this.crashes = options.crashes?.(part(4)) ?? CrashPoints.none();
    const disk = part(5);
    this.disk = new Disk(disk, options.slowestSyncMs?.(disk));
    this.conditions = options.conditions?.(this.#chance.network) ?? perfect;
    this.#nodeHabits = options.nodeHabits?.(this.#chance.nodes) ?? byHand;
    this.start();
  }

  // ---- the resource manager

  /** The one that runs, or ran last. */
  get manager(): ManagerProcess {
    return this.#manager;
  }
  get cluster(): Cluster {
    return this.#manager.cluster;
  }
  get store(): ResourceManagerStore {
    return this.#manager.store;
  }

  /** A new resource manager on what the one before had stored. */
  start(): void {
    const { clock, disk, kind, queues } = this;
    this.#epoch++;
    this.ledger.trace?.(`the resource manager starts, epoch ${this.#epoch}`);
    this.#states.clear();
    this.ledger.latest = new Latest();
    const ports = {
      kind,
      clock,
      types,
      disk,
      epoch: this.#epoch,
      queues,
      dynamicSizes: this.dynamicSizes,
      logAggregation: this.#options.logAggregation ?? this.random.int(2) === 0,
      withReservations: this.#options.withReservations ?? true,
      reached: (effect: string, moment: 'before' | 'after') => this.crashes.reached('manager', effect, moment),
      observer: (manager: ManagerProcess) => this.#observer(manager),
      sends: ({ cluster }: ManagerProcess, nodeId: string, { type }: NodeCommand) => {
        if (type === 'startContainers' && !cluster.view.node(nodeId)?.connected)
          this.ledger.violated(`${nodeId} has no connection, and is sent something to start (P10)`);
      },
      losesMachine: () => this.#options.restartMs !== undefined && this.random.int(3) === 0,
      died: (manager: ManagerProcess) => this.#managerDied(manager),
    };
    this.#manager = new ManagerProcess(ports);
    if (!this.#manager.isAlive) return;
    for (const { link } of this.nodes) link.managerStarted();
  }

  /** Kill -9: nothing that was not committed survives. */
  kill(): void {
    this.#manager.kill();
  }

  #managerDied(manager: ManagerProcess): void {
    this.ledger.trace?.('the resource manager dies');
    for (const { link } of this.nodes) link.managerDied(manager);
    const { restartMs } = this.#options;
    if (restartMs)
      this.clock.setTimer(restartMs(this.random), () => {
        if (!this.#manager.isAlive) this.start();
      });
  }

  #observer(manager: ManagerProcess): ClusterObserver {
    return {
      applicationStateChanged: (application, { from, to }) => this.#changed(application, from, to),
      attemptFinished: (_application, attempt) => checkExpiry(this, manager, attempt),
      containerCreated: (_application, { id, attemptId, requestId, nodeId, executionType }) => {
        const { cluster, labels } = manager;
        if (this.given.has(id)) this.ledger.violated(`${id} was given twice (P3)`);
        this.given.add(id);
        if (this.ledger.drained.get(nodeId)) this.ledger.violated(`${id} was given on ${nodeId}, which is drained (P11)`);
        if (executionType === 'OPPORTUNISTIC') return;
        const { used, available } = cluster.policy.nodeUsage(nodeId)!;
        if (available[0]! < 0) this.ledger.violated(`${id} has no room on ${nodeId}, which gives ${used}`);
        if (this.kind !== 'capacity') return;
        // Where every request of that name so far named a label.
        const named = this.masters.find((master) => master.attemptId === attemptId)?.labels.get(requestId);
        const label = labels.labelOf(nodeId);
        if (named && !named.has(undefined) && !named.has(label)) this.ledger.violated(`${id} is on ${nodeId}, whose label is '${label}'`);
      },
    };
  }

  #changed({ id }: Application, from: ApplicationState, to: ApplicationState): void {
    const before = this.#states.get(id);
    if (before !== undefined && from !== before) this.ledger.violated(`${id} changed from ${from}, it was ${before}`);
    if (!Object.values(applicationTransitions[from]).includes(to)) this.ledger.violated(`${id} went from ${from} to ${to}`);
    this.#states.set(id, to);
  }

  // ---- nodes and masters

  addNode(id: string): SimulatedNode {
    const node: SimulatedNode = new SimulatedNode(id, {
      clock: this.clock,
      random: this.#chance.network,
      conditions: () => this.conditions,
      manager: () => (this.#manager.isAlive ? this.#manager : undefined),
      habits: this.#nodeHabits,
      reached: (effect, moment) => this.crashes.reached('node', effect, moment),
      died: () => this.#nodeDied(node),
      trace: (what) => this.ledger.trace?.(`${id} ${what()}`),
      launched: (container) => this.#launched(container, node),
      gone: ({ id: containerId }) => {
        this.ledger.gone(containerId);
        this.masters.find((master) => master.containerId === containerId)?.killed();
      },
    });
    this.nodes.push(node);
    node.start();
    if (!this.#options.conditions) node.register();
    return node;
  }

  #nodeDied(node: SimulatedNode): void {
    const { restartMs } = this.#options;
    if (restartMs) this.clock.setTimer(restartMs(this.random), () => node.start());
  }

  #launched(container: SimulatedContainer, node: SimulatedNode): void {
    this.ledger.launched(container, node.id);
    const { applicationId, attemptId, isMaster, launch } = container.order;
    if (!isMaster) return;
    const token = launch?.secretEnvironment?.['HEDDLE_ATTEMPT_TOKEN'] ?? '';
    this.addMaster({ applicationId, attemptId, token, containerId: container.id }, node, (exitCode) => node.exit(container, exitCode));
  }

  /** A master begins; on a node, or beside the cluster. */
  addMaster(
    identity: MasterIdentity,
    node: SimulatedNode | undefined,
    exited: (exitCode: number) => void = () => undefined,
  ): SimulatedMaster {
    const { masterHabits } = this.#options;
    const { masters: random } = this.#chance;
    const master = new SimulatedMaster(identity, {
      clock: this.clock,
      conditions: () => this.conditions,
      manager: () => (this.#manager.isAlive ? this.#manager : undefined),
      isParted: () => node?.link.isParted ?? false,
      random,
      ledger: this.ledger,
      habits: masterHabits?.(random) ?? quiet,
      reached: (effect, moment) => this.crashes.reached('master', effect, moment),
      exited,
      trace: (what) => this.ledger.trace?.(`${identity.attemptId} ${what()}`),
      isWanted: () => this.#isWanted(identity),
      startOnNode: (allocation) => this.#startOnNode(allocation),
      mayUse: (label) => this.#manager.cluster.policy.checkLabels('b', label) === undefined,
    });
    this.masters.push(master);
    if (masterHabits) void master.live();
    return master;
  }

  #isWanted({ applicationId, attemptId }: MasterIdentity): boolean {
    const application = this.#manager.isAlive ? this.cluster.view.application(applicationId) : undefined;
    return application !== undefined && !isCompletedState[application.state] && currentAttempt(application)?.id === attemptId;
  }

  /** A master starts a container itself, showing its token, as often as it can be bothered to try. */
  #startOnNode({ containerToken, nodeId }: Allocation, tries = 3): void {
    const order = readContainerToken(Buffer.alloc(32), containerToken);
    const node = this.nodes.find(({ id }) => id === nodeId);
    this.clock.setTimer(this.conditions.latencyMs(), () => {
      if (!order || order.expiresMs < this.clock.now()) return;
      if (node?.isAlive) node.order(order);
      else if (tries > 0) this.#startOnNode({ containerToken, nodeId } as Allocation, tries - 1);
    });
  }

  // ---- clients

  async submit(submission: Submission, user: string): Promise<void> {
    const manager = this.#manager;
    const { cluster, store } = manager;
    const { applicationId, applicationLabelExpression, masterLabelExpression } = submission;
    if (cluster.view.application(applicationId) || store.finished(applicationId)) {
      await cluster.view.submission(applicationId);
      return;
    }
    const placement = cluster.policy.place({ applicationId, user, queue: submission.queue, name: submission.name, tags: [] });
    if ('rejected' in placement) return;
    for (const expression of [applicationLabelExpression, masterLabelExpression])
      if (expression !== '' && cluster.policy.checkLabels(placement.queue, expression) !== undefined) return;
    await cluster.submit({ submission, user, queue: placement.queue, mapped: placement.mapped ?? false });
    if (manager.isAlive) this.ledger.submitted.add(applicationId);
  }

  async killApplication(application: Application): Promise<void> {
    const manager = this.#manager;
    await manager.cluster.killByUser(application, 'ada', undefined);
    if (manager.isAlive) this.ledger.acknowledgeEnd(application.id);
  }

  // ---- time

  /** Lets everything that waits for the event loop happen. */
  async settle(turns = 5): Promise<void> {
    await passTurns(turns);
  }

  /**
   * Lets `ms` of time pass, with everything that happens in it; `each` runs after each event.
   * @throws where so much has happened in a random history that something must go in circles
   */
  async pass(ms: number, each: () => void = () => undefined): Promise<void> {
    const { clock } = this;
    const isRandom = this.#options.conditions !== undefined;
    const endMs = clock.steadyMs() + ms;
    for (let next = clock.nextMs(); next !== undefined && next <= endMs; next = clock.nextMs()) {
      if (isRandom && (++this.#events > mostEvents || this.given.size > mostGiven))
        throw new Error(`nobody comes to rest: ${this.#events} events, ${this.given.size} containers`);
      clock.runNext();
      await this.settle(turnsOfAnEvent);
      each();
    }
    clock.moveTo(endMs);
  }

  /** Everything that is on its way arrives, and everything that follows from it. */
  async exchange(): Promise<void> {
    for (let i = 0; i < 2; i++) {
      await this.settle();
      await this.pass(0);
    }
    await this.settle();
  }

  close(): void {
    this.#manager.close();
    this.disk.close();
  }
}
