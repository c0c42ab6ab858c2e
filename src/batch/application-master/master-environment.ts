// Where a job’s master runs, and for which user.

/** What a master finds in its container. */
export interface MasterEnvironment {
  readonly applicationId: string;
  readonly attemptId: string;
  /** 1 for the first master of the job. */
  readonly generation: number;
  readonly containerId: string;
  readonly host: string;
  readonly nodeId: string;
  readonly nodeHttpAddress: string;
  readonly submitTimeMs: number;
  readonly user: string;
  /** The application's folder on a local disk of the node. */
  readonly localFolder: string;
  readonly timelineUrl: string | undefined;
  readonly proxyUrl: string | undefined;
}
