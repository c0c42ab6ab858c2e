// Identifiers of batch jobs, their tasks and the attempts at these (JobID, TaskID, TaskAttemptID of org.apache.hadoop.mapreduce).
// Texts given from outside may lack the leading zeros; the functions give back the printed form.
import { parseLong } from '../lib/java-number.ts';
import { formatApplicationId, InvalidId } from './ids.ts';

/** The letter of a task's kind inside ids. */
export type TaskLetter = 'm' | 'r';

const padded = (value: number, width: number) => String(value).padStart(width, '0');
const maximumInteger = 2_147_483_647;

/** Java's Integer.parseInt and Long.parseLong, as far as ids need them. */
function whole(text: string | undefined, maximum: number): number | undefined {
  const value = text === undefined ? undefined : parseLong(text);
  return value !== undefined && Number.isSafeInteger(value) && Math.abs(value) <= maximum ? value : undefined;
}

/** Java's String.split: empty parts at the end are dropped. */
function parts(text: string): string[] {
  const found = text.split('_');
  while (found.length > 1 && found.at(-1) === '') found.pop();
  return found;
}

/** `job_<timestamp>_<number>`. */
export const formatJobId = (clusterTimestamp: number, number: number): string => `job_${clusterTimestamp}_${padded(number, 4)}`;

/** The printed form of a job id. @throws InvalidId with Hadoop's sentence. */
export function parseJobId(text: string): string {
  const [kind, timestamp, number, ...rest] = parts(text);
  const sequence = whole(number, maximumInteger);
  if (kind !== 'job' || timestamp === undefined || sequence === undefined || rest.length > 0)
    throw new InvalidId(`JobId string : ${text} is not properly formed`);
  return formatJobId(clusterTimestampOf(timestamp), sequence);
}

function clusterTimestampOf(text: string): number {
  const value = whole(text, Number.MAX_SAFE_INTEGER);
  if (value === undefined) throw new InvalidId(`For input string: "${text}"`);
  return value;
}

// Kinds of tasks that old releases had besides maps and reduces.
const otherKinds: Record<string, string> = { s: 'JOB_SETUP', c: 'JOB_CLEANUP', t: 'TASK_CLEANUP' };

/** Thrown for ids of tasks that are neither maps nor reduces; some resources answer them in another way than malformed ids. */
export class UnknownTaskKind extends InvalidId {}

/** The printed form of a task id. @throws UnknownTaskKind for kinds of old releases, InvalidId for all else. */
export function parseTaskId(text: string): string {
  const found = /^task_(\d+)_(\d+)_(m|r|s|c|t)_(\d+)$/.exec(text);
  if (!found) {
    throw new InvalidId(
      `TaskId string : ${text} is not properly formed\nReason: java.util.regex.Matcher[pattern=task_(\\d+)_(\\d+)_(m|r|s|c|t)_(\\d+) region=0,${text.length} lastmatch=]`,
    );
  }
  const [, timestamp = '', job = '', letter = '', task = ''] = found;
  const sequence = whole(job, maximumInteger);
  const number = whole(task, maximumInteger);
  if (sequence === undefined || number === undefined) throw new InvalidId(`For input string: "${sequence === undefined ? job : task}"`);
  const other = otherKinds[letter];
  if (other) throw new UnknownTaskKind(`Unrecognized task type: ${other}`);
  return formatTaskId(clusterTimestampOf(timestamp), sequence, letter as TaskLetter, number);
}

/** `task_<timestamp>_<number>_<m|r>_<index>`. */
export const formatTaskId = (clusterTimestamp: number, job: number, letter: TaskLetter, index: number): string =>
  `task_${clusterTimestamp}_${padded(job, 4)}_${letter}_${padded(index, 6)}`;

/** The printed form of a task attempt id. @throws InvalidId with Hadoop's sentence. */
export function parseTaskAttemptId(text: string): string {
  const [kind, timestamp, job, letter, task, attempt, ...rest] = parts(text);
  const numbers = [job, task, attempt].map((part) => whole(part, maximumInteger));
  const formed = kind === 'attempt' && attempt !== undefined && rest.length === 0 && letter !== '';
  const first = letter?.[0] ?? '';
  if (formed && !/[mrsct]/.test(first))
    throw new InvalidId(`Bad TaskType identifier. TaskAttemptId string : ${text} is not properly formed.`);
  if (!formed || numbers.includes(undefined)) throw new InvalidId(`TaskAttemptId string : ${text} is not properly formed`);
  const other = otherKinds[first];
  if (other) throw new UnknownTaskKind(`Unrecognized task type: ${other}`);
  return `attempt_${clusterTimestampOf(timestamp!)}_${padded(numbers[0]!, 4)}_${first}_${padded(numbers[1]!, 6)}_${numbers[2]}`;
}

/** The application that runs a job: the same numbers under another name. @throws InvalidId */
export function applicationIdOfJob(jobId: string): string {
  const [, timestamp, number] = parseJobId(jobId).split('_');
  return formatApplicationId({ clusterTimestamp: Number(timestamp), sequence: Number(number) });
}

/** Orders job ids by timestamp, then number. */
export function compareJobIds(a: string, b: string): number {
  const [, timestampA, numberA] = a.split('_');
  const [, timestampB, numberB] = b.split('_');
  return Number(timestampA) - Number(timestampB) || Number(numberA) - Number(numberB);
}
