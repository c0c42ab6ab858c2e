// `heddle backup DIR` and `heddle restore DIR`: what a cluster keeps on a data folder, copied while it runs and put back where nothing runs.

import { createHash } from 'node:crypto';
import {
  copyFileSync,
  createReadStream,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { checked, fields, type JsonOf, many, text, whole } from '../lib/json-shape.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { syncTree } from '../lib/sync-tree.ts';
import { systemErrorText } from '../lib/system-error.ts';
import { syncFolder } from '../lib/whole-writes.ts';
import { restoredMarkOf } from '../wire/files/restored-mark.ts';
import { claimDataDirectory } from './cluster-file.ts';
import { CommandFailure } from './failure.ts';
import { type RoleHost, roleNames } from './host.ts';
import { type ConfigurationFlags, configurationOf, dataDirectory, withConfigurationOptions } from './options.ts';
import { printJson, printText } from './output.ts';

const copiedFile = fields({ path: text({ minLength: 1 }), bytes: whole({ minimum: 0 }), sha256: text() });
const manifest = fields({ format: whole(), takenAt: text(), from: text(), stores: many(text()), files: many(copiedFile) });
type Manifest = JsonOf<typeof manifest>;
type CopiedFile = JsonOf<typeof copiedFile>;

const format = 1;
const manifestName = 'backup.json';
/** All pages in one step: a copy that pauses begins again whenever another process writes. */
const allPages = 0x7fffffff;

interface BackupFlags extends ConfigurationFlags {
  readonly logs?: boolean;
  readonly json?: boolean;
}

/** Registers `heddle backup` and `heddle restore`. */
export function addBackup(program: Command, host: RoleHost): void {
  withConfigurationOptions(program.command('backup').argument('<dir>', 'a folder that is not there yet'))
    .description('copy what a cluster keeps on its data folder, while it runs')
    .option('--logs', 'also gathered logs')
    .option('--json', 'print JSON')
    .action((dir: string, flags: BackupFlags) => takeBackup(dir, flags, host));
  withConfigurationOptions(program.command('restore').argument('<dir>', 'what "heddle backup" made'))
    .description('put a backup into a data folder that is empty and that nothing uses')
    .option('--json', 'print JSON')
    .action(restore);
}

/** What of a data folder is copied as it is; stores are copied by themselves, and what nodes have is about what runs on them just now. */
const copiedFolders = ['secrets', 'staging', join('resource-manager', 'staging')];
const copiedFiles = ['ports.json'];
const logFolder = 'aggregated-logs';

async function takeBackup(dir: string, flags: BackupFlags, host: RoleHost): Promise<void> {
  const configuration = configurationOf(flags);
  const { dataDir } = configuration;
  const target = resolve(dir);
  if (existsSync(target)) throw new CommandFailure(`${dir} is there already`, 'Name a folder that is not.', 2);
  if (!existsSync(dataDir)) throw new CommandFailure(`there is no data folder ${dataDir}`, 'Name it with --data.');
  const building = `${target}.partial`;
  rmSync(building, { recursive: true, force: true });
  try {
    makeFolder(building, 0o700, 0o755);
  } catch (error) {
    throw new CommandFailure(systemErrorText(error, dir), 'Name a folder that is not there yet, in one that you may write to.');
  }
  try {
    // The resource manager first: what it still owes the timeline is told twice then, and nothing is missing.
    const stores: string[] = [];
    for (const { path } of await host.stores(configuration)) {
      const below = relative(dataDir, path);
      if (!existsSync(path) || below.startsWith('node-manager')) continue;
      if (below.startsWith('..'))
        throw new CommandFailure(
          `${path} lies outside the data folder`,
          'Copy it with its own means; this backup holds data folders alone.',
        );
      await copyStore(path, join(building, below));
      stores.push(below);
    }
    if (stores.length === 0)
      throw new CommandFailure(
        `${dataDir} holds nothing of a resource manager or timeline`,
        'Name the data folder of the cluster with --data; what node managers keep is in no backup.',
      );
    const folders = [...copiedFolders, ...(flags.logs ? [logFolder] : [])];
    for (const name of [...folders, ...copiedFiles]) copyBelow(join(dataDir, name), join(building, name));
    const files = await describe(building);
    const told: Manifest = { format, takenAt: new Date().toISOString(), from: dataDir, stores, files };
    writeFileSync(join(building, manifestName), `${JSON.stringify(told, null, 2)}\n`, { mode: 0o600 });
    await syncTree(building);
    renameSync(building, target);
    await syncFolder(dirname(target));
    tell(`${target} holds`, told, flags.json ?? false);
  } catch (error) {
    rmSync(building, { recursive: true, force: true });
    throw error;
  }
}

/** A copy as of one moment, without stopping who writes; looked over. */
async function copyStore(from: string, to: string): Promise<void> {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  const source = new DatabaseSync(from, { readOnly: true });
  try {
    await backup(source, to, { rate: allPages });
  } finally {
    source.close();
  }
  const copy = new DatabaseSync(to);
  try {
    const [row] = copy.prepare('PRAGMA integrity_check(1)').all() as { integrity_check?: string }[];
    if (row?.integrity_check !== 'ok')
      throw new CommandFailure(`${from} is damaged: ${row?.integrity_check}`, '"heddle doctor --store" says what can be done.');
    // One file, which needs no log beside it.
    copy.exec('PRAGMA journal_mode = DELETE');
  } finally {
    copy.close();
  }
}

/** Whose files are copied: in folders where every user of the machine may write, others' are no business of who is not root. */
const isOurs = ({ uid }: Stats): boolean => [0, uid].includes(process.geteuid?.() ?? 0) || uid === 0;

/** Who owns what decides what is believed of it: a copy that root makes belongs to the same user. */
function keepOwner(of: Stats, to: string): void {
  if (process.geteuid?.() === 0) lchownSync(to, of.uid, of.gid);
}

/** Files that go while they are copied are left out; links and sockets are nobody's data. */
function copyBelow(from: string, to: string): void {
  const found = lstatSync(from, { throwIfNoEntry: false });
  if (!found || !isOurs(found)) return;
  if (found.isDirectory()) {
    mkdirSync(to, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(from)) copyBelow(join(from, name), join(to, name));
  } else if (found.isFile()) {
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
    try {
      copyFileSync(from, to);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return;
    }
  } else return;
  keepOwner(found, to);
}

async function describe(folder: string): Promise<CopiedFile[]> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
  const files: CopiedFile[] = [];
  for (const path of names) files.push({ path, bytes: statSync(join(folder, path)).size, sha256: await digestOf(join(folder, path)) });
  return files;
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

function tell(where: string, told: Manifest, asJson: boolean): void {
  const bytes = told.files.reduce((sum, file) => sum + file.bytes, 0);
  if (asJson) return printJson({ ...told, files: told.files.length, bytes });
  printText(
    `${where} ${told.stores.length} stores and ${told.files.length - told.stores.length} files, ${bytes} bytes, of ${told.takenAt}.\n`,
  );
}

function readManifest(dir: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(join(dir, manifestName), 'utf8'));
  } catch (error) {
    throw new CommandFailure(`${dir} is no backup: ${systemErrorText(error)}`, 'Name a folder that "heddle backup" made.', 2);
  }
  const { value: told, fault } = checked(manifest, value);
  if (fault !== undefined)
    throw new CommandFailure(`${dir} is no backup: ${manifestName}: ${fault}`, 'Name a folder that "heddle backup" made.', 2);
  if (told.format !== format) throw new CommandFailure(`${dir} has the format ${told.format} of a newer version`, 'Use that version.');
  const leading = told.files.find(({ path }) => path.split(/[\\/]/).includes('..') || resolve(dir, path) === resolve(path));
  if (leading) throw new CommandFailure(`${join(dir, manifestName)} names ${leading.path}, which is not below it`);
  return told;
}

