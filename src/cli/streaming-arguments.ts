// Options of hadoop-streaming (`-input`, `-mapper`, …) as arguments of `heddle batch streaming`.
import { CommandFailure } from './failure.ts';
import type { AskedFile } from './files.ts';

/** What becomes of an option: `value` = it has an argument. */
type Option =
  | { readonly value: true; readonly take: (command: Streaming, value: string) => void }
  | { readonly value: false; readonly take: (command: Streaming) => void };

/** A command line as it is read. */
interface Streaming {
  readonly inputs: string[];
  readonly variables: string[];
  /** Of `-D` and `-jobconf`. */
  readonly settings: string[];
  /** Of options, which count over those. */
  readonly chosen: Map<string, string>;
  readonly files: AskedFile[];
  /** Files with settings. */
  readonly settingFiles: string[];
  readonly others: string[];
  output?: string;
  mapper?: string;
  reducer?: string;
  combiner?: string;
  outputFormat?: string;
  inputFormat?: string;
  /** Class and `NAME=VALUE` settings of a record reader, with commas between them. */
  reader?: string;
  lazyOutput?: boolean;
}

const withValue = (take: (command: Streaming, value: string) => void): Option => ({ value: true, take });
const flag = (take: (command: Streaming) => void = () => {}): Option => ({ value: false, take });
/** The first of several counts (StreamJob.parseArgv). */
function choose({ chosen }: Streaming, name: string, value: string): void {
  if (!chosen.has(name)) chosen.set(name, value);
}
const setting = (name: string) => withValue((command, value) => choose(command, name, value));
const assignment = (name: string) => withValue((command, value) => void command.settings.push(`${name}=${value}`));
/** What an option says that counts once. */
const once = (
  member: 'output' | 'mapper' | 'reducer' | 'combiner' | 'inputFormat' | 'outputFormat' | 'reader',
  meaningOf = (value: string) => value,
) =>
  withValue((command, value) => {
    command[member] ??= meaningOf(value);
  });
const asCommand = (option: string) => (value: string) => commandOrClass(option, value);
/** Says what to do instead. */
const without = (remedy: string): Option =>
  withValue((_command, value) => {
    throw new CommandFailure(`${value}: this option of Hadoop’s client is not taken`, remedy, 2);
  });
const list = (value: string) => value.split(',').filter((one) => one !== '');
/** Files of an option, each as it is said in `--file`. */
const filesOf = (option: string, valuesOf: (value: string) => readonly string[], textOf = (one: string) => one) =>
  withValue(
    (command, value) => void command.files.push(...valuesOf(value).map((one) => ({ text: textOf(one), said: `-${option} ${one}` }))),
  );
const single = (value: string) => [value];
const textOutput = 'org.apache.hadoop.mapred.TextOutputFormat';
const lazyOutputFormat = 'org.apache.hadoop.mapred.lib.LazyOutputFormat';
const inputFormats = ['TextInputFormat', 'KeyValueTextInputFormat', 'SequenceFileInputFormat', 'SequenceFileAsTextInputFormat'];
/** Hadoop’s client takes these by their whole names alone. */
const libraryInputFormats = ['NLineInputFormat', 'CombineTextInputFormat'];
const identities = new Set(['IdentityMapper', 'IdentityReducer'].flatMap((name) => [`org.apache.hadoop.mapred.lib.${name}`, name]));
const archiveName = (source: string) => `${source.includes('#') ? source : `${source}#${source.slice(source.lastIndexOf('/') + 1)}`}/`;

const options: Readonly<Record<string, Option>> = {
  input: withValue((command, value) => void command.inputs.push(value)),
  output: once('output'),
  mapper: once('mapper', asCommand('-mapper')),
  reducer: once('reducer', asCommand('-reducer')),
  combiner: once('combiner', asCommand('-combiner')),
  numReduceTasks: setting('mapreduce.job.reduces'),
  inputformat: once('inputFormat'),
  outputformat: once('outputFormat', (value) => (value === 'TextOutputFormat' ? textOutput : value)),
  partitioner: setting('mapred.partitioner.class'),
  inputreader: once('reader'),
  io: withValue((command, value) => {
    for (const end of ['map.input', 'map.output', 'reduce.input', 'reduce.output']) choose(command, `stream.${end}`, value.toLowerCase());
  }),
  mapdebug: setting('mapreduce.map.debug.script'),
  reducedebug: setting('mapreduce.reduce.debug.script'),
  lazyOutput: flag((command) => {
    command.lazyOutput = true;
  }),
  cmdenv: withValue((command, value) => {
    if (!value.includes('=')) throw new CommandFailure(`-cmdenv ${value}: not NAME=VALUE`, undefined, 2);
    command.variables.push(value);
  }),
  file: filesOf('file', single),
  files: filesOf('files', list),
  archives: filesOf('archives', list, archiveName),
  cacheFile: filesOf('cacheFile', single),
  cacheArchive: filesOf('cacheArchive', single, archiveName),
  jobconf: withValue((command, value) => void command.settings.push(value)),
  D: withValue((command, value) => void command.settings.push(value)),
  libjars: without('No Java runs in tasks: leave -libjars out, and bring other files by -files.'),
  conf: withValue((command, value) => void command.settingFiles.push(value)),
  additionalconfspec: withValue((command, value) => void command.settingFiles.push(value)),
  fs: assignment('fs.defaultFS'),
  dfs: assignment('fs.defaultFS'),
  jt: withValue((command, value) => {
    command.settings.push(value.toLowerCase() === 'local' ? 'mapreduce.framework.name=local' : `yarn.resourcemanager.address=${value}`);
  }),
  background: flag((command) => void command.others.push('--detach')),
  verbose: flag(),
  debug: flag(),
  info: flag((command) => void command.others.push('--help')),
  help: flag((command) => void command.others.push('--help')),
};

