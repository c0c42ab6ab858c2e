// What becomes of a setting of a job: the words of the tables beside this file.
import type { JobConfiguration } from '../../tasks/job-configuration.ts';

/**
 * A size may have a binary suffix (`128m`); an address is one of http or https; variables are `A=b` with commas between them, those of
 * commands with blanks; rights are those of a folder in octal digits; a file's name stays below its folder.
 */
export type ValueKind = 'whole' | 'number' | 'size' | 'truth' | 'address' | 'variables' | 'commandVariables' | 'rights' | 'fileName';
export type NumberRange = readonly [least: number, most: number];

/** Some jobs, in words and as a rule of their program, their input format and what else was given. */
export interface JobsThatFollow {
  readonly jobs: string;
  readonly follows: (program: string, inputFormat: string, settings: JobConfiguration) => boolean;
}

/** What Heddle does with one setting that Hadoop 3.4 reads. */
export type JobOption =
  /** It is followed; other values than `values`, where these are named, are refused. */
  | {
      readonly effect: 'works';
      readonly about: string;
      readonly values?: readonly string[];
      /** The values that jobs of other kinds than streaming follow; undefined: all. */
      readonly anyJob?: readonly string[];
      /** What a value has to be; undefined: any text. */
      readonly kind?: ValueKind;
      /** The least and the largest number. */
      readonly range?: NumberRange;
      /** The jobs that follow it; others are told that it changes nothing. Undefined: all. */
      readonly onlyFor?: JobsThatFollow;
    }
  /** Servers read it from the cluster's files; in one job it changes nothing. */
  | { readonly effect: 'cluster'; readonly about: string }
  /** It changes nothing here, and no result: named at the submission. */
  | { readonly effect: 'nothing'; readonly why: string }
  /** With another value than Hadoop's default or one of `values` the result would differ: such a job is refused. */
  | { readonly effect: 'refused'; readonly why: string; readonly values?: readonly string[] };

/** Options by name; a name that ends in a dot stands for all that begin with it. */
export type JobOptions = Readonly<Record<string, JobOption>>;

/** A setting that is followed. */
export const works = (about: string, values?: readonly string[]): JobOption => ({
  effect: 'works',
  about,
  ...(values === undefined ? {} : { values }),
});
const typed =
  (kind: ValueKind) =>
  (about: string): JobOption => ({ effect: 'works', about, kind });
const ranged =
  (kind: ValueKind) =>
  (about: string, range: NumberRange): JobOption => ({ effect: 'works', about, kind, range });
/** Settings that are followed, with values of one kind; of numbers it is said which ones mean something. */
export const whole = ranged('whole');
export const number = ranged('number');
export const size = ranged('size');
export const truth = typed('truth');
export const address = typed('address');
export const variables = typed('variables');
export const commandVariables = typed('commandVariables');
export const rights = typed('rights');
export const fileName = typed('fileName');

/** Usual bounds. */
export const fromZero: NumberRange = [0, Number.MAX_SAFE_INTEGER];
export const fromOne: NumberRange = [1, Number.MAX_SAFE_INTEGER];
/** What Java keeps in an int: Hadoop reads no more. */
const largestInt = 2 ** 31 - 1;
export const countFromZero: NumberRange = [0, largestInt];
export const countFromOne: NumberRange = [1, largestInt];
export const countFromTwo: NumberRange = [2, largestInt];
export const countFromMinusOne: NumberRange = [-1, largestInt];
/** Every number below the least that means something means the same. */
export const anyInt: NumberRange = [-(2 ** 31), largestInt];
export const share: NumberRange = [0, 1];
export const percent: NumberRange = [0, 100];

/** A setting of which some values are followed by jobs of commands alone; other jobs are refused with another one than those of `anyJob`. */
export const streamingWorks = (about: string, anyJob: readonly string[], streamingAlone: readonly string[]): JobOption => ({
  effect: 'works',
  about,
  values: [...anyJob, ...streamingAlone],
  anyJob,
});
/** A setting of the cluster's servers. */
export const cluster = (about: string): JobOption => ({ effect: 'cluster', about });
/** A setting without effect; `why` goes on from "changes nothing here: ". */
export const nothing = (why: string): JobOption => ({ effect: 'nothing', why });
/** A setting that stops the submission; `why` is a sentence without its point. */
export const refused = (why: string, values?: readonly string[]): JobOption => ({
  effect: 'refused',
  why,
  ...(values === undefined ? {} : { values }),
});

/** The option, where it is followed, for some jobs alone. */
export const onlyFor = (jobs: string, follows: JobsThatFollow['follows'], option: JobOption): JobOption =>
  option.effect === 'works' ? { ...option, onlyFor: { jobs, follows } } : option;

/** The same option for several names. */
export const each = (names: readonly string[], option: JobOption): JobOptions => Object.fromEntries(names.map((name) => [name, option]));
