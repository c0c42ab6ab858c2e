// Output becomes visible only when its task, and then its job, is committed: FileOutputCommitter, algorithms 1 and 2.
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../../lib/make-folder.ts';
import { syncTree } from '../../../lib/sync-tree.ts';
import { syncFolderNow, writeDurably } from '../../../lib/whole-writes.ts';
import { taskIdOfAttempt } from '../task-ids.ts';
import type { JobCommitter } from './job-committer.ts';

export interface CommitterOptions {
  /** The job's output folder; undefined for jobs without output: then everything succeeds and nothing is written. */
  readonly outputFolder: string | undefined;
  /** `mapreduce.fileoutputcommitter.algorithm.version`. */
  readonly algorithm: number;
  /** Generation of the application master, 1 for the first. */
  readonly generation: number;
  readonly markSuccess: boolean;
}

const pendingName = '_temporary';

/** Thrown where a task does not see the folder that its job's master made for the output: what it wrote would stay on its own machine. */
export class OutputNotSeen extends Error {
  override readonly name = 'FileNotFoundException';
}

/** Moves what attempts wrote to where the job's output belongs. Not safe for two commits of the same task at a time: the master permits one. */
export class OutputCommitter implements JobCommitter {
  readonly #options: CommitterOptions;

  constructor(options: CommitterOptions) {
    if (options.algorithm !== 1 && options.algorithm !== 2) throw new Error('Only 1 or 2 algorithm version is supported');
    this.#options = options;
  }