/** Formats that give way to a record reader. */
const readByReader = new Set(
  ['KeyValueTextInputFormat', 'SequenceFileInputFormat'].flatMap((name) => [name, `org.apache.hadoop.mapred.${name}`]),
);
const streamingPackage = 'org.apache.hadoop.streaming';

function inputFormatOf(name: string): string {
  if (inputFormats.includes(name)) return `org.apache.hadoop.mapred.${name}`;
  return libraryInputFormats.includes(name) ? `org.apache.hadoop.mapred.lib.${name}` : name;
}

/** Settings of the input: by a record reader, if one is named and no other format is, else by the format. */
function inputSettings({ inputFormat: format, reader }: Streaming): string[] {
  const [name, ...given] = reader?.split(',') ?? [];
  const reading =
    name === undefined
      ? []
      : [
          `class=${name.includes('.') ? name : `${streamingPackage}.${name}`}`,
          ...given.map((one) => (one.includes('=') ? one : `${one}=`)),
        ];
  const isByReader = name !== undefined && (format === undefined || readByReader.has(format));
  const chosen = isByReader ? `${streamingPackage}.StreamInputFormat` : format === undefined ? undefined : inputFormatOf(format);
  return [...(chosen === undefined ? [] : [`mapred.input.format.class=${chosen}`]), ...reading.map((one) => `stream.recordreader.${one}`)];
}

/** Flags of this command that take no value. */
const ownFlags = new Set(['--json', '--detach', '--help']);

function commandOrClass(option: string, value: string): string {
  if (identities.has(value)) return '';
  if (/^org\.apache\.hadoop\.[\w.$]+$/.test(value))
    throw new CommandFailure(`${option} ${value}: no Java runs in tasks`, 'Give a command, aggregate, NONE or an identity class.', 2);
  return value;
}

function read(args: readonly string[]): Streaming {
  const command: Streaming = { inputs: [], variables: [], settings: [], chosen: new Map(), files: [], settingFiles: [], others: [] };
  const rest: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const word = args[i]!;
    const name = word.slice(1);
    if (word.startsWith('--')) {
      command.others.push(word);
      if (!ownFlags.has(word) && !word.includes('=') && i + 1 < args.length) command.others.push(args[++i]!);
    } else if (word.startsWith('-D') && word.length > 2) command.settings.push(word.slice(2));
    else if (word.startsWith('-') && Object.hasOwn(options, name)) {
      const option = options[name]!;
      if (!option.value) option.take(command);
      else if (i + 1 >= args.length) throw new CommandFailure(`Missing argument for option: ${name}`, undefined, 2);
      else option.take(command, args[++i]!);
    } else rest.push(word);
  }
  if (rest.length > 0)
    throw new CommandFailure(
      `Found ${rest.length} unexpected arguments on the command line [${rest.join(', ')}]`,
      'With options of Hadoop Streaming, input, output and commands are named by -input, -output, -mapper and -reducer.',
      2,
    );
  return command;
}

function outputSettings({ lazyOutput, outputFormat: format }: Streaming): string[] {
  if (lazyOutput)
    return [`mapred.output.format.class=${lazyOutputFormat}`, `mapreduce.output.lazyoutputformat.outputformat=${format ?? textOutput}`];
  return format === undefined ? [] : [`mapred.output.format.class=${format}`];
}

/**
 * Arguments of the whole program, with Hadoop's options of `batch streaming` said in this command's own; any others come back as they
 * are. `check` is given the files that they bring. @throws CommandFailure, and what `check` throws
 */
export function streamingArguments(args: readonly string[], check: (files: readonly AskedFile[]) => void): readonly string[] {
  const [noun, kind, ...given] = args;
  const isHadoop = given.some((word) => /^-[A-Za-z]{2,}$/.test(word) && Object.hasOwn(options, word.slice(1)));
  if (noun !== 'batch' || kind !== 'streaming' || !isHadoop) return args;
  const command = read(given);
  const { inputs, output, mapper = '', reducer = '', combiner, variables, settings, chosen, files, settingFiles, others } = command;
  if (others.includes('--help')) return [noun, kind, '--help'];
  if (inputs.length === 0) throw new CommandFailure('Required argument: -input <name>', undefined, 1);
  if (output === undefined) throw new CommandFailure('Required argument: -output <name>', undefined, 1);
  check(files);
  const environment = variables.length === 0 ? [] : [`stream.addenvironment=${variables.join(' ')}`];
  return [
    noun,
    kind,
    inputs.join(','),
    output,
    mapper,
    reducer,
    ...(combiner === undefined ? [] : ['--combiner', combiner]),
    ...settingFiles.flatMap((file) => ['--job-conf', file]),
    ...[
      ...settings,
      ...Array.from(chosen, (one) => one.join('=')),
      ...inputSettings(command),
      ...outputSettings(command),
      ...environment,
    ].flatMap((one) => ['-D', one]),
    ...files.flatMap(({ text }) => ['--file', text]),
    ...others,
  ];
}
