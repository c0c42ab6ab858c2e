// The two trees of history files: masters leave them in the intermediate one, a folder a user; the history server keeps them in
// the done one, by day and number (HistoryFileManager of Hadoop 3.4). Links are never followed: the intermediate tree is
// writable for all users.
import { constants, type Stats } from 'node:fs';
import { copyFile, lstat, mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BoundedMap } from '../../lib/bounded-map.ts';
import { isForeignLink } from '../../lib/foreign-link.ts';
import type { Logger } from '../../lib/log.ts';
import { syncTree } from '../../lib/sync-tree.ts';
import { syncFolder } from '../../lib/whole-writes.ts';
import { compareJobIds } from '../../model/job-ids.ts';
import { fromModifiedUtf8 } from '../../wire/files/java-data.ts';
import {
  configurationFileName,
  doneFolder,
  historyFileExtension,
  type JobIndex,
  parseHistoryFileName,
  summaryFileName,
} from '../../wire/files/job-history-names.ts';
import type { MayBeOf } from './file-owners.ts';
import type { WatchedFolder } from './folder-watch.ts';

/** A finished job's files. */
export interface StoredJob {
  readonly index: JobIndex;
  /** Folder below the done folder, absolute. */
  readonly folder: string;
  readonly fileName: string;
}

/** Where the job's history lies. */
export const historyPath = (job: StoredJob): string => join(job.folder, job.fileName);
/** Where the job's configuration lies. */
export const configurationPath = (job: StoredJob): string => join(job.folder, configurationFileName(job.index.jobId));

const names = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);
const isFile = async (path: string): Promise<boolean> => (await lstat(path).catch(() => undefined))?.isFile() ?? false;

/** Before the names of folders that were put aside. */
const asidePrefix = '.foreign-';

/** What a scan of a user's folder saw last. */
interface Seen {
  readonly modifiedMs: number;
  readonly scannedMs: number;
}
/** Times of folders may be this coarse: a change in the same stretch of time would not be seen. */
const folderTimeGrainMs = 2000;
/** Folders and files that are remembered: users of the machine choose how many there are. */
const mostRemembered = 10_000;

/** Moves finished jobs from the intermediate tree into the done tree. */
export class IntermediateFolders {
  readonly #root: string;
  readonly #done: string;
  readonly #logger: Logger;
  readonly #always: boolean;
  readonly #seen = new BoundedMap<string, Seen>(mostRemembered);
  /** Files about which something was said: it is said once. */
  readonly #told = new BoundedMap<string, true>(mostRemembered);
  /** The folders of users that the last look found. */
  folders: readonly WatchedFolder[] = [];
  readonly #mayBeOf: MayBeOf;

  constructor(options: { intermediate: string; done: string; alwaysScan: boolean; mayBeOf: MayBeOf; logger: Logger }) {
    this.#root = options.intermediate;
    this.#done = options.done;
    this.#logger = options.logger;
    this.#always = options.alwaysScan;
    this.#mayBeOf = options.mayBeOf;
  }

