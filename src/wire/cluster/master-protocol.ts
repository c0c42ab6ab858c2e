// The master protocol: JSON between an application master and the resource manager, `/api/v1/attempts/{attemptId}/…`.
import { anything, fields, type JsonOf, many, number, optional, text, truth, whole, word } from '../../lib/json-shape.ts';
import { applicationAcls, containerReportMembers, executionType, nodeResource } from './container-messages.ts';
import { launchShape } from './launch-context.ts';

const name = text({ maxLength: 4096 });
const resource = fields({ memoryMiB: number({ minimum: 0 }), vcores: number({ minimum: 0 }) });

const tag = text({ minLength: 1, maxLength: 256 });
/** The constraint language as a text, or an object of the same meaning (`readConstraint` in `model/placement-constraint.ts`). */
const constraint = anything();

/** POST …/register */
export const registerRequest = fields({
  host: optional(name),
  rpcPort: optional(whole({ minimum: -1, maximum: 65535 })),
  trackingUrl: optional(text({ maxLength: 8192 })),
  /** Constraints for every request whose containers have the tag. */
  placementConstraints: optional(many(fields({ sourceTags: many(tag, { maxItems: 100 }), constraint }), { maxItems: 1000 })),
  /** Containers that the last answer it got said to be over: they are not told again, also where no call named that answer. */
  heardEnds: optional(many(name)),
  /**
   * A name of this registration, which no other one of the attempt has: the same again is answered again and changes nothing, and a copy
   * that comes after a later one is refused. The answer says by which number the calls begin; without a name that is 0 each time.
   */
  registrationId: optional(text({ minLength: 1, maxLength: 64 })),
});
export type RegisterRequest = JsonOf<typeof registerRequest>;

/** What a master is told of a container that is its own. */
const grantMembers = {
  containerId: name,
  /** The request that it was given for; empty where neither resource manager nor node knows it any more. */
  askId: name,
  nodeId: name,
  nodeHttpAddress: name,
  resource: nodeResource,
  priority: number(),
  containerToken: text(),
};

/**
 * A container of an earlier attempt that is kept, or of this one, of whose end the master has not heard: it runs, or was about to, or is
 * over (then its token is empty, and the first answer to allocate says so). What is listed is not asked for again.
 */
const runningContainer = fields(grantMembers);
export type RunningContainer = JsonOf<typeof runningContainer>;

/** The answer to register. */
export const registerResponse = fields({
  maximumResource: nodeResource,
  minimumResource: nodeResource,
  queue: name,
  applicationAcls,
  runningContainers: many(runningContainer),
  clusterTimestamp: number(),
  /** What the application's masters had kept so far, the earliest first. */
  notes: many(text()),
  /** The `responseId` of the first call to allocate; absent in answers of earlier versions: 0. */
  responseId: optional(whole({ minimum: 0 })),
  /** How many instances its user wants now, where that was changed: for the master of a run. */
  instances: optional(whole({ minimum: 1 })),
  /** The key by which the web proxy signs whom it names to the application's masters; secret. Absent in answers of earlier versions. */
  proxyKey: optional(text()),
});
export type RegisterResponse = JsonOf<typeof registerResponse>;

/** Longest note, characters, and the most that is kept of one application. */
export const longestNote = 65_536;
export const mostNotesCharacters = 16 * 1024 * 1024;

/** One request for containers. The same askId again replaces count and resource. */
const ask = fields({
  askId: text({ minLength: 1, maxLength: 256 }),
  priority: optional(whole({ minimum: 0 })),
  resource,
  count: whole({ minimum: 0, maximum: 100_000 }),
  nodes: optional(many(name)),
  racks: optional(many(name)),
  relaxLocality: optional(truth()),
  labelExpression: optional(name),
  /** OPPORTUNISTIC: given at once outside of queues, started when the node has room, ended when a guaranteed one needs it. */
  executionType: optional(executionType),
  /** Tags of its containers; other asks' constraints count them. */
  allocationTags: optional(many(tag, { maxItems: 100 })),
  placementConstraint: optional(constraint),
  launch: optional(launchShape),
});

