// Identifiers of jobs, tasks and attempts (JobID, TaskID, TaskAttemptID of Hadoop).
import { parseApplicationId } from '../../model/ids.ts';
import type { TaskKind } from './umbilical.ts';

const pad = (value: number, width: number) => String(value).padStart(width, '0');

/** `job_<ts>_<n>` of an application. */
export function jobIdOfApplication(applicationId: string): string {
  const { clusterTimestamp, sequence } = parseApplicationId(applicationId);
  return `job_${clusterTimestamp}_${pad(sequence, 4)}`;
}

/** `application_<ts>_<n>` of a job. */
export function applicationIdOfJob(jobId: string): string {
  return jobId.replace(/^job_/, 'application_');
}

/** `task_<ts>_<n>_<m|r>_<index>`. */
export function formatTaskId(jobId: string, kind: TaskKind, index: number): string {
  return `${jobId.replace(/^job/, 'task')}_${kind === 'MAP' ? 'm' : 'r'}_${pad(index, 6)}`;
}

/** `attempt_…_<number>` of a task. */
export function formatAttemptId(taskId: string, number: number): string {
  return `${taskId.replace(/^task/, 'attempt')}_${number}`;
}

/** The task an attempt belongs to. */
export function taskIdOfAttempt(attemptId: string): string {
  return attemptId.replace(/^attempt/, 'task').replace(/_\d+$/, '');
}

/** The file of a map's or reduce's output: `part-r-00000` (new API) or `part-00000` (old API). */
export function partFileName(api: 'mapred' | 'mapreduce', kind: TaskKind, index: number, baseName = 'part'): string {
  return api === 'mapred' ? `part-${pad(index, 5)}` : `${baseName}-${kind === 'MAP' ? 'm' : 'r'}-${pad(index, 5)}`;
}
