// `heddle schedule add|list|show|pause|resume|run|remove`: runs that the cluster submits by itself, by a cron expression.
import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { systemErrorText } from '../lib/system-error.ts';
import { commandMaster } from '../wire/cluster/command-job.ts';
import type { Schedule, ScheduleDetail } from '../wire/cluster/schedules.ts';
import type { PlainSubmission } from '../wire/cluster/submission.ts';
import { readResources } from './amounts.ts';
import { connect, talk } from './connection.ts';
import { CommandFailure } from './failure.ts';
import { readFiles } from './files.ts';
import { type ClusterFlags, withClusterOptions } from './options.ts';
import { formatTime, printFacts, printJson, printTable, printText } from './output.ts';
import { refuseFirst } from './refuse-first.ts';
import { readRunFile } from './run-file.ts';
import { plainVariables, type RunFlags } from './run-job.ts';
import { readPlacement } from './run-placement.ts';
import { readSecrets } from './run-secrets.ts';
import { wrapped } from './run-stdin.ts';

interface AddFlags extends ClusterFlags {
  readonly cron: string;
  readonly timeZone?: string;
  readonly overlap?: 'skip' | 'queue' | 'allow';
  readonly missed?: 'one' | 'none';
  readonly paused?: boolean;
  readonly replace?: boolean;
}
interface OwnerFlags extends ClusterFlags {
  readonly owner?: string;
}

/** Registers `heddle schedule …`. */
export function addSchedule(program: Command): void {
  const schedule = program.command('schedule').description('runs that the cluster submits by itself, by a cron expression');
  withClusterOptions(schedule.command('add'))
    .description('have a file run again and again, as "heddle run FILE.yaml" runs it once')
    .argument('<name>', 'letters, digits, points, _ and -')
    .argument('<file>', 'what to run, as "heddle run" takes it; what it brings along is taken now')
    .requiredOption(
      '--cron <expression>',
      'minute, hour, day, month, day of the week: "30 2 * * 1-5"; or @hourly, @daily, @weekly, @monthly',
    )
    .option('--time-zone <zone>', 'such as Europe/Berlin (default: UTC)')
    .addOption(
      new Option(
        '--overlap <policy>',
        'where the run before is not over: skip this one, queue it until then, or allow both (default: skip)',
      ).choices(['skip', 'queue', 'allow']),
    )
    .addOption(
      new Option('--missed <policy>', 'one run for all that were missed while the cluster was away, or none (default: one)').choices([
        'one',
        'none',
      ]),
    )
    .option('--paused', 'do not begin yet')
    .option('--replace', 'take the place of the one of this name')
    .action(add);
  withClusterOptions(schedule.command('list')).description('list your schedules').option('--all', 'those of every user').action(list);
  const ofOne = (verb: string, about: string, action: (name: string, flags: OwnerFlags) => Promise<void>) =>
    withClusterOptions(schedule.command(verb))
      .argument('<schedule>', 'its name')
      .description(about)
      .option('--owner <user>', 'whose it is, for administrators (default: you)')
      .action(action);
  ofOne('show', 'show a schedule: when it is due, what it runs, and what came of the last runs', show);
  ofOne('pause', 'submit nothing until it is resumed', (name, flags) => change(name, flags, 'pause'));
  ofOne('resume', 'let it go on from now', (name, flags) => change(name, flags, 'resume'));
  ofOne('run', 'submit it now, whatever else of it runs', run);
  ofOne('remove', 'submit nothing any more; what runs goes on', remove);
}

/** A submission in one call, with all that it brings along. */
interface RunSubmission extends Readonly<Record<string, unknown>> {
  readonly run: object;
}

/** What a run file asks for, as one call submits it. @throws CommandFailure */
function submissionOf(path: string): RunSubmission {
  const { command, flags } = readRunFile(path) as { command: readonly string[]; flags: Partial<RunFlags> };
  const { instances = 1, queue, priority, label, reservation, timeout, masterMemory, name } = flags;
  const files = readFiles(flags.file).map(({ name, type, path, uri }): [string, object] => [
    name,
    {
      ...(path === undefined ? { uri } : { base64: readFileSync(path).toString('base64') }),
      ...(type === 'ARCHIVE' ? { archive: true } : {}),
    },
  ]);
  const secrets = [...readSecrets(flags.secret)].map(([name, value]): [string, string] => [name, value.toString('utf8')]);
  const { placement } = readPlacement(flags.tag, flags.constraint);
  const run = {
    command: wrapped(command, { stdin: undefined, workdir: flags.workdir }),
    instances,
    memoryMiB: flags.memory ?? 1024,
    vcores: flags.vcores ?? 1,
    resources: flags.resource && readResources(flags.resource),
    environment: plainVariables(flags.env),
    files: Object.fromEntries(files),
    secrets: secrets.length > 0 ? Object.fromEntries(secrets) : undefined,
    retries: flags.retries ?? 2,
    opportunistic: flags.opportunistic,
    ...placement,
  };
  return {
    'application-name': name,
    queue,
    priority,
    'app-node-label-expression': label,
    'reservation-id': reservation,
    'application-timeouts': timeout === undefined ? undefined : { LIFETIME: Math.ceil(timeout / 1000) },
    resource: { memory: masterMemory ?? commandMaster.memoryMiBOf(instances), vCores: 1 },
    run,
  };
}

