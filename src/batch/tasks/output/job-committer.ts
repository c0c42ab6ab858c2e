// How a job's output becomes visible, wherever it goes.

/** What a task and a master do with output. What may take long may be asynchronous. */
export interface JobCommitter {
  /** The file system of the output as counters name it (`S3A`); undefined: folders. */
  readonly scheme?: string | undefined;
  /** Whether a commit that was interrupted may be done again. */
  readonly commitRepeatable: boolean;
  /** Folder in which an attempt writes; undefined for jobs without output. It is made by the first file written. */
  workFolder(attemptId: string): string | undefined;
  /** @throws OutputNotSeen where what the master made is not here */
  checkSeen(): void;
  needsTaskCommit(attemptId: string): boolean;
  setupJob(): void;
  commitTask(attemptId: string): void | Promise<void>;
  abortTask(attemptId: string): void;
  /** Makes the whole output visible and leaves the marker `_SUCCESS`. */
  commitJob(): void | Promise<void>;
  abortJob(): void | Promise<void>;
  /** Finishes a commit of an earlier master that may not be done again; answers whether that could be done. */
  finishInterruptedCommit(): boolean;
  /** Takes over what a task committed under an earlier master. */
  recoverTask(taskId: string): void;
}
