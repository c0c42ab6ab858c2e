// What is known of a batch job: from its master while it runs, afterwards from the history server.
import { applicationIdOfJob, taskIdOfAttempt } from '../batch/tasks/task-ids.ts';
import { HttpClient, type QueryParameters, RemoteFailure } from '../client/http.ts';
import type { ApplicationInfo } from '../wire/cluster/application.ts';
import { isOver } from './app-state.ts';
import { type Connection, talk } from './connection.ts';
import { CommandFailure } from './failure.ts';
import { MasterPages } from './master-pages.ts';

/** What an id names. */
export interface JobPart {
  readonly jobId: string;
  readonly taskId?: string;
  readonly attemptId?: string;
}

const historyWaitMs = 5000;
const pollMs = 250;
const digits = String.raw`\d{1,19}_\d{1,10}`;
const jobPattern = new RegExp(`^job_${digits}$`);
const taskPattern = new RegExp(`^task_(${digits})_[mr]_\\d{1,10}$`);
const attemptPattern = new RegExp(`^attempt_(${digits})_[mr]_\\d{1,10}_\\d{1,10}$`);

/** Reads an id of a job, a task or an attempt; an application's id is its job's, too. @throws CommandFailure */
export function jobPart(id: string): JobPart {
  if (new RegExp(`^application_${digits}$`).test(id)) return { jobId: id.replace('application', 'job') };
  if (jobPattern.test(id)) return { jobId: id };
  const task = taskPattern.exec(id);
  if (task) return { jobId: `job_${task[1]}`, taskId: id };
  const attempt = attemptPattern.exec(id);
  if (attempt) return { jobId: `job_${attempt[1]}`, taskId: taskIdOfAttempt(id), attemptId: id };
  throw new CommandFailure(`'${id}' is no id of a job, a task or an attempt`, 'Write for example job_1700000000000_0001.', 2);
}

/** Asks for pages of one job. */
export class JobPages {
  readonly #connection: Connection;
  readonly #master: MasterPages;
  readonly #history: HttpClient;
  readonly jobId: string;

  constructor(connection: Connection, jobId: string) {
    this.#connection = connection;
    this.jobId = jobId;
    this.#master = new MasterPages(connection);
    this.#history = new HttpClient({ url: connection.historyUrl, ...connection.credentials });
  }

  /** The application of the job; undefined where the cluster does not know it (any more). */
  async application(): Promise<ApplicationInfo | undefined> {
    try {
      return await talk(() => this.#connection.cluster.application(applicationIdOfJob(this.jobId)));
    } catch (error) {
      if (error instanceof RemoteFailure && error.status === 404) return undefined;
      throw error;
    }
  }

  /** The page below `/jobs/<id>`. @throws CommandFailure where nobody has it */
  async get<Value>(path: string, query: QueryParameters = {}): Promise<Value> {
    const app = await this.application();
    if (app !== undefined && !isOver(app.state)) {
      if (app.state !== 'RUNNING')
        throw new CommandFailure(
          `${this.jobId} has no master yet: its application is ${app.state}`,
          `See why it waits with "heddle app explain ${app.id}".`,
        );
      return talk(() => this.#master.json<Value>(app, 'GET', `/ws/v1/mapreduce/jobs/${this.jobId}${path}`, { query }));
    }
    return this.#ended<Value>(path, query);
  }

  /** What a master wrote is found by the history server a little later. */
  async #ended<Value>(path: string, query: QueryParameters): Promise<Value> {
    const endMs = performance.now() + historyWaitMs;
    for (;;) {
      try {
        return await talk(() => this.#history.json<Value>('GET', `/ws/v1/history/mapreduce/jobs/${this.jobId}${path}`, { query }));
      } catch (error) {
        if (!(error instanceof RemoteFailure) || error.status !== 404) throw error;
        if (performance.now() > endMs)
          throw new CommandFailure(`${this.jobId}: ${error.message}`, 'See what there is with "heddle job list".');
      }
      await new Promise((wake) => setTimeout(wake, pollMs));
    }
  }

  /** Asks the running master for a new state of a task or attempt. @throws CommandFailure where the job is over */
  async setState({ taskId, attemptId }: JobPart, state: 'KILLED' | 'FAILED'): Promise<void> {
    const app = await this.application();
    if (app === undefined || app.state !== 'RUNNING') throw new CommandFailure(`${this.jobId} does not run`);
    const path = `/api/v1/jobs/${this.jobId}/tasks/${taskId}${attemptId === undefined ? '' : `/attempts/${attemptId}`}/state`;
    try {
      await talk(() => this.#master.json(app, 'PUT', path, { body: { state } }));
    } catch (error) {
      if (error instanceof RemoteFailure) throw new CommandFailure(error.message);
      throw error;
    }
  }
}
