// Watches a batch job until it is over, and asks masters to end their jobs.

import { fileInputCounterGroup } from '../batch/counters/names.ts';
import { applicationIdOfJob } from '../batch/tasks/task-ids.ts';
import { HttpClient } from '../client/http.ts';
import { printable } from '../lib/printable.ts';
import { isFinalApplicationState } from '../model/application-states.ts';
import type { ApplicationInfo } from '../wire/cluster/application.ts';
import { taskFailures } from './batch-failures.ts';
import { type Connection, remedyByWords, talk, talkPatiently } from './connection.ts';
import { CommandFailure } from './failure.ts';
import { doneOf, JobPace, waitsForContainers } from './job-pace.ts';
import { JobPages } from './job-pages.ts';
import { MasterPages } from './master-pages.ts';
import { formatDuration, printNote, printText } from './output.ts';
import { WaitTeller } from './wait-teller.ts';

/** What is followed. */
export interface FollowedJob {
  readonly applicationId: string;
  readonly jobId: string;
  /** What the job is, for people. */
  readonly program: string;
  /** `performance.now()` at the start of the command. */
  readonly startedMs: number;
  readonly json: boolean;
}

/** What a master answers of its job: what is read of it. */
export interface MasterJob {
  readonly mapProgress: number;
  readonly reduceProgress: number;
  readonly mapsTotal: number;
  readonly reducesTotal: number;
  readonly runningMapAttempts?: number;
  readonly runningReduceAttempts?: number;
  readonly elapsedTime?: number;
}

const fastPollMs = 50;
const pollMs = 250;
const fastPolls = 100;
const progressIntervalMs = 500;

const say = (text: string): void => printNote(`heddle: ${text}\n`);

/** Shows how far a job is; on a terminal in one line that changes. */
class ProgressLine {
  #last = '';
  readonly #terminal = process.stderr.isTTY;

