// What the outside may read of a running batch job. The REST views (`batch/http`) know only this file; the job, task and
// attempt entities implement it.
import type { Counters } from '../counters/counters.ts';

/** Hadoop's external job states (`org.apache.hadoop.mapreduce.v2.api.records.JobState`). */
export type JobState = 'NEW' | 'INITED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'KILLED' | 'ERROR';
/** Hadoop's external task states (`TaskState`). */
export type TaskState = 'NEW' | 'SCHEDULED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'KILLED';
/** Hadoop's external task attempt states (`TaskAttemptState`). */
export type TaskAttemptState = 'NEW' | 'STARTING' | 'RUNNING' | 'COMMIT_PENDING' | 'SUCCEEDED' | 'FAILED' | 'KILLED';
export type TaskKind = 'MAP' | 'REDUCE';

/** One try at a task. Times are epoch milliseconds, 0 until reached. */
export interface TaskAttemptView {
  readonly id: string;
  readonly kind: TaskKind;
  readonly state: TaskAttemptState;
  /** 0 to 1; 1 when the attempt ended, however it ended. */
  readonly progress: number;
  readonly statusText: string;
  readonly startTimeMs: number;
  readonly finishTimeMs: number;
  /** Reduces only: end of the copying and end of the merging. */
  readonly shuffleFinishTimeMs: number;
  readonly sortFinishTimeMs: number;
  readonly diagnostics: readonly string[];
  /** Unset until a container is assigned. */
  readonly containerId: string | undefined;
  /** `host:port` of the node's RPC address; unset until a container is assigned. */
  readonly nodeId: string | undefined;
  readonly nodeHttpAddress: string | undefined;
  readonly rack: string | undefined;
  readonly counters: Counters;
}

/** One map or reduce of the job. */
export interface TaskView {
  readonly id: string;
  readonly kind: TaskKind;
  readonly index: number;
  readonly state: TaskState;
  /** 0 to 1: of the best attempt. */
  readonly progress: number;
  /** Status text of the best attempt, '' without one. */
  readonly statusText: string;
  /** First launch of an attempt; before any launch the time the task was scheduled. */
  readonly startTimeMs: number;
  readonly finishTimeMs: number;
  /** '' until one succeeded. */
  readonly successfulAttempt: string;
  /** Those of the best attempt. */
  readonly counters: Counters;
  /** In order of creation. */
  readonly attempts: readonly TaskAttemptView[];
}

/** One generation of the application master. Unknown texts are ''. */
export interface MasterGenerationView {
  /** 1 for the first. */
  readonly number: number;
  readonly startTimeMs: number;
  readonly containerId: string;
  readonly nodeId: string;
  readonly nodeHttpAddress: string;
}

/** A property of the job's configuration as it was submitted: value not expanded, secrets already redacted. */
export interface JobProperty {
  readonly name: string;
  readonly value: string;
  readonly final?: boolean;
  /** Where it came from, oldest first; the last element is the file it was read from. */
  readonly sources: readonly string[];
}

/** The job itself. */
export interface JobView {
  /** `job_<clusterTimestamp>_<n>`. */
  readonly id: string;
  readonly applicationId: string;
  readonly name: string;
  readonly user: string;
  /** Full path, e.g. `root.default`. */
  readonly queue: string;
  readonly state: JobState;
  readonly submitTimeMs: number;
  readonly startTimeMs: number;
  readonly finishTimeMs: number;
  readonly uberized: boolean;
  readonly diagnostics: readonly string[];
  /** Maps by index, then reduces by index. */
  readonly tasks: readonly TaskView[];
  /** 0 to 1 each: mean of the tasks' progress; 0 without tasks. */
  readonly mapProgress: number;
  readonly reduceProgress: number;
  /** Start of this application master, epoch milliseconds. */
  readonly masterStartTimeMs: number;
  /** Oldest first; the last is the one that runs. */
  readonly masters: readonly MasterGenerationView[];
  /** `mapreduce.job.acl-view-job` and `…-modify-job`; undefined where `mapreduce.cluster.acls.enabled` is off. */
  readonly accessLists: { readonly view: string; readonly modify: string } | undefined;
  /** Path of job.xml in the staging folder. */
  readonly configurationPath: string;
  readonly configuration: readonly JobProperty[];
  task(id: string): TaskView | undefined;
  attempt(id: string): TaskAttemptView | undefined;
  /** Sums over all tasks plus the job's own counters. Empty before the job started. */
  totalCounters(): Counters;
  mapCounters(): Counters;
  reduceCounters(): Counters;
}

/** What a caller of the REST interface may do to the job. */
export interface JobControl {
  /**
   * Kills one attempt; its task tries again. Nothing happens where it has ended.
   * @param diagnostic e.g. `Kill task attempt attempt_… received from bob (auth:SIMPLE) at null`
   */
  killAttempt(attemptId: string, diagnostic: string): void;
  /** Lets an attempt fail that waits or runs, which counts as a failure of its task; false where it has ended, or is about to. */
  failAttempt(attemptId: string, diagnostic: string): boolean;
  /** Kills a task of the job with all its attempts: it is not tried again. Nothing happens where it has ended. */
  killTask(taskId: string): void;
  /** Kills the job; `diagnostic` e.g. `Kill job job_… received from root (auth:SIMPLE) at 127.0.0.1`. */
  killJob(diagnostic: string): void;
}

/** The job and what may be done to it, as `batch/http` receives it. */
export type RunningJob = JobView & JobControl;
