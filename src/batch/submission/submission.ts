// From what a user asks for to a job that lies in its staging folder and an application that runs its master (Hadoop's JobSubmitter).
import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { withoutTrailing } from '../../lib/trailing.ts';
import { ownProgram } from '../../wire/cluster/own-programs.ts';
import type { SubmissionContext } from '../../wire/cluster/submission.ts';
import type { ConfigurationProperty } from '../../wire/files/job-configuration.ts';
import { jobRules } from '../application-master/job-rules.ts';
import { combineSplits } from '../tasks/input/combine-splits.ts';
import { combineInputs, inputFormatOf, lineInputs, readsSequences } from '../tasks/input/formats.ts';
import type { InputSplit } from '../tasks/input/input-split.ts';
import { cutByLines, withLineEnds } from '../tasks/input/line-splits.ts';
import { cutIntoSplits, type InputFile, listInput, orderSplits, type RemoteInput, splitPathList } from '../tasks/input/splits.ts';
import { JobConfiguration } from '../tasks/job-configuration.ts';
import { masterVariables } from '../tasks/job-variables.ts';
import { fileUri, localPath, UnsupportedFileSystem } from '../tasks/paths.ts';
import { programSetting } from '../tasks/programs/stream-commands.ts';
import type { RemoteEntry, RemoteReader } from '../tasks/remote/remote-store.ts';
import { isRemote, openRemote, remoteParts } from '../tasks/remote/store.ts';
import { committerOf } from '../tasks/run-task.ts';
import { jobIdOfApplication } from '../tasks/task-ids.ts';
import { cutPointsSetting, wantsTotalOrder, writeCutPoints } from '../tasks/total-order.ts';
import { cacheFiles } from './cache-files.ts';
import { findCutPoints, NoCutPoints } from './cut-points.ts';
import { mapredDefaults } from './mapred-defaults.ts';
import { checkOptions, keptValue, todaysName } from './options/check.ts';
import { skipFolderTrouble, skippingNotes } from './skipping.ts';
import { stageJob, stagingFolder } from './staging.ts';
import { streamFormsTrouble } from './stream-forms.ts';

/** A setting with where it came from. */
export interface SourcedSetting {
  readonly name: string;
  readonly value: string;
  readonly source: string;
  /** That it stands in a file which was given for this job alone. */
  readonly ofJob?: true;
}

/** What is submitted. */
export interface JobRequest {
  readonly applicationId: string;
  readonly user: string;
  /** All settings, later ones over earlier ones. */
  readonly settings: readonly SourcedSetting[];
  readonly workingFolder: string;
  /** What was found at addresses of other machines ({@link askElsewhere}). */
  readonly remote?: RemoteInput;
  /** The largest container that the cluster gives; undefined where it is not known. */
  readonly largest?: { readonly memoryMiB: number; readonly vcores: number };
}

/** Raised for a job that cannot be submitted; `exitCode` is that of hadoop-streaming's client. */
export class BadJob extends Error {
  override readonly name = 'BadJob';
  readonly exitCode: number;
  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** So long a split of a sequence file is at least, bytes (SequenceFile.SYNC_INTERVAL). */
const sequenceSplitBytes = 102_400;
const localBlockBytes = 33_554_432; // fs.local.block.size
/** Sources of settings that nobody chose for this job or this cluster. */
const ownSources: ReadonlySet<string> = new Set(['mapred-default.xml', 'yarn-default.xml', 'core-default.xml', 'programmatically']);
const priorities: Readonly<Record<string, number>> = {
  VERY_HIGH: 5,
  HIGH: 4,
  NORMAL: 3,
  LOW: 2,
  VERY_LOW: 1,
  DEFAULT: 0,
  UNDEFINED_PRIORITY: 0,
};

/** Properties merged by name, the order of their first appearance kept. What is set to nothing has its default, as where Hadoop's tasks read their settings. */
class Properties {
  readonly #all = new Map<string, { value: string; sources: string[] }>();