  /** Moves every job that is complete; gives those moved. Folders that did not change since they were last looked at are passed over. */
  async collect(nowMs: number): Promise<StoredJob[]> {
    const moved: StoredJob[] = [];
    const folders: WatchedFolder[] = [];
    for (const user of await names(this.#root)) {
      const folder = join(this.#root, user);
      const facts = await lstat(folder).catch(() => undefined);
      if (!facts?.isDirectory() || user.startsWith(asidePrefix)) continue;
      if (!(await this.#mayBeOf(user, facts.uid))) {
        await this.#putAside(user, facts.uid, nowMs);
        continue;
      }
      folders.push({ path: folder, inode: facts.ino });
      const seen = this.#seen.get(folder);
      if (!this.#always && seen?.modifiedMs === facts.mtimeMs && seen.scannedMs > facts.mtimeMs + folderTimeGrainMs) continue;
      for (const name of await names(folder)) {
        const job = name.endsWith(historyFileExtension) ? await this.#move(user, facts, name, nowMs) : undefined;
        if (job) moved.push(job);
      }
      this.#seen.set(folder, { modifiedMs: facts.mtimeMs, scannedMs: nowMs });
    }
    this.folders = folders;
    return moved;
  }

  /** The configuration goes first and the history last: as long as the history is there, an interrupted move is taken up again. */
  async #move(user: string, owner: Stats, name: string, nowMs: number): Promise<StoredJob | undefined> {
    const folder = join(this.#root, user);
    const path = join(folder, name);
    const index = parseHistoryFileName(name);
    const facts = await lstat(path).catch(() => undefined);
    if (!index || !facts?.isFile()) return this.#refuse(path, 'a file in the intermediate folder is no job history');
    if (index.user !== user || isForeignLink(facts, owner) || !(await this.#mayBeOf(user, facts.uid)))
      return this.#refuse(path, 'a job history is not of the user whom it names', { user: index.user, unixUser: facts.uid });
    const target = join(this.#done, doneFolder(index, nowMs));
    try {
      await mkdir(target, { recursive: true, mode: 0o770 });
      await this.#takeSummary(join(folder, summaryFileName(index.jobId)));
      const configuration = configurationFileName(index.jobId);
      if (await isFile(join(folder, configuration)))
        await this.#take(user, owner, join(folder, configuration), join(target, configuration));
      await this.#take(user, owner, path, join(target, name));
      return { index, folder: target, fileName: name };
    } catch (error) {
      if (!this.#told.has(path)) this.#logger.error({ err: error, path }, 'a job history could not be moved');
      this.#told.set(path, true);
      return undefined;
    }
  }

  /** Moves a file and looks at it again where nobody else can change it: its owner may have put a link of any kind in its place meanwhile. */
  async #take(user: string, owner: Stats, from: string, to: string): Promise<void> {
    await moveFile(from, to);
    const facts = await lstat(to);
    if (facts.isFile() && !isForeignLink(facts, owner) && (await this.#mayBeOf(user, facts.uid))) return;
    await rm(to, { force: true });
    throw new Error(`${from} was changed while it was moved`);
  }

  #refuse(path: string, why: string, facts: object = {}): undefined {
    if (!this.#told.has(path)) this.#logger.warn({ path, ...facts }, why);
    this.#told.set(path, true);
  }

  /** A folder under a user's name that is not the user's: gone from there, so that the user's masters can make theirs. */
  async #putAside(user: string, unixUser: number, nowMs: number): Promise<void> {
    const path = join(this.#root, user);
    const aside = join(this.#root, `${asidePrefix}${user}-${unixUser}-${nowMs}`);
    this.#logger.warn({ path, aside, user, unixUser }, 'a folder of job histories is not of the user whom it names');
    await rename(path, aside).catch((error: unknown) => this.#logger.error({ err: error, path }, 'it could not be put aside'));
  }

  async #takeSummary(path: string): Promise<void> {
    if (!(await isFile(path))) return;
    const bytes = await beginningOf(path, 2 + longestSummary);
    if (bytes.length >= 2) this.#logger.info({ summary: fromModifiedUtf8(bytes.subarray(2, 2 + bytes.readUInt16BE(0))) }, 'job summary');
    await rm(path, { force: true });
  }
}

/** Bytes that the length before a summary can count. */
const longestSummary = 65_535;

/** The first bytes of a file; none of a link or a pipe that was put in its place. Whoever wrote it may have made it as long as a disk. */
async function beginningOf(path: string, most: number): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) return Buffer.alloc(0);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(most), 0, most, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function moveFile(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    const temporary = `${to}.moving`;
    await copyFile(from, temporary, constants.COPYFILE_FICLONE);
    // What it was copied from goes only when it is on the disk.
    await syncTree(temporary);
    await rename(temporary, to);
    await syncFolder(dirname(to));
    await rm(from);
  }
}

/** A day's folder. */
interface Day {
  readonly path: string;
  /** Start of the day behind it, local time. */
  readonly endMs: number;
}

/** The done tree. */
export class DoneFolders {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** The days that have a folder, newest first. */
  async *#days(): AsyncGenerator<Day> {
    const numbered = async (folder: string, pattern: RegExp) =>
      (await names(folder))
        .filter((name) => pattern.test(name))
        .sort()
        .reverse();
    for (const year of await numbered(this.#root, /^\d{4}$/))
      for (const month of await numbered(join(this.#root, year), /^\d{2}$/))
        for (const day of await numbered(join(this.#root, year, month), /^\d{2}$/))
          yield { path: join(this.#root, year, month, day), endMs: new Date(Number(year), Number(month) - 1, Number(day) + 1).getTime() };
  }

  async *#jobsIn(folder: string, wanted: (name: string) => boolean = () => true): AsyncGenerator<StoredJob> {
    for (const fileName of await names(folder)) {
      const index = fileName.endsWith(historyFileExtension) && wanted(fileName) ? parseHistoryFileName(fileName) : undefined;
      if (index) yield { index, folder, fileName };
    }
  }

  /** Every job, newest days first, in a day the highest ids first. */
  async *jobs(): AsyncGenerator<StoredJob> {
    for await (const day of this.#days()) {
      for (const serial of (await names(day.path)).sort().reverse()) {
        const jobs = await Array.fromAsync(this.#jobsIn(join(day.path, serial)));
        yield* jobs.sort((a, b) => compareJobIds(b.index.jobId, a.index.jobId));
      }
    }
  }

  /** One job, looked up by its number in every day. */
  async find(jobId: string): Promise<StoredJob | undefined> {
    const serial = jobId
      .slice(jobId.lastIndexOf('_') + 1)
      .padStart(9, '0')
      .slice(0, 6);
    for await (const day of this.#days())
      for await (const job of this.#jobsIn(join(day.path, serial), (name) => name.startsWith(`${jobId}-`))) return job;
    return undefined;
  }

  /** Removes jobs that finished before `cutoffMs`, and folders that are empty then; gives the ids removed. */
  async clean(cutoffMs: number): Promise<string[]> {
    const removed: string[] = [];
    for await (const day of this.#days()) {
      if (day.endMs > cutoffMs) continue;
      for (const serial of await names(day.path)) {
        const folder = join(day.path, serial);
        for await (const job of this.#jobsIn(folder)) {
          if (job.index.finishTime > cutoffMs) continue;
          await rm(historyPath(job), { force: true });
          await rm(configurationPath(job), { force: true });
          removed.push(job.index.jobId);
        }
        await rmdir(folder).catch(() => undefined);
      }
      await rmdir(day.path).catch(() => undefined);
    }
    return removed;
  }
}
