// A finished job as its record (CompletedJob as hs JobInfo shows it).
import { countAttempts } from '../batch/jobs.ts';
import type { CompletedJob } from '../files/completed-job.ts';
import type { HistoryJob } from './jobs.ts';

interface Times {
  readonly map: number;
  readonly reduce: number;
  readonly shuffle: number;
  readonly merge: number;
}

/** Mean times of the attempts that succeeded, in whole milliseconds. */
function averageTimes(job: CompletedJob): Times {
  const sums = { map: 0, reduce: 0, shuffle: 0, merge: 0 };
  let maps = 0;
  let reduces = 0;
  for (const task of job.tasks) {
    for (const attempt of task.attempts) {
      if (attempt.state !== 'SUCCEEDED') continue;
      if (task.kind === 'MAP') {
        maps++;
        sums.map += attempt.finishTimeMs - attempt.startTimeMs;
      } else {
        reduces++;
        sums.shuffle += attempt.shuffleFinishTimeMs - attempt.startTimeMs;
        sums.merge += attempt.sortFinishTimeMs - attempt.shuffleFinishTimeMs;
        sums.reduce += attempt.finishTimeMs - attempt.sortFinishTimeMs;
      }
    }
  }
  const mean = (sum: number, count: number) => (count > 0 ? Math.trunc(sum / count) : 0);
  return {
    map: mean(sums.map, maps),
    reduce: mean(sums.reduce, reduces),
    shuffle: mean(sums.shuffle, reduces),
    merge: mean(sums.merge, reduces),
  };
}

/** The record of a job that was loaded. */
export function completedJobView(job: CompletedJob): HistoryJob {
  const times = averageTimes(job);
  const maps = countAttempts(job.tasks, 'MAP');
  const reduces = countAttempts(job.tasks, 'REDUCE');
  return {
    submitTime: job.submitTimeMs,
    startTime: job.startTimeMs,
    finishTime: job.finishTimeMs,
    id: job.id,
    name: job.name,
    queue: job.queue,
    user: job.user,
    state: job.state,
    mapsTotal: job.mapsTotal,
    mapsCompleted: job.mapsCompleted,
    reducesTotal: job.reducesTotal,
    reducesCompleted: job.reducesCompleted,
    uberized: job.uberized,
    diagnostics: job.diagnostics,
    avgMapTime: times.map,
    avgReduceTime: times.reduce,
    avgShuffleTime: times.shuffle,
    avgMergeTime: times.merge,
    failedReduceAttempts: reduces.failed,
    killedReduceAttempts: reduces.killed,
    successfulReduceAttempts: reduces.successful,
    failedMapAttempts: maps.failed,
    killedMapAttempts: maps.killed,
    successfulMapAttempts: maps.successful,
    acls: [...job.acls].map(([name, value]) => ({ name, value })),
  };
}