async function add(name: string, file: string, { cron, timeZone, overlap, missed, paused, replace, ...flags }: AddFlags): Promise<void> {
  let submission: RunSubmission;
  try {
    submission = submissionOf(file);
  } catch (error) {
    if (!('syscall' in (error as object))) throw error;
    throw new CommandFailure(systemErrorText(error), 'Name a file as "heddle run FILE.yaml" takes it.', 2);
  }
  const asked = { name, cron, timeZone, overlap, missed, paused, replace, submission };
  const connection = connect(flags);
  // Better now than at night. What it brings along is of no account for that.
  await refuseFirst(connection, { ...submission, run: { ...submission.run, files: {}, secrets: undefined } } as PlainSubmission);
  const made = await talk(() => connection.cluster.createSchedule(asked));
  if (flags.json) return printJson(made);
  printText(`${made.name}: ${made.paused ? 'paused' : `next at ${formatTime(made.next[0])}`}.\n`);
}

const lastOf = ({ runs }: Schedule): string => {
  const run = runs.at(-1);
  return run === undefined ? '' : `${run.outcome} ${formatTime(run.decidedMs)}`;
};

async function list({ all, ...flags }: ClusterFlags & { readonly all?: boolean }): Promise<void> {
  const schedules = await talk(() => connect(flags).cluster.schedules(all));
  if (flags.json) return printJson(schedules);
  if (schedules.length === 0) return printText('No schedules; "heddle schedule add NAME FILE.yaml --cron …" makes one.\n');
  printTable(
    ['NAME', 'USER', 'CRON', 'TIME ZONE', 'NEXT', 'LAST'],
    schedules.map((one) => [...[one.name, one.user, one.cron, one.timeZone], one.paused ? 'paused' : formatTime(one.next[0]), lastOf(one)]),
    ['TIME ZONE', 'USER'],
  );
}

/** Whose a schedule is that a command names. */
const ownerOf = ({ owner, ...flags }: OwnerFlags) => {
  const { cluster, user } = connect(flags);
  return { cluster, owner: owner ?? user };
};

async function show(name: string, flags: OwnerFlags): Promise<void> {
  const { cluster, owner } = ownerOf(flags);
  const schedule = await talk(() => cluster.schedule<ScheduleDetail>(owner, name));
  if (flags.json) return printJson(schedule);
  const { queue, work } = schedule.submits ?? {};
  printFacts([
    ['schedule', schedule.name],
    ['user', schedule.user],
    ['cron', schedule.cron],
    ['time zone', schedule.timeZone],
    ['overlap', schedule.overlap],
    ['missed', schedule.missed],
    ['next', schedule.paused ? 'paused' : schedule.next.map(formatTime).join(', ')],
    ['runs', work?.run?.command?.join(' ') ?? work?.launch?.commands?.join('; ')],
    ['instances', work?.run?.instances],
    ['queue', queue],
  ]);
  if (schedule.runs.length === 0) return;
  printTable(
    ['DUE', 'OUTCOME', 'APPLICATION', 'WHY'],
    schedule.runs.toReversed().map(({ dueMs, outcome, applicationId, reason }) => [formatTime(dueMs), outcome, applicationId, reason]),
  );
}

async function change(name: string, flags: OwnerFlags, action: 'pause' | 'resume'): Promise<void> {
  const { cluster, owner } = ownerOf(flags);
  const schedule = await talk(() => cluster.schedule(owner, name, action));
  if (flags.json) return printJson(schedule);
  printText(`${name}: ${schedule.paused ? 'paused' : `next at ${formatTime(schedule.next[0])}`}.\n`);
}

async function run(name: string, flags: OwnerFlags): Promise<void> {
  const { cluster, owner } = ownerOf(flags);
  const { applicationId } = await talk(() => cluster.schedule<{ applicationId: string }>(owner, name, 'run'));
  if (flags.json) return printJson({ applicationId });
  printText(`${applicationId}\n`);
}

async function remove(name: string, flags: OwnerFlags): Promise<void> {
  const { cluster, owner } = ownerOf(flags);
  await talk(() => cluster.schedule(owner, name, 'remove'));
  if (flags.json) return printJson({ removed: name });
  printText(`Schedule ${name} is removed; what it submitted goes on.\n`);
}
