// Ids and numbers of batch jobs for people. Pure.

/** The application of a job: `job_1_2` is `application_1_2`. */
export const applicationOfJob = (jobId: string): string => jobId.replace(/^job_/, 'application_');
/** The job of an application. */
export const jobOfApplication = (applicationId: string): string => applicationId.replace(/^application_/, 'job_');

/** A task as people say it: `map 12`, of `task_…_m_000012`; something else stays as it is. */
export function taskWord(taskId: string): string {
  const found = /_([mr])_(\d{1,12})$/.exec(taskId);
  return found ? `${found[1] === 'm' ? 'map' : 'reduce'} ${Number(found[2])}` : taskId;
}

/** The number of an attempt: 0 for the first; `attempt_…_m_000012_1` is 1. */
export function attemptNumber(attemptId: string): number {
  const found = /_(\d{1,9})$/.exec(attemptId);
  return found ? Number(found[1]) : 0;
}

/** The task of an attempt. */
export const taskOfAttempt = (attemptId: string): string => attemptId.replace(/^attempt_/, 'task_').replace(/_\d{1,9}$/, '');

/** Kinds of squares in a task grid, in the order of the legend. */
export const squares = ['waiting', 'running', 'good', 'bad', 'stopped'] as const;
export type Square = (typeof squares)[number];
const squareOf: Readonly<Record<string, Square>> = { RUNNING: 'running', SUCCEEDED: 'good', FAILED: 'bad', KILLED: 'stopped' };
/** The square of a task in a state. */
export const squareOfState = (state: string): Square => squareOf[state] ?? 'waiting';
export const squareWords: Readonly<Record<Square, string>> = {
  waiting: 'waiting',
  running: 'running',
  good: 'succeeded',
  bad: 'failed',
  stopped: 'killed',
};

/** How two numbers relate: `× 1.3`, `same`; `new` and `gone` where one is nothing. */
export function ratio(a: number, b: number): string {
  if (a === b) return 'same';
  if (a === 0) return 'new';
  if (b === 0) return 'gone';
  const value = b / a;
  if (value < 0) return 'turned';
  if (Math.abs(value - 1) < 0.005) return value > 1 ? '+ < 1 %' : '− < 1 %';
  if (value >= 0.5 && value < 2) return `${value > 1 ? '+' : '−'} ${Math.round(Math.abs(value - 1) * 100)} %`;
  return value >= 1 ? `× ${short(value)}` : `÷ ${short(1 / value)}`;
}

const short = (value: number): string => (value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(2))));

/** The name of a counter in words: `MAP_INPUT_RECORDS` is `Map input records`; names with small letters stay. */
export function counterWord(name: string): string {
  if (/[a-z]/.test(name)) return name;
  const words = name.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A group of counters in words: the last part of a class name, `FileSystemCounter` is `File system counter`. */
export function groupWord(name: string): string {
  const last = name.slice(Math.max(name.lastIndexOf('.'), name.lastIndexOf('$')) + 1);
  const words = last.replace(/([a-z])([A-Z])/g, (_all, before: string, after: string) => `${before} ${after.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
