// Why applications and requests wait, as data: the rule that holds them back with its numbers, and what each node says. It is worked out
// from the state of the moment when a client asks, so a cycle pays nothing for it. Explanations, activities and
// Hadoop's diagnostics come from the same checks and refusals (`capacity/limits/`, `fair/limits.ts`, `placement/node.ts`).

import type { Resource } from '../../model/resource.ts';

/** What can hold something back. Each is true of the state when it is named. */
export type WaitingRule =
  /** Masters of the queue, of the user in it, hold their part already. */
  | 'QUEUE_MASTER_LIMIT'
  | 'USER_MASTER_LIMIT'
  /** So many applications of the queue (or one above), of the user, run already. */
  | 'QUEUE_PARALLEL_LIMIT'
  | 'USER_PARALLEL_LIMIT'
  /** The queue, one above it, the user in it, would hold more than it may. */
  | 'QUEUE_MAXIMUM'
  | 'ANCESTOR_MAXIMUM'
  | 'USER_LIMIT'
  /** What is left below a parent is kept for another of its queues, whose turn comes first. */
  | 'ROOM_KEPT_FOR_QUEUE'
  /** Served after another application of the queue, after another request of the application. */
  | 'BEHIND_APPLICATION'
  | 'BEHIND_REQUEST'
  /** The queue may not use the label's nodes; it may, but was given no share of them. */
  | 'LABEL_NOT_ACCESSIBLE'
  | 'NO_SHARE_OF_LABEL'
  | 'NO_NODE_WITH_LABEL'
  /** Every node has a label, and none is asked for. */
  | 'NO_NODE_WITHOUT_LABEL'
  | 'NO_NODES'
  | 'NO_NODE_LARGE_ENOUGH'
  /** Beside the application's own master not even an empty node has room for it. */
  | 'OWN_MASTER_IN_THE_WAY'
  | 'NODES_FULL'
  | 'NODES_RESERVED'
  | 'NODES_UNSCHEDULABLE'
  | 'NODES_BLACKLISTED'
  /** Its placement constraint allows none of the nodes that could hold it. */
  | 'NODES_CONSTRAINED'
  /** Only named places are wanted, and they have no room; others have. */
  | 'PREFERRED_PLACES'
  /** It waits a little for the places it prefers, before it goes elsewhere. */
  | 'LOCALITY_WAIT'
  /** An opportunistic request: every node that could hold it has as many containers waiting as it lets wait. */
  | 'OPPORTUNISTIC_QUEUES_FULL'
  /** A node is kept for it until enough is freed there. */
  | 'RESERVED'
  /** Nothing holds it back: its turn is about to come. */
  | 'NOT_YET_LOOKED_AT';

/** A rule with its numbers. Members that say nothing about the rule are absent. */
export interface WaitingReason {
  readonly rule: WaitingRule;
  readonly queue?: string;
  readonly user?: string;
  /** Label of the nodes it is about; '' is the default partition. */
  readonly partition?: string;
  /** What is asked for. */
  readonly asked?: Resource;
  /** What is held already where the limit counts; what the application could give up for it is left out. */
  readonly used?: Resource;
  readonly limit?: Resource;
  /** The queue's maximum as it is, where `limit` is less of it: the whole steps in which containers are given out. */
  readonly unroundedLimit?: Resource;
  /** Limits of numbers of applications. */
  readonly running?: number;
  readonly maximum?: number;
  /** The application or request that comes first. */
  readonly other?: string;
  readonly nodeId?: string;
  /** What has to be freed on that node. */
  readonly missing?: Resource;
}

/** Why a node does not take a request (`FITS`: it would); `QUEUE_FULL` is said to opportunistic requests alone. */
export type NodeRefusal =
  | 'OTHER_PARTITION'
  | 'FULL'
  | 'TOO_SMALL'
  | 'RESERVED'
  | 'UNSCHEDULABLE'
  | 'BLACKLISTED'
  | 'ELSEWHERE'
  | 'CONSTRAINED'
  | 'QUEUE_FULL'
  | 'FITS';

/** Nodes that say the same; a few of them are named. */
export interface RefusingNodes {
  readonly why: NodeRefusal;
  readonly count: number;
  readonly nodeIds: readonly string[];
}

/** What the nodes of a partition say to a request. */
export interface NodesView {
  /** All of the partition. */
  readonly count: number;
  readonly groups: readonly RefusingNodes[];
  /** The node on which the least has to be freed. */
  readonly closest?: { readonly nodeId: string; readonly available: Resource; readonly total: Resource; readonly missing: Resource };
}

/** One request that waits. */
export interface RequestExplanation {
  /** The master's id, or `growth of CONTAINER`, `promotion of CONTAINER` for what the resource manager itself requests. */
  readonly requestId: string;
  readonly isMaster: boolean;
  readonly priority: number;
  readonly allocationRequestId: number;
  readonly resource: Resource;
  /** Containers still wanted. */
  readonly count: number;
  readonly partition: string;
  readonly sinceMs: number;
  /** The one that decides comes first; never empty. */
  readonly waitingReasons: readonly [WaitingReason, ...WaitingReason[]];
  readonly nodes: NodesView;
}

/** One application of a policy. */
export interface Explanation {
  readonly queue: string;
  /** Set where the queue takes no new applications. */
  readonly queueState?: 'STOPPED' | 'DRAINING';
  /** The whole application is held back: none of its requests is looked at. */
  readonly application?: WaitingReason;
  /** In the order in which they are served; at most `mostRequests`. */
  readonly requests: readonly RequestExplanation[];
  /** Requests beyond those. */
  readonly further: number;
}

/** So many requests of an application are explained. */
export const mostRequests = 50;
/** So many nodes of a group are named. */
export const mostNodesNamed = 5;
