// How far the nodes of an application are with gathering its logs.
import type { Application } from './application.ts';
import { isCompletedState } from './application-states.ts';
import type { LogAggregationStatus } from './submission.ts';

/** Whether more is to come from a node that said so last. */
const goesOn: Readonly<Record<LogAggregationStatus, boolean>> = {
  DISABLED: false,
  NOT_START: true,
  RUNNING: true,
  RUNNING_WITH_FAILURE: true,
  SUCCEEDED: false,
  FAILED: false,
  TIME_OUT: false,
};

/** Whether a node may still tell of the application's logs. */
export function awaitsLogs({ logAggregation, logAggregationEnabled }: Application): boolean {
  return logAggregationEnabled && logAggregation.values().some(({ status }) => goesOn[status]);
}

/** Counts the nodes that have not told of their end as timed out, whatever they said last. */
export function timeOutLogs({ logAggregation }: Application): void {
  for (const [nodeId, { status, diagnostics }] of logAggregation)
    if (goesOn[status]) logAggregation.set(nodeId, { status: 'TIME_OUT', diagnostics });
}

/** How far the gathering of an application's logs is over all nodes (RMAppLogAggregation). */
export function logAggregationStatus(application: Application): LogAggregationStatus {
  if (!application.logAggregationEnabled) return 'DISABLED';
  const counts: Partial<Record<LogAggregationStatus, number>> = {};
  for (const { status } of application.logAggregation.values()) counts[status] = (counts[status] ?? 0) + 1;
  const { size } = application.logAggregation;
  if ((counts.NOT_START ?? 0) === size) return 'NOT_START';
  const completed = (counts.SUCCEEDED ?? 0) + (counts.FAILED ?? 0) + (counts.TIME_OUT ?? 0);
  if (completed === size && isCompletedState[application.state])
    return counts.FAILED ? 'FAILED' : counts.TIME_OUT ? 'TIME_OUT' : 'SUCCEEDED';
  return counts.RUNNING_WITH_FAILURE ? 'RUNNING_WITH_FAILURE' : 'RUNNING';
}
