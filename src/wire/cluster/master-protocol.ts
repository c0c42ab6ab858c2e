// The master protocol: JSON between an application master and the resource manager, `/api/v1/attempts/{attemptId}/…`.
import { anything, fields, type JsonOf, many, number, optional, text, truth, whole, word } from '../../lib/json-shape.ts';
import { launchShape } from './launch-context.ts';
import type { ContainerReport, ExecutionType, LaunchContext, NodeResource } from './node-channel.ts';

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
  /** Constraints for every ask whose containers have the tag. */
  placementConstraints: optional(many(fields({ sourceTags: many(tag, { maxItems: 100 }), constraint }), { maxItems: 1000 })),
});
export type RegisterRequest = JsonOf<typeof registerRequest>;

/** A container of an earlier attempt that is kept, or of this one before the resource manager restarted. */
export interface RunningContainer {
  readonly containerId: string;
  /** The ask that it was given for; empty where nobody remembers. */
  readonly askId: string;
  readonly nodeId: string;
  readonly nodeHttpAddress: string;
  readonly resource: NodeResource;
  readonly priority: number;
  readonly containerToken: string;
}

export interface RegisterResponse {
  readonly maximumResource: NodeResource;
  readonly minimumResource: NodeResource;
  readonly queue: string;
  readonly applicationAcls: Readonly<Partial<Record<'VIEW_APP' | 'MODIFY_APP', string>>>;
  readonly runningContainers: readonly RunningContainer[];
  readonly clusterTimestamp: number;
  /** What the application's masters had kept so far, the earliest first. */
  readonly notes: readonly string[];
}

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
  executionType: optional(word('GUARANTEED', 'OPPORTUNISTIC')),
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

/** POST …/allocate?wait=MS */
export const allocateRequest = fields({
  responseId: whole({ minimum: 0 }),
  progress: optional(number()),
  asks: optional(many(ask, { maxItems: 100_000 })),
  cancels: optional(many(name)),
  releases: optional(many(name)),
  /**
   * Changes of containers: an opportunistic one becomes guaranteed, or the reverse; one gets another size (a larger one when there is
   * room).
   */
  updates: optional(many(update, { maxItems: 10_000 })),
  /** Kept, once this is answered, for the attempts that may follow: what a master must not forget when it dies. */
  notes: optional(many(text({ maxLength: longestNote }))),
});
/** What `allocateRequest` describes; a launch context has all its parts once it was checked. */
export type AllocateRequest = Omit<JsonOf<typeof allocateRequest>, 'asks'> & {
  readonly asks?: readonly (Omit<JsonOf<typeof ask>, 'launch'> & { readonly launch?: LaunchContext })[];
};

/** A container that is over. */
export type CompletedContainer = ContainerReport & {
  readonly state: 'COMPLETE';
  readonly nodeId: string;
  readonly nodeHttpAddress: string;
};

export interface Allocation {
  readonly containerId: string;
  readonly askId: string;
  readonly nodeId: string;
  readonly nodeHttpAddress: string;
  readonly resource: NodeResource;
  readonly priority: number;
  readonly executionType: ExecutionType;
  readonly containerToken: string;
}

export interface AllocateResponse {
  readonly responseId: number;
  readonly allocations: readonly Allocation[];
  readonly completed: readonly CompletedContainer[];
  /** Containers whose change was carried out. */
  readonly updated?: readonly {
    readonly containerId: string;
    readonly executionType: ExecutionType;
    readonly resource: NodeResource;
    readonly containerToken: string;
  }[];
  /** Changes that can never be carried out, with Hadoop's word for the reason. */
  readonly updateErrors?: readonly { readonly containerId: string; readonly reason: string }[];
  /** Asks that could not be placed and are withdrawn (RejectedSchedulingRequest). */
  readonly rejected?: readonly { readonly askId: string; readonly count: number; readonly reason: 'COULD_NOT_PLACE_ON_NODE' }[];
  /** `resync`: register again and repeat every open ask. `shutdown`: the attempt is over. */
  readonly command?: 'resync' | 'shutdown' | undefined;
  readonly headroom: NodeResource;
}

/** POST …/finish */
export const finishRequest = fields({
  finalStatus: word('SUCCEEDED', 'FAILED', 'KILLED', 'ENDED', 'UNDEFINED'),
  diagnostics: optional(text({ maxLength: 1_048_576 })),
  trackingUrl: optional(text({ maxLength: 8192 })),
});
export type FinishRequest = JsonOf<typeof finishRequest>;
