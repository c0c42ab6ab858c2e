// Whether a container that failed is started again on its node (SlidingWindowRetryPolicy).
import { fields, type JsonOf, many, number } from '../../lib/json-shape.ts';
import { isSignalled } from '../../model/exit-status.ts';
import type { RetryContext } from '../../wire/cluster/launch-context.ts';

/** What is remembered of the starts again. */
export const retryRecord = fields({
  /** Left where no validity interval is given. */
  remaining: number(),
  /** ms since the epoch, within the validity interval. */
  restartTimes: many(number()),
});
export type RetryRecord = JsonOf<typeof retryRecord>;

/** The memory of a container that was started once. */
export const freshRetries = (context: RetryContext | undefined): RetryRecord => ({
  remaining: context?.maximumRetries ?? 0,
  restartTimes: [],
});

/** The memory after one more start, or undefined when there is to be none. A container that a signal ended is never started again. */
export function nextRetry(
  context: RetryContext | undefined,
  { remaining, restartTimes }: RetryRecord,
  exitCode: number,
  nowMs: number,
): RetryRecord | undefined {
  if (!context || exitCode === 0 || isSignalled(exitCode)) return undefined;
  const { policy, errorCodes, maximumRetries = 0, failuresValidityIntervalMs = -1 } = context;
  const matches =
    policy === 'RETRY_ON_ALL_ERRORS' || (policy === 'RETRY_ON_SPECIFIC_ERROR_CODES' && (errorCodes?.includes(exitCode) ?? false));
  if (!matches) return undefined;
  if (maximumRetries === retryForever) return { remaining, restartTimes };
  if (failuresValidityIntervalMs <= 0) return remaining > 0 ? { remaining: remaining - 1, restartTimes } : undefined;
  const recent = restartTimes.filter((timeMs) => nowMs - timeMs <= failuresValidityIntervalMs);
  const pending = maximumRetries - recent.length;
  return pending > 0 ? { remaining: pending - 1, restartTimes: [...recent, nowMs] } : undefined;
}

/** `maximumRetries` without end (ContainerRetryContext.RETRY_FOREVER). */
const retryForever = -1;
