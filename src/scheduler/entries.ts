// What the cluster enters into the scheduler: submissions, applications, attempts, requests, nodes. Plain data.
import type { PlacementConstraint } from '../model/placement-constraint.ts';
import type { Resource } from '../model/resource.ts';

/** What is known of an application when its queue is chosen. */
export interface Submission {
  applicationId: string;
  user: string;
  /** As asked; undefined or `default` lets the mapping rules choose. */
  queue: string | undefined;
  name: string;
  tags: readonly string[];
}

/** `queue` is the name to keep (it may still be refused when the application is added), `mapped` goes into NewApplication; `rejected` is the sentence of the 400. */
export type Placement = { queue: string; mapped?: boolean } | { rejected: string };

/** An application that the policy takes in; `submitTimeMs`: ms since the epoch. */
export interface NewApplication {
  applicationId: string;
  user: string;
  queue: string;
  /** -1 when the submitter named none. */
  priority: number;
  submitTimeMs: number;
  unmanaged: boolean;
  labelExpression: string | undefined;
  /** The submission's tags; other applications' constraints may name them. */
  tags?: readonly string[];
  /** Placed there by a mapping rule, not named by the submitter: automatic queues need it. */
  mapped?: boolean;
  /** The reservation it is to run in; its queue is then the reservable one. */
  reservationId?: string | undefined;
  /** Being brought back after a restart: limits and queue states do not refuse it. */
  recovering?: boolean;
}

/** `queue` as clients see it, `priority` after the cluster's cap, lifetimes in seconds (-1 none). `rejected` becomes the diagnostics of a FAILED application in `queue`. */
export type Admission =
  | { accepted: true; queue: string; priority: number; defaultLifetimeSeconds: number; maximumLifetimeSeconds: number }
  | { accepted: false; rejected: string; queue: string };

/** What the resource manager itself requests room for beside masters: a container that grows, or one that becomes guaranteed. */
export interface InternalPurpose {
  readonly kind: 'growth' | 'promotion';
  readonly containerId: string;
}

/** Names a request within its attempt: the id that its master chose, or the purpose of one of the resource manager's own. */
export type RequestName = string | InternalPurpose;

/** One request of a master (or the RM's own for a master container). The same name again replaces count and resource. */
export interface ResourceRequest {
  /** Chosen by the master; empty for a request with a purpose. */
  requestId: string;
  /** Set for a request that no master made; it is named by this, whatever ids masters use. */
  purpose?: InternalPurpose;
  priority: number;
  resource: Resource;
  /** The size is taken as it is: the difference by which a container grows. */
  exact?: boolean;
  count: number;
  /** Node hosts (or ids) and racks preferred; both empty means anywhere. */
  nodes?: readonly string[];
  racks?: readonly string[];
  /** Default true: elsewhere when the preferred places are full. */
  relaxLocality?: boolean;
  /**
   * How many containers at most are placed by the name of a place; a name that is missing has no bound. One that is used up is preferred no
   * longer, and a request without relaxed locality that has used up all its places is over.
   */
  placeCounts?: ReadonlyMap<string, number>;
  labelExpression?: string;
  allocationRequestId?: number;
  /** Tags of its containers, counted where they stand. */
  allocationTags?: readonly string[];
  placementConstraint?: PlacementConstraint;
}

/** An attempt that begins, or goes on after a restart. */
export interface NewAttempt {
  applicationId: string;
  attemptId: string;
  /** Absent for an unmanaged master, and for one that goes on after a restart. Priority 0, count 1. */
  masterRequest?: ResourceRequest;
  /** Containers of the attempt before are this one's now. */
  keepContainersOf?: string;
}

/** A node as the cluster enters it. */
export interface NodeView {
  nodeId: string;
  host: string;
  rack: string;
  resource: Resource;
  /** '' is the default partition. */
  label: string;
  /** By `prefix/name`. */
  attributes?: ReadonlyMap<string, string>;
}

/** What may change of a node; members left out stay. */
export interface NodeChange {
  resource?: Resource;
  /** What is too much for the new size is taken right after this: limits follow the size before that, as they do in Hadoop. */
  isOvercommitted?: boolean;
  label?: string;
  schedulable?: boolean;
  attributes?: ReadonlyMap<string, string>;
}
