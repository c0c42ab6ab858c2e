// `heddle run … -- COMMAND`: runs a command in containers, shows what it writes, and ends with its exit code.

import { existsSync, statSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { coresText } from '../model/resource.ts';
import type { Adjustment } from '../wire/cluster/adjustment.ts';
import { type CommandJob, commandMaster, mostInstances } from '../wire/cluster/command-job.ts';
import type { PlainSubmission } from '../wire/cluster/submission.ts';
import { memoryMiB, timeMs } from './amounts.ts';
import { type Connection, connect, talk, talkAtFirst, talkPatiently } from './connection.ts';
import { setExitCode } from './exit-code.ts';
import { CommandFailure } from './failure.ts';
import { bringFiles, fileOptionText, readFiles } from './files.ts';
import { configurationOf, wholeNumber, withClusterOptions } from './options.ts';
import { formatDuration, formatMemory, printFacts, printJson, printNote, printText } from './output.ts';
import { refuseFirst } from './refuse-first.ts';
import { lookAtAddresses } from './remote-files.ts';
import { retriesAbout, retriesOf, retriesText } from './retries.ts';
import { followCommand } from './run-follow.ts';
import { jobOf, type RunFlags, type RunOfFile, runName, submissionOf, variablesOfNodes } from './run-job.ts';
import { readSecrets } from './run-secrets.ts';
import { stdinFile, unreadInput } from './run-stdin.ts';
import { tryRun } from './run-try.ts';

/** Registers `heddle run`. */
export function addRun(program: Command): void {
  withClusterOptions(program.command('run').argument('<command...>', 'what to run, after --; or one FILE.yaml that says it all'))
    .description('run a command in containers, show its output, end with its exit code')
    .option('-n, --instances <count>', 'containers that run it', wholeNumber(1, mostInstances), 1)
    .option('--memory <amount>', 'memory of each, such as 512m or 2g; a number alone counts MiB', memoryMiB, 1024)
    .option('--vcores <count>', 'virtual cores of each', wholeNumber(1), 1)
    .option('--resource <NAME=COUNT...>', 'amount of a further resource type of each, such as yarn.io/gpu=1')
    .option('--queue <queue>', 'queue to run in')
    .option('--priority <number>', 'more comes first within its queue', wholeNumber(0, 1_000_000))
    .option('--label <label>', 'run on nodes with this label alone')
    .option('--reservation <id>', 'run in what was reserved')
    .option('--name <name>', 'name in lists (default: the command)')
    .option('--timeout <time>', 'end it after so long: 90, 30m, 2h; the exit code is 124 then', timeMs)
    .option('--workdir <dir>', 'folder on the nodes that the command runs in (default: that of its container)')
    .option('--stdin', 'give each instance what is piped into this command')
    .option('--file <path...>', fileOptionText)
    .option('--env <NAME=value...>', 'variable of the command; NAME alone takes it from here')
    .option('--secret <NAME=FILE...>', 'secret of the command, found there in a file that NAME_FILE names')
    .option('--retries <count>', retriesAbout, retriesOf, 2)
    .option('--tag <tag...>', 'allocation tag of the containers; constraints of other applications can name it (default: run)')
    .option(
      '--constraint <constraint...>',
      "where they may stand: anti-affinity, affinity, max-per-node:N (each also :rack, max-per-rack:N), or YARN's language: notin,node,TAG …",
    )
    .option('--master-memory <amount>', 'memory of its master (default: 128m up to 200 instances, then more)', memoryMiB)
    .option('--opportunistic', 'run in what others leave free: outside of queues, ended when they need it')
    .option('--detach', 'return when it is submitted')
    .addOption(new Option('--plan', 'say what would be submitted, and submit nothing').conflicts(['dryRun', 'diff']))
    .addOption(
      new Option(
        '--dry-run',
        'have the cluster say what it would do with it now: queue, sizes, where each container would go or why it would wait',
      ).conflicts('diff'),
    )
    .option(
      '--diff',
      'say how FILE.yaml differs from the application of its name that runs, or from a second file before it; exit code 1 where it does, 2 where that cannot be told',
    )
    .addHelpText(
      'after',
      '\nThe command finds its number in HEDDLE_INSTANCE (from 0), their count in HEDDLE_INSTANCES and the try in HEDDLE_TRY.\nOptions count over what FILE.yaml says.',
    )
    .action(async (words: readonly string[], flags: RunFlags, own: Command) => {
      const [file = ''] = words;
      refuseFileAstray(words, flags);
      if (!flags.diff && !isRunFile(file)) return run(words, flags);
      const said = Object.fromEntries(Object.entries(flags).filter(([name]) => own.getOptionValueSource(name) === 'cli'));
      const runs = await Promise.all(words.map((path) => runOf(path, flags, said)));
      if (!flags.diff) return run(runs[0]!.command, runs[0]!.flags);
      const { diffRuns } = await import('./run-diff.ts');
      return diffRuns(runs, flags);
    });
}

/** A file that says what to run is the only word, and is there: else its name would be taken for that of a command. @throws CommandFailure */
function refuseFileAstray(words: readonly string[], { diff }: RunFlags): void {
  const [file = ''] = words;
  if (diff) return;
  if (words.length === 1 && isRunFileName(file) && !existsSync(file))
    throw new CommandFailure(`${file}: there is no such file`, 'Name a file that says what to run, or a command.', 2);
  if (words.length > 1 && isRunFile(file))
    throw new CommandFailure(
      `${file} says all of what to run: nothing stands behind it`,
      'Give options, or compare two files with --diff.',
      2,
    );
}

const isRunFileName = (path: string): boolean => /\.(?:ya?ml|json)$/.test(path);
const isRunFile = (path: string): boolean => isRunFileName(path) && existsSync(path) && statSync(path).isFile();

/** What the file at `path` says, `said` on the command line over it. @throws CommandFailure */
async function runOf(path: string, flags: RunFlags, said: Partial<RunFlags>): Promise<RunOfFile> {
  if (!isRunFile(path)) throw new CommandFailure(`${path}: is no file that says what to run`, 'Name one that ends with .yaml or .json.', 2);
  const { readRunFile } = await import('./run-file.ts');
  const told = readRunFile(path);
  return { path, command: told.command, flags: { ...flags, ...told.flags, ...said } };
}

async function run(command: readonly string[], flags: RunFlags): Promise<void> {
  const connection = connect(flags);
  const { cluster } = connection;
  const asked = jobOf(command, flags);
  const secrets = readSecrets(flags.secret);
  const files = readFiles(flags.file);
  const name = runName(command, flags);
  // What reads or brings much comes after what is refused at once.
  const bare = submissionOf(undefined, { ...asked, files: {} }, flags, name, new Map());
  if (flags.plan) return plan(connection, { command, flags, name, bare });
  if (!flags.dryRun) await refuseFirst(connection, bare);
  const configuration = configurationOf(flags);
  const reader = { user: connection.user, property: (key: string) => configuration.get(key) };
  for (const note of await lookAtAddresses(files, reader)) printNote(`heddle: ${note}\n`);
  for (const name of variablesOfNodes(flags.env))
    printNote(`heddle: note: ${name} is set by the node of each container; what is asked for it changes nothing\n`);
  const unread = flags.stdin ? undefined : unreadInput();
  if (unread !== undefined) printNote(`heddle: note: ${unread}\n`);
  await using input = flags.stdin && !flags.dryRun ? await stdinFile() : undefined;
  const id = flags.dryRun ? undefined : await talkAtFirst(connection, () => cluster.newApplication());
  const job: CommandJob = {
    ...asked,
    files: id === undefined ? {} : await bringFiles(connection, id, input === undefined ? files : [...files, input.file]),
    ...(secrets.size > 0 ? { secrets: [...secrets.keys()] } : {}),
  };
  const context = submissionOf(id, job, flags, name, secrets);
  if (id === undefined) return await tryRun(connection, context, flags.json ?? false);
  const adjusted = await talkPatiently(() => cluster.submit(context));
  for (const { sentence } of adjusted.filter(isOfWishes(flags))) printNote(`heddle: ${sentence}\n`);
  if (flags.detach) {
    if (flags.json) printJson({ id });
    else printText(`${id}\n`);
    return;
  }
  setExitCode(await followCommand(connection, id, flags.json ?? false));
}

/** Whether it is about what was wished: of its master's size and tries only where they were said. */
const isOfWishes =
  ({ masterMemory }: RunFlags) =>
  ({ of, what }: Adjustment): boolean =>
    what !== 'attempts' && (of !== 'master' || masterMemory !== undefined);

/** Says what would be submitted, and whether the cluster takes it and gives containers of that size. @throws CommandFailure where it does not */
async function plan(
  connection: Connection,
  { command, flags, name, bare }: { command: readonly string[]; flags: RunFlags; name: string; bare: PlainSubmission },
): Promise<void> {
  const { cluster, user } = connection;
  const { largest } = await talk(() => cluster.newApplicationWithLargest());
  const master = flags.masterMemory ?? commandMaster.memoryMiBOf(flags.instances);
  const all = flags.instances * flags.memory + master;
  if (flags.memory > largest.memoryMiB || flags.vcores > largest.vcores)
    throw new CommandFailure(
      `an instance of ${formatMemory(flags.memory)} and ${coresText(flags.vcores)} is larger than any container that the cluster gives`,
      `The largest has ${formatMemory(largest.memoryMiB)} and ${coresText(largest.vcores)}.`,
    );
  await refuseFirst(connection, bare);
  const metrics = await talk(() => cluster.metrics());
  const free = { memoryMiB: Number(metrics.availableMB ?? 0), vcores: Number(metrics.availableVirtualCores ?? 0) };
  if (flags.json) return printJson({ name, user, command, ...flags, masterMemory: master, wholeMemoryMiB: all, largest, free });
  printFacts([
    ['name', name],
    ['user', user],
    ['command', command.join(' ')],
    [
      'instances',
      `${flags.instances} × ${formatMemory(flags.memory)}, ${coresText(flags.vcores)}${(flags.resource ?? []).map((text) => `, ${text}`).join('')}`,
    ],
    ['master', formatMemory(master)],
    ['in all', `${formatMemory(all)}; free now: ${formatMemory(free.memoryMiB)}, ${coresText(free.vcores)}`],
    ['queue', flags.queue],
    ['priority', flags.priority],
    ['label', flags.label],
    ['reservation', flags.reservation],
    ['timeout', formatDuration(flags.timeout)],
    ['retries', retriesText(flags.retries)],
    ['files', flags.file?.join(', ')],
    ['variables', flags.env?.map((text) => text.split('=', 1)[0]).join(', ')],
    ['secrets', flags.secret?.map((text) => text.split('=', 1)[0]).join(', ')],
    ['constraints', flags.constraint?.join(', ')],
  ]);
  printText('Nothing was submitted: --plan.\n');
}
