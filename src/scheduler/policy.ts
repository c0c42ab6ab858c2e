// The scheduler's interface: what the cluster tells a policy, what a policy proposes, what it explains. A policy never does anything by
// itself: it charges what it proposes and the cluster commits it. Everything here is plain data and synchronous.

import type { Clock } from '../lib/clock.ts';
import type { Resource, ResourceTypes } from '../model/resource.ts';
import type {
  AllocationFile,
  ApplicationPriorities,
  LabelledNodes,
  PolicyKind,
  PolicyNames,
  QueueEditing,
  QueueFileContents,
  ReservableQueues,
} from './abilities.ts';
import type {
  Admission,
  InternalPurpose,
  NewApplication,
  NewAttempt,
  NodeChange,
  NodeView,
  Placement,
  RequestName,
  ResourceRequest,
  Submission,
} from './entries.ts';
import type { ActivityRecorder } from './explain/activities.ts';
import type { SchedulerDescription } from './explain/description.ts';
import type { Explanation } from './explain/explanation.ts';
import type { Ledger } from './state/ledger.ts';
import type { SchedulerApplication } from './state/model.ts';

export type { PolicyKind };
/** What an access list of a queue grants. */
export type QueueAcl = 'SUBMIT_APPLICATIONS' | 'ADMINISTER_QUEUE';

/** What a policy needs to be built. `properties` holds the scheduler's file (capacity-scheduler.xml) as key and value. */
export interface PolicyOptions {
  kind: PolicyKind;
  /** Keys of capacity-scheduler.xml; empty for fair and fifo. */
  properties: ReadonlyMap<string, string>;
  /** Text of fair-scheduler.xml, for the fair policy. */
  allocations?: string | undefined;
  settings: SchedulerSettings;
  types: ResourceTypes;
  /** The time that is shown, and the time by which delays and waits are measured. */
  clock: Pick<Clock, 'now' | 'steadyMs'>;
  /** For tests and diagnosis, of the capacity policy alone; `on` without it. */
  parking?: Parking;
}

/**
 * Whether work that cannot be served is visited again only after a change that may help it (`on`), or before every placement (`off`).
 * Both place the same. A table in place of a word: parked work with these changes for each reason (`capacity/cycle/parked-reasons.ts`).
 */
export type Parking = 'on' | 'off' | Readonly<Record<string, readonly string[]>>;

/** The settings of yarn-site.xml that scheduling depends on, already parsed. */
export interface SchedulerSettings {
  minimumAllocation: Resource;
  maximumAllocation: Resource;
  /** `yarn.resource-types.memory-mb.increment-allocation`: the fair policy's step in MiB (1024). */
  incrementMemoryMiB: number;
  incrementVcores: number;
  /** `yarn.cluster.max-application-priority`. */
  maximumPriority: number;
  aclEnabled: boolean;
  nodeLabelsEnabled: boolean;
  /** `yarn.resourcemanager.reservation-system.enable`: reservable queues hold reservations. */
  reservationSystem: boolean;
  /** `yarn.resourcemanager.scheduler.monitor.enable`: preemption between capacity queues. */
  preemption: PreemptionSettings | undefined;
  /** `yarn.resourcemanager.nodemanagers.heartbeat-interval-ms`: what locality delays are measured by. */
  heartbeatIntervalMs: number;
  /** `yarn.resourcemanager.scheduler.monitor.policies` names AutoCreatedQueueDeletionPolicy. */
  deletesQueues: boolean;
  fair: FairSettings;
  /** `yarn.workflow-id.tag-prefix`: what the tag of an application that names its workflow begins with. */
  workflowTagPrefix: string;
  /** Groups of a user, for access lists and mapping rules. */
  groupsOf: (user: string) => readonly string[];
}

/** `yarn.resourcemanager.monitor.capacity.preemption.*`. */
export interface PreemptionSettings {
  monitoringIntervalMs: number;
  maximumWaitBeforeKillMs: number;
  /** Share of the cluster, 0…1. */
  totalPerRound: number;
  maximumIgnoredOverCapacity: number;
  naturalTerminationFactor: number;
  observeOnly: boolean;
  /** `…preemption.preemption-to-balance-queue-after-satisfied.enabled`: queues above their guarantee take from each other too. */
  balanceSatisfiedQueues: boolean;
  /** `…preemption.intra-queue-preemption.enabled`. */
  intraQueue: boolean;
  /** Used part of its guarantee from which a queue is looked into. */
  intraQueueMinimumThreshold: number;
  /** Part of its guarantee that is taken inside it in a round, at most. */
  intraQueueMaximumLimit: number;
  intraQueueOrder: 'userlimit_first' | 'priority_first';
}

