// One cluster with simulated nodes and masters on a clock that stands still. Everything random comes from one seed.
import assert from 'node:assert/strict';
import { ManualClock } from '../../src/lib/clock.ts';
import { silentLogger } from '../../src/lib/log.ts';
import { type Random, seededRandom } from '../../src/lib/random.ts';
import { ResourceTypes } from '../../src/model/resource.ts';
import type { Application } from '../../src/resource-manager/applications/application.ts';
import { type ApplicationState, applicationTransitions, isFinalState } from '../../src/resource-manager/applications/application-states.ts';
import type { Submission } from '../../src/resource-manager/applications/submission.ts';
import { Cluster } from '../../src/resource-manager/cluster.ts';
import { LabelManager } from '../../src/resource-manager/labels/label-manager.ts';
import { Membership } from '../../src/resource-manager/nodes/membership.ts';
import { QueueConfiguration, storedQueues } from '../../src/resource-manager/queue-configuration.ts';
import { PlanFollower } from '../../src/resource-manager/reservations/plan-follower.ts';
import { ReservationSystem } from '../../src/resource-manager/reservations/reservation-system.ts';
import { ResourceManagerStore } from '../../src/resource-manager/store/resource-manager-store.ts';
import { aSubmission } from '../../src/resource-manager/test-support/builders.ts';
import { hasEditableQueues } from '../../src/scheduler/create-policy.ts';
import type { PolicyKind, SchedulingPolicy } from '../../src/scheduler/policy.ts';
import { type Database, openDatabase } from '../../src/storage/sqlite.ts';
import { capacityQueues, smallPolicy } from './scheduler-options.ts';
import { type Served, SimulatedMaster, servedNothing } from './simulated-master.ts';
import { SimulatedNode } from './simulated-node.ts';

const types = new ResourceTypes();
export const nothingToRun = { commands: ['true'], environment: {}, localResources: {}, serviceData: {} };

export const submissionOf = (applicationId: string, more: Partial<Submission> = {}): Submission =>
  aSubmission({
    applicationId,
    name: 'history',
    resource: [256, 1],
    launch: nothingToRun,
    applicationLabelExpression: '',
    masterLabelExpression: '',
    ...more,
  });

/** What a write says that fails on purpose. */
export class WriteFailed extends Error {}

/** The database as one process sees it: after `cut` nothing of what it queued happens, and it hears nothing. */
function cuttable(database: Database, fails: () => boolean): { database: Database; cut: () => void } {
  let dead = false;
  const write = (change: () => void) =>
    new Promise<void>((done, failed) => {
      const guarded = () => {
        if (dead) return;
        if (fails()) throw new WriteFailed('the disk is full');
        change();
      };
      database.write(guarded).then(
        () => dead || done(),
        (error: unknown) => dead || failed(error as Error),
      );
    });
  return {
    database: {
      prepare: (sql) => database.prepare(sql),
      write,
      flush: () => database.flush(),
      get pendingWrites() {
        return database.pendingWrites;
      },
      migrate: (migrations) => database.migrate(migrations),
      lookThrough: (checks) => database.lookThrough(checks),
      reject: (broken) => database.reject(broken),
      close: () => undefined,
    },
    cut: () => {
      dead = true;
    },
  };
}

/** What a client, a master or a node may rely on for ever. */
interface Acknowledged {
  readonly submitted: Set<string>;
  /** Ended for certain; the state once it was seen. */
  readonly ended: Map<string, string | undefined>;
}

export class World {
  readonly clock = new ManualClock();
  readonly random: Random;
  readonly kind: PolicyKind;
  readonly nodes: SimulatedNode[] = [];
  readonly masters: SimulatedMaster[] = [];
  readonly served: Served = servedNothing();
  readonly acknowledged: Acknowledged = { submitted: new Set(), ended: new Map() };
  readonly #database = openDatabase(':memory:', { logger: silentLogger });
  readonly #states = new Map<string, ApplicationState>();
  readonly #given = new Set<string>();
  /** Laid over the queues from the next start on. */
  queues = new Map<string, string>();
  #epoch = -1;
  readonly #logAggregation: boolean | undefined;
  #cut: () => void = () => undefined;
  /** One in so many writes fails; 0: none. */
  failingWrites = 0;
  cluster!: Cluster;
  labels!: LabelManager;
  queueConfiguration!: QueueConfiguration;
  /** Of schedulers that know any. */
  reservations: ReservationSystem | undefined;
  /** Ids that were given, and one that was not. */
  readonly knownReservations = ['reservation_1000_0001'];
  #planFollower: PlanFollower | undefined;
  store!: ResourceManagerStore;

