// How many applications of each queue have run for how long: running_0, running_60 and so on of Hadoop's QueueMetrics.
import { queueAndAbove } from '../../model/queue-path.ts';
import type { Application } from '../applications/application.ts';

/** Where the groups begin, in minutes (`yarn.resourcemanager.metrics.runtime.buckets` of Hadoop, as it comes). */
export const runningTimesMinutes = [0, 60, 300, 1440] as const;

const minuteMs = 60_000;

/** Running applications by the path of their queue and of those above it: how many are in each group. */
export function runningTimes(running: Iterable<Application>, nowMs: number): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  for (const { queue, startedMs } of running) {
    const group = runningTimesMinutes.findLastIndex((minutes) => nowMs - startedMs >= minutes * minuteMs);
    for (const path of queueAndAbove(queue)) {
      const counts = found.get(path) ?? runningTimesMinutes.map(() => 0);
      counts[Math.max(0, group)]!++;
      found.set(path, counts);
    }
  }
  return found;
}
