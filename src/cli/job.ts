// `heddle job list|show|kill|fail|counters|tasks|attempts|logs|history|events`: batch jobs that run and that ran.

import { type Command, Option } from 'commander';
import type { TaskAttemptState, TaskState } from '../batch/application-master/job-view.ts';
import { applicationIdOfJob } from '../batch/tasks/task-ids.ts';
import { HttpClient } from '../client/http.ts';
import { RemoteFailure } from '../client/remote-failure.ts';
import type { Long } from '../lib/java-long.ts';
import type { FinishedJob, FinishedJobsPage } from '../wire/batch/own-answers.ts';
import { type LogFlags, printLogs, withLogOptions } from './app-logs.ts';
import { killJob } from './batch-follow.ts';
import { type Connection, connect, talk } from './connection.ts';
import { CommandFailure } from './failure.ts';
import { addJobEvents } from './job-events.ts';
import { addJobHistory } from './job-history.ts';
import { JobPages, jobPart } from './job-pages.ts';
import { addJobShow } from './job-show.ts';
import { statesOf } from './offered-words.ts';
import { type ClusterFlags, wholeNumber, withClusterOptions } from './options.ts';
import { formatDuration, formatTime, printJson, printTable, printText } from './output.ts';

type Fields = Readonly<Record<string, string | number | undefined>>;
interface ListFlags extends ClusterFlags {
  readonly state?: string;
  readonly owner?: string;
  readonly queue?: string;
  readonly limit: number;
}
interface TaskFlags extends ClusterFlags {
  readonly type?: string;
  readonly state?: string;
}
interface CounterGroup {
  readonly counterGroupName: string;
  readonly counter: readonly Readonly<Record<string, string | Long | undefined>>[];
}

