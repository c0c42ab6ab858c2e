// What a submission says of its settings: which it refuses, and which change nothing.
import { nearestWords } from '../../../lib/nearest-words.ts';
import { inputFormatOf } from '../../tasks/input/formats.ts';
import { BadSetting, JobConfiguration } from '../../tasks/job-configuration.ts';
import { mapredDefaults } from '../mapred-defaults.ts';
import { clusterOptions, masterOptions, streamingOptions } from './cluster-options.ts';
import { jobOptions } from './job-options.ts';
import { olderNames } from './older-names.ts';
import { anyInt, type JobOption, type JobOptions, type NumberRange, type ValueKind } from './option.ts';
import { taskOptions } from './task-options.ts';

/** Every setting of jobs that Hadoop 3.4 reads, by chapter. */
export const optionChapters: Readonly<Record<string, JobOptions>> = {
  'The job': jobOptions,
  Tasks: taskOptions,
  'Masters and the command': masterOptions,
  Streaming: streamingOptions,
  'The cluster and the engine': clusterOptions,
};
const options: JobOptions = Object.assign({}, ...Object.values(optionChapters));
const names = Object.keys(options).filter((name) => !name.endsWith('.'));
/** Longest first, so that the closest family counts. */
const families = Object.keys(options)
  .filter((name) => name.endsWith('.'))
  .sort((a, b) => b.length - a.length);

/** Beginnings of the names of settings that are a job's. */
const ours = ['mapreduce.', 'mapred.', 'stream.', 'yarn.app.mapreduce.'];
const ownSource = 'from command line';
const longestShownValue = 100;

/** Today's name of a setting. */
export const todaysName = (name: string): string => (Object.hasOwn(olderNames, name) ? olderNames[name]! : name);

/** What becomes of a setting, by today's name; undefined: Hadoop does not know it. */
export function optionOf(name: string): JobOption | undefined {
  if (Object.hasOwn(options, name)) return options[name];
  const family = families.find((prefix) => name.startsWith(prefix));
  return family === undefined ? undefined : options[family];
}

/** A value as it is kept: of one that is a word of a list, blanks around it mean nothing. `name`: today's. */
export function keptValue(name: string, value: string): string {
  const option = optionOf(name);
  const words = option?.effect === 'works' || option?.effect === 'refused' ? option.values : undefined;
  return words === undefined ? value : value.trim();
}

/** A setting with where it came from, as {@link checkOptions} needs it. */
export interface GivenOption {
  readonly name: string;
  readonly value: string;
  readonly source: string;
  /** That it stands in a file which was given for this job alone. */
  readonly ofJob?: true;
}

/** What is to be said of settings. */
export interface OptionFindings {
  /** A sentence for each setting with which the job must not begin. */
  readonly refusals: readonly string[];
  /** A sentence for each that changes nothing. */
  readonly notes: readonly string[];
}

const shown = (value: string) => (value.length > longestShownValue ? `${value.slice(0, longestShownValue)}…` : value);

const words: Readonly<Record<ValueKind, string>> = {
  whole: 'a whole number',
  number: 'a number',
  size: 'a size in bytes',
  truth: 'true or false',
  address: 'an address of http or https',
  variables: 'variables as NAME=VALUE, with commas between them, which no value has',
  commandVariables: 'variables as NAME=VALUE, with blanks between them, which no value has',
  rights: 'the rights of a folder in octal digits, as 770',
  fileName: 'a name that stays below the folder of the output',
};

/** Whether each piece is a variable; those that are none Hadoop’s tasks pass over without a word (Apps.setEnvFromInputString, PipeMapRed.addEnvironment). */
const areVariables = (value: string, between: string, form: RegExp): boolean =>
  value.split(between).every((piece) => piece.trim() === '' || form.test(piece));

/** Whether a value is of its kind, as who reads it later wants it; a number itself where it is one. */
function readValue(kind: ValueKind, value: string): number | boolean {
  const settings = new JobConfiguration({ value });
  try {
    if (kind === 'variables') return areVariables(value, ',', /^\s*[A-Za-z_][A-Za-z0-9_]*=/);
    if (kind === 'commandVariables') return areVariables(value, ' ', /^[^=]+=/);
    if (kind === 'fileName') return !value.startsWith('/') && !value.split('/').some((part) => part === '.' || part === '..');
    if (kind === 'rights') return /^[01]?[0-7]{3}$/.test(value);
    if (kind === 'truth') return /^(true|false)$/i.test(value);
    if (kind === 'address') return /^https?:/i.test(value) && URL.canParse(value.replaceAll('$job', 'job'));
    return kind === 'whole' ? settings.integer('value', 0) : kind === 'size' ? settings.bytes('value', 0) : settings.number('value', 0);
  } catch (error) {
    if (error instanceof BadSetting) return false;
    throw error;
  }
}

