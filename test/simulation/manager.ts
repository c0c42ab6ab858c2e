// One life of a resource manager: the real cluster with what belongs to it, on what the life before had stored. It dies where a crash point
// says so: from then on nothing of it is written, sent, told or answered.

import type { DynamicResource } from '../../src/config/dynamic-resources.ts';
import { silentLogger } from '../../src/lib/log.ts';
import { seededRandom } from '../../src/lib/random.ts';
import type { ResourceTypes } from '../../src/model/resource.ts';
import type { Effect } from '../../src/resource-manager/cluster/effects.ts';
import type { ClusterObserver } from '../../src/resource-manager/cluster/observer.ts';
import { Cluster } from '../../src/resource-manager/cluster.ts';
import { LabelManager } from '../../src/resource-manager/labels/label-manager.ts';
import { Membership } from '../../src/resource-manager/nodes/membership.ts';
import { QueueConfiguration, storedQueues } from '../../src/resource-manager/queue-configuration.ts';
import { PlanFollower } from '../../src/resource-manager/reservations/plan-follower.ts';
import { ReservationSystem } from '../../src/resource-manager/reservations/reservation-system.ts';
import { ResourceManagerStore } from '../../src/resource-manager/store/resource-manager-store.ts';
import { hasEditableQueues } from '../../src/scheduler/create-policy.ts';
import type { PolicyKind, SchedulingPolicy } from '../../src/scheduler/policy.ts';
import type { NodeCommand } from '../../src/wire/cluster/node-channel.ts';
import type { Moment } from './crash-points.ts';
import type { Disk } from './disk.ts';
import { capacityQueues, smallPolicy } from './scheduler-options.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** What a life is given. */
export interface ManagerPorts {
  readonly kind: PolicyKind;
  readonly clock: VirtualClock;
  readonly types: ResourceTypes;
  readonly disk: Disk;
  /** Lives before this one. */
  readonly epoch: number;
  readonly queues: ReadonlyMap<string, string>;
  readonly dynamicSizes: ReadonlyMap<string, DynamicResource>;
  readonly logAggregation: boolean;
  /** Plans are followed every second. */
  readonly withReservations: boolean;
  /** It comes to a point at which it may die; true: it dies there. */
  readonly reached: (effect: string, moment: Moment) => boolean;
  readonly observer: (manager: ManagerProcess) => ClusterObserver;
  /** A node is about to be sent something. */
  readonly sends: (manager: ManagerProcess, nodeId: string, command: NodeCommand) => void;
  /** Whether its machine dies with it. */
  readonly losesMachine: () => boolean;
  /** It died, right now. */
  readonly died: (manager: ManagerProcess) => void;
}

/** What an effect is called at crash points. */
function nameOf(effect: Effect): string {
  switch (effect.kind) {
    case 'persist':
      return `persist ${effect.write.kind}`;
    case 'send':
      return `send ${effect.command.type}`;
    case 'publish':
      return `publish ${effect.publication.about}`;
    default:
      return effect.kind;
  }
}

/** The store, with a crash point around each record that is written beside the effects. */
class CrashingStore extends ResourceManagerStore {
  readonly #around: (write: () => Promise<void>) => Promise<void>;

  constructor(database: ConstructorParameters<typeof ResourceManagerStore>[0], around: (write: () => Promise<void>) => Promise<void>) {
    super(database);
    this.#around = around;
  }

  override putRecord(kind: string, key: string, value: string): Promise<void> {
    return this.#around(() => super.putRecord(kind, key, value));
  }
  override dropRecord(kind: string, key: string): Promise<void> {
    return this.#around(() => super.dropRecord(kind, key));
  }
}

/** Silence of a master that is too long, ms. */
export const masterExpiryMs = 60_000;

/** Waits for what will never happen. */
const never = () => new Promise<never>(() => undefined);

export class ManagerProcess {
  isAlive = true;
  readonly epoch: number;
  readonly cluster: Cluster;
  readonly store: ResourceManagerStore;
  readonly labels: LabelManager;
  readonly queueConfiguration: QueueConfiguration;
  /** Of schedulers that know any. */
  readonly reservations: ReservationSystem | undefined;
  /** By attempt: when its master was heard last while it was expected to speak, by `Clock.steadyMs`. */
  readonly heardMs = new Map<string, number>();
  readonly #ports: ManagerPorts;
  readonly #mourners = new Set<() => void>();
  #planFollower: PlanFollower | undefined;