const update = fields({
  containerId: name,
  updateType: word('PROMOTE_EXECUTION_TYPE', 'DEMOTE_EXECUTION_TYPE', 'INCREASE_RESOURCE', 'DECREASE_RESOURCE'),
  /** For the last two. */
  resource: optional(resource),
});

const blacklisted = text({ minLength: 1, maxLength: 4096 });

/** POST …/allocate?wait=MS */
export const allocateRequest = fields({
  responseId: whole({ minimum: 0 }),
  progress: optional(number()),
  asks: optional(many(ask, { maxItems: 20_000 })),
  cancels: optional(many(name, { maxItems: 100_000 })),
  releases: optional(many(name, { maxItems: 20_000 })),
  /**
   * Changes of containers: an opportunistic one becomes guaranteed, or the reverse; one gets another size (a larger one when there is
   * room).
   */
  updates: optional(many(update, { maxItems: 10_000 })),
  /**
   * Places on which the master gets nothing more (YARN's ResourceBlacklistRequest): names of hosts, ids of nodes (`host:port`), racks
   * (`/rack`). Additions are taken before removals; together at most 10,000 names stay, which a restart of the resource manager keeps.
   */
  blacklistAdditions: optional(many(blacklisted, { maxItems: 10_000 })),
  blacklistRemovals: optional(many(blacklisted, { maxItems: 10_000 })),
  /** Kept, once this is answered, for the attempts that may follow: what a master must not forget when it dies. */
  notes: optional(many(text({ maxLength: longestNote }), { maxItems: 20_000 })),
});
export type AllocateRequest = JsonOf<typeof allocateRequest>;

/** A container that is over. */
const completedContainer = fields({ ...containerReportMembers, state: word('COMPLETE'), nodeId: name, nodeHttpAddress: name });
export type CompletedContainer = JsonOf<typeof completedContainer>;

/** A container that the master has from now on. */
const allocation = fields({ ...grantMembers, executionType });
export type Allocation = JsonOf<typeof allocation>;

/** The answer to allocate. */
export const allocateResponse = fields({
  responseId: whole({ minimum: 0 }),
  allocations: many(allocation),
  completed: many(completedContainer),
  /** Containers whose change was carried out. */
  updated: optional(many(fields({ containerId: name, executionType, resource: nodeResource, containerToken: text() }))),
  /** Changes that can never be carried out, with Hadoop's word for the reason. */
  updateErrors: optional(many(fields({ containerId: name, reason: text(), updateType: optional(text()) }))),
  /** Asks that could not be placed and are withdrawn (RejectedSchedulingRequest). */
  rejected: optional(many(fields({ askId: name, count: whole(), reason: word('COULD_NOT_PLACE_ON_NODE') }))),
  /** How many instances its user wants from now on: for the master of a run. */
  instances: optional(whole({ minimum: 1 })),
  /** `resync`: register again and repeat every open request. `shutdown`: the attempt is over. */
  command: optional(word('resync', 'shutdown')),
  headroom: nodeResource,
  /** How many nodes the cluster has. */
  clusterNodes: optional(whole({ minimum: 0 })),
  /** On how many hosts they are. */
  clusterHosts: optional(whole({ minimum: 0 })),
});
export type AllocateResponse = JsonOf<typeof allocateResponse>;

/** POST …/finish */
export const finishRequest = fields({
  finalStatus: word('SUCCEEDED', 'FAILED', 'KILLED', 'ENDED', 'UNDEFINED'),
  diagnostics: optional(text({ maxLength: 1_048_576 })),
  trackingUrl: optional(text({ maxLength: 8192 })),
});
export type FinishRequest = JsonOf<typeof finishRequest>;

/** The answer to finish. */
export const finishResponse = fields({ unregistered: truth() });
export type FinishResponse = JsonOf<typeof finishResponse>;
