// The variables of a container: Hadoop's (ContainerLaunch.sanitizeEnv, ApplicationConstants.Environment) over the ones of its order.

import { delimiter } from 'node:path';
import { fileVariableOf } from '../../lib/handed-secret.ts';
import { type NodeVariable, nodeVariables } from '../../model/node-variables.ts';
import { ownProgramVariables } from '../../wire/cluster/own-programs.ts';
import { addOpensMark } from './java-options.ts';

/** What the variables are made of. */
export interface EnvironmentFacts {
  readonly containerId: string;
  readonly applicationId: string;
  readonly user: string;
  readonly isMaster: boolean;
  readonly submitTimeMs: number;
  readonly maxAttempts: number;
  readonly nodeHost: string;
  readonly nodePort: number;
  readonly nodeHttpPort: number;
  readonly workFolder: string;
  readonly applicationFolders: readonly string[];
  readonly userFolders: readonly string[];
  readonly logFolders: readonly string[];
  /** What was fetched for the container and what was here (`LocalizationCounts`). */
  readonly localized: string;
  readonly tokenFile: string;
  /** Secrets of the order by name → their files. */
  readonly secretFiles?: ReadonlyMap<string, string>;
  readonly homeFolder: string;
  readonly confDir: string | undefined;
  /** PEM file with the authorities that Heddle's own programs believe, where servers speak TLS. */
  readonly authorityFile?: string | undefined;
  /** What `<ADD_OPENS>` stands for. */
  readonly addedOpens?: string | undefined;
  /** Where Heddle's own programs are on this node, for containers that run one. */
  readonly ownPrograms?: Readonly<Record<keyof typeof ownProgramVariables, string>> | undefined;
  /** Variables by which the container finds its devices. */
  readonly devices?: readonly (readonly [string, string])[];
  /** Auxiliary service → its data for containers. */
  readonly serviceData: ReadonlyMap<string, Buffer>;
  /** Variables of every container, by the administrator (yarn.nodemanager.admin-env). */
  readonly administrator: ReadonlyMap<string, string>;
}

/**
 * Expands `{{NAME}}` to the shell's `$NAME`, `<CPS>` to the separator of class paths, `<LOG_DIR>` to the log folder, `<ADD_OPENS>` to options
 * that the container's Java needs (ContainerLaunch.expandEnvironment).
 */
export function expand(text: string, logFolder: string, addedOpens = ''): string {
  return text
    .replaceAll('<LOG_DIR>', logFolder)
    .replaceAll('<CPS>', delimiter)
    .replaceAll(addOpensMark, addedOpens)
    .replace(/\{\{/g, '$')
    .replace(/\}\}/g, '');
}

/** Variables in the order in which the script exports them: a variable follows those its value names. */
export function containerEnvironment(order: Readonly<Record<string, string>>, facts: EnvironmentFacts): [string, string][] {
  const always: Record<NodeVariable, string> = {
    HADOOP_TOKEN_FILE_LOCATION: facts.tokenFile,
    CONTAINER_ID: facts.containerId,
    NM_PORT: String(facts.nodePort),
    NM_HOST: facts.nodeHost,
    NM_HTTP_PORT: String(facts.nodeHttpPort),
    LOCAL_DIRS: facts.applicationFolders.join(','),
    LOCAL_USER_DIRS: facts.userFolders.join(','),
    LOG_DIRS: facts.logFolders.join(','),
    USER: facts.user,
    LOGNAME: facts.user,
    HOME: facts.homeFolder,
    PWD: facts.workFolder,
    LOCALIZATION_COUNTERS: facts.localized,
  };
  const own: [string, string][] = nodeVariables.map((name) => [name, always[name]]);
  for (const [name, path] of facts.secretFiles ?? []) own.push([fileVariableOf(name), path]);
  for (const [name, value] of facts.devices ?? []) own.push([name, value]);
  for (const [what, value] of Object.entries(facts.ownPrograms ?? {}))
    own.push([ownProgramVariables[what as keyof typeof ownProgramVariables], value]);
  if (facts.authorityFile !== undefined)
    own.push(['HEDDLE_TLS_CA_FILE', facts.authorityFile], ['NODE_EXTRA_CA_CERTS', facts.authorityFile]);
  const optional: [string, string][] = [['MALLOC_ARENA_MAX', '4']];
  // Applications that bring their own settings say so here.
  if (facts.confDir !== undefined) optional.push(['HADOOP_CONF_DIR', literal(facts.confDir)]);
  if (facts.isMaster) {
    optional.push(
      ['APPLICATION_WEB_PROXY_BASE', `/proxy/${facts.applicationId}`],
      ['APP_SUBMIT_TIME_ENV', String(facts.submitTimeMs)],
      ['MAX_APP_ATTEMPTS', String(facts.maxAttempts)],
    );
  }
  for (const [name, data] of facts.serviceData) own.push([`NM_AUX_SERVICE_${name}`, data.toString('base64')]);
  const merged = new Map<string, string>(optional);
  for (const [name, value] of facts.administrator) if (!value.includes(`$${name}`)) merged.set(name, value);
  for (const [name, value] of Object.entries(order)) {
    if (!isVariableName(name)) continue;
    merged.set(name, expand(value, facts.logFolders[0] ?? '', facts.addedOpens));
  }
  for (const [name, value] of own) merged.set(name, literal(value));
  // The script's process becomes the command's: its number is that of the program.
  merged.set('JVM_PID', '$$');
  return inOrderOfUse(merged);
}

/** A value of ours inside double quotes: nothing in it is expanded. The order's own values are meant to be. */
const literal = (value: string) => value.replace(/[\\"`$]/g, '\\$&');

/** Names that a shell can export. */
export function isVariableName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}

/** Variables after the ones they name; circles stay in the order given. */
function inOrderOfUse(variables: ReadonlyMap<string, string>): [string, string][] {
  const ordered: [string, string][] = [];
  const seen = new Set<string>();
  const visit = (name: string): void => {
    const value = variables.get(name);
    if (value === undefined || seen.has(name)) return;
    seen.add(name);
    for (const [, braced, plain] of value.matchAll(/\$(?:\{([A-Za-z_][A-Za-z0-9_]*)|([A-Za-z_][A-Za-z0-9_]*))/g))
      visit(braced ?? plain ?? '');
    ordered.push([name, value]);
  };
  for (const name of variables.keys()) visit(name);
  return ordered;
}

/** Reads `NAME=value,NAME=value`; a value ends at the next `,NAME=`. */
export function parseVariables(text: string): Map<string, string> {
  const found = new Map<string, string>();
  let last: string | undefined;
  for (const piece of text.split(',')) {
    const [, name, value = ''] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(last === undefined ? piece.trimStart() : piece) ?? [];
    if (name !== undefined) found.set((last = name), value);
    else if (last !== undefined) found.set(last, `${found.get(last)},${piece}`);
  }
  return found;
}
