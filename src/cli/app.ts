// `heddle app list|show|kill`; its further commands lie in files of their own.
import type { Command } from 'commander';
import type { ApplicationFilters } from '../client/cluster-client.ts';
import { RemoteFailure } from '../client/remote-failure.ts';
import { isFinalApplicationState, publicApplicationStates } from '../model/application-states.ts';
import type { ApplicationInfo } from '../wire/cluster/application.ts';
import { addApplicationChanges, priorityText } from './app-changes.ts';
import { addExplain } from './app-explain.ts';
import { addApplicationLogs } from './app-logs.ts';
import { showSubmission } from './app-submission.ts';
import { connect, talk } from './connection.ts';
import { addApplicationContainers } from './container.ts';
import { addApplicationEvents } from './events.ts';
import { CommandFailure } from './failure.ts';
import { statesOf } from './offered-words.ts';
import { type ClusterFlags, wholeNumber, withClusterOptions } from './options.ts';
import { formatDuration, formatMemory, formatTime, printFacts, printJson, printTable, printText } from './output.ts';

interface ListFlags extends ClusterFlags {
  readonly state?: string;
  readonly queue?: string;
  readonly owner?: string;
  readonly type?: string;
  readonly tag?: string;
  readonly limit?: number;
}

/** Registers `heddle app …`. */
export function addApp(program: Command): void {
  const app = program.command('app').description('look at applications, change and end them');
  withClusterOptions(app.command('list'))
    .description('list applications, newest first')
    .option(
      '--state <states>',
      `only these states, separated by commas: ${publicApplicationStates.join(', ')}`,
      statesOf(publicApplicationStates),
    )
    .option('--queue <queue>', 'only this queue')
    .option('--owner <user>', 'only those of this user')
    .option('--type <types>', 'only these application types')
    .option('--tag <tags>', 'only those with one of these tags')
    .option('--limit <count>', 'at most so many, the newest', wholeNumber(1))
    .action(list);
  withClusterOptions(app.command('show').argument('<application>', 'its id'))
    .description('show one application with its attempts')
    .option('--submission', 'what it was submitted with instead: of a run the file that "heddle run FILE.yaml" takes')
    .action((id: string, { submission, ...flags }: ClusterFlags & { readonly submission?: boolean }) =>
      submission ? showSubmission(id, flags) : show(id, flags),
    );
  withClusterOptions(app.command('kill').argument('<application...>', 'their ids'))
    .description('end applications')
    .option('--no-wait', 'return as soon as the cluster has taken note')
    .action(kill);
  addExplain(app);
  addApplicationChanges(app);
  addApplicationContainers(app);
  addApplicationLogs(app);
  addApplicationEvents(app);
}

async function list(flags: ListFlags): Promise<void> {
  const { cluster } = connect(flags);
  const filters: ApplicationFilters = {
    ...(flags.state === undefined ? {} : { states: flags.state }),
    ...(flags.queue === undefined ? {} : { queue: flags.queue }),
    ...(flags.owner === undefined ? {} : { user: flags.owner }),
    ...(flags.type === undefined ? {} : { applicationTypes: flags.type }),
    ...(flags.tag === undefined ? {} : { applicationTags: flags.tag }),
  };
  const applications = [...(await talk(() => cluster.applications(filters)))].sort(newestFirst).slice(0, flags.limit);
  if (flags.json) return printJson(applications);
  if (applications.length === 0) printText('No applications.\n');
  else
    printTable(
      ['APPLICATION', 'NAME', 'USER', 'QUEUE', 'STATE', 'RESULT', 'PROGRESS', 'STARTED', 'TIME'],
      applications.map((app) => [
        app.id,
        app.name,
        app.user,
        app.queue,
        app.state,
        app.finalStatus === 'UNDEFINED' ? '' : app.finalStatus,
        `${Math.round(app.progress ?? 0)}%`,
        formatTime(app.startedTime),
        formatDuration(app.elapsedTime),
      ]),
      ['STARTED', 'QUEUE', 'USER', 'PROGRESS'],
    );
}

function newestFirst(left: ApplicationInfo, right: ApplicationInfo): number {
  return Number(right.startedTime ?? 0) - Number(left.startedTime ?? 0) || (right.id ?? '').localeCompare(left.id ?? '');
}

async function show(id: string, flags: ClusterFlags): Promise<void> {
  const { cluster } = connect(flags);
  const app = await talk(() => cluster.application(id));
  const attempts = await cluster.attempts(id).catch(() => []);
  if (flags.json) return printJson({ ...app, attempts });
  const waits = isFinalApplicationState(app.state) ? undefined : await cluster.explain(id).catch(() => undefined);
  printFacts([
    ['application', app.id],
    ['name', app.name],
    ['type', app.applicationType],
    ['user', app.user],
    ['queue', app.queue],
    ['priority', app.priority === undefined ? undefined : priorityText(Number(app.priority))],
    ['tags', app.applicationTags],
    ['state', app.state],
    ['result', app.finalStatus === 'UNDEFINED' ? undefined : app.finalStatus],
    ['progress', `${Math.round(app.progress ?? 0)}%`],
    ['started', formatTime(app.startedTime)],
    ['finished', formatTime(app.finishedTime)],
    ['time', formatDuration(app.elapsedTime)],
    ['containers', Number(app.runningContainers ?? -1) >= 0 ? app.runningContainers : undefined],
    ['memory', Number(app.allocatedMB ?? -1) >= 0 ? formatMemory(app.allocatedMB) : undefined],
    ['vcores', Number(app.allocatedVCores ?? -1) >= 0 ? app.allocatedVCores : undefined],
    ['tracking', app.trackingUrl],
    ['waits', waits?.waiting ? [waits.sentence, waits.remedy].filter(Boolean).join(' ') : undefined],
    ['logs', app.finalStatus === 'FAILED' ? `"heddle app logs ${id}"` : undefined],
    ['diagnostics', app.diagnostics?.trim()],
  ]);
  if (attempts.length === 0) return;
  printText('\n');
  printTable(
    ['ATTEMPT', 'STATE', 'NODE', 'MASTER CONTAINER', 'STARTED'],
    attempts.map((attempt) => [attempt.id, attempt.appAttemptState, attempt.nodeId, attempt.containerId, formatTime(attempt.startTime)]),
    ['STARTED', 'NODE'],
  );
}

async function kill(ids: readonly string[], flags: ClusterFlags & { wait: boolean }): Promise<void> {
  const { cluster } = connect(flags);
  const results: { id: string; state: string }[] = [];
  for (const id of ids) {
    const before = await talk(() => cluster.application(id));
    let state = before.state ?? '';
    const wasOver = isFinalApplicationState(state);
    if (!wasOver) {
      state = await talk(() => cluster.kill(id)).catch((error: unknown) => {
        if (error instanceof RemoteFailure) throw new CommandFailure(error.message);
        throw error;
      });
      while (flags.wait && !isFinalApplicationState(state)) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        state = (await talk(() => cluster.application(id))).state ?? '';
      }
    }
    results.push({ id, state });
    if (!flags.json) printText(wasOver ? `${id} was over already: ${state}\n` : `${id}: ${state}\n`);
  }
  if (flags.json) printJson(results);
}
