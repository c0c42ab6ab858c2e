// Messages of the node channel (`GET /api/v1/nodes/channel`): node manager ⇄ resource manager, JSON inside `lib/reliable-channel.ts` frames.

/** Amounts by type: memory in MiB and vcores, further registered types by their name. */
export interface NodeResource {
  readonly memoryMiB: number;
  readonly vcores: number;
  readonly [type: string]: number;
}

/** How far a container is, as the resource manager sees it (ContainerState of Hadoop's NM reports). */
export type ReportedContainerState = 'NEW' | 'RUNNING' | 'COMPLETE';

/** GUARANTEED unless asked otherwise. */
export type ExecutionType = 'GUARANTEED' | 'OPPORTUNISTIC';

/** What a node says of one of its containers. */
export interface ContainerReport {
  readonly containerId: string;
  /** The master's name of the ask that it was given for. */
  readonly askId?: string;
  readonly state: ReportedContainerState;
  /** ContainerExitStatus; -1000 while none is known. */
  readonly exitCode: number;
  readonly diagnostics: string;
  readonly resource: NodeResource;
  readonly priority: number;
  readonly executionType?: ExecutionType;
  readonly allocationTags?: readonly string[];
  /** Times are ms since the epoch. */
  readonly createdTime: number;
  readonly startedTime?: number;
  readonly finishedTime?: number;
}

/** Memory and CPU in use now. */
export interface UsageFigures {
  readonly physicalMemoryMiB: number;
  readonly virtualMemoryMiB: number;
  /** Cores in use; 1.5 is one and a half cores. */
  readonly cpuCores: number;
}

/** How far the gathering of an application's logs is (LogAggregationStatus). */
export type LogAggregationStatus = 'DISABLED' | 'NOT_START' | 'RUNNING' | 'RUNNING_WITH_FAILURE' | 'SUCCEEDED' | 'FAILED' | 'TIME_OUT';

/** An attribute as its node tells it; its prefix is `nm.yarn.io`. */
export interface ReportedAttribute {
  readonly name: string;
  readonly type: string;
  readonly value: string;
}

/** What a node says of itself; absent: it says nothing, empty: it has none. */
export interface NodeDescriptors {
  readonly labels?: readonly string[];
  readonly attributes?: readonly ReportedAttribute[];
}

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

/** First message of each session: the node and everything on it. */
export interface RegisterMessage extends NodeDescriptors {
  readonly type: 'register';
  /** `host:port`. */
  readonly nodeId: string;
  /** `host:port` of the node's web address. */
  readonly httpAddress: string;
  readonly rack: string;
  readonly resource: NodeResource;
  readonly version: string;
  readonly physicalMemoryMiB: number;
  readonly physicalCores: number;
  /** Opportunistic containers that may wait on the node; 0 or absent: it takes none. */
  readonly opportunisticQueueLength?: number;
  readonly containers: readonly ContainerReport[];
  /** Applications that still have something on the node. */
  readonly applications: readonly string[];
  readonly health: HealthReport;
}

/** The node's health, as its checker and disks say. */
export interface HealthReport {
  readonly healthy: boolean;
  /** Empty when healthy. */
  readonly report: string;
  /** ms since the epoch. */
  readonly time: number;
}

/** Node manager → resource manager. */
export type NodeMessage =
  | RegisterMessage
  | { readonly type: 'containers'; readonly reports: readonly ContainerReport[] }
  | {
      readonly type: 'usage';
      readonly node: UsageFigures;
      readonly containers: UsageFigures;
      readonly runningContainers: number;
      readonly opportunistic?: OpportunisticFigures;
    }
  | ({ readonly type: 'health' } & HealthReport)
  /** Its labels or attributes changed. */
  | ({ readonly type: 'descriptors' } & NodeDescriptors)
  | { readonly type: 'logAggregation'; readonly applicationId: string; readonly status: LogAggregationStatus; readonly diagnostics: string }
  /** A signal of `signalContainers` was carried out or failed. */
  | { readonly type: 'signalled'; readonly containerId: string; readonly command: SignalCommand; readonly success: boolean }
  /** The node leaves on purpose. */
  | { readonly type: 'shutdown' };

/** Commands of `POST …/containers/{id}/signal` (SignalContainerCommand). */
export type SignalCommand = 'OUTPUT_THREAD_DUMP' | 'GRACEFUL_SHUTDOWN' | 'FORCEFUL_SHUTDOWN';