/** `yarn.scheduler.fair.*`. */
export interface FairSettings {
  userAsDefaultQueue: boolean;
  allowUndeclaredPools: boolean;
  preemption: boolean;
  preemptionUtilizationThreshold: number;
  waitTimeBeforeKillMs: number;
  updateIntervalMs: number;
  sizeBasedWeight: boolean;
  /** `yarn.scheduler.fair.locality.threshold.node` and `.rack`: parts of the cluster passed up before going further; below 0 off. */
  nodeLocality: number;
  rackLocality: number;
}

/** A container that the policy counts from now on without a decision: it runs since before this process, or has another size. */
export interface ContainerRecord {
  containerId: string;
  applicationId: string;
  attemptId: string;
  nodeId: string;
  resource: Resource;
  priority: number;
  isMaster: boolean;
  allocationTags?: readonly string[];
}

/** On a node that was named, in a rack that was, or anywhere. */
export type Closeness = 'nodeLocal' | 'rackLocal' | 'offSwitch';

/** What a policy proposes. `allocate` is already charged; the container's id came from the cluster's `nextContainerId`. */
export type Decision =
  | {
      kind: 'allocate';
      applicationId: string;
      attemptId: string;
      containerId: string;
      requestId: string;
      /** That of the request. */
      purpose?: InternalPurpose | undefined;
      nodeId: string;
      resource: Resource;
      priority: number;
      allocationRequestId: number;
      isMaster: boolean;
      allocationTags: readonly string[];
      /** Only of containers given outside of the scheduler. */
      executionType?: 'OPPORTUNISTIC';
      /** How near the node is to what was asked for; undefined where it was given outside of the scheduler. */
      closeness?: Closeness;
      /** Taken from an earlier reservation of the node. */
      fromReservation: boolean;
    }
  | { kind: 'reserve'; applicationId: string; attemptId: string; nodeId: string; resource: Resource; priority: number }
  | { kind: 'unreserve'; applicationId: string; attemptId: string; nodeId: string; resource: Resource; priority: number }
  /** The cluster kills the container with exit code -102 and `Container preempted by scheduler`. */
  | { kind: 'preempt'; containerId: string; applicationId: string; attemptId: string }
  /** The application's master may now be placed; its diagnostics text changed. */
  | { kind: 'activated'; applicationId: string; attemptId: string };

/** The next container id of an attempt. */
export type ContainerNumbering = (attemptId: string) => string;

/** One application's use, for AppInfo. Resources are vectors; percentages are float32 as shown. */
export interface ApplicationUsage {
  allocated: Resource;
  reserved: Resource;
  pending: Resource;
  pendingContainers: number;
  runningContainers: number;
  reservedContainers: number;
  queueUsagePercentage: number;
  clusterUsagePercentage: number;
  /** Absent where all nodes are one partition. */
  byPartition?: PartitionUsage[];
  /** Outstanding requests of the moment, for `resourceRequests`; there may be very many. */
  requests: () => Generator<PendingRequest, void>;
  /** How many these are. */
  askedPlaces: number;
  /** Most a master may still get, for the allocate answer. */
  headroom: Resource;
  isActive: boolean;
}

/** What an application has and wants in one partition; `amUsed`, `amLimit`, `userAmLimit` are about masters. */
export interface PartitionUsage {
  partition: string;
  used: Resource;
  reserved: Resource;
  pending: Resource;
  amUsed: Resource;
  amLimit?: Resource;
  userAmLimit?: Resource;
}

/** A request that is not served in full; `count`: containers still wanted. */
export interface PendingRequest {
  requestId: string;
  /** Set for a request that no master made. */
  purpose?: InternalPurpose | undefined;
  priority: number;
  allocationRequestId: number;
  resource: Resource;
  count: number;
  /** `*`, a rack or a host. */
  resourceName: string;
  relaxLocality: boolean;
  labelExpression: string;
  /** Of a scheduling request (tags or a constraint): it names no place. */
  scheduling?: { allocationTags: readonly string[]; placementConstraint: string | undefined };
}

