// The folder a client leaves a job in and its master finds it in: <staging>/<user>/.staging/<job id>, readable by its owner alone.
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { checked, type JsonOf, many, orNull } from '../../lib/json-shape.ts';
import { makeFolder } from '../../lib/make-folder.ts';
import { writeNamedFile } from '../../lib/whole-writes.ts';
import { type ConfigurationProperty, readJobConfiguration, writeJobConfiguration } from '../../wire/files/job-configuration.ts';
import { type InputSplit, inputSplit } from '../tasks/input/input-split.ts';
import { JobConfiguration } from '../tasks/job-configuration.ts';
import { localPath } from '../tasks/paths.ts';

/** Files of a staged job. */
export const jobFile = 'job.xml';
const splitsFile = 'job.split';
const tokenFile = 'job.token';

/** Splits in the order of their maps; null = a map without input. */
const storedSplits = many(orNull(inputSplit));

/** A job as its master finds it. */
export interface StagedJob {
  readonly folder: string;
  readonly properties: readonly ConfigurationProperty[];
  readonly settings: JobConfiguration;
  readonly splits: readonly (InputSplit | undefined)[];
  readonly token: Buffer;
}

/** Thrown when a staging folder belongs to another user; the text is Hadoop's (JobSubmissionFiles). */
export class UnsafeStagingFolder extends Error {
  override readonly name = 'UnsafeStagingFolder';
}

/** `<root>/<user>/.staging`, made where it is missing, mode 700. @throws UnsafeStagingFolder */
export function stagingFolder(root: string, user: string): string {
  if (user === '' || user === '.' || user === '..' || /[/\0]/.test(user)) throw new UnsafeStagingFolder(`'${user}' is no name of a user`);
  const folder = join(localPath(root), user, '.staging');
  makeFolder(folder, 0o700);
  const stats = statSync(folder);
  const own = process.getuid?.() ?? stats.uid;
  if (stats.uid !== own)
    throw new UnsafeStagingFolder(
      `The ownership on the staging directory ${folder} is not as expected. It is owned by ${stats.uid}. The directory must be owned by the submitter ${user}`,
    );
  if ((stats.mode & 0o777) !== 0o700) chmodSync(folder, 0o700);
  return folder;
}

/** Writes a job; nothing is left behind where that fails. */
export function stageJob(
  folder: string,
  job: { properties: readonly ConfigurationProperty[]; splits: readonly (InputSplit | undefined)[]; token: Buffer },
): void {
  mkdirSync(folder, { mode: 0o700 });
  try {
    const write = (name: string, text: string) => writeNamedFile(join(folder, name), text, { mode: 0o600 });
    write(tokenFile, job.token.toString('base64url'));
    write(splitsFile, JSON.stringify(job.splits.map((split) => split ?? null) satisfies JsonOf<typeof storedSplits>));
    write(jobFile, writeJobConfiguration(job.properties));
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Thrown where a master does not see what the client staged, on another machine or as another user, or may not write there. */
export class NoStagingFolder extends Error {
  override readonly name = 'NoStagingFolder';
  constructor(folder: string, code: string | undefined, use: 'read' | 'written' = 'read') {
    super(reasonOf(folder, code, use));
  }
}

function reasonOf(folder: string, code: string | undefined, use: 'read' | 'written'): string {
  if (code === 'EACCES')
    return `Staging dir ${folder} cannot be ${use} by ${ownName()}, as whom this container runs: submit the job as that user, or let containers run as who submits them (yarn.nodemanager.linux-container-executor.nonsecure-mode.limit-users=false).`;
  if (code === 'EROFS')
    return `Staging dir ${folder} is read-only for containers on ${hostname()}, as hidden folders in root's home are where root started the cluster: name the cluster's own folder with --data, or set yarn.app.mapreduce.am.staging-dir to one that containers may write.`;
  return `Staging dir does not exist ${folder}: ${hostname()} does not see what the client wrote there. yarn.app.mapreduce.am.staging-dir has to be a folder that the clients and all nodes share.`;
}

/** What `write` writes in a staging folder for the first time. @throws NoStagingFolder where this container may not; what `write` throws otherwise */
export async function writingIn<Value>(folder: string, write: () => Promise<Value>): Promise<Value> {
  try {
    return await write();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === 'EACCES' || code === 'EROFS' ? new NoStagingFolder(folder, code, 'written') : error;
  }
}

function ownName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.()}`;
  }
}

function readSplits(path: string): (InputSplit | undefined)[] {
  const { value, fault } = checked(storedSplits, JSON.parse(readFileSync(path, 'utf8')));
  if (fault !== undefined) throw new Error(`${path} cannot be read: ${fault}`);
  return value.map((split) => split ?? undefined);
}

/** Reads a staged job. @throws NoStagingFolder */
export function readStagedJob(folder: string): StagedJob {
  let text: string;
  try {
    text = readFileSync(join(folder, jobFile), 'utf8');
  } catch (error) {
    throw new NoStagingFolder(folder, (error as NodeJS.ErrnoException).code);
  }
  // What was read from a file names that file last (Configuration.getPropertySources).
  const properties = readJobConfiguration(text).map((property) => ({
    ...property,
    sources: [...(property.sources ?? [])],
  }));
  return {
    folder,
    properties,
    settings: new JobConfiguration(properties.map(({ name, value }) => [name, value] as const)),
    splits: readSplits(join(folder, splitsFile)),
    token: readJobToken(folder),
  };
}

/** The secret of a job: a process that has it may speak to its master and fetch its map outputs. */
function readJobToken(folder: string): Buffer {
  return Buffer.from(readFileSync(join(folder, tokenFile), 'utf8'), 'base64url');
}

/** Path of a generation's history file while it runs. */
export function runningHistoryPath(folder: string, jobId: string, generation: number): string {
  return join(folder, `${jobId}_${generation}.jhist`);
}
