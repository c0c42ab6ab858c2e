// Reduces that wait for maps must not keep those maps from running: when no map runs and nothing is free for a waiting one, the youngest copying
// reduce gives up its container (RMContainerAllocator.preemptReducesIfNeeded).
import type { Attempt } from './attempt.ts';
import type { JobRules } from './job-rules.ts';
import type { TaskSet } from './task-set.ts';

/** What Hadoop says to such a reduce. */
export const preemptedForMaps = 'Reducer preempted to make room for pending map attempts';
/** How long a map without room waits before a reduce has to go. */
const longestMapWaitMs = 3000;

/** What the job could still be given. */
export interface Headroom {
  readonly memoryMiB: number;
  readonly vcores: number;
}

/** The container is over, and what the attempt left is being removed. */
const cleaning: ReadonlySet<Attempt['internalState']> = new Set(['FAIL_TASK_CLEANUP', 'KILL_TASK_CLEANUP']);
/** The attempt has a container, or holds it still while it ends. */
export const hasContainer = ({ container, ended, internalState }: Attempt): boolean =>
  container !== undefined && !ended && !cleaning.has(internalState);

/**
 * The reduce attempt that has to make room; undefined where none has to, for maps have containers. Where there is room for a map and it still gets none (no single node has it),
 * a reduce goes once the map has waited for `mapreduce.job.reducer.unconditional-preempt.delay.sec`.
 */
export function reduceToPreempt(tasks: TaskSet, rules: JobRules, headroom: Headroom, now: number): Attempt | undefined {
  if (rules.reduces === 0) return undefined;
  const isRoom = headroom.memoryMiB >= rules.memoryMiB.MAP && headroom.vcores >= rules.vcores.MAP;
  const longestMs = isRoom ? rules.unconditionalPreemptMs : longestMapWaitMs;
  if (longestMs === undefined) return undefined;
  // Those that the job itself holds back (mapreduce.job.running.map.limit) need no room yet.
  const hasWaited = ({ internalState, askedMs }: Attempt) =>
    internalState === 'UNASSIGNED' && askedMs !== undefined && now - askedMs > longestMs;
  const maps = tasks.ofKind('MAP');
  // While others run, a map that waits comes after them.
  if (maps.some(({ attempts }) => attempts.some(hasContainer))) return undefined;
  const starving = maps.some((task) => !task.ended && task.attempts.some(hasWaited));
  if (!starving) return undefined;
  let youngest: Attempt | undefined;
  for (const { attempts } of tasks.ofKind('REDUCE'))
    for (const attempt of attempts) {
      const copying = (attempt.internalState === 'ASSIGNED' || attempt.internalState === 'RUNNING') && attempt.shuffleFinishTimeMs === 0;
      if (attempt.internalState === 'KILL_CONTAINER_CLEANUP') return undefined; // one at a time
      if (copying && (youngest === undefined || attempt.assignedMs >= youngest.assignedMs)) youngest = attempt;
    }
  return youngest;
}