  constructor(ports: ManagerPorts) {
    this.#ports = ports;
    this.epoch = ports.epoch;
    const clock = ports.clock.of(() => this.isAlive);
    const database = ports.disk.open({
      clock,
      isAlive: () => this.isAlive,
      reach: (effect, moment) => this.#comesTo(effect, moment),
    });
    this.store = new CrashingStore(database, (write) => this.#record(write));
    const { store } = this;
    const stored = storedQueues(hasEditableQueues(ports.kind), 'leveldb', store);
    const policy = smallPolicy(ports.kind, ports.types, clock, stored?.properties ?? capacityQueues(ports.queues));
    this.labels = this.#makeLabels(policy);
    this.cluster = new Cluster({
      clock,
      random: seededRandom(ports.epoch),
      logger: silentLogger,
      store,
      policy,
      types: ports.types,
      settings: settingsOf(ports),
      membership: new Membership(undefined, undefined, store.nodeOrders.leavingNodes()),
      labels: this.labels,
      containerTokenKey: Buffer.alloc(32),
      masterCredentials: (_attemptId, given) => given,
      session: `session ${ports.epoch}`,
      epoch: ports.epoch,
      observers: [ports.observer(this)],
      aroundEffect: (effect, carryOut) => {
        if (effect.kind === 'send') this.#ports.sends(this, effect.nodeId, effect.command);
        this.#around(nameOf(effect), carryOut);
      },
    });
    this.queueConfiguration = new QueueConfiguration({
      policy,
      file: capacityQueues(ports.queues),
      stored,
      storeClass: 'leveldb',
      store,
      logger: silentLogger,
      changed: () => this.cluster.scheduleSoon(),
    });
    this.reservations = ports.withReservations && ports.kind !== 'fifo' ? this.#reserve(policy) : undefined;
    this.cluster.recoverNodeSizes(ports.dynamicSizes);
    this.cluster.recover();
    this.#comesTo('start', 'after');
    if (!this.isAlive) this.#stop();
  }

  /** Kill -9: nothing that was not committed survives. */
  kill(): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    this.#ports.disk.died(this.#ports.losesMachine());
    this.#stop();
    this.#ports.died(this);
    for (const heard of this.#mourners) heard();
    this.#mourners.clear();
  }

  /** A running master speaks; what is answered says that it did so now. */
  hears(attemptId: string): () => void {
    const nowMs = this.#ports.clock.steadyMs();
    return () => void this.heardMs.set(attemptId, Math.max(nowMs, this.heardMs.get(attemptId) ?? 0));
  }

  /** A call of a master was answered: it may die right then. */
  answered(what: string): void {
    this.#comesTo(`answer ${what}`, 'after');
  }

  /** Runs when it dies; the answer takes that back. */
  onDeath(heard: () => void): () => void {
    this.#mourners.add(heard);
    return () => void this.#mourners.delete(heard);
  }

  /** The simulation is over. */
  close(): void {
    this.isAlive = false;
    this.#stop();
  }

  #stop(): void {
    this.cluster?.close();
    this.#planFollower?.close();
  }

  /** False: it died there, or before. */
  #comesTo(effect: string, moment: Moment): boolean {
    if (this.isAlive && this.#ports.reached(effect, moment)) this.kill();
    return this.isAlive;
  }

  #around(effect: string, carryOut: () => void): void {
    if (!this.#comesTo(effect, 'before')) return;
    carryOut();
    this.#comesTo(effect, 'after');
  }

  #record(write: () => Promise<void>): Promise<void> {
    if (!this.#comesTo('record', 'before')) return never();
    const written = write();
    this.#comesTo('record', 'after');
    return written;
  }

  #makeLabels(policy: SchedulingPolicy): LabelManager {
    const labels: LabelManager = new LabelManager({
      enabled: true,
      store: this.store,
      queueUsing: (label) => policy.labels?.queueUsing(label),
      partitionsChanged: (partitions) => {
        policy.labels?.setPartitions(partitions);
        this.cluster.scheduleSoon();
      },
      nodesChanged: () => {
        for (const { id } of this.cluster.view.nodes()) policy.updateNode(id, { label: labels.labelOf(id) });
        this.cluster.scheduleSoon();
      },
    });
    policy.labels?.setPartitions(labels.partitions());
    return labels;
  }

  /** What keeps reservations. */
  #reserve(policy: SchedulingPolicy): ReservationSystem {
    const { store } = this;
    const clock = this.#ports.clock.of(() => this.isAlive);
    const reservations = new ReservationSystem({
      store,
      clock,
      clusterTimestamp: 1000 + this.epoch,
      planQueues: () => policy.reservable?.list() ?? [],
      maximumAllocation: () => policy.maximumAllocation(),
      maximumPeriodicityMs: 86_400_000,
      changed: () => this.#planFollower?.follow(),
    });
    const end = (id: string, diagnostics: string) => {
      const application = this.cluster.view.application(id);
      if (application) void this.cluster.kill(application, diagnostics);
    };
    const followed = () => this.cluster.scheduleSoon();
    this.#planFollower = new PlanFollower({ reservations, policy, clock, logger: silentLogger, stepMs: 1000, end, followed });
    this.#planFollower.run();
    return reservations;
  }
}

const settingsOf = ({ epoch, logAggregation }: ManagerPorts) => ({
  clusterTimestamp: 1000 + epoch,
  maximumAttempts: 3,
  masterExpiryMs,
  nodeExpiryMs: 30_000,
  untrackedNodeRemovalMs: 60_000,
  containerExpiryMs: 40_000,
  opportunistic: true,
  logAggregationEnabled: logAggregation,
  logTimeoutMs: 600_000,
  webUrl: () => 'http://rm:8088',
  masterUrl: () => 'http://rm:8088',
  timelineUrl: () => undefined,
  applicationPage: (id: string) => `http://rm:8088/cluster/app/${id}`,
  retentionMs: 864_000_000,
  retentionCount: 100_000,
  masterEnvironment: {},
});
