// Applications and the containers they hold, as the scheduler counts them; shared by all policies.

import { type Resource, zeros } from '../../model/resource.ts';
import { AskTable } from './asks.ts';
import { ApplicationContainers } from './container-list.ts';
import type { Reservation, SchedulerNode } from './nodes.ts';
import type { Member } from './ordered-heap.ts';
import type { NewApplication } from './policy.ts';

/** A container that runs or is about to. `partition` is the one it is charged to. */
export interface HeldContainer {
  readonly containerId: string;
  readonly application: SchedulerApplication;
  attemptId: string;
  readonly node: SchedulerNode;
  readonly resource: Resource;
  readonly priority: number;
  readonly isMaster: boolean;
  readonly tags: readonly string[];
  partition: number;
  /** Order of its allocation among all containers. */
  readonly order: number;
  /** Chosen by preemption, not yet ended. */
  marked: boolean;
  /** Neighbours in the lists of its application and of its node. */
  previousOfApplication: HeldContainer | undefined;
  nextOfApplication: HeldContainer | undefined;
  previousOnNode: HeldContainer | undefined;
  nextOnNode: HeldContainer | undefined;
}

/** Sums per partition; vectors exist once something was counted. */
export class Counts {
  readonly used: number[][] = [];
  readonly reserved: number[][] = [];
  readonly pending: number[][] = [];
  readonly #types: number;

  constructor(types: number) {
    this.#types = types;
  }

  /** The vector of a partition, made when it is missing. */
  of(kind: 'used' | 'reserved' | 'pending', partition: number): number[] {
    const vectors = this[kind];
    return (vectors[partition] ??= zeros(this.#types));
  }

  total(kind: 'used' | 'reserved' | 'pending'): number[] {
    const result = zeros(this.#types);
    for (const vector of this[kind]) if (vector) for (let i = 0; i < vector.length; i++) result[i]! += vector[i]!;
    return result;
  }
}

/** The attempt that asks now. */
export class SchedulerAttempt {
  readonly attemptId: string;
  readonly application: SchedulerApplication;
  readonly asks = new AskTable();
  readonly blacklist = new Set<string>();
  readonly reservations = new Set<Reservation>();
  /** Its master has been given a container, or it needs none. */
  masterPlaced = false;

  constructor(attemptId: string, application: SchedulerApplication) {
    this.attemptId = attemptId;
    this.application = application;
  }
}

/** One application. Policies extend it with what their order needs. */
export class SchedulerApplication implements Member {
  readonly places: number[] = [];
  readonly applicationId: string;
  readonly user: string;
  /** Order of arrival: the number inside the id first, then this policy's own count. */
  readonly order: number;
  priority: number;
  readonly submitTimeMs: number;
  readonly unmanaged: boolean;
  readonly labelExpression: string;
  readonly tags: readonly string[];
  readonly counts: Counts;
  readonly containers = new ApplicationContainers();
  attempt: SchedulerAttempt | undefined;
  pendingContainers = 0;
  heldContainers = 0;
  reservedContainers = 0;

  constructor(application: NewApplication, order: number, types: number) {
    this.applicationId = application.applicationId;
    this.user = application.user;
    this.order = order;
    this.priority = application.priority;
    this.submitTimeMs = application.submitTimeMs;
    this.unmanaged = application.unmanaged;
    this.labelExpression = application.labelExpression ?? '';
    this.tags = application.tags ?? [];
    this.counts = new Counts(types);
  }
}
