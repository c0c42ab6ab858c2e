// What `heddle run` asks for, and what its master tells while it works. Shared by the client and the master.
import type { LocalResource } from '../../wire/cluster/launch-context.ts';

/** A command to be run in several containers; travels to the master in an environment variable. */
export interface CommandJob {
  readonly command: readonly string[];
  readonly instances: number;
  readonly memoryMiB: number;
  readonly vcores: number;
  /** Amounts of further resource types of each container. */
  readonly resources?: Readonly<Record<string, number>>;
  readonly environment: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, LocalResource>>;
  /** How often a failed instance is tried again. */
  readonly retries: number;
  /** Tags of its containers and where they may stand beside others, in YARN's constraint language. */
  readonly placement?: { readonly tags: readonly string[]; readonly constraint: string | undefined };
  /** Its containers run in what others leave free, and end when those need it. */
  readonly opportunistic?: boolean;
  /** Whether a client reads along: the master then stays until it has read everything. */
  readonly attached: boolean;
}

/** How far an instance is. STOPPED: ended because another one failed for good. */
export type InstanceState = 'WAITING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'STOPPED';

/** One container of an instance. */
export interface TryView {
  readonly containerId: string;
  readonly nodeHttpAddress: string;
  /** Undefined while it runs. */
  readonly exitCode: number | undefined;
  readonly diagnostics: string;
}

/** One instance with all its tries, the last one last. */
export interface InstanceView {
  readonly index: number;
  readonly state: InstanceState;
  readonly tries: readonly TryView[];
}

/** What the master's web address tells. */
export interface CommandView {
  /** Grows with every change. */
  readonly version: number;
  readonly state: 'RUNNING' | 'SUCCEEDED' | 'FAILED';
  /** Of the first instance that failed for good, else 0; undefined while running. */
  readonly exitCode: number | undefined;
  readonly instances: readonly InstanceView[];
}

/** The variable that carries the job to its master. */
export const commandJobVariable = 'HEDDLE_COMMAND_JOB';

/** A job as the value of its variable: letters that a launch script leaves alone. */
export const encodeJob = (job: CommandJob): string => Buffer.from(JSON.stringify(job)).toString('base64url');

/** The job in its variable. */
export const decodeJob = (text: string): CommandJob => JSON.parse(Buffer.from(text, 'base64url').toString()) as CommandJob;

/** A value that a launch script, which writes variables between double quotes, gives to the command as it is. */
export function literalValue(value: string): string {
  // Empty quotes keep the node from seeing its own marks, {{NAME}}, <LOG_DIR> and <CPS>.
  return value.replace(/[\\"$`]/g, '\\$&').replace(/\{(?=\{)|\}(?=\})|<(?=LOG_DIR>|CPS>)/g, '$&""');
}

/** Quotes a word for a POSIX shell. */
export function shellQuote(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The shell line of a command, word for word, with its output in the log folder that the node gives. */
export function commandLine(command: readonly string[]): string {
  // A launch script hands the line to a shell between double quotes.
  return `${literalValue(command.map(shellQuote).join(' '))} 1><LOG_DIR>/stdout 2><LOG_DIR>/stderr`;
}
