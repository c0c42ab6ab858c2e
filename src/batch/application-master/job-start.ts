// How a job begins under its master: a commit that an earlier master began decides how the job ends; else the job starts, with what is done already.
import type { JobCommitter } from '../tasks/output/job-committer.ts';
import type { CommitMarkers } from './commit-markers.ts';
import type { Job } from './job.ts';
import type { RecoveredTask } from './recovery.ts';

/** Starts the job, or ends it where an earlier master's commit leaves nothing to do (MRAppMaster.serviceInit of Hadoop, its words too). */
export function startJob(options: {
  readonly job: Pick<Job, 'start' | 'forceEnd'>;
  readonly markers: Pick<CommitMarkers, 'earlier' | 'clear'>;
  readonly committer: Pick<JobCommitter, 'commitRepeatable' | 'finishInterruptedCommit' | 'recoverTask'>;
  /** Tasks that succeeded under earlier masters. */
  readonly tasks: ReadonlyMap<string, RecoveredTask>;
}): void {
  const { job, markers, committer, tasks } = options;
  switch (markers.earlier) {
    case 'SUCCEEDED':
      return job.forceEnd('SUCCEEDED', 'Job commit succeeded in a prior MRAppMaster attempt before it crashed. Recovering.', tasks);
    case 'FAILED':
      return job.forceEnd('FAILED', 'Job commit failed in a prior MRAppMaster attempt before it crashed. Not retrying.', tasks);
    case 'STARTED':
      if (!committer.commitRepeatable && committer.finishInterruptedCommit())
        return job.forceEnd(
          'SUCCEEDED',
          'Job commit was complete in a prior MRAppMaster attempt before it crashed. Finished what it left.',
          tasks,
        );
      if (!committer.commitRepeatable)
        return job.forceEnd(
          'ERROR',
          'Job commit from a prior MRAppMaster attempt is potentially in progress. Preventing multiple commit executions',
          tasks,
        );
      markers.clear();
  }
  for (const taskId of tasks.keys()) committer.recoverTask(taskId);
  job.start(tasks);
}