  constructor(kind: PolicyKind, seed: number, options: { logAggregation?: boolean } = {}) {
    this.kind = kind;
    this.#logAggregation = options.logAggregation;
    this.random = seededRandom(seed);
    this.start();
  }

  /** A new resource manager on what the one before had stored. */
  start(): void {
    this.#epoch++;
    const { clock } = this;
    const { database, cut } = cuttable(this.#database, () => this.failingWrites > 0 && this.random.int(this.failingWrites) === 0);
    this.#cut = cut;
    this.store = new ResourceManagerStore(database);
    const { store } = this;
    this.#states.clear();
    const stored = storedQueues(hasEditableQueues(this.kind), 'leveldb', store);
    const policy = smallPolicy(this.kind, types, clock, stored?.properties ?? capacityQueues(this.queues));
    const labels: LabelManager = new LabelManager({
      enabled: true,
      store,
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
    this.labels = labels;
    this.cluster = new Cluster({
      clock,
      logger: silentLogger,
      store,
      policy,
      types,
      settings: {
        clusterTimestamp: 1000 + this.#epoch,
        maximumAttempts: 3,
        masterExpiryMs: 60_000,
        nodeExpiryMs: 30_000,
        untrackedNodeRemovalMs: 60_000,
        containerExpiryMs: 40_000,
        opportunistic: true,
        logAggregationEnabled: this.#logAggregation ?? this.random.int(2) === 0,
        webUrl: () => 'http://rm:8088',
        masterUrl: () => 'http://rm:8088',
        timelineUrl: () => undefined,
        applicationPage: (id) => `http://rm:8088/cluster/app/${id}`,
        retentionMs: 864_000_000,
        retentionCount: 100_000,
        masterEnvironment: {},
      },
      membership: new Membership(undefined, undefined, store.nodeOrders.leavingNodes()),
      labels,
      containerTokenKey: Buffer.alloc(32),
      session: `session ${this.#epoch}`,
      epoch: this.#epoch,
      observers: [
        {
          applicationStateChanged: (application, { from, to }) => this.#changed(application, from, to),
          containerCreated: (_application, { id, attemptId, requestId, nodeId, executionType }) => {
            assert.ok(!this.#given.has(id), `${id} was given twice`);
            this.#given.add(id);
            if (executionType === 'OPPORTUNISTIC') return;
            const { used, available } = policy.nodeUsage(nodeId)!;
            assert.ok(available[0]! >= 0, `${id} has no room on ${nodeId}, which gives ${used}`);
            if (this.kind !== 'capacity') return;
            const label = this.masters.find((master) => master.attemptId === attemptId)?.labels.get(requestId);
            if (label !== undefined) assert.equal(labels.labelOf(nodeId), label, `the label of ${nodeId}, on which ${id} is`);
          },
        },
      ],
    });
    this.queueConfiguration = new QueueConfiguration({
      policy,
      file: capacityQueues(this.queues),
      stored,
      storeClass: 'leveldb',
      store,
      logger: silentLogger,
      changed: () => this.cluster.scheduleSoon(),
    });
    this.#reserve(policy);
    this.cluster.recoverNodeSizes(new Map());
    this.cluster.recover();
  }

  /** What keeps reservations, on what the process before had stored. */
  #reserve(policy: SchedulingPolicy): void {
    if (this.kind === 'fifo') return;
    const { clock, store } = this;
    const reservations = new ReservationSystem({
      store,
      clock,
      clusterTimestamp: 1000 + this.#epoch,
      planQueues: () => policy.reservable?.list() ?? [],
      maximumAllocation: () => policy.maximumAllocation(),
      maximumPeriodicityMs: 86_400_000,
      changed: () => this.#planFollower?.follow(),
    });
    this.reservations = reservations;
    const end = (id: string, diagnostics: string) => {
      const application = this.cluster.view.application(id);
      if (application) void this.cluster.kill(application, diagnostics);
    };
    const followed = () => this.cluster.scheduleSoon();
    this.#planFollower = new PlanFollower({ reservations, policy, clock, logger: silentLogger, stepMs: 1000, end, followed });
    this.#planFollower.run();
  }

  /** Kill -9: nothing that was not committed survives. */
  kill(): void {
    this.#cut();
    this.cluster.close();
    this.#planFollower?.close();
    for (const node of this.nodes) {
      if (this.random.int(2) === 0) node.work(100);
      node.loseSession(false);
    }
    for (const master of this.masters) master.cut();
  }

  #changed({ id }: Application, from: ApplicationState, to: ApplicationState): void {
    const before = this.#states.get(id);
    if (before) assert.equal(from, before, `${id} changed from ${from}, it was ${before}`);
    assert.ok(Object.values(applicationTransitions[from]).includes(to), `${id} went from ${from} to ${to}`);
    this.#states.set(id, to);
  }

  addNode(id: string): void {
    const node = new SimulatedNode(id, {
      masterStarted: ({ applicationId, attemptId, containerId, launch }) => {
        const token = launch.secretEnvironment?.['HEDDLE_ATTEMPT_TOKEN'] ?? '';
        this.masters.push(new SimulatedMaster(applicationId, attemptId, token, containerId, this.served));
      },
      containerEnded: (containerId) => {
        const index = this.masters.findIndex((master) => master.containerId === containerId);
        if (index >= 0) this.masters.splice(index, 1)[0]!.state = 'dead';
      },
    });
    this.nodes.push(node);
    node.register(this.cluster);
  }

  async submit(submission: Submission, user: string): Promise<void> {
    const { cluster } = this;
    if (cluster.view.application(submission.applicationId) || this.store.finished(submission.applicationId)) {
      await cluster.view.submission(submission.applicationId);
      return;
    }
    const placement = cluster.policy.place({
      applicationId: submission.applicationId,
      user,
      queue: submission.queue,
      name: submission.name,
      tags: [],
    });
    if ('rejected' in placement) return;
    const { applicationLabelExpression, masterLabelExpression } = submission;
    for (const expression of [applicationLabelExpression, masterLabelExpression])
      if (expression !== '' && cluster.policy.checkLabels(placement.queue, expression) !== undefined) return;
    await cluster.submit({ submission, user, queue: placement.queue, mapped: placement.mapped ?? false });
    this.acknowledged.submitted.add(submission.applicationId);
  }

  async killApplication(application: Application): Promise<void> {
    await this.cluster.killByUser(application, 'ada', undefined);
    this.acknowledge(application.id);
  }

  /** The end of an application was told to an observer. */
  acknowledge(id: string): void {
    if (!this.acknowledged.ended.has(id)) this.acknowledged.ended.set(id, undefined);
  }

  /** What was acknowledged is there, and an end never changes. */
  checkPromises(): void {
    for (const id of this.acknowledged.submitted) assert.ok(this.cluster.findAny(id), `${id} was accepted and is lost`);
    for (const [id, state] of this.acknowledged.ended) {
      const row = this.store.finished(id);
      assert.ok(row, `the end of ${id} was acknowledged and is lost`);
      const live = this.cluster.view.application(id);
      assert.ok(!live || isFinalState[live.state], `${id} ended and is ${live?.state} again`);
      if (state !== undefined) assert.equal(row.state, state, `the end of ${id}`);
      else this.acknowledged.ended.set(id, row.state);
    }
    for (const { id } of this.store.liveApplications()) assert.ok(!this.store.finished(id), `${id} is kept as live and as ended`);
  }

  /** Lets everything that waits for the event loop happen. */
  async settle(turns = 4): Promise<void> {
    for (let i = 0; i < turns; i++) await new Promise<void>((done) => setImmediate(done));
  }

  /** Nodes do what they were told and tell what happened. */
  async exchange(): Promise<void> {
    await this.settle();
    for (const node of this.nodes) {
      node.work(1000);
      node.speak(1000);
    }
    await this.settle();
  }

  close(): void {
    this.#planFollower?.close();
    this.cluster.close();
    this.#database.close();
  }
}
