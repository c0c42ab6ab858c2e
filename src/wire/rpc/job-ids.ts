// Ids of jobs, tasks and attempts between Hadoop's messages and their texts (JobIdPBImpl, TypeConverter).
import { InvalidId, parseApplicationId } from '../../model/ids.ts';
import type { Decoded, Encodable } from './message.ts';
import type { JobIdProto, TaskAttemptIdProto, TaskIdProto } from './tables/jobs.ts';

type Id<M> = Decoded<M> | undefined;

const padded = (number: number, digits: number): string => String(number).padStart(digits, '0');

/** The text of a job id; a part that is absent counts as 0, as Hadoop's records have it. */
export const jobIdText = (id: Id<typeof JobIdProto>): string => `job_${id?.app_id?.cluster_timestamp ?? 0}_${padded(id?.id ?? 0, 4)}`;

export const taskIdText = (id: Id<typeof TaskIdProto>): string =>
  `${jobIdText(id?.job_id).replace('job', 'task')}_${id?.task_type === 'REDUCE' ? 'r' : 'm'}_${padded(id?.id ?? 0, 6)}`;

export const taskAttemptIdText = (id: Id<typeof TaskAttemptIdProto>): string =>
  `${taskIdText(id?.task_id).replace('task', 'attempt')}_${id?.id ?? 0}`;

/** @throws InvalidId for a text that is no job's id */
export function jobIdMessage(text: string): Encodable<typeof JobIdProto> {
  const { clusterTimestamp, sequence } = parseApplicationId(text.replace(/^job_/, 'application_'));
  return { app_id: { id: sequence, cluster_timestamp: clusterTimestamp }, id: sequence };
}

/** @throws InvalidId for a text that is no task's id */
export function taskIdMessage(text: string): Encodable<typeof TaskIdProto> {
  const [, job, kind, index] = /^task_(\d+_\d+)_([mr])_(\d{1,9})$/.exec(text) ?? [];
  if (job === undefined) throw new InvalidId(`${text} is no id of a task`);
  return { job_id: jobIdMessage(`job_${job}`), task_type: kind === 'r' ? 'REDUCE' : 'MAP', id: Number(index) };
}

/** @throws InvalidId for a text that is no attempt's id */
export function taskAttemptIdMessage(text: string): Encodable<typeof TaskAttemptIdProto> {
  const [, task, number] = /^attempt_(.+)_(\d{1,9})$/.exec(text) ?? [];
  return { task_id: taskIdMessage(`task_${task}`), id: Number(number) };
}
