// What is known of a batch job: from its master while it runs, afterwards from the history server.
import { applicationIdOfJob, taskIdOfAttempt } from '../batch/tasks/task-ids.ts';
import type { AnswerReading } from '../client/answer-json.ts';
import { HttpClient, type QueryParameters } from '../client/http.ts';
import { RemoteFailure } from '../client/remote-failure.ts';
import { isFinalApplicationState } from '../model/application-states.ts';
import type { PlainTask, TasksPage } from '../wire/batch/own-answers.ts';
import type { ApplicationInfo } from '../wire/cluster/application.ts';
import { type Connection, talk, talkPatiently } from './connection.ts';
import { CommandFailure } from './failure.ts';
import { MasterPages } from './master-pages.ts';

/** What an id names. */
export interface JobPart {
  readonly jobId: string;
  readonly taskId?: string;
  readonly attemptId?: string;
}

const historyWaitMs = 5000;
const endWaitMs = 60_000;
/** What an answer may take longer than the wait that it was asked for. */
const spareMs = 15_000;
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

/** What is answered, or else what a 404 becomes. */
async function unlessAbsent<Value, Instead>(
  ask: () => Promise<Value>,
  instead: (absent: RemoteFailure) => Instead,
): Promise<Value | Instead> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof RemoteFailure && error.status === 404) return instead(error);
    throw error;
  }
}

/** Where the same page of a job is while it runs and afterwards. */
type Roots = Readonly<Record<'running' | 'ended', string>>;
const hadoopRoots: Roots = { running: '/ws/v1/mapreduce', ended: '/ws/v1/history/mapreduce' };

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
    return talk(() =>
      unlessAbsent(
        () => this.#connection.cluster.application(applicationIdOfJob(this.jobId)),
        () => undefined,
      ),
    );
  }

  /** The page below `/jobs/<id>` of Hadoop's interfaces. @throws CommandFailure where nobody has it */
  get<Value>(path: string, query: QueryParameters = {}): Promise<Value> {
    return this.#ask(hadoopRoots, path, query);
  }

  /** The same of counters, which have all 64 bits: bigints where numbers would be rounded. @throws CommandFailure where nobody has them */
  counters<Value>(path: string): Promise<Value> {
    return this.#ask(hadoopRoots, path, {}, { isExact: true });
  }

  /** All tasks with their attempts, maps first. @throws CommandFailure where nobody has them */
  async tasks(): Promise<PlainTask[]> {
    const found: PlainTask[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const page: TasksPage = await this.#ask({ running: '/api/v1', ended: '/api/v1' }, '/tasks', cursor === '' ? {} : { cursor });
      found.push(...page.tasks);
      cursor = page.next;
    }
    return found;
  }

  async #ask<Value>(roots: Roots, path: string, query: QueryParameters, reading: AnswerReading = {}): Promise<Value> {
    const app = await this.application();
    if (app !== undefined && !isFinalApplicationState(app.state)) {
      if (app.state !== 'RUNNING')
        throw new CommandFailure(
          `${this.jobId} has no master yet: its application is ${app.state}`,
          `See why it waits with "heddle app explain ${app.id}".`,
        );
      return talk(() => this.#master.json<Value>(app, 'GET', `${roots.running}/jobs/${this.jobId}${path}`, { query, ...reading }));
    }
    return this.#ended<Value>(`${roots.ended}/jobs/${this.jobId}${path}`, { query, ...reading });
  }

  /** What a master wrote is found by the history server a little later. */
  async #ended<Value>(path: string, options: { query: QueryParameters } & AnswerReading): Promise<Value> {
    const ask = () => this.#history.json<Value>('GET', path, options);
    return talk(() =>
      unlessAbsent(
        () =>
          unlessAbsent(ask, async () => {
            await this.#waitAt(this.#history, `/api/v1/jobs/${this.jobId}`, historyWaitMs);
            return ask();
          }),
        ({ message }) => {
          throw new CommandFailure(`${this.jobId}: ${message}`, 'See what there is with "heddle job list".');
        },
      ),
    );
  }

  #waitAt<Value>(server: HttpClient, path: string, waitMs: number): Promise<Value> {
    const query = { wait: String(waitMs), until: 'end' };
    return server.json<Value>('GET', path, { query, signal: AbortSignal.timeout(waitMs + spareMs) });
  }

  /** Resolves once the job's application is over; one that the cluster does not know (any more) is. */
  async end(): Promise<void> {
    const path = `/api/v1/applications/${applicationIdOfJob(this.jobId)}`;
    for (let state: string | undefined = ''; state !== undefined && !isFinalApplicationState(state); )
      state = await talkPatiently(() =>
        unlessAbsent(
          async () => (await this.#waitAt<{ readonly state: string }>(this.#connection.cluster.http, path, endWaitMs)).state,
          () => undefined,
        ),
      );
  }

  /** The state of a task or an attempt that has ended for good; undefined where there is something left to kill, as the output of a map. */
  async endOf({ taskId, attemptId }: JobPart): Promise<string | undefined> {
    const path = `/tasks/${taskId}${attemptId === undefined ? '' : `/attempts/${attemptId}`}`;
    const { task, taskAttempt } = await this.get<Partial<Record<'task' | 'taskAttempt', { readonly state: string }>>>(path);
    const state = (taskAttempt ?? task)?.state ?? '';
    const isOutputOfMap = state === 'SUCCEEDED' && attemptId?.includes('_m_') === true;
    return !isOutputOfMap && ['SUCCEEDED', 'FAILED', 'KILLED'].includes(state) ? state : undefined;
  }

  /** Asks the running master for a new state of the job, a task or an attempt. @throws CommandFailure where the job is over */
  async setState({ taskId, attemptId }: JobPart, state: 'KILLED' | 'FAILED'): Promise<void> {
    const app = await this.application();
    if (app === undefined || app.state !== 'RUNNING') throw new CommandFailure(`${this.jobId} does not run`);
    const parts = [taskId && `/tasks/${taskId}`, attemptId && `/attempts/${attemptId}`];
    const path = `/api/v1/jobs/${this.jobId}${parts.map((part) => part ?? '').join('')}/state`;
    await talk(() => this.#master.json(app, 'PUT', path, { body: { state } }));
  }
}
