// When the output of a map counts as lost because reduces cannot fetch it (JobImpl.TaskAttemptFetchFailureTransition).
import type { Attempt } from './attempt.ts';
import type { JobRules } from './job-rules.ts';
import type { Task } from './task.ts';

/** Notes that a reduce could not fetch the map's output; answers whether that is one time too many. */
export function tooManyFetchFailures(map: Attempt, reduceAttemptId: string, reduces: readonly Task[], rules: JobRules): boolean {
  map.fetchFailures.set(reduceAttemptId, (map.fetchFailures.get(reduceAttemptId) ?? 0) + 1);
  const reports = [...map.fetchFailures.values()].reduce((sum, number) => sum + number, 0);
  let shuffling = 0;
  for (const { attempts } of reduces)
    for (const attempt of attempts) if (attempt.state === 'RUNNING' && attempt.shuffleFinishTimeMs === 0) shuffling++;
  const share = shuffling === 0 ? 1 : reports / shuffling;
  return reports >= rules.fetchFailureReports && share >= rules.fetchFailureShare;
}

/** Why such a map runs again. */
export function fetchFailureText(reduce: Attempt): string {
  const host = reduce.nodeId?.split(':')[0] ?? 'UNKNOWN';
  return `Too many fetch failures. Failing the attempt. Last failure reported by ${reduce.id} from host ${host}`;
}
