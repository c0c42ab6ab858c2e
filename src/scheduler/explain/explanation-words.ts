// Explanations in words for people: what holds something back, and what would free it.

import { queueText } from '../../model/queue-text.ts';
import { coresText, type Resource, type ResourceTypes } from '../../model/resource.ts';
import type { NodeRefusal, WaitingReason, WaitingRule } from './explanation.ts';

/** `2048 MiB and 1 vcore`, further types by their names; types of which there is nothing are left out. */
export function amountText(amount: Resource | undefined, types: ResourceTypes): string {
  const parts = (amount ?? []).flatMap((value, i) => (value === 0 && i > 0 ? [] : [valueText(value, i, types)]));
  if (parts.length > 1 && amount?.[0] === 0) parts.shift();
  return joined(parts);
}

const joined = (parts: readonly string[]): string =>
  parts.length > 1 ? `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}` : (parts[0] ?? 'nothing');

/** `2048 MiB`, `1 vcore`, `3 yarn.io/gpu`. */
export function valueText(value: number, type: number, types: ResourceTypes): string {
  if (type === 0) return `${value} MiB`;
  if (type === 1) return coresText(value);
  const { name = '', units = '' } = types.types[type] ?? {};
  return `${value}${units} ${name}`;
}

/** The maximum of a queue as it is set, beside what counts of it where containers come in larger steps. */
function maximumText({ limit = [], unroundedLimit }: WaitingReason, types: ResourceTypes): string {
  if (!unroundedLimit) return amountText(limit, types);
  const rounded = limit.flatMap((value, i) => (value === unroundedLimit[i] ? [] : [valueText(value, i, types)]));
  return `${amountText(unroundedLimit, types)}, of which whole steps come to ${joined(rounded)}`;
}

interface Words {
  readonly sentence: string;
  readonly remedy: string;
}

type Writer = (h: WaitingReason, amount: (value: Resource | undefined) => string, types: ResourceTypes) => Words;

const nodesOf = ({ partition }: WaitingReason): string => (partition ? `node with the label ${partition}` : 'node');

/** Nothing is held that could end. */
const isFree = ({ used = [] }: WaitingReason): boolean => used.every((value) => value <= 0);

/** No end of containers helps: none are held, or the limit is below what is asked for. Memory counts with every calculator. */
const isHeldByNobody = (reason: WaitingReason): boolean =>
  isFree(reason) || (reason.asked?.[0] ?? 0) > (reason.limit?.[0] ?? Number.POSITIVE_INFINITY);

