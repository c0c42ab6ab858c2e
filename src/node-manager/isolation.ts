// What containers that run as the node manager's own user are kept from: as an ordinary user secrets, as root what root may do.
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { userInfo } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { engineSettings } from '../config/settings/engines.ts';
import { ConfigurationError } from '../config/table.ts';
import type { Confinement } from '../engines/process/confinement.ts';
import type { ProcessEngineOptions } from '../engines/process/process-engine.ts';
import type { SupervisedEngine } from '../engines/supervised/supervised-engine.ts';
import { makeFolder } from '../lib/make-folder.ts';
import type { EngineChoice } from './engine-options.ts';

/** What the engine does about it. */
export type Isolation = Pick<ProcessEngineOptions, 'concealed' | 'confinement'>;

/** An engine with its launcher, and what it does about it. */
export interface IsolatedEngine {
  readonly engine: SupervisedEngine;
  readonly isolation: Isolation;
}

/**
 * The engine that `create` makes with what can be done here: it is asked again for one that does less where the first cannot begin.
 * `groups` are the folders of the control groups that containers enter.
 * @throws ConfigurationError when something has to be done and cannot
 */
export async function createIsolated(
  choice: EngineChoice,
  groups: readonly string[],
  create: (isolation: Isolation) => Promise<SupervisedEngine>,
): Promise<IsolatedEngine> {
  if (choice.confined && !choice.switchesUsers) return await createConfined(choice, choice.confined, groups, create);
  // Other users cannot read secrets, nor do what root may.
  const isolation = choice.switchesUsers ? {} : { concealed: await concealedFrom(choice) };
  return { engine: await create(isolation), isolation };
}

/** What is kept out of sight of containers; undefined: nothing. @throws ConfigurationError when it has to be and cannot */
async function concealedFrom({ settings, secrets, logger }: EngineChoice): Promise<readonly string[] | undefined> {
  if (settings.concealSecrets === 'off') return undefined;
  const { whyNotConcealed } = await import('../engines/process/concealment.ts');
  // Root can look behind every cover.
  const reason = process.geteuid?.() === 0 ? 'containers run as root' : whyNotConcealed();
  if (reason === undefined) {
    makeFolders(secrets.folders);
    for (const folder of secrets.bringing) makeWhereItCan(folder, 0o700);
    return [...secrets.folders, ...secrets.bringing, ...secrets.files, ...compiledCode()];
  }
  if (settings.concealSecrets === 'required') throw notConcealed(reason);
  logger.warn({ reason }, 'containers can read the secrets of the cluster, and memory and environment of its servers');
  return undefined;
}

const notConcealed = (reason: string): ConfigurationError =>
  new ConfigurationError(
    'node-manager',
    engineSettings.concealSecrets.key,
    `this system does not conceal the secrets of the cluster from containers (${reason})`,
    'Let ordinary users make user namespaces, or start the node manager as root and switch users.',
  );

/** What another role makes later would lie beside its cover. */
function makeFolders(folders: readonly string[]): void {
  for (const folder of folders) makeFolder(folder, 0o700);
}

/** As whoever else would make it; a folder of a bad disk is told by the checks of the disks. */
function makeWhereItCan(folder: string, mode?: number): void {
  try {
    makeFolder(folder, mode);
  } catch {
    // Told there.
  }
}

/** With containers of root that are confined. @throws ConfigurationError where they cannot be at all, or would not work */
async function createConfined(
  { node, settings, secrets, logger }: EngineChoice,
  { made, writable, readOnly }: NonNullable<EngineChoice['confined']>,
  groups: readonly string[],
  create: (isolation: Isolation) => Promise<SupervisedEngine>,
): Promise<IsolatedEngine> {
  const { confinedTo, needing, withoutRights } = await import('../engines/process/confinement.ts');
  const engineFolder = join(node.recoveryDirectory, 'processes');
  makeFolders([...secrets.folders, engineFolder]);
  // What is not there yet would stay closed to them.
  const own = [...node.localDirectories, ...node.logDirectories, ...made];
  for (const folder of own) makeWhereItCan(folder);
  for (const folder of secrets.bringing) makeWhereItCan(folder, 0o700);
  const home = real(userInfo().homedir);
  const places = [...own, node.recoveryDirectory, ...writable, ...groups].map(real);
  // Clients of Hadoop bring there what masters go on with.
  if (home !== '/') places.push(home);
  const confinement = confinedTo({
    stage: real(secrets.folders[0]!),
    hidden: [...secrets.folders, ...secrets.bringing, ...recoveryFolders(node.recoveryDirectory), ...secrets.files].map(real),
    kept: [real(engineFolder)],
    writable: places,
    // What is named twice is there to be written to, such as data in a hidden folder of root's home.
    readOnly: [...readOnly, programFolder, dirname(process.execPath), ...compiledCode(), ...programFolders(), ...hiddenIn(home)]
      .map(real)
      .filter((path) => !places.includes(path)),
  });
  const needs = needing([engineFolder], [join(programFolder, 'package.json'), process.execPath]);
  const begin = async (how: Confinement): Promise<IsolatedEngine | string> => {
    const isolation = { confinement: { ...how, before: [...how.before, ...needs] } };
    const engine = await create(isolation);
    const reason = await engine.whyNotReady();
    if (reason === undefined) return { engine, isolation };
    await engine.close();
    return reason;
  };
  const confined = await begin(confinement);
  if (typeof confined !== 'string') return confined;
  const lesser = await begin(withoutRights);
  if (typeof lesser === 'string')
    throw new ConfigurationError(
      'node-manager',
      engineSettings.rootContainers.key,
      `containers cannot be confined: ${lesser}`,
      `Install setpriv (util-linux) where it is missing, and let others enter the folders above --data and Heddle (chmod o+x); start as another user; or set ${engineSettings.rootContainers.key}=root.`,
    );
  if (settings.concealSecrets === 'required') {
    await lesser.engine.close();
    throw notConcealed(confined);
  }
  logger.warn(
    { reason: confined },
    'containers run as root without capabilities, but see and can write all files of root, secrets of the cluster too',
  );
  return lesser;
}

/** What begins with a dot in a home: what logins and tools of its owner go by. */
const hiddenIn = (home: string): string[] =>
  (existsSync(home) ? readdirSync(home) : []).filter((name) => name.startsWith('.')).map((name) => join(home, name));

/** Where this Node.js keeps what it compiled, mostly in /tmp, and runs it at the next start without looking. */
function compiledCode(): string[] {
  const folder = process.env['NODE_COMPILE_CACHE'] || getCompileCacheDir();
  return folder === undefined ? [] : [folder];
}

/** Folders that containers need to write in, whatever else is looked for there. */
const openFolders = ['/', '/tmp', '/var/tmp', '/dev/shm'];

/** Where this process, and the other servers, find the programs that they run. */
const programFolders = (): string[] =>
  (process.env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder) && !openFolders.includes(folder));

/** The folder of Heddle's own program. */
const programFolder = dirname(fileURLToPath(new URL('../../package.json', import.meta.url)));

/** This recovery folder, and those beside it that further nodes have. */
function recoveryFolders(folder: string): string[] {
  const beside = readdirSync(dirname(folder)).filter((name) => name.startsWith(`${basename(folder)}-`));
  return [folder, ...beside.map((name) => join(dirname(folder), name))];
}

/** The path without links, as far as it exists. */
function real(path: string): string {
  const whole = resolve(path);
  try {
    return realpathSync(whole);
  } catch {
    return whole === '/' ? whole : join(real(dirname(whole)), basename(whole));
  }
}
