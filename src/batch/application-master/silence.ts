// Attempts in which nothing has happened for too long, and processes that do not end although their task has (TaskHeartbeatHandler, TaskAttemptFinishingMonitor).
import type { Attempt } from './attempt.ts';
import type { JobRules } from './job-rules.ts';

/** Why a container is to be stopped; undefined while there is no reason. The diagnostic is that of an attempt that is lost by it. */
export function silenceOf(attempt: Attempt, rules: JobRules, now: number): { readonly diagnostic?: string } | undefined {
  const { taskTimeoutMs, stuckTimeoutMs, exitTimeoutMs } = rules;
  const running = attempt.internalState === 'RUNNING' || attempt.internalState === 'COMMIT_PENDING';
  if (running && taskTimeoutMs > 0 && now - attempt.lastProgressMs > taskTimeoutMs) {
    return {
      diagnostic: `AttemptID:${attempt.id} task timeout set: ${taskTimeoutMs / 1000}s, taskTimedOut: true; task stuck timeout set: ${stuckTimeoutMs / 1000}s, taskStuck: false${attempt.waitsFor === undefined ? '' : `; it waits for ${attempt.waitsFor}`}`,
    };
  }
  return attempt.finishingSinceMs > 0 && now - attempt.finishingSinceMs > exitTimeoutMs && attempt.takes('TA_TIMED_OUT') ? {} : undefined;
}
