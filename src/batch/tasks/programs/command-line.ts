// How streaming splits a command and names its environment (StreamUtil.unixSplit, StreamJob, PipeMapRed).

import { accessSync, chmodSync, constants } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { fileVariableOf } from '../../../lib/handed-secret.ts';
import type { JobConfiguration } from '../job-configuration.ts';
import { deprecatedNames } from './deprecated-names.ts';

/** Splits at blanks outside quotes; quotes group and vanish; no escapes; empty words vanish. */
export function splitCommand(command: string): string[] {
  const words: string[] = [];
  let word = '';
  let quote = '';
  const push = () => {
    if (word !== '') words.push(word);
    word = '';
  };
  for (const char of command) {
    if (quote !== '') {
      if (char === quote) {
        quote = '';
        push();
      } else word += char;
    } else if (char === '"' || char === "'") {
      push();
      quote = char;
    } else if (char === ' ') push();
    else word += char;
  }
  push();
  return words;
}

const environmentName = (name: string) => name.replace(/[^0-9A-Za-z]/g, '_');

/** The environment of a streaming child: the task's own, all settings of the job, `stream.addenvironment`, the folder for temporary files. Secrets of the task stay out. */
export function streamingEnvironment(
  configuration: JobConfiguration,
  own: NodeJS.ProcessEnv,
  workingFolder: string,
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(own)) if (value !== undefined && !secretVariables.has(name)) environment[name] = value;
  const limit = configuration.integer('stream.jobconf.truncate.limit', -1);
  const put = (name: string, value: string) => {
    environment[environmentName(name)] = (limit >= 0 ? value.slice(0, limit) : value).replaceAll('\0', '');
  };
  for (const [name, raw] of configuration.entries()) {
    const value = configuration.expand(raw);
    put(name, value);
    if (Object.hasOwn(deprecatedNames, name)) for (const old of deprecatedNames[name]!) put(old, value);
  }
  for (const entry of (configuration.get('stream.addenvironment') ?? '').split(' ')) {
    const at = entry.indexOf('=');
    if (at > 0) environment[entry.slice(0, at)] = entry.slice(at + 1);
  }
  // Outside of a container the working folder is not the task's own.
  const temporary = configuration.text('mapreduce.task.tmp.dir', '') || (own['CONTAINER_ID'] === undefined ? '' : './tmp');
  if (temporary !== '') environment['TMPDIR'] = resolve(workingFolder, temporary);
  return environment;
}

/** Variables of the task process that a user's command must not see. */
const secretVariables = new Set([
  ...['HEDDLE_JOB_TOKEN', 'HEDDLE_ATTEMPT_TOKEN'].flatMap((name) => [name, fileVariableOf(name)]),
  'NODE_COMPILE_CACHE',
]);

/** Where a program lies: absolute as is, else in the working folder (made executable), else in PATH, else as written. */
export function findProgram(program: string, workingFolder: string, path: string): string {
  if (program.startsWith('/')) return program;
  const here = join(workingFolder, program);
  try {
    accessSync(here);
    try {
      chmodSync(here, 0o755);
    } catch {
      // shipped read-only: it must be executable already
    }
    return here;
  } catch {
    // not shipped with the job
  }
  for (const folder of path.split(delimiter)) {
    const candidate = join(folder, program);
    try {
      accessSync(candidate, constants.X_OK);
      return candidate;
    } catch {
      // next folder
    }
  }
  return program;
}