async function restore(dir: string, flags: ConfigurationFlags & { readonly json?: boolean }): Promise<void> {
  const told = readManifest(dir);
  const dataDir = dataDirectory(flags);
  // Everything is looked at before anything is written.
  for (const { path, bytes, sha256 } of told.files) {
    const file = join(dir, path);
    if (statSync(file, { throwIfNoEntry: false })?.size !== bytes || (await digestOf(file)) !== sha256)
      throw new CommandFailure(`${file} is not what was backed up`, 'Take another backup.');
  }
  const claim = claimDataDirectory(dataDir, { command: 'heddle restore', roles: roleNames, isCluster: true });
  try {
    const there = readdirSync(dataDir).filter((name) => !/\.lock(?:-journal)?$/.test(name) && name !== 'cluster.json' && name !== 'logs');
    if (there.length > 0)
      throw new CommandFailure(
        `${dataDir} is not empty: ${there.slice(0, 3).join(', ')}`,
        'Move it away first, or give another folder with --data.',
      );
    // Starts after the backup have given ids that it does not know: the next one counts on beyond them.
    const mark = restoredMarkOf(dataDir);
    mkdirSync(dirname(mark), { recursive: true, mode: 0o700 });
    writeFileSync(mark, `of ${told.takenAt}\n`, { mode: 0o600 });
    for (const { path } of told.files) {
      copyBelow(join(dir, path), join(dataDir, path));
      for (let above = dirname(path); above !== '.'; above = dirname(above)) keepOwner(lstatSync(join(dir, above)), join(dataDir, above));
    }
  } finally {
    claim.remove();
  }
  // What was restored is not kept elsewhere for long.
  await syncTree(dataDir);
  tell(`${dataDir} holds`, told, flags.json ?? false);
}
