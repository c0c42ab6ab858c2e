// `heddle run … -- COMMAND`: runs a command in containers, shows what it writes, and ends with its exit code.
import type { Command } from 'commander';
import { type CommandJob, commandJobVariable, encodeJob, literalValue } from '../batch/command/command-job.ts';
import { ownProgram } from '../wire/cluster/own-programs.ts';
import type { SubmissionContext } from '../wire/cluster/submission.ts';
import { readResources } from './amounts.ts';
import { connect, talk, talkPatiently } from './connection.ts';
import { setExitCode } from './exit-code.ts';
import { CommandFailure } from './failure.ts';
import { bringFiles, fileOptionText, readFiles } from './files.ts';
import { type ClusterFlags, wholeNumber, withClusterOptions } from './options.ts';
import { printJson, printText } from './output.ts';
import { followCommand } from './run-follow.ts';
import { readPlacement } from './run-placement.ts';
import { credentialsOf, readSecrets } from './run-secrets.ts';

interface RunFlags extends ClusterFlags {
  readonly instances: number;
  readonly memory: number;
  readonly vcores: number;
  readonly resource?: readonly string[];
  readonly queue?: string;
  readonly name?: string;
  readonly file?: readonly string[];
  readonly env?: readonly string[];
  readonly secret?: readonly string[];
  readonly tag?: readonly string[];
  readonly constraint?: readonly string[];
  readonly retries: number;
  readonly opportunistic?: boolean;
  readonly detach?: boolean;
}

const masterMemoryMiB = 256;

/** Registers `heddle run` and the command that its master's container runs. */
export function addRun(program: Command): void {
  withClusterOptions(program.command('run').argument('<command...>', 'what to run, after --'))
    .description('run a command in containers, show its output, end with its exit code')
    .option('-n, --instances <count>', 'containers that run it', wholeNumber(1, 10_000), 1)
    .option('--memory <MiB>', 'memory of each', wholeNumber(1), 1024)
    .option('--vcores <count>', 'virtual cores of each', wholeNumber(1), 1)
    .option('--resource <NAME=COUNT...>', 'amount of a further resource type of each, such as yarn.io/gpu=1')
    .option('--queue <queue>', 'queue to run in')
    .option('--name <name>', 'name in lists (default: the command)')
    .option('--file <path...>', fileOptionText)
    .option('--env <NAME=value...>', 'variable of the command; NAME alone takes it from here')
    .option('--secret <NAME=FILE...>', 'secret of the command, found there in a file that NAME_FILE names')
    .option('--retries <count>', 'how often a failed instance is tried again', wholeNumber(0, 1000), 2)
    .option('--tag <tag...>', 'allocation tag of the containers; constraints of other applications can name it (default: run)')
    .option(
      '--constraint <constraint...>',
      "where they may stand: anti-affinity, affinity, max-per-node:N (each also :rack, max-per-rack:N), or YARN's language: notin,node,TAG …",
    )
    .option('--opportunistic', 'run in what others leave free: outside of queues, ended when they need it')
    .option('--detach', 'return when it is submitted')
    .addHelpText(
      'after',
      '\nThe command finds its number in HEDDLE_INSTANCE (from 0), their count in HEDDLE_INSTANCES and the try in HEDDLE_TRY.',
    )
    .action(run);
  program
    .command('command-master', { hidden: true })
    .description('the master of "heddle run", in its container')
    .action(async () => {
      const { commandMaster } = await import('../batch/command/main.ts');
      setExitCode(await commandMaster());
    });
}

/** Variables from `NAME=value` and `NAME`. @throws CommandFailure */
export function readVariables(texts: readonly string[] = [], environment: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const text of texts) {
    const at = text.indexOf('=');
    const name = at < 0 ? text : text.slice(0, at);
    const value = at < 0 ? environment[name] : text.slice(at + 1);
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      throw new CommandFailure(`--env ${text}: '${name}' is no name of a variable`, 'Write NAME=value.', 2);
    if (value === undefined) throw new CommandFailure(`--env ${text}: ${name} is not set here`, 'Write NAME=value.', 2);
    variables[name] = literalValue(value);
  }
  return variables;
}

/** The submission of a job's master. */
export function submissionOf(
  id: string,
  job: CommandJob,
  options: { readonly name: string; readonly queue: string | undefined; readonly secrets?: ReadonlyMap<string, Buffer> },
): SubmissionContext {
  return {
    'application-id': id,
    'application-name': options.name,
    'application-type': 'HEDDLE-RUN',
    ...(options.queue === undefined ? {} : { queue: options.queue }),
    'max-app-attempts': 2,
    'keep-containers-across-application-attempts': true,
    resource: { memory: masterMemoryMiB, vCores: 1 },
    'am-container-spec': {
      commands: { command: `${ownProgram('main')} command-master 1><LOG_DIR>/stdout 2><LOG_DIR>/stderr` },
      environment: { entry: [{ key: commandJobVariable, value: encodeJob(job) }] },
      ...credentialsOf(options.secrets ?? new Map()),
    },
  } as unknown as SubmissionContext;
}

async function run(command: readonly string[], flags: RunFlags): Promise<void> {
  const connection = connect(flags);
  const { cluster } = connection;
  const environment = readVariables(flags.env);
  const secrets = readSecrets(flags.secret);
  const files = readFiles(flags.file);
  const name = flags.name ?? command.join(' ').slice(0, 100);
  const id = await talk(() => cluster.newApplication());
  const job: CommandJob = {
    command,
    instances: flags.instances,
    memoryMiB: flags.memory,
    vcores: flags.vcores,
    ...(flags.resource ? { resources: readResources(flags.resource) } : {}),
    environment,
    files: await bringFiles(connection, id, files),
    ...(secrets.size > 0 ? { secrets: [...secrets.keys()] } : {}),
    retries: flags.retries,
    ...(flags.opportunistic ? { opportunistic: true } : {}),
    ...readPlacement(flags.tag, flags.constraint),
    attached: !flags.detach,
  };
  const context = submissionOf(id, job, { name, queue: flags.queue, secrets });
  await talkPatiently(() => cluster.submit(context));
  if (flags.detach) {
    if (flags.json) printJson({ id });
    else printText(`${id}\n`);
    return;
  }
  setExitCode(await followCommand(connection, id, job, flags.json ?? false));
}
