// Messages of the node channel (`GET /api/v1/nodes/channel`): node manager ⇄ resource manager, JSON inside `lib/reliable-channel.ts` frames.
// Both sides check every member of what they read: the other may be of another version or broken. Members that a version does not know
// are ignored; what was added after the first version is optional.
import { fields, type JsonMembers, type JsonOf, many, number, optional, tagged, text, truth, whole, word } from '../../lib/json-shape.ts';
import { containerReport, containerStart, executionType, nodeResource } from './container-messages.ts';

const name = text({ maxLength: 4096 });
const sentence = text();

/** Memory and CPU in use now. */
const usageFigures = fields({
  physicalMemoryMiB: number(),
  virtualMemoryMiB: number(),
  /** Cores in use; 1.5 is one and a half cores. */
  cpuCores: number(),
});
export type UsageFigures = JsonOf<typeof usageFigures>;

/** How far the gathering of an application's logs is (LogAggregationStatus). */
const logAggregationStatus = word('DISABLED', 'NOT_START', 'RUNNING', 'RUNNING_WITH_FAILURE', 'SUCCEEDED', 'FAILED', 'TIME_OUT');
export type LogAggregationStatus = JsonOf<typeof logAggregationStatus>;

/** An attribute as its node tells it; its prefix is `nm.yarn.io`. */
const reportedAttribute = fields({ name, type: name, value: name });
export type ReportedAttribute = JsonOf<typeof reportedAttribute>;

/** What a node says of itself; absent: it says nothing, empty: it has none. */
const descriptorMembers = { labels: optional(many(name)), attributes: optional(many(reportedAttribute)) };
const nodeDescriptors = fields(descriptorMembers);
export type NodeDescriptors = JsonOf<typeof nodeDescriptors>;

/** Opportunistic containers of a node. */
const opportunisticFigures = fields({
  running: number(),
  /** What the running ones were given. */
  memoryMiB: number(),
  vcores: number(),
  /** Waiting for room; `waiting` counts guaranteed ones too, for which others are being ended. */
  queued: number(),
  waiting: number(),
});
export type OpportunisticFigures = JsonOf<typeof opportunisticFigures>;

/** The node's health, as its checker and disks say. */
const healthMembers = {
  healthy: truth(),
  /** Empty when healthy. */
  report: sentence,
  /** ms since the epoch. */
  time: number(),
};
const healthReport = fields(healthMembers);
export type HealthReport = JsonOf<typeof healthReport>;

/** Commands of `POST …/containers/{id}/signal` (SignalContainerCommand). */
const signalCommand = word('OUTPUT_THREAD_DUMP', 'GRACEFUL_SHUTDOWN', 'FORCEFUL_SHUTDOWN');
export type SignalCommand = JsonOf<typeof signalCommand>;

/** First message of each session: the node and everything on it. */
const registerMembers = {
  /** `host:port`. */
  nodeId: name,
  /** The name of what the node remembers: another one where it has lost that. Absent from earlier versions. */
  memory: optional(name),
  /** `host:port` of the node's web address. */
  httpAddress: name,
  rack: name,
  resource: nodeResource,
  version: name,
  ...descriptorMembers,
  physicalMemoryMiB: number(),
  physicalCores: number(),
  /** Opportunistic containers that may wait on the node; 0 or absent: it takes none. */
  opportunisticQueueLength: optional(whole({ minimum: 0 })),
  containers: many(containerReport),
  /** Applications that still have something on the node. */
  applications: many(name),
  health: healthReport,
} satisfies JsonMembers;

/** Node manager → resource manager. */
export const nodeMessage = tagged('type', {
  register: registerMembers,
  containers: { reports: many(containerReport) },
  usage: {
    node: usageFigures,
    containers: usageFigures,
    runningContainers: whole({ minimum: 0 }),
    opportunistic: optional(opportunisticFigures),
  },
  health: healthMembers,
  /** Its labels or attributes changed. */
  descriptors: descriptorMembers,
  logAggregation: { applicationId: name, status: logAggregationStatus, diagnostics: sentence },
  /** A signal of `signalContainers` was carried out or failed. */
  signalled: { containerId: name, command: signalCommand, success: truth() },
  /** The node leaves on purpose. */
  shutdown: {},
});
export type NodeMessage = JsonOf<typeof nodeMessage>;
export type RegisterMessage = Extract<NodeMessage, { readonly type: 'register' }>;

/** Resource manager → node manager. */
export const nodeCommand = tagged('type', {
  registered: {
    /** Changes when the resource manager restarted. */
    rmSession: name,
    /** Base64 key for container tokens. */
    containerTokenKey: name,
    clusterTimestamp: number(),
    /** Applications of the register message that are still wanted; the others are finished. */
    keepApplications: many(name),
  },
  startContainers: { containers: many(containerStart) },
  stopContainers: { containers: many(fields({ containerId: name, exitCode: whole(), diagnostics: sentence })) },
  /** They are of another type or size from now on. */
  updateContainers: {
    containers: many(
      fields({
        containerId: name,
        executionType: optional(executionType),
        resource: optional(nodeResource),
        /** Counts the changes of the container, this one included. */
        version: optional(whole({ minimum: 0 })),
      }),
    ),
  },
  signalContainers: { containers: many(fields({ containerId: name, command: signalCommand })) },
  finishApplications: { applicationIds: many(name) },
  updateResource: { resource: nodeResource },
  /**
   * Decommissioned or not wanted: the node ends its containers and says nothing but that it is there: it registers again, after pauses that
   * grow, so that it comes back when it is wanted.
   */
  refuse: { reason: sentence },
  /** Register again with everything; containers go on. Said at most once before the node does, and once more where it was refused and is wanted again. */
  resync: {},
});
export type NodeCommand = JsonOf<typeof nodeCommand>;

/** Path of the channel on the resource manager. */
export const nodeChannelPath = '/api/v1/nodes/channel';
