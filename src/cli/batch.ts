// `heddle batch …`: submits map/reduce jobs, shows how far they are, ends with 0 if they succeeded.
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import { cacheFileSettings } from '../batch/submission/cache-files.ts';
import { jobSettings, type ProgramRequest, programNames } from '../batch/submission/programs.ts';
import {
  applicationsToTry,
  askElsewhere,
  BadJob,
  checkJob,
  cutRanges,
  prepareJob,
  type SourcedSetting,
  withdrawJob,
} from '../batch/submission/submission.ts';
import type { Configuration } from '../config/load.ts';
import { batchSettings } from '../config/settings/batch.ts';
import { historySettings } from '../config/settings/history.ts';
import type { JobFolders } from '../wire/cluster/own-answers.ts';
import { followJob, killJob } from './batch-follow.ts';
import { type Connection, connect, talkAtFirst, talkPatiently } from './connection.ts';
import { setExitCode } from './exit-code.ts';
import { CommandFailure } from './failure.ts';
import { askedByOption, bringFiles, fileOptionText, readAskedFiles, readFiles, whereFilesLie } from './files.ts';
import { checkPlace, collectProperty, filesOfSettings, settingsByName, settingsOfFiles } from './job-settings.ts';
import { type ClusterFlags, configurationOf, withClusterOptions } from './options.ts';
import { printNote, printText } from './output.ts';
import { refuseFirst } from './refuse-first.ts';
import { lookAtAddresses } from './remote-files.ts';

interface BatchFlags extends ClusterFlags {
  readonly D?: readonly SourcedSetting[];
  readonly combiner?: string;
  readonly detach?: boolean;
  readonly file?: readonly string[];
  readonly jobConf?: readonly string[];
  readonly name?: string;
  readonly queue?: string;
}

const collectFile = (file: string, before: readonly string[] = []): string[] => [...before, file];

/** The flags with what options of their own say as settings. @throws CommandFailure where `-D` says something else */
function withNamedSettings(flags: BatchFlags): BatchFlags {
  const settings = [...(flags.D ?? [])];
  for (const [option, value, name] of [
    ['--name', flags.name, 'mapreduce.job.name'],
    ['--queue', flags.queue, 'mapreduce.job.queuename'],
  ] as const) {
    if (value === undefined) continue;
    const said = settingsByName(settings).get(name);
    if (said !== undefined && said !== value)
      throw new CommandFailure(`${option} says ${value}, and -D${name} says ${said}`, 'Say it once.', 2);
    settings.push({ name, value, source: 'from command line' });
  }
  return { ...flags, D: settings };
}

/** Registers `heddle batch` and its jobs. */
export function addBatch(program: Command): void {
  const batch = program
    .command('batch')
    .description('run map/reduce jobs: word count, any executables (streaming), a module, or one that sleeps');
  const job = (usage: string, description: string, request: (args: readonly string[], flags: BatchFlags) => ProgramRequest) =>
    withClusterOptions(batch.command(usage))
      .description(description)
      .option('-D <key=value>', 'setting of the job, in Hadoop’s names; may be repeated', collectProperty)
      .option('--job-conf <file>', 'file with settings of the job, as mapred-site.xml is, below those of -D; may be repeated', collectFile)
      .option('--file <path...>', fileOptionText)
      .option('--name <name>', 'name in lists (mapreduce.job.name)')
      .option('--queue <queue>', 'queue to run in (mapreduce.job.queuename)')
      .option('--detach', 'return when it is submitted')
      .action((...args: unknown[]) => {
        const flags = withNamedSettings(args.at(-2) as BatchFlags);
        return submit(request(args.slice(0, -2).map(String), flags), flags);
      });
  job('wordcount <in> <out>', 'count the words of the files in folder IN into folder OUT', ([input, output]) => ({
    program: 'wordcount',
    input: input!,
    output: output!,
  }));
  job(
    'streaming <in> <out> <mapper> <reducer>',
    'run commands as mapper and reducer over lines; reducer NONE: the mapper’s lines are the output, aggregate: the built-in one; Hadoop’s options (-input, -output, -mapper, …) are taken, too',
    ([input, output, mapper, reducer], { combiner }) => ({
      program: 'streaming',
      input: input!,
      output: output!,
      mapper: mapper!,
      reducer: reducer!,
      combiner,
    }),
  ).option('--combiner <command>', 'command that combines the mapper’s output');
  job(
    'module <module> <in> <out>',
    'run the functions map, reduce and others that a TypeScript or JavaScript module exports',
    ([module, input, output]) => ({ program: 'module', module: moduleFile(module!), input: input!, output: output! }),
  );
  job('sleep <maps> <reduces> <mapMs> <reduceMs>', 'maps and reduces that wait', ([maps, reduces, mapMs, reduceMs]) => ({
    program: 'sleep',
    maps: count(maps!, 'MAPS'),
    reduces: count(reduces!, 'REDUCES'),
    mapMs: count(mapMs!, 'MAPMS'),
    reduceMs: count(reduceMs!, 'REDUCEMS'),
  }));
  job('fail <in> <out>', 'a streaming job whose map ends with exit code 3, to see how a failure looks', ([input, output]) => ({
    program: 'streaming',
    input: input!,
    output: output!,
    mapper: 'bash -c "exit 3"',
    reducer: 'NONE',
  }));
  withClusterOptions(batch.command('kill <job>'))
    .description('ask the master of a running job to end it')
    .action((id: string, flags: ClusterFlags) => killJob(connect(flags), id));
}

