// What only some policies can do, each ability with its members: a policy has it or has not, and callers test the ability and never which
// policy it is.

import type { Resource } from '../model/resource.ts';

/** The scheduling policies, by their names in settings. */
export type PolicyKind = 'capacity' | 'fair' | 'fifo';

/** How a policy is called where Hadoop shows it. */
export interface PolicyNames {
  /** In settings and reports: `capacity`. */
  readonly short: PolicyKind;
  /** In `/scheduler-overview`: `Capacity Scheduler`. */
  readonly title: string;
  /** Hadoop's class without its package. */
  readonly className: string;
}

/** The priority that an application is taken with, or why it may not have the one that was asked for. */
export type Priority = { readonly priority: number } | { readonly refused: string };

/** A priority that a user wants for an application in a queue (as placed). */
export interface WantedPriority {
  readonly applicationId: string;
  readonly user: string;
  readonly groups: readonly string[];
  readonly queue: string;
  readonly priority: number;
}

/** Priorities of applications. */
export interface ApplicationPriorities {
  /**
   * The priority that a submitted application is taken with (AbstractYarnScheduler.checkAndGetApplicationPriority): as wanted, or that of the
   * queue where none is, where the policy knows priorities, else 0; or the refusal of the queue's list of priorities in Hadoop's words.
   */
  check(wanted: Omit<WantedPriority, 'priority'> & { readonly priority: number | undefined }): Priority;
  /** The same for an application that is there. */
  checkChange(wanted: WantedPriority): Priority;
  /** Gives the priority without checking any user's right to it; returns the one that holds then (capped by the cluster's maximum). */
  set(applicationId: string, priority: number): number;
  /** The highest that an application can have. */
  highest(): number;
}

/** Priorities of a policy that knows none: all applications have 0. `refusal`: why none may be changed; without it a change does nothing. */
export const noPriorities = (refusal?: string): ApplicationPriorities => ({
  check: () => ({ priority: 0 }),
  checkChange: () => (refusal === undefined ? { priority: 0 } : { refused: refusal }),
  set: () => 0,
  highest: () => 0,
});

/** Partitions of nodes by label. */
export interface LabelledNodes {
  /** Labels the cluster knows and whether each is exclusive; the default partition is not listed. */
  setPartitions(partitions: ReadonlyMap<string, { exclusive: boolean }>): void;
  /** Path of the first queue that names the label among those it may use, or undefined. */
  queueUsing(label: string): string | undefined;
}

/** A reservable queue: its size and how its plan is kept (`yarn.scheduler.capacity.<queue>.reservation-*`). */
export interface PlanQueueView {
  readonly name: string;
  readonly path: string;
  readonly total: Resource;
  /** Which of two amounts is more of the plan, as the scheduler compares them: negative, 0 or positive. */
  compare(a: Resource, b: Resource): number;
  readonly rules?: {
    /** Most that one user's reservations hold at a moment and over the window, as parts of the plan; undefined: only the plan's size counts. */
    readonly quota: { readonly instantaneous: number; readonly average: number; readonly windowMs: number } | undefined;
    /** GreedyReservationAgent instead of the aligned one. */
    readonly greedy: boolean;
    /** `acl_submit_reservations`, `acl_list_reservations`, `acl_administer_reservations`; all users without. */
    readonly access: Readonly<Record<'SUBMIT_RESERVATIONS' | 'LIST_RESERVATIONS' | 'ADMINISTER_RESERVATIONS', string>>;
  };
}

/** A reservation that runs: the name of its queue, what it holds now, whether its containers must start together. */
export interface RunningReservation {
  readonly name: string;
  readonly resource: Resource;
  readonly gang: boolean;
}

/** What following a plan came to. */
export interface FollowedPlan {
  /** Shares, children or applications changed. */
  readonly changed: boolean;
  /** Applications of reservations that are over and may not move on. */
  readonly mustEnd: readonly string[];
}

/** Queues that hold plans of reservations. */
export interface ReservableQueues {
  /** Reservable queues with what each is guaranteed of the cluster. */
  list(): readonly PlanQueueView[];
  /**
   * Gives a reservable queue one child for each reservation that runs now, and its default child the rest. Children of reservations that are
   * over give their applications to the default child, or name those that must end, and go once they are empty.
   */
  follow(path: string, running: readonly RunningReservation[]): FollowedPlan;
}

/** Queues that are changed key by key while they run (`/scheduler-conf`). */
export interface QueueEditing {
  /** Replaces queues and limits. @throws ConfigurationRefused and changes nothing when the new ones are bad */
  replace(properties: ReadonlyMap<string, string>): void;
  /** Throws what `replace` would throw. */
  check(properties: ReadonlyMap<string, string>): void;
}

/** Queues that come from one file as a whole (`fair-scheduler.xml`). */
export interface AllocationFile {
  /** What the text sets, by readable keys: `root.a.weight`. @throws ConfigurationRefused */
  keys(text: string | undefined): ReadonlyMap<string, string>;
  /** The text that counts now; undefined: there is no file. */
  text(): string | undefined;
  /** Replaces the queues by those of the text. @throws ConfigurationRefused and changes nothing when they are bad */
  replace(text: string): void;
}

/** What lies in the queue files. */
export interface QueueFileContents {
  /** Keys of capacity-scheduler.xml with what overrides them. */
  readonly properties: ReadonlyMap<string, string>;
  /** Text of fair-scheduler.xml. */
  readonly allocations?: string | undefined;
}
