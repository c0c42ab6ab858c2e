// Why work is parked, and which changes end each wait: the one table that `Parked` goes by.

/** What can end the wait of parked work. */
export type Change =
  /** An application requests more, less or elsewhere in a partition, excludes other places, has another priority. */
  | 'requestChanged'
  /** An open node of a partition has more room, or may be reserved. */
  | 'roomGrew'
  /** A queue uses less in a partition, its reservations counted in. */
  | 'usageDropped'
  /** A queue uses more, by other ways than a placement of the cycle. */
  | 'usageGrew'
  /** What is left to a queue no longer holds the largest request that is parked below it. */
  | 'headroomShrank'
  /** Something below the queue takes part again. */
  | 'childReturned'
  /** A sibling whose turn comes before the queue's takes part again: what is left is shared anew. */
  | 'earlierSiblingReturned'
  /** What users of a leaf may hold, or what they hold, is another amount. */
  | 'userLimitMoved'
  /** The next locality delay is over. */
  | 'delayEnded'
  /** A container with an allocation tag came or went. */
  | 'tagsChanged'
  /** Nodes, labels or settings changed: totals, guarantees and limits were worked out anew. */
  | 'sizesChanged'
  /** An application was added to the leaf. */
  | 'applicationBegan'
  /** An application of the leaf, of its user, of the cluster ended or moved away. */
  | 'applicationEnded';

/**
 * Which changes end which wait; every other change leaves the parked work where it is. The subject of each reason:
 *
 * - an application that may not run yet: `parallelLimit`, `masterLimit`;
 * - an application, in one partition: `userLimit`, `noRoom`, `reservationLimit`, `locality`, `constraint` (several at a time);
 * - a user of a leaf, in one partition, with all its applications: `userLimit`;
 * - a queue among its siblings, in one partition: `queueLimit`, `ancestorLimit`, `headroomKept`;
 * - a whole partition: `noNodeFits`, `nothingLeft`, `allParked`.
 */
export const endedBy = {
  /** max-parallel-apps of a queue or user. */
  parallelLimit: ['applicationEnded', 'sizesChanged'],
  /** The share for masters of the queue or the user. */
  masterLimit: ['applicationBegan', 'applicationEnded', 'sizesChanged'],
  /** The user holds more than its limit. */
  userLimit: ['userLimitMoved'],
  /** No node has room, and none may be reserved. */
  noRoom: ['requestChanged', 'roomGrew', 'headroomShrank', 'sizesChanged'],
  /** Beside one of the reasons around it: what is left to the queue keeps it from reserving one more node. */
  reservationLimit: ['usageDropped'],
  /** Beside them: the limit of its user keeps it from reserving one more node. */
  userReservationLimit: ['userLimitMoved'],
  /** Nodes with room are not those that the request waits for, for a while. */
  locality: ['requestChanged', 'roomGrew', 'headroomShrank', 'delayEnded', 'sizesChanged'],
  /** No node with room satisfies the placement constraint. */
  constraint: ['requestChanged', 'roomGrew', 'headroomShrank', 'tagsChanged', 'sizesChanged'],
  /** The queue's own maximum is used up. */
  queueLimit: ['usageDropped', 'childReturned', 'sizesChanged'],
  /** What the queues above leave to the queue is used up. */
  ancestorLimit: ['usageDropped', 'childReturned', 'earlierSiblingReturned', 'sizesChanged'],
  /** What is left does not hold the first request of the queue and is kept for it. */
  headroomKept: [
    'requestChanged',
    'usageDropped',
    'usageGrew',
    'headroomShrank',
    'userLimitMoved',
    'childReturned',
    'earlierSiblingReturned',
    'sizesChanged',
  ],
  /** No node has room for any size that is requested in the partition, and none may be reserved for one. */
  noNodeFits: ['requestChanged', 'roomGrew', 'sizesChanged'],
  /** What is left of the partition holds no size that is requested in it. */
  nothingLeft: ['usageDropped', 'childReturned', 'sizesChanged'],
  /** Everything below the root is parked. */
  allParked: ['usageDropped', 'childReturned'],
} as const satisfies Readonly<Record<string, readonly Change[]>>;

export type ParkedReason = keyof typeof endedBy;
/** A table of the same shape; the mutation run takes single changes out of it. */
export type EndedBy = Readonly<Record<string, readonly string[]>>;

export const reasons = Object.keys(endedBy) as ParkedReason[];

/** One bit for each reason, so that an application can be parked for several. */
export const bitOf = Object.fromEntries(reasons.map((reason, i) => [reason, 1 << i])) as Readonly<Record<ParkedReason, number>>;

/** Reasons of applications that were visited and found no node: their sizes are kept in the bounds of the queues above. */
export const nodeBits = bitOf.noRoom | bitOf.reservationLimit | bitOf.userReservationLimit | bitOf.locality | bitOf.constraint;
/** Reasons that a larger limit of the user may end. */
export const limitBits = bitOf.userLimit | bitOf.userReservationLimit;