  set(name: string, value: string, source = 'programmatically'): void {
    const usual = value === '' ? mapredDefaults[name] : undefined;
    if (usual !== undefined && usual !== '') this.#all.set(name, { value: usual, sources: ['mapred-default.xml'] });
    else if (value === '') this.#all.delete(name);
    else this.#all.set(name, { value, sources: [source] });
  }
  /** Those that a request has, by today's names. */
  static of({ settings }: Pick<JobRequest, 'settings'>): Properties {
    const all = new Properties();
    for (const { name, value, source } of settings) all.set(todaysName(name), keptValue(todaysName(name), value), source);
    return all;
  }
  get settings(): JobConfiguration {
    return new JobConfiguration([...this.#all].map(([name, { value }]) => [name, value] as const));
  }
  list(): ConfigurationProperty[] {
    return [...this.#all].map(([name, { value, sources }]) => ({ name, value, final: false, sources: [...sources, 'job.xml'] }));
  }
}

/** Checks the output folder as FileOutputFormat.checkOutputSpecs does. @throws BadJob */
function checkOutput(settings: JobConfiguration, workingFolder: string): void {
  const output = settings.get('mapreduce.output.fileoutputformat.outputdir');
  if (output === undefined || output === '') throw new BadJob('Output directory not set.', 3);
  // That nothing is there was asked before ({@link askElsewhere}).
  if (isRemote(output)) return;
  let path: string;
  try {
    path = localPath(output, workingFolder);
  } catch (error) {
    if (error instanceof UnsupportedFileSystem) throw new BadJob(error.message, 3);
    throw error;
  }
  if (existsSync(path)) throw new BadJob(`Output directory ${fileUri(path)} already exists`, 4);
}

const inputPathsOf = (settings: JobConfiguration): string[] => splitPathList(settings.text('mapreduce.input.fileinputformat.inputdir', ''));

function splitRulesOf(settings: JobConfiguration, program: string, workingFolder: string) {
  const sequences = readsSequences(inputFormatOf(settings));
  return {
    api: program === 'streaming' ? ('mapred' as const) : ('mapreduce' as const),
    blockSizeBytes: settings.bytes('fs.local.block.size', localBlockBytes),
    minimumBytes: Math.max(sequences ? sequenceSplitBytes : 1, settings.bytes('mapreduce.input.fileinputformat.split.minsize', 0)),
    maximumBytes: settings.bytes('mapreduce.input.fileinputformat.split.maxsize', Number.MAX_SAFE_INTEGER),
    mapsHint: settings.integer('mapreduce.job.maps', 2),
    recursive: settings.boolean('mapreduce.input.fileinputformat.input.dir.recursive', false),
    ignoreSubfolders: settings.boolean('mapreduce.input.fileinputformat.input.dir.nonrecursive.ignore.subdirs', false),
    hosts: ['localhost'],
    workingFolder,
    sequences,
  };
}

/** Bytes of its memory that a master needs for a task: about 1.5 KB for the task and its first attempt, the rest for requests and reports. */
const bytesOfTask = 4096;

/** A master that has no room for its tasks ends before it has run any. @throws BadJob */
function checkCount(settings: JobConfiguration, maps: number): void {
  const memoryMiB = settings.integer('yarn.app.mapreduce.am.resource.mb', 1536) || 1536;
  const most = Math.floor((memoryMiB * 2 ** 20) / 2 / bytesOfTask);
  const tasks = maps + settings.integer('mapreduce.job.reduces', 1);
  if (tasks > most)
    throw new BadJob(
      `the job has ${tasks} tasks; a master of ${memoryMiB} MiB (yarn.app.mapreduce.am.resource.mb) has room for ${most}`,
      3,
    );
}

/** Lines of a split of NLineInputFormat. */
const linesOfSplit = (settings: JobConfiguration): number =>
  Math.max(1, settings.integer('mapreduce.input.lineinputformat.linespermap', 1));

/** @throws BadJob */
function findSplits(
  settings: JobConfiguration,
  program: string,
  workingFolder: string,
  remote: RemoteInput | undefined,
): { splits: (InputSplit | undefined)[]; files: number } {
  const sleepers = program === 'sleep' ? Math.max(0, settings.integer('mapreduce.job.maps', 1)) : 0;
  checkCount(settings, sleepers);
  if (program === 'sleep') return { splits: Array.from({ length: sleepers }, () => undefined), files: 0 };
  const rules = splitRulesOf(settings, program, workingFolder);
  let files: ReturnType<typeof listInput>;
  try {
    files = listInput(inputPathsOf(settings), rules, remote);
  } catch (error) {
    throw new BadJob((error as Error).message, 2);
  }
  const format = inputFormatOf(settings);
  const splits = lineInputs.includes(format)
    ? cutByLines(files, linesOfSplit(settings))
    : combineInputs.includes(format)
      ? combineSplits(files, { ...rules, maximumBytes: rules.maximumBytes || Number.MAX_SAFE_INTEGER }, rules.hosts)
      : cutIntoSplits(files, rules);
  return { splits: orderSplits(splits), files: files.length };
}

/** What no node could ever run would wait, or fail piece by piece. @throws BadJob */
function checkSizes(settings: JobConfiguration, maps: number, largest: JobRequest['largest']): void {
  if (largest === undefined) return;
  const { memoryMiB, vcores, reduces } = jobRules(settings);
  const asked = [
    ['a map', maps, 'mapreduce.map.memory.mb', memoryMiB.MAP, 'mapreduce.map.cpu.vcores', vcores.MAP],
    ['a reduce', reduces, 'mapreduce.reduce.memory.mb', memoryMiB.REDUCE, 'mapreduce.reduce.cpu.vcores', vcores.REDUCE],
    [
      'the master',
      1,
      'yarn.app.mapreduce.am.resource.mb',
      settings.integer('yarn.app.mapreduce.am.resource.mb', 1536),
      'yarn.app.mapreduce.am.resource.cpu-vcores',
      settings.integer('yarn.app.mapreduce.am.resource.cpu-vcores', 1),
    ],
  ] as const;
  for (const [who, count, memoryName, memory, coresName, cores] of asked) {
    if (count === 0) continue;
    if (memory > largest.memoryMiB)
      throw new BadJob(
        `${who} asks for ${memory} MiB (${memoryName}); the largest container of the cluster has ${largest.memoryMiB} MiB`,
        3,
      );
    if (cores > largest.vcores)
      throw new BadJob(
        `${who} asks for ${cores} virtual cores (${coresName}); the largest container of the cluster has ${largest.vcores}`,
        3,
      );
  }
}

/** In how many ranges a job wants its keys; 1 where it does not. */
const rangesOf = (settings: JobConfiguration): number =>
  wantsTotalOrder(settings) ? Math.max(1, settings.integer('mapreduce.job.reduces', 1)) : 1;

const settingsOf = (request: JobRequest): JobConfiguration => Properties.of(request).settings;

/** Whether output may go to a store. @throws BadJob */
async function checkRemoteOutput(output: string, reader: RemoteReader): Promise<void> {
  if (/^http/i.test(output)) throw new BadJob(`${output}: web servers take no output; give a folder that all nodes see, s3a or webhdfs`, 3);
  let found: RemoteEntry | undefined;
  try {
    const { root, path } = remoteParts(output);
    found = await (await openRemote(root, reader)).status(withoutTrailing(path, '/') || '/');
  } catch (error) {
    throw new BadJob((error as Error).message, 3);
  }
  if (found !== undefined) throw new BadJob(`Output directory ${output} already exists`, 4);
}

/**
 * The request with what lies at those of its input's addresses that are other machines', after a look at where its output goes.
 * @throws BadJob where there is no input, or output already
 */
export async function askElsewhere(request: JobRequest): Promise<JobRequest> {
  const settings = settingsOf(request);
  const addresses = inputPathsOf(settings).filter(isRemote);
  const program = settings.text(programSetting, 'streaming');
  if (program === 'sleep') return request;
  const reader = { property: (name: string) => settings.get(name), user: request.user };
  const output = settings.text('mapreduce.output.fileoutputformat.outputdir', '');
  if (isRemote(output)) await checkRemoteOutput(output, reader);
  if (addresses.length === 0) return request;
  const rules = splitRulesOf(settings, program, request.workingFolder);
  const { listRemote, readRemote } = await import('../tasks/remote/listing.ts');
  const lines = lineInputs.includes(inputFormatOf(settings)) ? linesOfSplit(settings) : undefined;
  const filesAt = async (address: string): Promise<readonly InputFile[]> => {
    const files = await listRemote(address, rules, reader);
    if (lines === undefined) return files;
    const cut: InputFile[] = [];
    for (const file of files) cut.push(await withLineEnds(file, lines, (path) => readRemote(path, 0, reader)));
    return cut;
  };
  try {
    const found = await Promise.all(addresses.map(async (address) => [address, await filesAt(address)] as const));
    return { ...request, remote: new Map(found) };
  } catch (error) {
    throw new BadJob((error as Error).message, 2);
  }
}

/** The request with what says where the ranges of its keys are cut, where the job wants ranges (TotalOrderPartitioner). @throws BadJob, BadSetting */
export async function cutRanges(request: JobRequest): Promise<JobRequest> {
  const settings = settingsOf(request);
  const reduces = rangesOf(settings);
  if (reduces === 1) return request;
  const { applicationId, workingFolder } = request;
  const { splits } = findSplits(settings, settings.text(programSetting, 'streaming'), workingFolder, request.remote);
  try {
    const points = await findCutPoints({ jobId: jobIdOfApplication(applicationId), settings, splits, reduces, workingFolder });
    return {
      ...request,
      settings: [...request.settings, { name: cutPointsSetting, value: writeCutPoints(points), source: 'programmatically' }],
    };
  } catch (error) {
    if (error instanceof NoCutPoints) throw new BadJob(error.message, 3);
    throw error;
  }
}

/** Holds a job against all that is known of it before it is staged ({@link askElsewhere} goes before). @throws BadJob, BadSetting */
export function checkJob(request: JobRequest): void {
  checkedJob(request);
}

function checkedJob(request: JobRequest) {
  const { workingFolder } = request;
  const kind = request.settings.findLast(({ name }) => name === programSetting)?.value ?? 'streaming';
  const findings = checkOptions(
    request.settings.filter(({ source }) => !ownSources.has(source)),
    kind,
  );
  if (findings.refusals.length > 0) throw new BadJob(`these settings cannot be followed:\n  ${findings.refusals.join('\n  ')}`, 3);
  const properties = Properties.of(request);
  const settings = properties.settings;
  const program = settings.text(programSetting, 'streaming');
  // What the master and its tasks will read must be readable: better to say so here than in their logs.
  jobRules(settings);
  if (program !== 'sleep') checkOutput(settings, workingFolder);
  committerOf(settings, 1);
  const trouble = (program === 'streaming' ? streamFormsTrouble(settings) : undefined) ?? skipFolderTrouble(settings, workingFolder);
  if (trouble !== undefined) throw new BadJob(trouble, 3);
  const { splits, files } = findSplits(settings, program, workingFolder, request.remote);
  const largest = settings.integer('mapreduce.job.max.map', -1);
  if (largest >= 0 && splits.length > largest) throw new BadJob(`The number of map tasks ${splits.length} exceeded limit ${largest}`, 1);
  checkCount(settings, splits.length);
  checkSizes(settings, splits.length, request.largest);
  return { findings, properties, settings, program, splits, files };
}

/** Stages the job ({@link askElsewhere} and {@link cutRanges} go before) and answers the application to submit; the staging folder is removed again by {@link withdrawJob}. @throws BadJob, BadSetting */
export function prepareJob(request: JobRequest): {
  jobId: string;
  folder: string;
  /** Folder of the output, for jobs that have one on this machine or its nodes. */
  output: string | undefined;
  context: SubmissionContext;
  /** A sentence for each setting that changes nothing, or not what it seems to. */
  notes: readonly string[];
} {
  const { applicationId, user, workingFolder } = request;
  const jobId = jobIdOfApplication(applicationId);
  const { findings, properties, settings, program, splits, files } = checkedJob(request);
  if (rangesOf(settings) > 1 && settings.get(cutPointsSetting) === undefined) throw new BadJob('the ranges of its keys are not cut', 1);
  const queue = queueOf(settings);
  const root = stagingFolder(settings.text('yarn.app.mapreduce.am.staging-dir', '/tmp/hadoop-yarn/staging'), user);
  const folder = join(root, jobId);
  for (const [name, value] of Object.entries({
    'mapreduce.job.submithostname': hostname(),
    'mapreduce.job.submithostaddress': '127.0.0.1',
    'mapreduce.job.user.name': user,
    'mapreduce.job.dir': folder,
    'mapreduce.job.working.dir': fileUri(workingFolder),
    'mapreduce.job.maps': String(splits.length),
    [`mapred.queue.${queue}.acl-administer-jobs`]: '*',
    'hadoop.http.filter.initializers': 'org.apache.hadoop.yarn.server.webproxy.amfilter.AmFilterInitializer',
    ...(program === 'sleep' ? {} : { 'mapreduce.input.fileinputformat.numinputfiles': String(files) }),
  }))
    properties.set(name, value);
  const wholePath = (path: string) => (isRemote(path) ? path : fileUri(localPath(path, workingFolder)));
  const input = inputPathsOf(settings).map((path) => wholePath(path).replaceAll(',', '\\,'));
  if (input.length > 0) properties.set('mapreduce.input.fileinputformat.inputdir', input.join(','));
  // One folder, whatever commas its name has.
  const outputFolder = settings.text('mapreduce.output.fileoutputformat.outputdir', '');
  if (outputFolder !== '') properties.set('mapreduce.output.fileoutputformat.outputdir', wholePath(outputFolder));
  // Last of all: what is refused leaves nothing behind.
  const context = applicationOf(request, settings, folder, queue, root);
  stageJob(folder, { properties: properties.list(), splits, token: randomBytes(32) });
  const ofNodes = program !== 'sleep' && outputFolder !== '' && !isRemote(outputFolder);
  return {
    jobId,
    folder,
    output: ofNodes ? localPath(outputFolder, workingFolder) : undefined,
    context,
    notes: [...findings.notes, ...skippingNotes(settings)],
  };
}

/** A priority by its name (JobPriority of Hadoop) or its number. @throws BadJob for any other text */
function priorityOf(settings: JobConfiguration): number {
  const text = settings.get('mapreduce.job.priority')?.trim() ?? '';
  if (text === '') return 0;
  const priority = Object.hasOwn(priorities, text) ? priorities[text]! : Number(text);
  if (!Number.isInteger(priority))
    throw new BadJob(`mapreduce.job.priority: '${text}' is no priority: give ${Object.keys(priorities).join(', ')} or a whole number`, 3);
  return priority;
}

const queueOf = (settings: JobConfiguration): string => settings.text('mapreduce.job.queuename', 'default');
const taskLabels = ['mapreduce.map.node-label-expression', 'mapreduce.reduce.node-label-expression'] as const;
const shellQuote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** What of a job's application the cluster judges before it is there: where, how large, for whom. @throws BadJob */
function placeOf(settings: JobConfiguration, queue: string) {
  const label = settings.get('mapreduce.job.node-label-expression');
  const reservation = settings.get('mapreduce.job.reservation.id');
  const masterLabel = settings.get('mapreduce.job.am.node-label-expression');
  return {
    'application-name': settings.text('mapreduce.job.name', ''),
    'application-type': 'MAPREDUCE',
    queue,
    priority: priorityOf(settings),
    'max-app-attempts': settings.integer('mapreduce.am.max-attempts', 2),
    'cancel-tokens-when-complete': settings.boolean('mapreduce.job.complete.cancel.delegation.tokens', true),
    resource: {
      memory: settings.integer('yarn.app.mapreduce.am.resource.mb', 1536),
      vCores: settings.integer('yarn.app.mapreduce.am.resource.cpu-vcores', 1),
    },
    ...(reservation === undefined || reservation === '' ? {} : { 'reservation-id': reservation }),
    'application-tags': { tag: settings.list('mapreduce.job.tags') },
    ...(label === undefined || label === '' ? {} : { 'app-node-label-expression': label }),
    ...(masterLabel === undefined || masterLabel === '' ? {} : { 'am-container-node-label-expression': masterLabel }),
  };
}

/**
 * Submissions that the cluster can judge before anything of the job is brought: its own, and one for each label of its tasks, which a master
 * may use where they may. Sizes are left to {@link checkJob}, which names their settings. @throws BadJob, BadSetting
 */
export function applicationsToTry(request: Pick<JobRequest, 'settings'>): SubmissionContext[] {
  const settings = Properties.of(request).settings;
  const { resource: _size, ...place } = placeOf(settings, queueOf(settings));
  const labels = new Set(taskLabels.map((name) => settings.get(name) ?? '').filter((label) => label !== ''));
  const all = [place, ...[...labels].map((label) => ({ ...place, 'am-container-node-label-expression': label }))];
  return all as unknown as SubmissionContext[];
}

function applicationOf(
  { applicationId }: JobRequest,
  settings: JobConfiguration,
  folder: string,
  queue: string,
  root: string,
): SubmissionContext {
  const access = (kind: string) => settings.text(`mapreduce.job.acl-${kind}-job`, ' ') || ' ';
  const command = `${ownProgram('batch/application-master/main')} ${shellQuote(resolve(folder))}`;
  return {
    'application-id': applicationId,
    ...placeOf(settings, queue),
    'am-container-spec': {
      commands: { command: `exec ${command} 1><LOG_DIR>/stdout 2><LOG_DIR>/stderr` },
      // Tasks that run in the master itself find them there too.
      'local-resources': { entry: Object.entries(cacheFiles(settings)).map(([key, value]) => ({ key, value })) },
      environment: {
        entry: Object.entries({ ...masterVariables(settings), NODE_COMPILE_CACHE: join(root, '.compile-cache') }).map(([key, value]) => ({
          key,
          value,
        })),
      },
      'application-acls': {
        entry: [
          { key: 'VIEW_APP', value: access('view') },
          { key: 'MODIFY_APP', value: access('modify') },
        ],
      },
    },
  } as unknown as SubmissionContext;
}

/** Removes what {@link prepareJob} staged, where the application was refused. */
export function withdrawJob(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