/** Root queue numbers for /metrics and /jmx. */
export interface SchedulerMetrics {
  appsPending: number;
  appsRunning: number;
  allocated: Resource;
  available: Resource;
  pending: Resource;
  reserved: Resource;
  /** What clients take for the size of the cluster: what is given away and what is left, never less than nothing of it. */
  total: Resource;
  containersAllocated: number;
  containersPending: number;
  containersReserved: number;
  /** The capacity policy alone counts across partitions; undefined elsewhere. */
  acrossPartitions?: { used: Resource; reserved: Resource; total: Resource; available: Resource; pending: Resource; containers: number };
}

/** What a policy keeps account of, for who works on a copy of it (`trial.ts`): of the policy itself nothing is changed by it. */
export interface PolicyAccount {
  readonly ledger: Pick<Ledger<SchedulerApplication>, 'nodes' | 'applications' | 'reserve'>;
  /**
   * All applications with the paths of their queues: first those that limits of masters and of running applications let run, as they were let, then
   * those that are `held` back. `masterLabel`: of the partition in which their master counts, which is not always that of its node; absent where all
   * nodes are one partition.
   */
  applications(): readonly {
    readonly application: SchedulerApplication;
    readonly queue: string;
    readonly held?: boolean;
    readonly masterLabel?: string;
  }[];
  /**
   * A policy with the same settings and queues, those that it made by itself too, and nothing in them. It takes nothing back by preemption
   * unless `preempts`, where the policy knows `preemptsWithinMs`.
   */
  empty(now: () => number, preempts?: boolean): SchedulingPolicy;
  /** Tells a policy that `empty` made, and that has the nodes by now, what does not follow from them: how far queues reached when it was last seen. */
  inform?(copy: SchedulingPolicy): void;
  /** So long after preemption finds that something is missing, containers are taken back at the latest; undefined: it takes none, or cannot tell. */
  readonly preemptsWithinMs?: number | undefined;
}

/** What a name of a queue stands for: its shown name, no queue, or several queues. */
export type Found = { queue: string } | 'unknown' | 'ambiguous';
/**
 * Places containers for applications in queues. It charges what it proposes; the cluster commits it. All members are synchronous. Callers never test
 * which policy it is: what only some can do is an optional member, what they show is in `describe()`, `metrics()` and `usage()`.
 */
export interface SchedulingPolicy {
  readonly names: PolicyNames;

  // ---- applications
  /** Chooses the queue: mapping rules, automatic names. Changes nothing. */
  place(submission: Submission): Placement;
  /** Whether the user is in the queue's list or an ancestor's. Unknown queues: the nearest existing ancestor of a full path. */
  checkAccess(queue: string, user: string, groups: readonly string[], acl: QueueAcl): boolean;
  /** The sentence for a user who may not submit to a queue that exists. */
  submissionDenied(applicationId: string, user: string, queue: string): string;
  /** Whether no list guards an application in the queue, since the queue does not exist. */
  isUnguarded(queue: string): boolean;
  readonly priorities: ApplicationPriorities;
  /** Undefined when the expression may be used in the queue, else the text after `Invalid resource request, `-like prefixes (complete sentence). */
  checkLabels(queue: string, expression: string | undefined): string | undefined;
  addApplication(application: NewApplication): Admission;
  removeApplication(applicationId: string): void;
  addAttempt(attempt: NewAttempt): void;
  /** Its requests and reservations go; its containers too unless they are kept (the cluster ends them one by one with `containerEnded`). */
  removeAttempt(attemptId: string, keepContainers: boolean): void;
  updateRequests(attemptId: string, requests: readonly ResourceRequest[], cancels: readonly RequestName[]): void;
  updateBlacklist(attemptId: string, add: readonly string[], remove: readonly string[]): void;
  /** Moves with everything it holds. `refused` is the text of the 403 or 400. Absent where there is one queue. */
  moveApplication?(applicationId: string, queue: string): { moved: string } | { refused: string };

  /** How long applications of the queue live at most, in seconds from their submission; -1 for ever. Absent where no queue limits it. */
  maximumLifetimeSecondsOf?(queue: string): number;

  // ---- nodes
  addNode(node: NodeView): void;
  removeNode(nodeId: string): void;
  /** `schedulable` false: keeps what runs, gets nothing new (decommissioning, unhealthy). */
  updateNode(nodeId: string, change: NodeChange): void;
  /** Absent where all nodes are one partition. */
  readonly labels?: LabelledNodes;

  // ---- containers
  containerEnded(containerId: string): void;
  /** Charges a container that no decision of this policy gave. */
  recoverContainer(container: ContainerRecord): void;