function moduleFile(name: string): string {
  const path = resolve(name);
  if (!existsSync(path))
    throw new CommandFailure(`${name}: there is no such module`, 'Name a file of TypeScript or JavaScript that exports map.', 2);
  if (!statSync(path).isFile())
    throw new CommandFailure(`${name}: a module is a file`, 'Name a file of TypeScript or JavaScript that exports map.', 2);
  if (!/\.[cm]?[jt]s$/.test(path))
    throw new CommandFailure(
      `${name}: ends like no module`,
      'Name a file of TypeScript or JavaScript: .ts, .mts, .cts, .js, .mjs or .cjs.',
      2,
    );
  return path;
}

function count(text: string, name: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new CommandFailure(`${name}: '${text}' is not a whole number`, undefined, 2);
  return Number(text);
}

const isWritable = (folder: string): boolean => {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

/**
 * Where jobs are staged that no file says it of: where the cluster does it, if this machine may write there (`~/.heddle` of a cluster on another
 * folder may be closed to its containers); else where one that runs on the folder of `--data` would. Their history lies where the cluster's
 * history server looks for it, if that is here, wherever they are staged.
 */
function foldersOf(configuration: Configuration, told: JobFolders | undefined): Pick<JobFolders, 'staging' | 'intermediateHistory'> {
  const staging = configuration.values(batchSettings).stagingDirectory;
  const intermediateHistory = configuration.values(historySettings).intermediateDirectory;
  if (told === undefined) return { staging, intermediateHistory };
  if (configuration.origin('yarn.app.mapreduce.am.staging-dir') === undefined && isWritable(told.staging)) return told;
  return { staging, intermediateHistory: isWritable(told.intermediateHistory) ? told.intermediateHistory : intermediateHistory };
}

/** Settings of the files and defaults, as a job carries them; addresses and folders are those of the running cluster. */
async function clusterSettings(flags: BatchFlags, connection: Connection): Promise<SourcedSetting[]> {
  const configuration = configurationOf(flags);
  const settings: SourcedSetting[] = configuration.properties().map(({ key, value, source }) => ({
    name: key,
    value,
    source:
      source === 'defaults'
        ? key.startsWith('yarn.')
          ? 'yarn-default.xml'
          : key.startsWith('mapreduce.')
            ? 'mapred-default.xml'
            : 'core-default.xml'
        : source,
  }));
  const told = await talkAtFirst(connection, () => connection.cluster.jobFolders());
  const folders = foldersOf(configuration, told);
  const put = (name: string, value: string) => {
    if (configuration.origin(name) === undefined) settings.push({ name, value, source: 'mapred-default.xml' });
  };
  put('yarn.app.mapreduce.am.staging-dir', folders.staging);
  put('mapreduce.jobhistory.intermediate-done-dir', folders.intermediateHistory);
  if (told?.accessLists) {
    put('mapreduce.cluster.acls.enabled', 'true');
    put('mapreduce.cluster.administrators', told.accessLists.administrators);
  }
  settings.push({ name: 'mapreduce.jobhistory.webapp.address', value: new URL(connection.historyUrl).host, source: 'mapred-site.xml' });
  return settings;
}

/** What the user says of this one job: files first, as `-D` counts over them. */
function ownSettings(flags: BatchFlags, connection: Connection): { settings: SourcedSetting[]; notes: readonly string[] } {
  const configuration = configurationOf(flags);
  const inFiles = settingsOfFiles(flags.jobConf ?? [], (name) => configuration.origin(name)?.final === true);
  const settings = [...inFiles.settings, ...(flags.D ?? [])];
  const place = { url: connection.resourceManagerUrl, rpc: connection.resourceManagerRpc };
  return { settings, notes: [...inFiles.notes, ...checkPlace(settings, place)] };
}

/** Does what may find the job wrong. @throws CommandFailure */
async function orBadJob<Value>(work: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BadJob) throw new CommandFailure(error.message, remedyOf(error), error.exitCode);
    if ((error as Error).name === 'BadSetting')
      throw new CommandFailure((error as Error).message, 'Correct it where it stands: -D, or a file of settings.', 3);
    throw error;
  }
}

