// What a user submits, as the cluster keeps it: normalised, in terms of the domain.
import type { Resource } from '../../model/resource.ts';

/** One file, archive or pattern to be brought to a container's folder. */
interface LocalResource {
  /** URI (`file:`, `http:`, `https:`) or plain path. */
  readonly resource: string;
  readonly type: 'FILE' | 'ARCHIVE' | 'PATTERN';
  readonly visibility: 'PUBLIC' | 'PRIVATE' | 'APPLICATION';
  /** Bytes; -1 means not checked. */
  readonly size: number;
  /** ms since the epoch; must equal the source's; -1 means not checked. */
  readonly timestamp: number;
  readonly pattern?: string | undefined;
}

/** Whether a container that fails is started again on its node (ContainerRetryContext); absent members: the node's defaults. */
interface Retry {
  readonly policy: 'NEVER_RETRY' | 'RETRY_ON_ALL_ERRORS' | 'RETRY_ON_SPECIFIC_ERROR_CODES';
  readonly errorCodes?: readonly number[] | undefined;
  /** -1: for ever. */
  readonly maximumRetries?: number | undefined;
  readonly intervalMs?: number | undefined;
  /** -1: all failures count. */
  readonly failuresValidityIntervalMs?: number | undefined;
}

/** What a container runs. */
interface Launch {
  readonly commands: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly localResources: Readonly<Record<string, LocalResource>>;
  /** Auxiliary service → base64. */
  readonly serviceData: Readonly<Record<string, string>>;
  /** Hadoop credentials file content, base64. */
  readonly tokens?: string | undefined;
  /** Put in the process environment, never into scripts or logs. */
  readonly secretEnvironment?: Readonly<Record<string, string>> | undefined;
  readonly retry?: Retry | undefined;
}

/** Which logs are aggregated; patterns are Java regular expressions over the file name. */
export interface LogAggregation {
  readonly includePattern?: string | undefined;
  readonly excludePattern?: string | undefined;
  readonly rolledLogsIncludePattern?: string | undefined;
  readonly rolledLogsExcludePattern?: string | undefined;
  readonly policyClassName?: string | undefined;
  readonly policyParameters?: string | undefined;
}

/** How far a node is with an application's logs (LogAggregationStatus). */
export type LogAggregationStatus = 'DISABLED' | 'NOT_START' | 'RUNNING' | 'RUNNING_WITH_FAILURE' | 'SUCCEEDED' | 'FAILED' | 'TIME_OUT';

/** Hosts and racks for a master; elsewhere too where `relaxed`. */
export interface MasterPlaces {
  readonly nodes: readonly string[];
  readonly racks: readonly string[];
  readonly relaxed: boolean;
}

/** `threshold`: share of all nodes from which on none is avoided; absent: the cluster's. */
export interface MasterBlacklisting {
  readonly enabled: boolean;
  readonly threshold?: number | undefined;
}

/** What was submitted, normalised at the edge: every default of Hadoop's record is filled in. */
export interface Submission {
  readonly applicationId: string;
  /** `N/A` when submitted as null; REST gives `''`. */
  readonly name: string;
  /** As asked for; undefined when absent. */
  readonly queue: string | undefined;
  /** -1 when absent. */
  readonly priority: number;
  readonly type: string;
  /** Lower-cased, sorted, without duplicates. */
  readonly tags: readonly string[];
  readonly unmanaged: boolean;
  /** 0: the cluster's limit. */
  readonly maximumAttempts: number;
  readonly keepContainers: boolean;
  /** ms; -1: failures count for ever. */
  readonly failuresValidityIntervalMs: number;
  /** Size of the master's container as asked; [0, 0] when absent. */
  readonly resource: Resource;
  /** Where the master should stand; absent: anywhere. */
  readonly masterPlaces?: MasterPlaces | undefined;
  /** Whether masters avoid nodes on which one died, where the submission says; absent: as the cluster does. */
  readonly masterBlacklisting?: MasterBlacklisting | undefined;
  readonly launch: Launch;
  readonly viewAcl: string | undefined;
  readonly modifyAcl: string | undefined;
  readonly applicationLabelExpression: string | undefined;
  readonly masterLabelExpression: string | undefined;
  readonly logAggregation: LogAggregation | undefined;
  readonly reservationId: string | undefined;
  /** Seconds of life asked for; undefined: the queue's default. */
  readonly lifetimeSeconds: number | undefined;
}
