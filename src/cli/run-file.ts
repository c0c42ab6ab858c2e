// `heddle run FILE.yaml`: a job in a file. It says what the options say, under nearly their names; paths count from the file's folder.
import { readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { parseDocument } from 'yaml';
import { faultOf, fields, isObject, type JsonOf, many, mapOf, optional, text, truth, whole } from '../lib/json-shape.ts';
import { systemErrorText } from '../lib/system-error.ts';
import { parseMemory, parseTime } from './amounts.ts';
import { CommandFailure } from './failure.ts';
import { parseRetries, retriesRemedy } from './retries.ts';
import type { RunFlags } from './run-job.ts';

const longestBytes = 1 << 20;
const texts = many(text(), { maxItems: 10_000 });

const members = {
  /** Words, each an argument. */
  command: optional(texts),
  /** Lines for bash, instead of a command. */
  script: optional(text({ minLength: 1 })),
  name: optional(text()),
  instances: optional(whole({ minimum: 1, maximum: 10_000 })),
  memory: optional(text()),
  vcores: optional(whole({ minimum: 1 })),
  resources: optional(mapOf(whole({ minimum: 0 }))),
  queue: optional(text()),
  priority: optional(whole({ minimum: 0, maximum: 1_000_000 })),
  label: optional(text()),
  reservation: optional(text()),
  timeout: optional(text()),
  workdir: optional(text()),
  files: optional(texts),
  environment: optional(mapOf(text())),
  /** Names of variables that are taken from the caller's environment. */
  passEnvironment: optional(texts),
  /** Files by the names of secrets. */
  secrets: optional(mapOf(text())),
  retries: optional(text()),
  tags: optional(texts),
  constraints: optional(texts),
  masterMemory: optional(text()),
  opportunistic: optional(truth()),
};
const runFile = fields(members);
type RunFile = JsonOf<typeof runFile>;

/** What a file says: the command, and options as the command line gives them. */
export interface ToldByFile {
  readonly command: readonly string[];
  readonly flags: Partial<RunFlags>;
}

/** Reads a job. @throws CommandFailure that names the file and the place */
export function readRunFile(path: string): ToldByFile {
  const wrong = (problem: string, remedy?: string): CommandFailure => new CommandFailure(`${path}: ${problem}`, remedy, 2);
  const document = parseDocument(textOf(path, wrong));
  const [error] = document.errors;
  if (error) throw wrong(error.message.split('\n', 1)[0]!.replace(/:$/, ''), 'Write YAML or JSON.');
  let value: unknown;
  try {
    value = scalarsAsText(document.toJS({ maxAliasCount: 100 }));
  } catch (failed) {
    throw wrong((failed as Error).message);
  }
  const known = Object.keys(members).join(', ');
  if (!isObject(value)) throw wrong('is no map', `Known are ${known}.`);
  const unknown = Object.keys(value).find((name) => !(name in members));
  if (unknown !== undefined) throw wrong(`${unknown} is unknown`, `Known are ${known}.`);
  const fault = faultOf(runFile, value);
  if (fault !== undefined) throw wrong(fault.replace(/^\//, '').replaceAll('/', '.'));
  return told(value as RunFile, dirname(path), wrong);
}

function textOf(path: string, wrong: (problem: string, remedy?: string) => CommandFailure): string {
  let bytes: number;
  try {
    bytes = statSync(path).size;
    if (bytes <= longestBytes) return readFileSync(path, 'utf8');
  } catch (error) {
    throw wrong(systemErrorText(error, ''), 'Name a file as "heddle run FILE.yaml" takes it.');
  }
  throw wrong(`is longer than ${longestBytes} bytes`, 'Bring data with files.');
}

/** `memory: 512`, `timeout: 90` and `retries: 3` are numbers in YAML, and texts to us. */
function scalarsAsText(value: unknown): unknown {
  if (!isObject(value)) return value;
  const asText = (name: string) => (typeof value[name] === 'number' ? { [name]: String(value[name]) } : {});
  const { environment } = value;
  const variables = isObject(environment)
    ? {
        environment: Object.fromEntries(
          Object.entries(environment).map(([name, one]) => [name, isObject(one) || one === null ? one : String(one)]),
        ),
      }
    : {};
  return { ...value, ...asText('memory'), ...asText('masterMemory'), ...asText('timeout'), ...asText('retries'), ...variables };
}

function told(file: RunFile, folder: string, wrong: (problem: string, remedy?: string) => CommandFailure): ToldByFile {
  if ((file.command === undefined) === (file.script === undefined))
    throw wrong('has to have either command or script', 'command: [echo, hello]');
  const command = file.command ?? ['bash', '-c', file.script ?? ''];
  if (command.length === 0) throw wrong('command is empty');
  const memory = (name: 'memory' | 'masterMemory'): number | undefined => {
    const given = file[name];
    if (given === undefined) return undefined;
    const value = parseMemory(given);
    if (value === undefined) throw wrong(`${name}: '${given}' is no memory`, 'Write 512m or 2g; a number alone counts MiB.');
    return value;
  };
  const timeout = file.timeout === undefined ? undefined : parseTime(file.timeout);
  if (file.timeout !== undefined && (timeout === undefined || timeout < 1000))
    throw wrong(`timeout: '${file.timeout}' is no time from a second to a thousand years`, 'Write 90, 30m or 2h.');
  const retries = file.retries === undefined ? undefined : parseRetries(file.retries);
  if (file.retries !== undefined && retries === undefined) throw wrong(`retries: '${file.retries}' is no count`, retriesRemedy);
  const flags: Partial<RunFlags> = {
    name: file.name,
    instances: file.instances,
    memory: memory('memory'),
    vcores: file.vcores,
    resource: pairs(file.resources),
    queue: file.queue,
    priority: file.priority,
    label: file.label,
    reservation: file.reservation,
    timeout,
    workdir: file.workdir,
    file: file.files?.map((one) => below(folder, one)),
    env: file.environment || file.passEnvironment ? [...(pairs(file.environment) ?? []), ...(file.passEnvironment ?? [])] : undefined,
    secret: pairs(file.secrets && Object.fromEntries(Object.entries(file.secrets).map(([name, one]) => [name, below(folder, one)]))),
    retries,
    tag: file.tags,
    constraint: file.constraints,
    masterMemory: memory('masterMemory'),
    opportunistic: file.opportunistic,
  } as Partial<RunFlags>;
  return { command, flags: Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined)) };
}

const pairs = (values: Readonly<Record<string, string | number>> | undefined): readonly string[] | undefined =>
  values && Object.entries(values).map(([name, value]) => `${name}=${value}`);

/** A path counts from the folder; addresses stay as they are. */
const below = (folder: string, path: string): string => (isAbsolute(path) || /^\w+:\//.test(path) ? path : join(folder, path));