const writers: Record<WaitingRule, Writer> = {
  QUEUE_MASTER_LIMIT: (h, amount) => ({
    sentence: `masters in queue ${h.queue} hold ${amount(h.used)}; with this one's ${amount(h.asked)} they would be above their limit of ${amount(h.limit)}.`,
    remedy: `It goes on when another application of ${h.queue} ends, or with a larger share for masters (maximum-am-resource-percent, maxAMShare).`,
  }),
  USER_MASTER_LIMIT: (h, amount) => ({
    sentence: `masters of user ${h.user} in queue ${h.queue} hold ${amount(h.used)}; with this one's ${amount(h.asked)} they would be above the user's limit of ${amount(h.limit)}.`,
    remedy: `It goes on when another application of ${h.user} ends, or with a larger user-limit-factor or minimum-user-limit-percent of ${h.queue}.`,
  }),
  QUEUE_PARALLEL_LIMIT: (h) => ({
    sentence: `${h.running} ${h.running === 1 ? 'application runs' : 'applications run'} in queue ${h.queue}, which runs ${h.maximum} at once.`,
    remedy: `It goes on when one of them ends, or with a larger max-parallel-apps (maxRunningApps) of ${h.queue}.`,
  }),
  USER_PARALLEL_LIMIT: (h) => ({
    sentence: `${h.running} applications of user ${h.user} run, who may run ${h.maximum} at once.`,
    remedy: `It goes on when one of them ends, or with a larger max-parallel-apps (maxRunningApps) of ${h.user}.`,
  }),
  QUEUE_MAXIMUM: (h, amount, types) => ({
    sentence: `queue ${h.queue} holds ${amount(h.used)}; with ${amount(h.asked)} more it would be above its maximum of ${maximumText(h, types)}.`,
    remedy: isHeldByNobody(h)
      ? `It goes on with a larger maximum of ${h.queue}, or where it asks for less.`
      : `It goes on when containers of ${h.queue} end, or with a larger maximum of the queue.`,
  }),
  ANCESTOR_MAXIMUM: (h, amount, types) => ({
    sentence: `queue ${h.queue}, above its own, holds ${amount(h.used)}; with ${amount(h.asked)} more it would be above its maximum of ${maximumText(h, types)}.`,
    remedy: isHeldByNobody(h)
      ? `It goes on with a larger maximum of ${h.queue}, or where it asks for less.`
      : `It goes on when containers below ${h.queue} end, or with a larger maximum of that queue.`,
  }),
  USER_LIMIT: (h, amount) => ({
    sentence: `user ${h.user} holds ${amount(h.used)} in queue ${h.queue}, above the user's limit of ${amount(h.limit)}.`,
    remedy: `It goes on when containers of ${h.user} end, or with a larger user-limit-factor or minimum-user-limit-percent of ${h.queue}.`,
  }),
  ROOM_KEPT_FOR_QUEUE: (h, amount) => ({
    sentence: `of what is left below queue ${h.queue}, ${amount(h.used)} are kept for ${h.other ?? 'another queue'}, whose turn comes first.`,
    remedy: 'It goes on when that queue is served or asks no longer.',
  }),
  BEHIND_APPLICATION: (h) => ({
    sentence: `${h.other}, which comes first in queue ${h.queue}, waits for room in the queue.`,
    remedy: `It goes on after that application; "heddle app explain ${h.other}" says what that one waits for.`,
  }),
  BEHIND_REQUEST: (h) => ({
    sentence: `an earlier request of the application (${h.other}) must be served first.`,
    remedy: 'It goes on when that request is served or withdrawn.',
  }),
  LABEL_NOT_ACCESSIBLE: (h) => ({
    sentence: `queue ${h.queue} may not use nodes with the label ${h.partition}.`,
    remedy: `Name ${h.partition} in accessible-node-labels of the queue and give it a capacity there, or submit to another queue.`,
  }),
  NO_SHARE_OF_LABEL: (h) => ({
    sentence: `queue ${h.queue} has no share of the nodes with the label ${h.partition}.`,
    remedy: `Set accessible-node-labels.${h.partition}.capacity of the queue, or submit to another queue.`,
  }),
  NO_NODE_WITH_LABEL: (h) => ({
    sentence: `no node of the cluster has the label ${h.partition}.`,
    remedy: `It goes on when a node gets the label ${h.partition}.`,
  }),
  NO_NODE_WITHOUT_LABEL: (h) => ({
    sentence: `every node of the cluster has a label (${h.other}), and it asks for nodes without one.`,
    remedy: 'Ask for a label that the queue may use; or it goes on when a node without a label joins.',
  }),
  NO_NODES: () => ({
    sentence: 'the cluster has no nodes in service.',
    remedy: 'It goes on when a node joins, or is put back into service.',
  }),
  NO_NODE_LARGE_ENOUGH: (h, amount) => ({
    sentence: `no ${nodesOf(h)} is large enough for ${amount(h.asked)}; the largest have ${amount(h.limit)}.`,
    remedy: 'It needs a larger node, or must ask for less.',
  }),
  OWN_MASTER_IN_THE_WAY: (h, amount) => ({
    sentence: `its own master holds ${amount(h.used)} on ${h.nodeId}, which leaves ${amount(h.limit)} there at most, and no other ${nodesOf(h)} is large enough for ${amount(h.asked)}.`,
    remedy: 'It needs another node, or must ask for less: nothing else that ends makes room enough.',
  }),
  NODES_FULL: (h, amount) => ({
    sentence: `no ${nodesOf(h)} has ${amount(h.asked)} free; closest is ${h.nodeId}, where ${amount(h.missing)} would have to be freed.`,
    remedy: 'It goes on when containers end there, or a node joins.',
  }),
  NODES_RESERVED: (h, amount) => ({
    sentence: `every ${nodesOf(h)} that could hold ${amount(h.asked)} is kept for another request.`,
    remedy: 'It goes on when those requests are served.',
  }),
  NODES_UNSCHEDULABLE: (h, amount) => ({
    sentence: `every ${nodesOf(h)} that could hold ${amount(h.asked)} takes no new containers (unhealthy or being decommissioned).`,
    remedy: 'It goes on when one of them is in service again, or a node joins.',
  }),
  NODES_BLACKLISTED: (h, amount) => ({
    sentence: `the application excludes every ${nodesOf(h)} that could hold ${amount(h.asked)}.`,
    remedy: 'It goes on when its master excludes less, or a node joins.',
  }),
  NODES_CONSTRAINED: (h, amount) => ({
    sentence: `its placement constraint allows no ${nodesOf(h)} that could hold ${amount(h.asked)}.`,
    remedy: 'It goes on when containers or attributes of nodes change so that one satisfies the constraint.',
  }),
  PREFERRED_PLACES: (h, amount) => ({
    sentence: `it wants ${amount(h.asked)} on ${h.other} only, where there is no room.`,
    remedy: 'It goes on when there is room there, or when it relaxes locality.',
  }),
  LOCALITY_WAIT: (h, amount) => ({
    sentence: `it wants ${amount(h.asked)} on ${h.other} and waits a little for room there before it goes elsewhere.`,
    remedy: 'It goes on by itself when the locality delay is over (node-locality-delay, rack-locality-additional-delay).',
  }),
  OPPORTUNISTIC_QUEUES_FULL: (h, amount) => ({
    sentence: `every node that could hold ${amount(h.asked)} has as many opportunistic containers waiting as it lets wait.`,
    remedy: 'It goes on when containers begin or end on one of them.',
  }),
  RESERVED: (h, amount) => ({
    sentence: `node ${h.nodeId} is kept for it; ${amount(h.missing)} must still be freed there for its ${amount(h.asked)}.`,
    remedy: 'It goes on when containers end on that node.',
  }),
  NOT_YET_LOOKED_AT: () => ({
    sentence: 'nothing holds it back: the scheduler has not come to it yet.',
    remedy: 'It goes on by itself.',
  }),
};

/** What holds something back (a clause that goes on after "because"), and what would free it. */
export function wordsOf(waitingReason: WaitingReason, types: ResourceTypes): Words {
  const { queue, other } = waitingReason;
  const shown = { ...waitingReason, ...(queue && { queue: queueText(queue) }), ...(other && { other: queueText(other) }) };
  return writers[waitingReason.rule](shown, (value) => amountText(value, types), types);
}

/** What a group of nodes says. */
export const refusalWords: Record<NodeRefusal, string> = {
  OTHER_PARTITION: 'has another label',
  FULL: 'too little free',
  TOO_SMALL: 'too small even when empty',
  RESERVED: 'kept for another request',
  UNSCHEDULABLE: 'takes no new containers',
  BLACKLISTED: 'excluded by the application',
  ELSEWHERE: 'not among the places it wants',
  CONSTRAINED: 'not allowed by its placement constraint',
  QUEUE_FULL: 'as many opportunistic containers wait there as may',
  FITS: 'has room',
};