  #folder(...parts: string[]): string {
    return join(this.#options.outputFolder!, ...parts);
  }
  #committed(taskId: string, generation = this.#options.generation): string {
    return this.#folder(pendingName, String(generation), taskId);
  }

  /** Folder in which an attempt writes; undefined for jobs without output. It is made by the first file written. */
  workFolder(attemptId: string): string | undefined {
    return this.#options.outputFolder === undefined
      ? undefined
      : this.#folder(pendingName, String(this.#options.generation), pendingName, attemptId);
  }

  /** Whether a commit that was interrupted may be done again. */
  get commitRepeatable(): boolean {
    return this.#options.algorithm === 2;
  }

  setupJob(): void {
    const { outputFolder, generation } = this.#options;
    if (outputFolder === undefined) return;
    makeFolders(this.#folder(pendingName, String(generation)));
    for (const folder of [this.#folder(pendingName), outputFolder, dirname(outputFolder)]) syncFolderNow(folder);
  }

  /** @throws OutputNotSeen */
  checkSeen(): void {
    const { outputFolder, generation } = this.#options;
    if (outputFolder === undefined || existsSync(this.#folder(pendingName, String(generation)))) return;
    throw new OutputNotSeen(
      `The output folder file:${outputFolder}, which the job's master made, is not on ${hostname()}: the output of a job has to lie where all nodes see it`,
    );
  }

  needsTaskCommit(attemptId: string): boolean {
    const work = this.workFolder(attemptId);
    return work !== undefined && existsSync(work);
  }

  /** What the attempt wrote is on the disk before it counts: a task that a master takes over, or a job that succeeded, has all of it. */
  async commitTask(attemptId: string): Promise<void> {
    const work = this.workFolder(attemptId);
    if (work === undefined || !existsSync(work)) return;
    await syncTree(work);
    if (this.#options.algorithm === 2) {
      const moves: Move[] = [];
      mergeInto(work, this.#options.outputFolder!, moves);
      this.#syncFolders(moves);
    } else {
      const committed = this.#committed(taskIdOfAttempt(attemptId));
      rmSync(committed, { recursive: true, force: true });
      renameSync(work, committed);
      syncFolderNow(dirname(committed));
    }
  }

  /** The names of what was moved are on the disk, and of the folders in which it lies. */
  #syncFolders(moves: readonly Move[]): void {
    const { outputFolder } = this.#options;
    const folders = new Set<string>();
    for (const { target } of moves)
      for (let folder = dirname(target); folder.length >= outputFolder!.length && !folders.has(folder); folder = dirname(folder))
        folders.add(folder);
    for (const folder of folders) syncFolderNow(folder);
  }

  abortTask(attemptId: string): void {
    const work = this.workFolder(attemptId);
    if (work !== undefined) rmSync(work, { recursive: true, force: true });
  }

  /** Makes the whole output visible and leaves the marker `_SUCCESS`. Where not all of it can be moved (a full disk), what was moved is taken back. */
  commitJob(): void {
    const { outputFolder, algorithm, generation } = this.#options;
    if (outputFolder === undefined) return;
    if (algorithm === 1) {
      const folder = this.#folder(pendingName, String(generation));
      const moves: Move[] = [];
      try {
        for (const name of existsSync(folder) ? readdirSync(folder) : [])
          if (name !== pendingName) mergeInto(join(folder, name), outputFolder, moves);
        this.#syncFolders(moves);
      } catch (error) {
        takeBack(moves);
        throw error;
      }
    }
    this.#finishCommit();
  }

  #finishCommit(): void {
    rmSync(this.#folder(pendingName), { recursive: true, force: true });
    if (this.#options.markSuccess) writeDurably(this.#folder('_SUCCESS'), '');
  }

  /**
   * Finishes a commit of an earlier master that may not be done again, but had moved everything before it was interrupted; answers whether that
   * was so. Nothing is moved, so it does no harm where the earlier master is still at it.
   */
  finishInterruptedCommit(): boolean {
    const { outputFolder } = this.#options;
    if (outputFolder === undefined || this.#committedTasks().some((folder) => readdirSync(folder).length > 0)) return false;
    this.#finishCommit();
    return true;
  }

  /** Folders of tasks that were committed under any master and still lie apart. */
  #committedTasks(): string[] {
    const pending = this.#folder(pendingName);
    if (!existsSync(pending)) return [];
    return readdirSync(pending).flatMap((generation) =>
      readdirSync(join(pending, generation))
        .filter((name) => name !== pendingName)
        .map((name) => join(pending, generation, name)),
    );
  }

  abortJob(): void {
    if (this.#options.outputFolder !== undefined) rmSync(this.#folder(pendingName), { recursive: true, force: true });
  }

  /**
   * Takes over what a task committed under the newest of the earlier masters that has something of it. A task may have committed nothing.
   * With algorithm 2 there is nothing to take over: a task's commit has already moved its files to where they belong.
   */
  recoverTask(taskId: string): void {
    const { outputFolder, algorithm, generation } = this.#options;
    if (outputFolder === undefined || algorithm === 2) return;
    const now = this.#committed(taskId);
    if (existsSync(now)) return;
    for (let earlier = generation - 1; earlier >= 1; earlier--) {
      const before = this.#committed(taskId, earlier);
      if (!existsSync(before)) continue;
      makeFolder(this.#folder(pendingName, String(generation)));
      renameSync(before, now);
      return;
    }
  }
}

/** Makes a folder and those above it, one by one: for several at once Node.js says of a file system that is read-only that there is no such folder. */
function makeFolders(path: string): void {
  if (existsSync(path)) return;
  makeFolders(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** A file that was moved. */
interface Move {
  readonly source: string;
  readonly target: string;
}

/** Moves files back to where they were, the last ones first, as far as the disk takes it: why they were moved in vain is what is told. */
function takeBack(moves: readonly Move[]): void {
  for (const { source, target } of moves.toReversed())
    try {
      makeFolder(dirname(source));
      renameSync(target, source);
    } catch {
      // It stays where it is; there is no marker of success.
    }
}

/**
 * Moves the content of a folder into another one, file by file, over what is there, and adds what it moved to `moves`. Folders inside go when they
 * are moved, so what is left is not.
 */
function mergeInto(from: string, to: string, moves: Move[] = []): void {
  makeFolder(to);
  for (const name of readdirSync(from)) {
    const source = join(from, name);
    const target = join(to, name);
    const targetStats = statSync(target, { throwIfNoEntry: false });
    if (statSync(source).isDirectory()) {
      if (targetStats !== undefined && !targetStats.isDirectory()) rmSync(target);
      mergeInto(source, target, moves);
      rmdirSync(source);
    } else {
      if (targetStats?.isDirectory()) rmSync(target, { recursive: true });
      renameSync(source, target);
      moves.push({ source, target });
    }
  }
}
