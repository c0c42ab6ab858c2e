// What `heddle run` asks for, and what its master tells while it works. Shared by the client and the master.
import {
  checked,
  closedFields,
  fields,
  type JsonOf,
  many,
  mapOf,
  number,
  optional,
  text,
  truth,
  whole,
  word,
} from '../../lib/json-shape.ts';
import { localResource } from './launch-context.ts';
import { ownProgram } from './own-programs.ts';

/** A command to be run in several containers; travels to the master in an environment variable. */
const commandJob = fields({
  command: many(text()),
  instances: whole({ minimum: 0 }),
  memoryMiB: number({ minimum: 0 }),
  vcores: number({ minimum: 0 }),
  /** Amounts of further resource types of each container. */
  resources: optional(mapOf(number())),
  environment: mapOf(text()),
  files: mapOf(localResource),
  /** Names of secrets, which travel beside the job: its own text can be read by more. */
  secrets: optional(many(text())),
  /** How often a failed instance is tried again; -1: for ever. */
  retries: whole({ minimum: -1 }),
  /** Tags of its containers and where they may stand beside others, in YARN's constraint language. */
  placement: optional(fields({ tags: many(text()), constraint: optional(text()) })),
  /** Its containers run in what others leave free, and end when those need it. */
  opportunistic: optional(truth()),
  /** Whether a client reads along: the master then stays until it has read everything. */
  attached: truth(),
});
export type CommandJob = JsonOf<typeof commandJob>;

/** An application that runs a command, as it was asked for. */
export const submittedRun = fields({
  id: text(),
  name: text(),
  user: text(),
  state: text(),
  /** Where it is now, and its priority now. */
  queue: text(),
  priority: number(),
  label: optional(text()),
  reservationId: optional(text()),
  lifetimeSeconds: optional(number()),
  masterMemoryMiB: number({ minimum: 0 }),
  run: commandJob,
});
export type SubmittedRun = JsonOf<typeof submittedRun>;

/** The most instances of a run. */
export const mostInstances = 10_000;

/** How many instances of a run are wanted. */
export const wantedInstances = closedFields({ instances: whole({ minimum: 1 }) });
export type WantedInstances = JsonOf<typeof wantedInstances>;

/** How far an instance is. STOPPED: ended because another one failed for good, or because fewer are wanted. */
const instanceState = word('WAITING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'STOPPED');
export type InstanceState = JsonOf<typeof instanceState>;

/** One container of an instance. */
const tryView = fields({
  containerId: text(),
  nodeHttpAddress: text(),
  /** Absent while it runs. */
  exitCode: optional(whole()),
  diagnostics: text(),
});
export type TryView = JsonOf<typeof tryView>;

/** One instance with its latest tries, the last one last. */
const instanceView = fields({
  index: whole({ minimum: 0 }),
  state: instanceState,
  tries: many(tryView),
  /** How many there were before those. */
  earlierTries: optional(whole({ minimum: 0 })),
  /** How long it waits before the next try, since the last one ended. */
  pauseMs: optional(whole({ minimum: 0 })),
});
export type InstanceView = JsonOf<typeof instanceView>;

/** What the master's web address tells. */
export const commandView = fields({
  /** Grows with every change. */
  version: whole({ minimum: 0 }),
  state: word('RUNNING', 'SUCCEEDED', 'FAILED'),
  /** Of the first instance that failed for good, else 0; absent while running. */
  exitCode: optional(whole()),
  instances: many(instanceView),
});
export type CommandView = JsonOf<typeof commandView>;

/** Which instance a container of a run is for, from 0, and which try of it, from 1. */
export interface InstancePlace {
  readonly instance: number;
  readonly tryNumber: number;
}

/** The name of the request for a try of an instance. */
export const askIdOf = ({ instance, tryNumber }: InstancePlace): string => `${instance}-${tryNumber}`;

/** What a request of that name is for; undefined for a name of another form. */
export function placeOfAsk(askId = ''): InstancePlace | undefined {
  const [, instance, tryNumber] = /^(\d{1,9})-(\d{1,9})$/.exec(askId) ?? [];
  return instance === undefined ? undefined : { instance: Number(instance), tryNumber: Number(tryNumber) };
}

/** The variable that carries the job to its master. */
export const commandJobVariable = 'HEDDLE_COMMAND_JOB';

/** The master that runs a job: one of Heddle's own programs, in a small container. */
export const commandMaster = {
  type: 'HEDDLE-RUN',
  command: `${ownProgram('main')} command-master 1><LOG_DIR>/stdout 2><LOG_DIR>/stderr`,
  variable: commandJobVariable,
  /** It needs some 85 MiB, and more for the state of many instances. */
  memoryMiBOf: (instances: number): number => (instances <= 200 ? 128 : instances <= 2000 ? 256 : 512),
  /** The reverse: for how many instances so much is enough. */
  mostInstancesOf: (memoryMiB: number): number => (memoryMiB < 256 ? 200 : memoryMiB < 512 ? 2000 : Number.POSITIVE_INFINITY),
  attempts: 2,
  /** Of a job that goes on for ever: failures of its master that lie so far back do not count. */
  endlessValidityMs: 600_000,
  /** Of its requests. */
  priority: 20,
} as const;

/** `retries` of a job that goes on for ever. */
export const endlessRetries = -1;

/** A job as the value of its variable: letters that a launch script leaves alone. */
export const encodeJob = (job: CommandJob): string => Buffer.from(JSON.stringify(job)).toString('base64url');

/** The job in its variable. @throws Error that says what of it cannot be read */
export function decodeJob(encoded: string): CommandJob {
  const { value, fault } = checked(commandJob, JSON.parse(Buffer.from(encoded, 'base64url').toString()));
  if (fault !== undefined) throw new Error(`${commandJobVariable} cannot be read: ${fault}`);
  return value;
}

/** A value that a launch script, which writes variables between double quotes, gives to the command as it is. */
export function literalValue(value: string): string {
  // Empty quotes keep the node from seeing its own marks, {{NAME}}, <LOG_DIR> and <CPS>.
  return value.replace(/[\\"$`]/g, '\\$&').replace(/\{(?=\{)|\}(?=\})|<(?=LOG_DIR>|CPS>)/g, '$&""');
}

/** The value that `literalValue` was given. */
export const plainValue = (literal: string): string => literal.replace(/\\([\\"$`])|""/g, '$1');

/** The job of a submission of Heddle's own master; undefined for any other, and where its master would say what is wrong with it. */
export function jobIn(type: string, environment: Readonly<Record<string, string>>): CommandJob | undefined {
  const encoded = environment[commandJobVariable];
  if (type !== commandMaster.type || encoded === undefined) return undefined;
  try {
    return decodeJob(encoded);
  } catch {
    return undefined;
  }
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
