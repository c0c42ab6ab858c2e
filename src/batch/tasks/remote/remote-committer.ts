// Output that goes to other machines. A task brings the bytes of its files, which nobody sees, and leaves a list of them in the job's staging folder;
// the commit of the job makes them files, the marker of success last (as the staging committers of S3A do).

import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, relative } from 'node:path';
import { checked } from '../../../lib/json-shape.ts';
import { makeFolder } from '../../../lib/make-folder.ts';
import { withoutTrailing } from '../../../lib/trailing.ts';
import { replaceDurably } from '../../../lib/whole-writes.ts';
import { OutputNotSeen } from '../output/committer.ts';
import type { JobCommitter } from '../output/job-committer.ts';
import { taskIdOfAttempt } from '../task-ids.ts';
import type { RemoteReader } from './remote-store.ts';
import { openWriter, remoteParts, schemeOf } from './store.ts';
import { type RemoteWriter, type Upload, uploads } from './writer.ts';

export interface RemoteCommitterOptions {
  /** Address of the output: `s3a://…` or `webhdfs://…`. */
  readonly address: string;
  /** The job's staging folder, which all nodes see. */
  readonly stagingFolder: string;
  /** The application's folder on a local disk; undefined in a master. */
  readonly localFolder: string | undefined;
  /** Generation of the application master, 1 for the first. */
  readonly generation: number;
  readonly markSuccess: boolean;
  readonly reader: RemoteReader;
}

/** The committer of output that goes to a store. */
export class RemoteCommitter implements JobCommitter {
  readonly #options: RemoteCommitterOptions;
  readonly #root: string;
  readonly #folder: string;
  #committing: Promise<void> | undefined;
  #isAborted = false;
  /** What was committed before is not committed again: each step may be repeated. */
  readonly commitRepeatable = true;

  /** @throws RemoteFailure for an address that names no host */
  constructor(options: RemoteCommitterOptions) {
    this.#options = options;
    const { root, path } = remoteParts(options.address);
    this.#root = root;
    this.#folder = withoutTrailing(path, '/');
  }

  get scheme(): string {
    return schemeOf(this.#options.address);
  }
  #lists(generation = this.#options.generation): string {
    return join(this.#options.stagingFolder, 'uploads', String(generation));
  }
  #list(taskId: string, generation?: number): string {
    return join(this.#lists(generation), `${taskId}.json`);
  }
  #writer(): Promise<RemoteWriter> {
    return openWriter(this.#root, this.#folder, this.#options.reader);
  }

  workFolder(attemptId: string): string | undefined {
    const { localFolder } = this.#options;
    return localFolder === undefined ? undefined : join(localFolder, 'upload', attemptId);
  }

  setupJob(): void {
    makeFolder(this.#lists(), 0o770);
  }

  /** @throws OutputNotSeen */
  checkSeen(): void {
    if (!existsSync(this.#lists()))
      throw new OutputNotSeen(`The folder file:${this.#lists()}, which the job's master made, is not on ${hostname()}`);
  }

  needsTaskCommit(attemptId: string): boolean {
    const work = this.workFolder(attemptId);
    return work !== undefined && existsSync(work);
  }

  async commitTask(attemptId: string): Promise<void> {
    const work = this.workFolder(attemptId)!;
    const writer = await this.#writer();
    const files: Upload[] = [];
    try {
      for (const entry of readdirSync(work, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const file = join(entry.parentPath, entry.name);
        files.push(await writer.upload(file, `${this.#folder}/${relative(work, file)}`));
      }
    } catch (error) {
      for (const file of files) await writer.abort(file).catch(() => {});
      throw error;
    }
    const list = this.#list(taskIdOfAttempt(attemptId));
    const before = readList(list);
    replaceDurably(list, JSON.stringify({ files }), { mode: 0o600 });
    for (const file of before) await writer.abort(file).catch(() => {});
    this.abortTask(attemptId);
  }

  abortTask(attemptId: string): void {
    const work = this.workFolder(attemptId);
    if (work !== undefined) rmSync(work, { recursive: true, force: true });
  }

  commitJob(): Promise<void> {
    this.#committing = this.#commit();
    return this.#committing;
  }

  async #commit(): Promise<void> {
    const writer = await this.#writer();
    const folder = this.#lists();
    for (const name of existsSync(folder) ? readdirSync(folder).sort() : [])
      if (name.endsWith('.json'))
        for (const file of readList(join(folder, name))) {
          if (this.#isAborted) throw new Error('the job was ended while it was committed');
          await writer.complete(file);
        }
    await writer.clear();
    if (this.#isAborted) throw new Error('the job was ended while it was committed');
    if (this.#options.markSuccess) await writer.put(`${this.#folder}/_SUCCESS`, Buffer.alloc(0));
  }

  async abortJob(): Promise<void> {
    this.#isAborted = true;
    await this.#committing?.catch(() => {});
    await (await this.#writer()).clear();
  }

  /** Never asked: a commit may be repeated. */
  finishInterruptedCommit(): boolean {
    return false;
  }

  recoverTask(taskId: string): void {
    const now = this.#list(taskId);
    for (let earlier = this.#options.generation - 1; earlier >= 1 && !existsSync(now); earlier--) {
      const before = this.#list(taskId, earlier);
      if (!existsSync(before)) continue;
      this.setupJob();
      renameSync(before, now);
    }
  }
}

/** The uploads of a list; none where there is no list. @throws Error where it is damaged */
function readList(path: string): readonly Upload[] {
  if (!existsSync(path)) return [];
  const { value, fault } = checked(uploads, JSON.parse(readFileSync(path, 'utf8')));
  if (fault !== undefined) throw new Error(`${path} cannot be read: ${fault}`);
  return value.files;
}
