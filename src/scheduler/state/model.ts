// The records of the scheduler, which refer to each other: a request of an attempt, a node that is kept for it, the container that it becomes. All
// are changed inside the policy, most by the ledger (ledger.ts), which tells the policy of each change.

import type { PlacementConstraint } from '../../model/placement-constraint.ts';
import { addInto, difference, type Resource, subtractFrom } from '../../model/resource.ts';
import type { InternalPurpose, NewApplication, NodeView } from '../entries.ts';
import { ApplicationContainers, NodeContainers } from './container-list.ts';
import { Counts } from './counts.ts';
import type { Member } from './ordered-heap.ts';
import { RequestTable } from './requests.ts';

/** What the containers of a request are bound to. `hopelessAt` is changed by placement/placement.ts alone. */
export interface RequestPlacement {
  readonly constraint: PlacementConstraint;
  readonly applicationId: string;
  /** Tags that its containers will have. */
  readonly ownTags: readonly string[];
  /** The state of the table in which no node, full or not, satisfied it: while that lasts no node is tried. */
  hopelessAt?: number;
}

/**
 * One request with what is left of it. `resource` is already normalised. The ledger changes `count`, `reservations`, `sinceMs` and, where places are
 * counted, `nodes`, `racks` and `placeCounts`; placement `reach`; the rest stays.
 */
export interface OpenRequest {
  readonly requestId: string;
  /** Set for a request that no master made. */
  readonly purpose: InternalPurpose | undefined;
  readonly priority: number;
  readonly allocationRequestId: number;
  resource: Resource;
  count: number;
  nodes: readonly string[];
  racks: readonly string[];
  /** Containers that may still be placed by the name of a place; undefined: places are not counted. */
  readonly placeCounts: Map<string, number> | undefined;
  readonly relaxLocality: boolean;
  readonly labelExpression: string;
  /** Index of the partition that it requests. */
  partition: number;
  /** How far from the places it names it may go now: locality delays let it wait for these first. */
  reach: 'node' | 'rack' | 'any';
  readonly isMaster: boolean;
  readonly reservations: Reservation[];
  /** Of its containers; empty for most. */
  readonly tags: readonly string[];
  /** Where its containers may stand beside others; undefined: anywhere. */
  readonly placement: RequestPlacement | undefined;
  /** When it was first asked; a repetition under the same id changes nothing. */
  sinceMs: number;
}

/** A node kept free for an application whose request does not fit yet. It is made and dropped whole. */
export interface Reservation {
  readonly application: SchedulerApplication;
  readonly request: OpenRequest;
  readonly node: SchedulerNode;
  readonly resource: Resource;
  readonly partition: number;
  readonly containerId: string;
}

/**
 * A container that runs or is about to. `partition` is the one it is charged to. The ledger changes `partition`, the lists their neighbours,
 * preemption `marked`; the rest stays.
 */
export interface HeldContainer {
  readonly containerId: string;
  readonly application: SchedulerApplication;
  readonly node: SchedulerNode;
  readonly resource: Resource;
  partition: number;
  /** Neighbours in the lists of its application and of its node. */
  previousOfApplication: HeldContainer | undefined;
  nextOfApplication: HeldContainer | undefined;
  previousOnNode: HeldContainer | undefined;
  nextOnNode: HeldContainer | undefined;
  readonly isMaster: boolean;
  readonly tags: readonly string[];
  readonly attemptId: string;
  readonly priority: number;
  /** Order of its allocation among all containers. */
  readonly order: number;
  /** Chosen by preemption, not yet ended. */
  marked: boolean;
}

/** One node, changed by the ledger and its table. `available` is the total less what is given away; a reservation does not count there. */
export class SchedulerNode {
  readonly nodeId: string;
  readonly available: number[];
  partition = 0;
  schedulable = true;
  reservation: Reservation | undefined;
  readonly containers = new NodeContainers<HeldContainer>();
  /** In the index of its partition. */
  place = -1;
  resource: number[];
  readonly host: string;
  readonly rack: string;

  constructor(view: NodeView, types: number) {
    this.nodeId = view.nodeId;
    this.host = view.host;
    this.rack = view.rack;
    this.resource = padded(view.resource, types);
    this.available = [...this.resource];
  }

  /** Takes new containers: in service and not kept for a request. */
  get open(): boolean {
    return this.schedulable && this.reservation === undefined;
  }

  /** What is given away. */
  get used(): number[] {
    return difference(this.resource, this.available);
  }

  charge(amount: Resource): void {
    subtractFrom(this.available, amount);
  }

  release(amount: Resource): void {
    addInto(this.available, amount);
  }

  resize(resource: Resource, types: number): void {
    const { used } = this;
    this.resource = padded(resource, types);
    for (let i = 0; i < types; i++) this.available[i] = this.resource[i]! - used[i]!;
  }
}

const padded = (resource: Resource, types: number): number[] => {
  const result: number[] = [];
  for (let i = 0; i < types; i++) result.push(resource[i] ?? 0);
  return result;
};

const nowhere: ReadonlySet<string> = new Set();

/** The attempt that runs or waits now. */
export class SchedulerAttempt {
  readonly attemptId: string;
  readonly application: SchedulerApplication;
  readonly requests = new RequestTable<OpenRequest>();
  /** Places it does not want; most have none. */
  blacklist: ReadonlySet<string> = nowhere;
  readonly reservations = new Set<Reservation>();
  /** Its master has been given a container, or it needs none. */
  masterPlaced = false;

  constructor(attemptId: string, application: SchedulerApplication) {
    this.attemptId = attemptId;
    this.application = application;
  }

  changeBlacklist(add: readonly string[], remove: readonly string[]): void {
    const places = new Set([...this.blacklist, ...add]);
    for (const place of remove) places.delete(place);
    this.blacklist = places.size > 0 ? places : nowhere;
  }
}

/** One application, its sums and lists changed by the ledger. Policies extend it with what their order needs. */
export class SchedulerApplication implements Member {
  attempt: SchedulerAttempt | undefined;
  readonly counts: Counts;
  readonly containers = new ApplicationContainers<HeldContainer>();
  pendingContainers = 0;
  heldContainers = 0;
  reservedContainers = 0;
  readonly places: number[] = [];
  priority: number;
  /** Order of arrival: the number inside the id first, then this policy's own count. */
  readonly order: number;
  readonly applicationId: string;
  readonly user: string;
  readonly submitTimeMs: number;
  readonly unmanaged: boolean;
  readonly labelExpression: string | undefined;
  readonly tags: readonly string[];

  constructor(application: NewApplication, order: number, types: number) {
    this.applicationId = application.applicationId;
    this.user = application.user;
    this.order = order;
    this.priority = application.priority;
    this.submitTimeMs = application.submitTimeMs;
    this.unmanaged = application.unmanaged;
    this.labelExpression = application.labelExpression;
    this.tags = application.tags ?? [];
    this.counts = new Counts(types);
  }
}