/** One file, archive or pattern to be brought to the container's folder. */
export interface LocalResource {
  /** URI (`file:`, `http:`, `https:`) or plain path. */
  readonly resource: string;
  readonly type: 'FILE' | 'ARCHIVE' | 'PATTERN';
  readonly visibility: 'PUBLIC' | 'PRIVATE' | 'APPLICATION';
  /** Bytes; -1 means not checked. */
  readonly size: number;
  /** ms since the epoch; must equal the source's. */
  readonly timestamp: number;
  readonly pattern?: string;
}

/** Whether a container that fails is started again on its node (ContainerRetryContext). */
export interface RetryContext {
  readonly policy: 'NEVER_RETRY' | 'RETRY_ON_ALL_ERRORS' | 'RETRY_ON_SPECIFIC_ERROR_CODES';
  /** Exit codes, for the last of the policies. */
  readonly errorCodes?: readonly number[];
  /** Starts after the first; -1: for ever. Default 0. */
  readonly maximumRetries?: number;
  /** Time between an end and the next start, ms; the node has a minimum. Default 0. */
  readonly intervalMs?: number;
  /** Failures longer ago do not count, ms; -1: all count. Default -1. */
  readonly failuresValidityIntervalMs?: number;
}

/** What a container runs (ContainerLaunchContext). */
export interface LaunchContext {
  readonly commands: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly localResources: Readonly<Record<string, LocalResource>>;
  /** Auxiliary service → base64. */
  readonly serviceData: Readonly<Record<string, string>>;
  /** Hadoop credentials file content, base64. */
  readonly tokens?: string;
  /** Put in the process environment, never into scripts or logs. */
  readonly secretEnvironment?: Readonly<Record<string, string>>;
  readonly retry?: RetryContext;
}

/** Which logs are aggregated (LogAggregationContext); patterns are Java regular expressions over the file name. */
export interface LogAggregationContext {
  readonly includePattern?: string;
  readonly excludePattern?: string;
  readonly rolledLogsIncludePattern?: string;
  readonly rolledLogsExcludePattern?: string;
  readonly policyClassName?: string;
  readonly policyParameters?: string;
}

/** An order to start a container. */
export interface ContainerStart {
  readonly containerId: string;
  /** The master's name of the ask that it was given for; told again in reports, so that it outlives the resource manager's process. */
  readonly askId?: string;
  readonly applicationId: string;
  readonly attemptId: string;
  readonly user: string;
  readonly resource: NodeResource;
  readonly priority: number;
  readonly queue: string;
  readonly executionType?: ExecutionType;
  readonly isMaster: boolean;
  /** Told again with every report, so that they outlive a restart of the resource manager. */
  readonly allocationTags?: readonly string[];
  readonly launch: LaunchContext;
  readonly applicationAcls: Readonly<Partial<Record<'VIEW_APP' | 'MODIFY_APP', string>>>;
  readonly logAggregation?: LogAggregationContext;
  readonly submitTimeMs: number;
  readonly maxAttempts: number;
}

/** Resource manager → node manager. */
export type NodeCommand =
  | {
      readonly type: 'registered';
      /** Changes when the resource manager restarted. */
      readonly rmSession: string;
      /** Base64 key for container tokens. */
      readonly containerTokenKey: string;
      readonly clusterTimestamp: number;
      /** Applications of the register message that are still wanted; the others are finished. */
      readonly keepApplications: readonly string[];
    }
  | { readonly type: 'startContainers'; readonly containers: readonly ContainerStart[] }
  | {
      readonly type: 'stopContainers';
      readonly containers: readonly { readonly containerId: string; readonly exitCode: number; readonly diagnostics: string }[];
    }
  /** They are of another type or size from now on. */
  | {
      readonly type: 'updateContainers';
      readonly containers: readonly {
        readonly containerId: string;
        readonly executionType?: ExecutionType;
        readonly resource?: NodeResource;
      }[];
    }
  | { readonly type: 'signalContainers'; readonly containers: readonly { readonly containerId: string; readonly command: SignalCommand }[] }
  | { readonly type: 'finishApplications'; readonly applicationIds: readonly string[] }
  | { readonly type: 'updateResource'; readonly resource: NodeResource }
  /** Decommissioned or not wanted: the node stops its containers and does not register again. */
  | { readonly type: 'refuse'; readonly reason: string }
  /** Register again with everything; containers go on. */
  | { readonly type: 'resync' };

/** Path of the channel on the resource manager. */
export const nodeChannelPath = '/api/v1/nodes/channel';