async function submit(request: ProgramRequest, flags: BatchFlags): Promise<void> {
  const connection = connect(flags);
  const own = ownSettings(flags, connection);
  const { cluster, user } = connection;
  const startedMs = performance.now();
  // A module need not lie where the nodes see it, unless it imports others beside it.
  const shared = await clusterSettings(flags, connection);
  const settings = [...shared, ...own.settings];
  const named = filesOfSettings(settings);
  const brings = readAskedFiles([...askedByOption(flags.file), ...named.asked]);
  const byName = settingsByName(settings);
  const reader = { user, property: (name: string) => byName.get(name) };
  const jobOwn = [...(await orBadJob(() => jobSettings(request, shared, own.settings))), ...named.cleared];
  for (const context of await orBadJob(() => applicationsToTry({ settings: jobOwn }))) await refuseFirst(connection, context);
  const lookNotes = await lookAtAddresses(brings, reader);
  const module = request.program === 'module' ? request.module : undefined;
  const files = module && !brings.some(({ name }) => name === basename(module)) ? [...brings, ...readFiles([module])] : brings;
  const { id: applicationId, largest } = await talkAtFirst(connection, () => cluster.newApplicationWithLargest());
  const asked = { applicationId, user, workingFolder: process.cwd(), largest };
  const listed = await orBadJob(() => askElsewhere({ ...asked, settings: jobOwn }));
  // What is wrong with the job itself is known before its files travel; where there are none, it is looked at once.
  if (files.length > 0) await orBadJob(() => checkJob(listed));
  const brought = cacheFileSettings(await bringFiles(connection, applicationId, files));
  const settingsOfAll = [...listed.settings, ...brought.map((setting) => ({ ...setting, source: 'programmatically' }))];
  const prepared = await orBadJob(async () => prepareJob(await cutRanges({ ...listed, settings: settingsOfAll })));
  try {
    // The same submission again is taken as a repetition.
    const adjusted = await talkPatiently(() => cluster.submit(prepared.context));
    // Sizes and tries of its master are settings of the job, which have defaults of Hadoop's.
    for (const { sentence } of adjusted.filter(({ of, what }) => of === 'application' && what !== 'attempts'))
      printNote(`heddle: ${sentence}\n`);
  } catch (error) {
    withdrawJob(prepared.folder);
    throw error;
  }
  for (const note of [...own.notes, ...lookNotes, ...prepared.notes]) printNote(`heddle: ${note}\n`);
  if (flags.detach) {
    printText(flags.json ? `${JSON.stringify({ id: applicationId, job: prepared.jobId })}\n` : `${prepared.jobId}\n`);
    return;
  }
  const program = programNames[request.program];
  const code = await followJob(connection, { applicationId, jobId: prepared.jobId, program, startedMs, json: flags.json ?? false });
  // A master that was killed could not clean up after itself.
  withdrawJob(prepared.folder);
  if (code === 0 && prepared.output !== undefined && !existsSync(prepared.output))
    printNote(`heddle: the output lies in ${prepared.output} of the nodes, which this machine does not see\n`);
  setExitCode(code);
}

function remedyOf(error: BadJob): string | undefined {
  if (error.message.startsWith('No FileSystem for scheme')) return whereFilesLie;
  if (error.exitCode === 4) return 'Remove the folder or name another one.';
  if (error.message.startsWith('Not a file: '))
    return 'Folders below the input are read with -D mapreduce.input.fileinputformat.input.dir.recursive=true.';
  if (/^Server returned HTTP response code: 40[13] /.test(error.message))
    return 'The server asks who reads, and is told no name or password: give an address that nodes may read without.';
  if (/\((SignatureDoesNotMatch|InvalidAccessKeyId|AccessDenied)\)$/.test(error.message))
    return 'See that fs.s3a.access.key and fs.s3a.secret.key are right, and may read and write there.';
  return /^Input (path|Pattern) /.test(error.message) ? 'Name an existing file or folder.' : undefined;
}
