// A node as data. Only the cluster changes it.
import { parseNodeId } from '../../model/ids.ts';
import { type Resource, type ResourceTypes, zeros } from '../../model/resource.ts';
import type { NodeState } from './node-states.ts';

/** Memory and CPU in use. */
export interface UsageFigures {
  readonly physicalMemoryMiB: number;
  readonly virtualMemoryMiB: number;
  /** Cores in use; 1.5 is one and a half cores. */
  readonly cpuCores: number;
}

export const noUsage: UsageFigures = { physicalMemoryMiB: 0, virtualMemoryMiB: 0, cpuCores: 0 };

/** Opportunistic containers of a node. */
export interface OpportunisticFigures {
  readonly running: number;
  /** What the running ones were given. */
  readonly memoryMiB: number;
  readonly vcores: number;
  /** Waiting for room; `waiting` counts guaranteed ones too, for which others are being ended. */
  readonly queued: number;
  readonly waiting: number;
}

export const noOpportunistic: OpportunisticFigures = { running: 0, memoryMiB: 0, vcores: 0, queued: 0, waiting: 0 };

/** An attribute of a node (NodeAttribute): `prefix` says whether the node (`nm.yarn.io`) or an administrator (`rm.yarn.io`) gave it. */
export interface NodeAttribute {
  readonly prefix: string;
  readonly name: string;
  readonly type: string;
  readonly value: string;
}

/** Attributes as the scheduler knows them: values by `prefix/name`. */
export const attributeMap = (attributes: readonly NodeAttribute[]): ReadonlyMap<string, string> =>
  new Map(attributes.map(({ prefix, name, value }) => [`${prefix}/${name}`, value]));

/** A node as the cluster keeps it, also after it left. Times are ms since the epoch. */
export interface Node {
  /** `host:port`. */
  readonly id: string;
  readonly host: string;
  readonly port: number;
  /** `host:port` of its web interface. */
  httpAddress: string;
  rack: string;
  version: string;
  state: NodeState;
  /** Whether its connection is up: what is sent arrives at once. Without it the node gets nothing new; what is on it waits for its expiry. */
  connected: boolean;
  /** The session of its channel in which it registered; later ones have greater numbers. */
  session: number;
  /** The name of what it remembers; undefined where it does not say. */
  memory: string | undefined;
  /** What it offers; changed by an update of its resource. */
  resource: Resource;
  /** How long the cluster waits before it takes containers of a shrunk node, ms; 0: not at all, -1: it takes none. */
  overcommitTimeoutMs: number;
  healthReport: string;
  lastHealthUpdateMs: number;
  /** When it was last heard, by `Clock.steadyMs`. */
  lastSeenMs: number;
  physicalMemoryMiB: number;
  physicalCores: number;
  usage: { readonly node: UsageFigures; readonly containers: UsageFigures };
  /** What it says of itself. */
  attributes: readonly NodeAttribute[];
  /** Opportunistic containers that may wait on it. */
  opportunisticQueueLength: number;
  /** As its last report of use said. */
  opportunistic: OpportunisticFigures;
  /** Labels the node itself reports (distributed configuration). */
  reportedLabels: readonly string[];
  /** Ids of the live containers on it. */
  readonly containers: Set<string>;
  /** Ids of the applications with something on it. */
  readonly applications: Set<string>;
}

/** A node of which nothing is known but its id. @throws InvalidId */
export function newNode(id: string, types: ResourceTypes): Node {
  const { host, port } = parseNodeId(id);
  return {
    id,
    host,
    port,
    httpAddress: '',
    rack: '/default-rack',
    version: '',
    state: 'NEW',
    connected: true,
    session: 0,
    memory: undefined,
    resource: zeros(types.count),
    overcommitTimeoutMs: -1,
    healthReport: '',
    lastHealthUpdateMs: 0,
    lastSeenMs: 0,
    physicalMemoryMiB: 0,
    physicalCores: 0,
    usage: { node: noUsage, containers: noUsage },
    attributes: [],
    opportunisticQueueLength: 0,
    opportunistic: noOpportunistic,
    reportedLabels: [],
    containers: new Set(),
    applications: new Set(),
  };
}