const usualLimit = 100;
/** Of applications whose jobs have not ended, and of jobs that have. */
const openStates = ['NEW', 'NEW_SAVING', 'SUBMITTED', 'ACCEPTED', 'RUNNING'];
const endedStates = ['SUCCEEDED', 'FAILED', 'KILLED', 'ERROR'];
const jobStates = [...openStates, ...endedStates];
const taskStates = ['NEW', 'SCHEDULED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'KILLED'] as const satisfies readonly TaskState[];
const attemptStates = [
  'NEW',
  'STARTING',
  'RUNNING',
  'COMMIT_PENDING',
  'SUCCEEDED',
  'FAILED',
  'KILLED',
] as const satisfies readonly TaskAttemptState[];

/** Registers `heddle job …`. */
export function addJob(program: Command): void {
  const job = program.command('job').description('look at batch jobs that run and that ran, their tasks and attempts, and end them');
  withClusterOptions(job.command('list'))
    .description('list batch jobs, newest first')
    .option('--state <states>', 'only these states, separated by commas: RUNNING, SUCCEEDED, FAILED, KILLED', statesOf(jobStates))
    .option('--owner <user>', 'only those of this user')
    .option('--queue <queue>', 'only this queue')
    .option('--limit <count>', 'at most so many, the newest', wholeNumber(1), usualLimit)
    .action(list);
  addJobShow(job);
  withClusterOptions(job.command('kill').argument('<id...>', 'ids of jobs, tasks or attempts'))
    .description('end jobs, tasks, or attempts, which are then tried again')
    .action((ids: readonly string[], flags: ClusterFlags) => end(ids, flags, 'KILLED'));
  withClusterOptions(job.command('fail').argument('<attempt...>', 'ids of attempts'))
    .description('let attempts fail that wait or run, which counts against their tasks')
    .action((ids: readonly string[], flags: ClusterFlags) => end(ids, flags, 'FAILED'));
  withClusterOptions(job.command('counters').argument('<id>', 'id of a job, a task or an attempt'))
    .description('show counters')
    .action(counters);
  withClusterOptions(job.command('tasks').argument('<job>', 'its id'))
    .description('list the tasks of a job')
    .addOption(new Option('--type <type>', 'only this kind').choices(['map', 'reduce']))
    .option('--state <states>', 'only these states, separated by commas', statesOf(taskStates))
    .action(tasks);
  withClusterOptions(job.command('attempts').argument('<id>', 'id of a job or a task'))
    .description('list attempts, with the nodes they ran on')
    .addOption(new Option('--type <type>', 'only this kind').choices(['map', 'reduce']))
    .option('--state <states>', 'only these states, separated by commas', statesOf(attemptStates))
    .action(attempts);
  withLogOptions(job.command('logs').argument('<id>', 'id of a job or an attempt'))
    .description('print what a job, or one attempt, wrote')
    .action(logs);
  addJobHistory(job);
  addJobEvents(job);
}

const wanted = (states: string | undefined): ((state: unknown) => boolean) => {
  const set = states === undefined ? undefined : new Set(states.split(','));
  return (state) => set === undefined || set.has(String(state));
};

/** The newest finished jobs that the flags want. */
async function endedJobs(connection: Connection, { owner, queue, state, limit }: ListFlags): Promise<FinishedJob[]> {
  const history = new HttpClient({ url: connection.historyUrl, ...connection.credentials });
  const states = state?.split(',').filter((one) => endedStates.includes(one));
  const found: FinishedJob[] = [];
  for (const one of states ?? [undefined]) {
    const query = { sort: '-startTime', ...definedOnly({ user: owner, queue, state: one }) };
    let [left, cursor]: [number, string | undefined] = [limit, ''];
    while (left > 0 && cursor !== undefined) {
      const page: FinishedJobsPage = await talk(() =>
        history.json('GET', '/api/v1/jobs', { query: { ...query, limit: String(left), ...definedOnly({ cursor: cursor || undefined }) } }),
      );
      found.push(...page.jobs);
      [left, cursor] = [left - page.jobs.length, page.next];
    }
  }
  return found;
}

const definedOnly = (texts: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(texts).filter((entry): entry is [string, string] => entry[1] !== undefined));

async function list(flags: ListFlags): Promise<void> {
  const connection = connect(flags);
  const running = await talk(() =>
    connection.cluster.applications({
      applicationTypes: 'MAPREDUCE',
      states: openStates.join(','),
      ...(flags.owner === undefined ? {} : { user: flags.owner }),
      ...(flags.queue === undefined ? {} : { queue: flags.queue }),
    }),
  );
  const ended = await endedJobs(connection, flags);
  const rows: Fields[] = [
    ...running.map((app) => ({
      id: app.id?.replace('application', 'job'),
      name: app.name,
      user: app.user,
      queue: app.queue,
      state: app.state,
      progress: `${Math.round(app.progress ?? 0)}%`,
      startTime: Number(app.startedTime ?? 0),
      elapsed: Number(app.elapsedTime ?? 0),
    })),
    ...ended.map(({ maps, reduces, ...job }) => ({
      ...job,
      mapsTotal: job.mapsTotal ?? maps,
      mapsCompleted: maps,
      reducesTotal: job.reducesTotal ?? reduces,
      reducesCompleted: reduces,
      elapsed: Number(job.finishTime) - Number(job.submitTime ?? job.startTime),
    })),
  ];
  const isWanted = wanted(flags.state);
  const unique = [...new Map(rows.map((row) => [row['id'], row])).values()]
    .filter(({ state }) => isWanted(state))
    .sort((a, b) => Number(b['startTime']) - Number(a['startTime']))
    .slice(0, flags.limit);
  if (flags.json) return printJson(unique);
  if (unique.length === 0) return printText('No batch jobs.\n');
  printTable(
    ['JOB', 'NAME', 'USER', 'QUEUE', 'STATE', 'MAPS', 'REDUCES', 'STARTED', 'TIME'],
    unique.map((row) => [
      row['id'],
      String(row['name'] ?? ''),
      row['user'],
      row['queue'],
      row['progress'] === undefined ? row['state'] : `${row['state']} ${row['progress']}`,
      row['mapsTotal'],
      row['reducesTotal'],
      formatTime(Number(row['startTime'])),
      formatDuration(Number(row['elapsed'])),
    ]),
    ['STARTED', 'QUEUE', 'USER', 'REDUCES', 'MAPS'],
  );
}

async function end(ids: readonly string[], flags: ClusterFlags, state: 'KILLED' | 'FAILED'): Promise<void> {
  const connection = connect(flags);
  for (const id of ids) {
    const part = jobPart(id);
    if (state === 'FAILED' && part.attemptId === undefined)
      throw new CommandFailure(`${id} is no attempt`, 'Only attempts can be made to fail; end jobs and tasks with "heddle job kill".', 2);
    await mustKnow(connection, part.jobId);
    if (part.taskId === undefined) await killJob(connection, part.jobId);
    else {
      const pages = new JobPages(connection, part.jobId);
      const over = state === 'KILLED' ? await pages.endOf(part) : undefined;
      if (over === undefined) await pages.setState(part, state);
      if (!flags.json) printText(over === undefined ? `${id} is asked to end\n` : `${id} is over already: ${over}\n`);
    }
  }
  if (flags.json) printJson(ids.map((id) => ({ id, state })));
}

async function counters(id: string, flags: ClusterFlags): Promise<void> {
  const { jobId, taskId, attemptId } = jobPart(id);
  const path = `${taskId === undefined ? '' : `/tasks/${taskId}`}${attemptId === undefined ? '' : `/attempts/${attemptId}`}/counters`;
  const answer = await new JobPages(connect(flags), jobId).counters<Record<string, Record<string, readonly CounterGroup[] | undefined>>>(
    path,
  );
  const body = Object.values(answer)[0] ?? {};
  const groups = (body['counterGroup'] ?? body['taskCounterGroup'] ?? body['taskAttemptCounterGroup'] ?? []) as readonly CounterGroup[];
  if (flags.json) return printJson(groups);
  if (groups.every(({ counter }) => counter.length === 0)) return printText('No counters.\n');
  const isJob = taskId === undefined;
  printTable(
    ['GROUP', 'COUNTER', ...(isJob ? ['MAPS', 'REDUCES', 'TOTAL'] : ['VALUE'])],
    groups.flatMap(({ counterGroupName, counter }) =>
      counter.map((one) => [
        counterGroupName.split('.').at(-1),
        one['name'],
        ...(isJob ? [one['mapCounterValue'], one['reduceCounterValue'], one['totalCounterValue']] : [one['value']]),
      ]),
    ),
  );
}

const typeQuery = ({ type }: TaskFlags): Record<string, string> => {
  if (type === undefined) return {};
  if (!/^(m|r|map|reduce)s?$/i.test(type)) throw new CommandFailure(`--type ${type}: neither map nor reduce`, undefined, 2);
  return { type: type[0]!.toLowerCase() };
};

/** The tasks of a job that the flags want. */
async function tasksOf(pages: JobPages, flags: TaskFlags): Promise<readonly Fields[]> {
  return (await pages.get<{ tasks?: { task?: readonly Fields[] } | null }>('/tasks', typeQuery(flags))).tasks?.task ?? [];
}

async function tasks(id: string, flags: TaskFlags): Promise<void> {
  const isWanted = wanted(flags.state);
  const rows = (await tasksOf(new JobPages(connect(flags), jobPart(id).jobId), flags)).filter(({ state }) => isWanted(state));
  if (flags.json) return printJson(rows);
  if (rows.length === 0) return printText('No tasks.\n');
  printTable(
    ['TASK', 'STATE', 'PROGRESS', 'STARTED', 'TIME', 'STATUS'],
    rows.map((task) => [
      task['id'],
      task['state'],
      `${Math.floor(Number(task['progress'] ?? 0))}%`,
      formatTime(Number(task['startTime'])),
      formatDuration(Number(task['elapsedTime'])),
      task['status'],
    ]),
    ['STARTED', 'STATUS'],
  );
}

async function attemptsOf(pages: JobPages, taskId: string): Promise<readonly Fields[]> {
  type Answer = { taskAttempts?: { taskAttempt?: readonly Fields[] } | null };
  return (await pages.get<Answer>(`/tasks/${taskId}/attempts`)).taskAttempts?.taskAttempt ?? [];
}

async function attempts(id: string, flags: TaskFlags): Promise<void> {
  const { jobId, taskId } = jobPart(id);
  const pages = new JobPages(connect(flags), jobId);
  const isWanted = wanted(flags.state);
  const rows: Fields[] = [];
  for (const task of taskId === undefined ? (await tasksOf(pages, flags)).map((one) => String(one['id'])) : [taskId])
    rows.push(...(await attemptsOf(pages, task)).filter(({ state }) => isWanted(state)));
  if (flags.json) return printJson(rows);
  if (rows.length === 0) return printText('No attempts.\n');
  printTable(
    ['ATTEMPT', 'STATE', 'PROGRESS', 'WEB ADDRESS', 'CONTAINER', 'TIME', 'DIAGNOSTICS'],
    rows.map((attempt) => [
      attempt['id'],
      attempt['state'],
      `${Math.floor(Number(attempt['progress'] ?? 0))}%`,
      attempt['nodeHttpAddress'],
      attempt['assignedContainerId'],
      formatDuration(Number(attempt['elapsedTime'])),
      String(attempt['diagnostics'] ?? '').split('\n')[0],
    ]),
    ['CONTAINER', 'WEB ADDRESS', 'PROGRESS'],
  );
}

/** @throws CommandFailure for a job that nothing is known of */
async function mustKnow({ cluster }: Connection, jobId: string): Promise<void> {
  const known = async () => {
    try {
      await cluster.application(applicationIdOfJob(jobId));
    } catch (error) {
      if (!(error instanceof RemoteFailure && error.status === 404)) throw error;
      throw new CommandFailure(`there is no job ${jobId}`, 'See what there is with "heddle job list".');
    }
  };
  await talk(known);
}

async function logs(id: string, flags: LogFlags): Promise<void> {
  const { jobId, taskId, attemptId } = jobPart(id);
  const application = applicationIdOfJob(jobId);
  await mustKnow(connect(flags), jobId);
  if (attemptId === undefined) {
    if (taskId !== undefined) throw new CommandFailure(`${id} is a task`, `Name one of its attempts: "heddle job attempts ${id}".`, 2);
    return printLogs(application, flags);
  }
  const pages = new JobPages(connect(flags), jobId);
  const container = (await attemptsOf(pages, taskId!)).find((attempt) => attempt['id'] === attemptId)?.['assignedContainerId'];
  if (container === undefined || container === '')
    throw new CommandFailure(`${id} has no container`, `See "heddle job attempts ${taskId}".`);
  return printLogs(application, { ...flags, container: String(container) });
}
