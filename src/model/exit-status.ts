// How containers end: the statuses that the platform gives (ContainerExitStatus), the codes of signalled processes, and for each
// question that is decided by a status the set that answers it.

/** Statuses of the platform by name (org.apache.hadoop.yarn.api.records.ContainerExitStatus); a program's own code is 0 to 255. */
export const exitStatus = {
  success: 0,
  /** None is known: the container runs, or it could not be started. */
  invalid: -1000,
  /** Its node was lost, its master released it, its application was over, or it was never taken. */
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

/** A status of the platform. */
export type ExitStatus = (typeof exitStatus)[keyof typeof exitStatus];

/** Codes of processes by how they ended (org.apache.hadoop.yarn.server.nodemanager.ContainerExecutor.ExitCode): 128 + the signal. */
export const processExitCode = {
  forceKilled: 137,
  terminated: 143,
  /** The process ended while no node manager watched, and left no code. */
  lost: 154,
} as const;

/** The code of a container whose launch failed before a process ran (ContainerLaunch.call answers it after an exception). */
export const launchFailedExitCode = -1;

/** A signal of the platform or of its user ended the process: it was killed and did not fail. */
export const isSignalled = (code: number): boolean => code === processExitCode.forceKilled || code === processExitCode.terminated;

/**
 * Statuses of a master's container that do not count towards the attempts of its application
 * (RMAppAttemptImpl.shouldCountTowardsMaxAttemptRetry).
 */
export const uncountedAttemptStatuses: ReadonlySet<number> = new Set([
  exitStatus.preempted,
  exitStatus.aborted,
  exitStatus.disksFailed,
  exitStatus.killedByResourceManager,
]);

/** Statuses for which the next master does not avoid the node (Apps.shouldCountTowardsNodeBlacklisting). */
export const statusesWithoutBlacklisting: ReadonlySet<number> = new Set([
  exitStatus.success,
  exitStatus.aborted,
  exitStatus.disksFailed,
  exitStatus.preempted,
  exitStatus.exceededVirtualMemory,
  exitStatus.exceededPhysicalMemory,
  exitStatus.killedByMaster,
  exitStatus.killedByResourceManager,
  exitStatus.killedAfterApplicationEnd,
]);

/** Statuses that make a task attempt killed instead of failed (MapReduce's RMContainerAllocator.createContainerFinishedEvent). */
export const killedTaskStatuses: ReadonlySet<number> = new Set([
  exitStatus.aborted,
  exitStatus.preempted,
  exitStatus.killedByContainerScheduler,
]);

/** Statuses after which `heddle run` starts an instance again without counting a failure; a rule of Heddle. */
export const uncountedInstanceStatuses: ReadonlySet<number> = new Set([
  exitStatus.aborted,
  exitStatus.disksFailed,
  exitStatus.preempted,
  exitStatus.killedByResourceManager,
  exitStatus.killedAfterApplicationEnd,
  exitStatus.killedByContainerScheduler,
]);

/** Statuses that the timeline tells as YARN_CONTAINER_KILLED: the cluster or the master stopped the container. */
export const stoppedContainerStatuses: ReadonlySet<number> = new Set([
  exitStatus.aborted,
  exitStatus.preempted,
  exitStatus.killedByMaster,
  exitStatus.killedByResourceManager,
  exitStatus.killedAfterApplicationEnd,
]);

/** How an end looks from outside: well, a failure of its own, or stopped by the cluster or a user. */
export const exitOutcomes = ['SUCCEEDED', 'FAILED', 'STOPPED'] as const;
export type ExitOutcome = (typeof exitOutcomes)[number];

/** What codes mean that no program gives by itself. */
const meanings: ReadonlyMap<number, string> = new Map([
  [exitStatus.success, 'well'],
  [exitStatus.invalid, 'without an exit status'],
  [exitStatus.aborted, 'released, or ended with its application or node'],
  [exitStatus.disksFailed, 'the disks of its node failed'],
  [exitStatus.preempted, 'preempted'],
  [exitStatus.exceededVirtualMemory, 'over its virtual memory'],
  [exitStatus.exceededPhysicalMemory, 'over its memory'],
  [exitStatus.killedByMaster, 'stopped by its master'],
  [exitStatus.killedByResourceManager, 'stopped by the resource manager'],
  [exitStatus.killedAfterApplicationEnd, 'stopped with its application'],
  [exitStatus.killedByContainerScheduler, 'stopped by its node to make room'],
  [exitStatus.killedForExcessLogs, 'its logs were too large'],
  [launchFailedExitCode, 'its start failed'],
  [processExitCode.forceKilled, 'killed'],
  [processExitCode.terminated, 'told to stop'],
  [processExitCode.lost, 'while no node manager watched'],
]);

/** How a container ended, in words with the number: `preempted (-102)`, `exit status 3`. */
export function exitMeaning(code: number): string {
  const meaning = meanings.get(code);
  return meaning === undefined ? `exit status ${code}` : `${meaning} (${code})`;
}

/** The same after the name of what ended, or failed: `ended with exit code 3`, `ended: over its memory (-104)`. */
export const endPhrase = (code: number, verb: 'ended' | 'failed' = 'ended'): string =>
  meanings.has(code) && code !== exitStatus.success ? `${verb}: ${exitMeaning(code)}` : `${verb} with exit code ${code}`;

export function exitOutcome(code: number): ExitOutcome {
  if (code === exitStatus.success) return 'SUCCEEDED';
  const isStopped = isSignalled(code) || stoppedContainerStatuses.has(code) || uncountedInstanceStatuses.has(code);
  return isStopped ? 'STOPPED' : 'FAILED';
}

/** What is told of an end. */
export const exitFacts = (code: number) => ({ exitStatus: code, exitOutcome: exitOutcome(code), exitMeaning: exitMeaning(code) });