  show(text: string): void {
    if (text === this.#last) return;
    this.#last = text;
    process.stderr.write(this.#terminal ? `\r\x1b[K${printable(text)}` : `${printable(text)}\n`);
  }
  end(): void {
    if (this.#terminal && this.#last !== '') process.stderr.write('\r\x1b[K');
  }
}

const bar = (percent: number) => `${'█'.repeat(Math.round(percent / 5))}${'░'.repeat(20 - Math.round(percent / 5))}`;

interface CountersAnswer {
  readonly jobCounters?: {
    readonly counterGroup?: readonly {
      readonly counterGroupName: string;
      readonly counter: readonly { readonly name: string; readonly totalCounterValue: number }[];
    }[];
  };
}

/** Input that a job's maps have read so far; undefined where its master does not say. */
async function inputBytes(master: MasterPages, app: ApplicationInfo, jobId: string): Promise<number | undefined> {
  const answer = await master
    .json<CountersAnswer>(app, 'GET', `/ws/v1/mapreduce/jobs/${jobId}/counters`, { signal: AbortSignal.timeout(1000) })
    .catch(() => undefined);
  // Before its first task has told any, a job has no such counter.
  const group = answer?.jobCounters?.counterGroup?.find(({ counterGroupName }) => counterGroupName === fileInputCounterGroup);
  return group?.counter.find(({ name }) => name === 'BYTES_READ')?.totalCounterValue ?? (answer === undefined ? undefined : 0);
}

/** What is watched, and who hears of it. */
export interface WatchedJob {
  readonly applicationId: string;
  readonly jobId: string;
  /** Says on the error stream how far it is, or why it waits. */
  readonly told: boolean;
  /** Hears what the job's master says of it (`/ws/v1/mapreduce/jobs/JOB`) while it runs, every half second. */
  readonly onProgress?: (job: MasterJob) => void;
}

/** Watches until the job's application is over; resolves with that. Ctrl-C leaves the job running. */
export async function watchJob(connection: Connection, { applicationId, jobId, told, onProgress }: WatchedJob): Promise<ApplicationInfo> {
  const { cluster } = connection;
  const line = new ProgressLine();
  const pace = new JobPace();
  const leave = () => {
    line.end();
    say(`${jobId} goes on without this command; end it with "heddle job kill ${jobId}"`);
    process.exit(130);
  };
  process.once('SIGINT', leave);
  const master = new MasterPages(connection);
  let app: ApplicationInfo = await talkPatiently(() => cluster.application(applicationId));
  let askedMs = performance.now();
  const teller = new WaitTeller(() => cluster.explain(applicationId), say);
  const showPace = async (job: MasterJob): Promise<void> => {
    const { mapProgress, reduceProgress, reducesTotal } = job;
    if (waitsForContainers(job)) await teller.look();
    const [maps, reduces] = [Math.floor(mapProgress), Math.floor(reduceProgress)];
    pace.add({ atMs: performance.now(), done: doneOf(job), bytes: maps < 100 ? await inputBytes(master, app, jobId) : undefined });
    const how = pace.text();
    const shown = `map ${bar(maps)} ${maps}%${reducesTotal > 0 ? `  reduce ${bar(reduces)} ${reduces}%` : ''}`;
    line.show(`${shown}${how === '' ? '' : `  ${how}`}`);
  };
  for (let polls = 0; !isFinalApplicationState(app.state); polls++) {
    if (told && app.state !== 'RUNNING') await teller.look();
    if ((told || onProgress) && app.state === 'RUNNING' && performance.now() - askedMs > progressIntervalMs) {
      askedMs = performance.now();
      const answer = await master
        .json<{ readonly job?: MasterJob }>(app, 'GET', `/ws/v1/mapreduce/jobs/${jobId}`, { signal: AbortSignal.timeout(1000) })
        .catch(() => undefined);
      if (answer?.job) {
        onProgress?.(answer.job);
        if (told) await showPace(answer.job);
      }
    }
    await new Promise((wake) => setTimeout(wake, polls < fastPolls ? fastPollMs : pollMs));
    app = await talkPatiently(() => cluster.application(applicationId));
  }
  process.off('SIGINT', leave);
  line.end();
  return app;
}

/** Follows a job that was submitted just now to the end; resolves with the exit code. Ctrl-C leaves the job running. */
export async function followJob(connection: Connection, followed: FollowedJob): Promise<number> {
  const { applicationId, jobId, json, program } = followed;
  if (!json) say(`submitted ${jobId} (${program})`);
  const app = await watchJob(connection, { applicationId, jobId, told: !json });
  const code = tellEnd(app, followed);
  if (code !== 0 && !json)
    for (const failure of await taskFailures(new HttpClient({ url: connection.historyUrl, ...connection.credentials }), jobId))
      say(failure);
  return code;
}

function tellEnd(app: ApplicationInfo, { jobId, applicationId, startedMs, json }: FollowedJob): number {
  const succeeded = app.state === 'FINISHED' && app.finalStatus === 'SUCCEEDED';
  const elapsedMs = Math.round(performance.now() - startedMs);
  if (json)
    printText(
      `${JSON.stringify({ id: applicationId, job: jobId, state: app.state, finalStatus: app.finalStatus, elapsedMs, diagnostics: app.diagnostics ?? '' })}\n`,
    );
  else if (succeeded) {
    say(`${jobId} succeeded in ${formatDuration(elapsedMs)}`);
    // Of a job that succeeded they say what else went wrong.
    if (app.diagnostics?.trim()) say(app.diagnostics.trim());
  } else {
    const state = app.state === 'FINISHED' ? app.finalStatus : app.state;
    say(
      `${jobId} ${state}: ${app.diagnostics?.trim() || 'no diagnostics'}\n  ${remedyByWords(app.diagnostics ?? '') ?? `See its logs with "heddle app logs ${applicationId}".`}`,
    );
  }
  return succeeded ? 0 : 1;
}

/** Asks the master of a running job to end it; one without a master ends with its application. @throws CommandFailure */
export async function killJob(connection: Connection, jobId: string): Promise<void> {
  if (!/^job_\d+_\d+$/.test(jobId)) throw new CommandFailure(`'${jobId}' is no job id`, 'Write for example job_1700000000000_0001.', 2);
  const { cluster } = connection;
  const app = await talk(() => cluster.application(applicationIdOfJob(jobId)));
  if (isFinalApplicationState(app.state)) {
    printNote(`heddle: ${jobId} is over already\n`);
    return;
  }
  if (app.state === 'RUNNING') await new JobPages(connection, jobId).setState({ jobId }, 'KILLED');
  else await talk(() => cluster.kill(app.id!));
  printNote(`heddle: ${jobId} is asked to end\n`);
}