/** Why a value is not one that the setting can have. What refers to other settings is read when these are known. */
function valueFault({ kind, range }: { readonly kind?: ValueKind; readonly range?: NumberRange }, value: string): string | undefined {
  if (kind === undefined || value.includes('${')) return undefined;
  const found = readValue(kind, value);
  const [least, most] = range ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  if (found !== false && (typeof found !== 'number' || (found >= least && found <= most))) return undefined;
  const isTooLarge = typeof found === 'number' && found > most;
  const bounds =
    (range === undefined || range === anyInt) && !isTooLarge
      ? ''
      : most >= anyInt[1] && !isTooLarge
        ? ` from ${least} on`
        : ` from ${least} to ${most}`;
  return `it has to be ${words[kind]}${bounds}${kind === 'size' ? ', perhaps with k, m, g or t behind it' : ''}`;
}

/** Why a setting with this value stops the job; undefined where it does not. */
function refusalOf(option: JobOption, name: string, value: string, program: string): string | undefined {
  if (option.effect === 'works' && program !== 'streaming' && option.values?.includes(value) && option.anyJob?.includes(value) === false)
    return `${name}=${shown(value)}: only streaming jobs follow it`;
  if (option.effect !== 'refused' && option.effect !== 'works') return undefined;
  const { values } = option;
  const fault = option.effect === 'works' ? valueFault(option, value) : undefined;
  if (fault !== undefined) return `${name}=${shown(value)}: ${fault}`;
  if (option.effect === 'works' && values === undefined) return undefined;
  if (values?.includes(value)) return undefined;
  const why = option.effect === 'refused' ? option.why : 'this value is not supported';
  return `${name}=${shown(value)}: ${why}${values === undefined ? '' : `; give ${values.join(' or ')}`}`;
}

/** Tasks may read settings of their own below a job's names, so that one which nothing knows is taken; perhaps it is a slip. */
function unknownNote(name: string): string {
  const [nearest] = nearestWords(name, names);
  return `${name}: Hadoop 3.4 reads no such setting; tasks find it among their settings${nearest === undefined ? '' : `. Did you mean ${nearest}?`}`;
}

function noteOf(option: JobOption | undefined, given: GivenOption, program: string, all: JobConfiguration): string | undefined {
  const { name } = given;
  const isOfJob = given.ofJob ?? given.source === ownSource;
  if (option === undefined) return isOfJob ? unknownNote(name) : undefined;
  if (option.effect === 'works' && isOfJob && option.onlyFor?.follows(program, inputFormatOf(all), all) === false)
    return `${name} changes nothing here: only ${option.onlyFor.jobs} follow it`;
  if (option.effect === 'nothing') return `${name} changes nothing here: ${option.why}`;
  return option.effect === 'cluster' && isOfJob
    ? `${name} changes nothing here: servers read it from the cluster’s own settings`
    : undefined;
}

/**
 * Looks at the settings that a user or a file gave, the last of each name. Those that are Hadoop's defaults anyway are passed over, and
 * so is what is no job's. `program`: the kind of the job.
 */
export function checkOptions(given: Iterable<GivenOption>, program: string): OptionFindings {
  const last = new Map<string, GivenOption>();
  for (const setting of given) {
    const name = todaysName(setting.name);
    last.set(name, { ...setting, name });
  }
  const all = new JobConfiguration([...last].map(([name, { value }]) => [name, value] as const));
  const refusals: string[] = [];
  const notes: string[] = [];
  for (const setting of last.values()) {
    const { name, value } = setting;
    const option = optionOf(name);
    if (option === undefined && !ours.some((prefix) => name.startsWith(prefix))) continue;
    if (value === mapredDefaults[name]) continue;
    if (value === '') {
      // What job.xml has without a value nobody finds there (Configuration of Hadoop).
      if (option?.effect === 'works' && setting.source === ownSource) notes.push(`${name} has no value, and counts as not set`);
      continue;
    }
    const refusal = option && refusalOf(option, name, value.trim(), program);
    if (refusal !== undefined) refusals.push(refusal);
    const note = noteOf(option, setting, program, all);
    if (note !== undefined) notes.push(note);
  }
  return { refusals, notes };
}
