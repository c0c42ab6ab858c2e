// What the history and the assignments of tasks read of a job beside what its REST views show. It lets both know no more of the job than this.
import type { JobConfiguration } from '../tasks/job-configuration.ts';
import type { JobRules } from './job-rules.ts';
import type { JobState, JobView, TaskKind, TaskView } from './job-view.ts';

/** How the tasks of a job ended that have ended. */
export interface TaskEnds {
  readonly finishedMaps: number;
  readonly finishedReduces: number;
  readonly failedMaps: number;
  readonly failedReduces: number;
  readonly killedMaps: number;
  readonly killedReduces: number;
}

/** A job as its history and its tasks' processes see it. */
export interface JobRecord extends JobView {
  readonly settings: JobConfiguration;
  readonly rules: JobRules;
  /** The state without the delay until the resource manager knows the end. */
  readonly finalState: JobState;
  /** Number of the master that runs the job, 1 for the first. */
  readonly generation: number;
  /** How its tasks ended; of a job that failed, until then: what is killed because of it does not count (JobImpl in FAIL_WAIT). */
  readonly taskEnds: TaskEnds;
  ofKind(kind: TaskKind): readonly TaskView[];
}
