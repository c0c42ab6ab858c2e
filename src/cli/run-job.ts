// What `heddle run` asks for: the job of a command’s master and its submission, from options or a file.

import { type NodeVariable, nodeVariables } from '../model/node-variables.ts';
import { type CommandJob, commandMaster, encodeJob, endlessRetries, literalValue } from '../wire/cluster/command-job.ts';
import type { PlainSubmission } from '../wire/cluster/submission.ts';
import { readResources } from './amounts.ts';
import { CommandFailure } from './failure.ts';
import type { ClusterFlags } from './options.ts';
import { readPlacement } from './run-placement.ts';
import { credentialsOf } from './run-secrets.ts';
import { wrapped } from './run-stdin.ts';

/** What `heddle run` is told, by options or by a file. */
export interface RunFlags extends ClusterFlags {
  readonly instances: number;
  /** MiB. */
  readonly memory: number;
  readonly vcores: number;
  readonly resource?: readonly string[];
  readonly queue?: string;
  readonly priority?: number;
  readonly label?: string;
  readonly reservation?: string;
  readonly name?: string;
  readonly workdir?: string;
  readonly stdin?: boolean;
  readonly file?: readonly string[];
  readonly env?: readonly string[];
  readonly secret?: readonly string[];
  readonly tag?: readonly string[];
  readonly constraint?: readonly string[];
  readonly retries: number;
  /** ms. */
  readonly timeout?: number;
  /** MiB. */
  readonly masterMemory?: number;
  readonly opportunistic?: boolean;
  readonly detach?: boolean;
  readonly plan?: boolean;
  readonly dryRun?: boolean;
  readonly diff?: boolean;
}

/** A run that a file tells of. */
export interface RunOfFile {
  readonly path: string;
  readonly command: readonly string[];
  readonly flags: RunFlags;
}

/** Variables from `NAME=value` and `NAME`, as launch scripts want them. @throws CommandFailure */
export const readVariables = (texts: readonly string[] = [], environment: NodeJS.ProcessEnv = process.env): Record<string, string> =>
  Object.fromEntries(Object.entries(plainVariables(texts, environment)).map(([name, value]) => [name, literalValue(value)]));

/** Variables from `NAME=value` and `NAME`. @throws CommandFailure */
export function plainVariables(texts: readonly string[] = [], environment: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const text of texts) {
    const at = text.indexOf('=');
    const name = at < 0 ? text : text.slice(0, at);
    const value = at < 0 ? environment[name] : text.slice(at + 1);
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      throw new CommandFailure(`--env ${text}: '${name}' is no name of a variable`, 'Write NAME=value.', 2);
    if (value === undefined) throw new CommandFailure(`--env ${text}: ${name} is not set here`, 'Write NAME=value.', 2);
    variables[name] = value;
  }
  return variables;
}

/** Of the variables that are asked for those that nodes set to something else. */
export const variablesOfNodes = (texts: readonly string[] = []): NodeVariable[] => {
  const named = new Set(texts.map((text) => text.split('=', 1)[0]));
  return nodeVariables.filter((name) => named.has(name));
};

/** The submission of a job's master. */
export function submissionOf(
  id: string | undefined,
  job: CommandJob,
  flags: RunFlags,
  name: string,
  secrets: ReadonlyMap<string, Buffer>,
): PlainSubmission {
  const { queue, priority, label, reservation, timeout, masterMemory = commandMaster.memoryMiBOf(job.instances) } = flags;
  return {
    ...(id === undefined ? {} : { 'application-id': id }),
    'application-name': name,
    'application-type': commandMaster.type,
    ...(queue === undefined ? {} : { queue }),
    ...(priority === undefined ? {} : { priority }),
    ...(label === undefined ? {} : { 'app-node-label-expression': label }),
    ...(reservation === undefined ? {} : { 'reservation-id': reservation }),
    ...(timeout === undefined ? {} : { 'application-timeouts': { LIFETIME: Math.ceil(timeout / 1000) } }),
    'max-app-attempts': commandMaster.attempts,
    ...(job.retries === endlessRetries ? { 'attempt-failures-validity-interval': commandMaster.endlessValidityMs } : {}),
    'keep-containers-across-application-attempts': true,
    resource: { memory: masterMemory, vCores: 1 },
    'am-container-spec': {
      commands: { command: commandMaster.command },
      environment: { entry: [{ key: commandMaster.variable, value: encodeJob(job) }] },
      ...credentialsOf(secrets),
    },
  } as unknown as PlainSubmission;
}

/** What the master is to do, but for the files. @throws CommandFailure */
export const jobOf = (command: readonly string[], flags: RunFlags): Omit<CommandJob, 'files' | 'secrets'> => ({
  command: wrapped(command, { stdin: flags.stdin, workdir: flags.workdir }),
  instances: flags.instances,
  memoryMiB: flags.memory,
  vcores: flags.vcores,
  ...(flags.resource ? { resources: readResources(flags.resource) } : {}),
  environment: readVariables(flags.env),
  retries: flags.retries,
  ...(flags.opportunistic ? { opportunistic: true } : {}),
  ...readPlacement(flags.tag, flags.constraint),
  attached: !flags.detach,
});

/** What an application is called in lists. */
export const runName = (command: readonly string[], { name }: RunFlags): string => name ?? command.join(' ').slice(0, 100);