  // ---- decisions
  /** Proposes up to `budget` decisions. Call again while `hasWork()`. */
  schedule(budget: number, nextContainerId: ContainerNumbering): Decision[];
  /** Something changed since the last call of `schedule` that may allow a decision, or that call left something to do. */
  hasWork(): boolean;
  /** The time at which something falls due by itself (preemption rounds), if any; epoch ms. */
  nextDeadlineMs(): number | undefined;

  // ---- views
  /** Diagnostics of an application that waits for its master, as Hadoop writes them (without the date); '' when there is nothing to say. */
  explain(applicationId: string): string;
  /** Why it and its requests wait, worked out from the state of the moment by the checks that decide. Undefined when the policy does not know it. */
  explanation(applicationId: string): Explanation | undefined;
  usage(applicationId: string): ApplicationUsage | undefined;
  /** Most its master may still get: `usage().headroom` without the rest, for what is asked with every call of a master. */
  headroom(applicationId: string): Resource | undefined;
  /** Whether cores count beside memory where it compares amounts (YarnScheduler.getSchedulingResourceTypes). */
  readonly countsCores: boolean;
  /** Containers that all applications wait for. */
  readonly pendingContainers: number;
  /** Containers of the application that are taken back soon, unless it gives back others. Absent where none are announced. */
  preempting?(applicationId: string): readonly string[];
  describe(): SchedulerDescription;
  metrics(): SchedulerMetrics;
  /** What the node has given away, by node id. */
  nodeUsage(nodeId: string): { used: Resource; available: Resource; containers: number; tags?: ReadonlyMap<string, number> } | undefined;
  resolveQueue(name: string): Found;
  /** The queue that a filter of applications names: where queues come and go, a name that is unknown now is taken as it is. */
  queueOfFilter(name: string): Found;
  /** Live applications of the queue and below it. */
  applicationsOf(queue: string): string[];
  /** Whether the application is one of those. */
  isOf(applicationId: string, queue: string): boolean;
  /** The largest container: the configured maximum cut to the largest node (once nodes are known). */
  maximumAllocation(queue?: string): Resource;
  /** The largest container that the settings allow, of a queue or of all, whatever nodes there are. */
  configuredMaximum(queue?: string): Resource;
  minimumAllocation(): Resource;
  /** The size a request really gets. */
  normalize(resource: Resource, queue?: string): Resource;
  /** Total of all nodes, or of one partition. */
  clusterResource(partition?: string): Resource;
  readonly account: PolicyAccount;
  /** Absent where no queue can be reserved. */
  readonly reservable?: ReservableQueues;
  /** Absent where scheduling is not recorded. */
  readonly activities?: ActivityRecorder;
  /** Absent where queues are not changed key by key. */
  readonly queueEditing?: QueueEditing;
  /** Absent where queues do not come from a file as a whole. */
  readonly allocationFile?: AllocationFile;
  /** Takes over queue files that have changed. Absent where there are none. @throws ConfigurationRefused and changes nothing when they are bad */
  reload?(files: QueueFileContents): void;
}

/** Where the fault of a queue configuration lies and what mends it. */
export interface RefusalDetails {
  /** The full key of capacity-scheduler.xml, or the queue and element of fair-scheduler.xml. */
  readonly key?: string;
  readonly remedy?: string;
  /** Hadoop refuses no such thing: no client knows its words. */
  readonly isOwn?: true;
}

/** A bad queue configuration; `message` is Hadoop's sentence without `Failed to re-init queues : `. */
export class ConfigurationRefused extends Error {
  readonly key: string | undefined;
  readonly remedy: string | undefined;
  readonly #isOwn: boolean;

  constructor(message: string, details: RefusalDetails = {}) {
    super(message);
    this.key = details.key;
    this.remedy = details.remedy;
    this.#isOwn = details.isOwn ?? false;
  }

  /** What those are told who ask over REST: Hadoop's sentence, or where it has none the key, what is wrong with it, and what to do. */
  get told(): string {
    return this.#isOwn ? `${this.key}: ${this.message}. ${this.remedy}` : this.message;
  }
}

/** Runs a reader; what it refuses without naming a key is the key's. */
export function under<T>(details: RefusalDetails, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigurationRefused) || error.key !== undefined) throw error;
    throw new ConfigurationRefused(error.message, { ...details, ...(error.remedy === undefined ? {} : { remedy: error.remedy }) });
  }
}
