// Exit codes that the platform gives, besides those of the programs themselves (org.apache.hadoop.yarn.api.records.ContainerExitStatus).

/** Exit statuses by name. */
export const exitStatus = {
  success: 0,
  /** None known (yet): running, or it could not be started. */
  invalid: -1000,
  aborted: -100,
  disksFailed: -101,
  preempted: -102,
  exceededVirtualMemory: -103,
  exceededPhysicalMemory: -104,
  killedByMaster: -105,
  killedByResourceManager: -106,
  killedAfterApplicationEnd: -107,
  killedByContainerScheduler: -108,
  killedForExcessLogs: -109,
} as const;

/** Exit codes of processes that a signal ended (ContainerExecutor.ExitCode): these count as killed on request. */
export const killedExitCodes: ReadonlySet<number> = new Set([137, 143]);

/** `kill` and `timeout` style code of a container that could not be launched at all (shell: command not executable). */
export const launchFailedExitCode = -1;
