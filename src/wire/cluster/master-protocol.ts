// The master protocol: JSON between an application master and the resource manager, `/api/v1/attempts/{attemptId}/…`.
import Type, { type Static } from 'typebox';
import type { ContainerReport, LaunchContext, NodeResource } from './node-channel.ts';

const name = Type.String({ maxLength: 4096 });
const resource = Type.Object({ memoryMiB: Type.Number({ minimum: 0 }), vcores: Type.Number({ minimum: 0 }) });

/** POST …/register */
export const registerRequest = Type.Object({
  host: Type.Optional(name),
  rpcPort: Type.Optional(Type.Integer({ minimum: -1, maximum: 65535 })),
  trackingUrl: Type.Optional(Type.String({ maxLength: 8192 })),
});
export type RegisterRequest = Static<typeof registerRequest>;

/** A container of an earlier attempt, or of this one before the resource manager restarted. */
export interface RunningContainer {
  readonly containerId: string;
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
}

const localResource = Type.Object({
  resource: name,
  type: Type.Optional(Type.Union([Type.Literal('FILE'), Type.Literal('ARCHIVE'), Type.Literal('PATTERN')])),
  visibility: Type.Optional(Type.Union([Type.Literal('PUBLIC'), Type.Literal('PRIVATE'), Type.Literal('APPLICATION')])),
  size: Type.Optional(Type.Number()),
  timestamp: Type.Optional(Type.Number()),
  pattern: Type.Optional(name),
});
const launch = Type.Object({
  commands: Type.Array(Type.String({ maxLength: 131_072 }), { maxItems: 64 }),
  environment: Type.Optional(Type.Record(Type.String(), Type.String())),
  localResources: Type.Optional(Type.Record(Type.String(), localResource)),
  serviceData: Type.Optional(Type.Record(Type.String(), Type.String())),
  tokens: Type.Optional(Type.String()),
  secretEnvironment: Type.Optional(Type.Record(Type.String(), Type.String())),
});

/** One request for containers. The same askId again replaces count and resource. */
const ask = Type.Object({
  askId: Type.String({ minLength: 1, maxLength: 256 }),
  priority: Type.Optional(Type.Integer({ minimum: 0 })),
  resource,
  count: Type.Integer({ minimum: 0, maximum: 100_000 }),
  nodes: Type.Optional(Type.Array(name)),
  racks: Type.Optional(Type.Array(name)),
  relaxLocality: Type.Optional(Type.Boolean()),
  labelExpression: Type.Optional(name),
  launch: Type.Optional(launch),
});

/** POST …/allocate?wait=MS */
export const allocateRequest = Type.Object({
  responseId: Type.Integer({ minimum: 0 }),
  progress: Type.Optional(Type.Number()),
  asks: Type.Optional(Type.Array(ask, { maxItems: 100_000 })),
  cancels: Type.Optional(Type.Array(name)),
  releases: Type.Optional(Type.Array(name)),
});
/** What `allocateRequest` describes; a launch context has all its parts once it was checked. */
export type AllocateRequest = Omit<Static<typeof allocateRequest>, 'asks'> & {
  readonly asks?: readonly (Omit<Static<typeof ask>, 'launch'> & { readonly launch?: LaunchContext })[];
};

/** A container that is over. */
export type CompletedContainer = ContainerReport & { readonly state: 'COMPLETE'; readonly nodeId: string };

export interface Allocation {
  readonly containerId: string;
  readonly askId: string;
  readonly nodeId: string;
  readonly nodeHttpAddress: string;
  readonly resource: NodeResource;
  readonly priority: number;
  readonly containerToken: string;
}

export interface AllocateResponse {
  readonly responseId: number;
  readonly allocations: readonly Allocation[];
  readonly completed: readonly CompletedContainer[];
  /** `resync`: register again and repeat every open ask. `shutdown`: the attempt is over. */
  readonly command?: 'resync' | 'shutdown' | undefined;
  readonly headroom: NodeResource;
}

/** POST …/finish */
export const finishRequest = Type.Object({
  finalStatus: Type.Union([
    Type.Literal('SUCCEEDED'),
    Type.Literal('FAILED'),
    Type.Literal('KILLED'),
    Type.Literal('ENDED'),
    Type.Literal('UNDEFINED'),
  ]),
  diagnostics: Type.Optional(Type.String({ maxLength: 1_048_576 })),
  trackingUrl: Type.Optional(Type.String({ maxLength: 8192 })),
});
export type FinishRequest = Static<typeof finishRequest>;
