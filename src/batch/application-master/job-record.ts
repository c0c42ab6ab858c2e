// What the history and the assignments of tasks read of a job beside what its REST views show. It lets both know no more of the job than this.
import type { JobConfiguration } from '../tasks/job-configuration.ts';
import type { JobRules } from './job-rules.ts';
import type { JobState, JobView, TaskKind, TaskView } from './job-view.ts';

/** A job as its history and its tasks' processes see it. */
export interface JobRecord extends JobView {
  readonly settings: JobConfiguration;
  readonly rules: JobRules;
  /** The state without the delay until the resource manager knows the end. */
  readonly finalState: JobState;
  /** Number of the master that runs the job, 1 for the first. */
  readonly generation: number;
  ofKind(kind: TaskKind): readonly TaskView[];
}
