// All finished jobs: an index of the newest in memory, the others found on disk, a few loaded with all their tasks.
import { chmod, mkdir, stat } from 'node:fs/promises';
import { getHeapStatistics } from 'node:v8';
import { BoundedFile, FileTooLong, readBounded } from '../../lib/bounded-file.ts';
import { Changes } from '../../lib/changes.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { type Repetition, repeat } from '../../lib/repeat.ts';
import { Watches } from '../../lib/watches.ts';
import { failure } from '../../model/errors.ts';
import { compareJobIds } from '../../model/job-ids.ts';
import {
  type CompletedJob,
  ContradictoryHistory,
  JobTooLarge,
  jobReading,
  readCompletedJobInSlices,
} from '../../wire/files/completed-job.ts';
import {
  type ConfigurationProperty,
  readJobConfiguration,
  redactJobConfiguration,
  UnreadableConfiguration,
} from '../../wire/files/job-configuration.ts';
import { parseComingHistory, UnreadableHistory } from '../../wire/files/job-history.ts';
import type { JobIndex } from '../../wire/files/job-history-names.ts';
import { fileOwners } from './file-owners.ts';
import { FolderWatch } from './folder-watch.ts';
import { configurationPath, DoneFolders, historyPath, IntermediateFolders, type StoredJob } from './job-folders.ts';
import { type JobTotals, readJobTotals } from './job-totals.ts';

/** How many jobs are kept where. */
export interface JobStoreOptions {
  readonly intermediateFolder: string;
  readonly doneFolder: string;
  readonly alwaysScan: boolean;
  /** The unix user of containers of users that the machine does not have. */
  readonly localUser: string;
  /** Jobs in the index; those with the lowest ids leave it first. */
  readonly listedJobs: number;
  /** Jobs loaded at a time, or, if `loadedTasks` is given, tasks of these. */
  readonly loadedJobs: number;
  readonly loadedTasks: number | undefined;
  /** Jobs with more succeeded tasks are not loaded; -1: no limit. */
  readonly maximumTasks: number;
  /** Longest history file that is read, in bytes; those that are loaded have no more together. */
  readonly maximumHistoryBytes: number;
  readonly scanIntervalMs: number;
  /** Which properties of jobs are hidden besides those that jobs name (hadoop.security.sensitive-config-keys). */
  readonly sensitiveKeys?: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A configuration is read at one go: larger ones would keep all others waiting. */
const maximumConfigurationBytes = 8 * 1024 * 1024;
/** Tasks kept in memory where only a number of jobs is set; about 10 KB each. */
const tasksInMemory = 50_000;
/** What a task with its attempt takes of the heap, about, and how much of it those of one job may take: users write what is read. */
const heapBytesOfPart = 1500;
const heapPartOfJob = 0.3;
const isAbsent = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT';

interface LoadedJob {
  readonly job: Promise<CompletedJob>;
  tasks: number;
  /** How long its file is: what it says of counters is kept as it stands there. */
  bytes: number;
}

/** The finished jobs of a cluster. */
export class JobStore {
  readonly #options: JobStoreOptions;
  readonly #intermediate: IntermediateFolders;
  readonly #done: DoneFolders;
  readonly #jobs = new Map<string, StoredJob>();
  /** Ids of `#jobs` in order. */
  #order: string[] = [];
  /** Least recently used first. */
  readonly #loaded = new Map<string, LoadedJob>();
  /** One file is read at a time, so that room for it is looked for once. */
  #reading: Promise<unknown> = Promise.resolve();
  /** Of listed jobs that were asked for. */
  readonly #totals = new Map<string, JobTotals | undefined>();
  #scanning: Promise<void> | undefined;
  #waiting: Promise<void> | undefined;
  #watching: FolderWatch | undefined;
  #rescans: Repetition | undefined;
  #closed = false;
  /** Tells of each job that came, by its id. */
  readonly changes = new Changes();
  /** Tells of the same to who waits for lists. */
  readonly watches = new Watches<undefined>();
  #kept: Pick<JobStoreOptions, 'loadedJobs' | 'loadedTasks'>;

  private constructor(options: JobStoreOptions) {
    this.#options = options;
    this.#kept = options;
    const { intermediateFolder: intermediate, doneFolder: done, alwaysScan, localUser, logger } = options;
    this.#intermediate = new IntermediateFolders({ intermediate, done, alwaysScan, mayBeOf: fileOwners(localUser), logger });
    this.#done = new DoneFolders(done);
  }

  /** Makes the folders, reads what is in them and watches for more. */
  static async open(options: JobStoreOptions): Promise<JobStore> {
    const store = new JobStore(options);
    await mkdir(options.intermediateFolder, { recursive: true });
    // As /tmp: every user's master may add a folder, no user may remove another's. Where it belongs to another user it stays as it is.
    await chmod(options.intermediateFolder, 0o1777).catch(() => undefined);
    await mkdir(options.doneFolder, { recursive: true, mode: 0o770 });
    for await (const job of store.#done.jobs()) {
      if (store.#jobs.size >= options.listedJobs) break;
      store.#jobs.set(job.index.jobId, job);
    }
    store.#order = [...store.#jobs.keys()].sort(compareJobIds);
    store.#watch();
    await store.scan();
    store.#rescans = repeat({
      clock: options.clock,
      intervalMs: options.scanIntervalMs,
      run: () => store.scan(),
      failed: (error) => options.logger.error({ err: error }, 'the intermediate folder could not be read'),
    });
    return store;
  }

  /** Stops watching. */
  async close(): Promise<void> {
    this.#closed = true;
    this.changes.close();
    this.#watching?.close();
    this.#watching = undefined;
    await this.#rescans?.close();
    await this.#scanning?.catch(() => undefined);
  }

  /** Takes in every job that is complete when this is called. Calls that overlap share one scan. */
  scan(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    if (!this.#scanning) return this.#startScan();
    // The scan under way may have passed a folder already: another one follows it, for all who ask meanwhile.
    this.#waiting ??= this.#scanning.then(() => {
      this.#waiting = undefined;
      return this.#scanning ?? this.#startScan();
    });
    return this.#waiting;
  }

  #startScan(): Promise<void> {
    this.#scanning = this.#collect().finally(() => {
      this.#scanning = undefined;
    });
    return this.#scanning;
  }

  async #collect(): Promise<void> {
    try {
      for (const job of await this.#intermediate.collect(this.#options.clock.now())) this.#add(job);
      if (this.#watching?.follow(this.#intermediate.folders)) void this.scan();
    } catch (error) {
      this.#options.logger.error({ err: error }, 'the intermediate folder could not be read');
    }
  }

  #watch(): void {
    const { intermediateFolder, logger } = this.#options;
    const failed = (error: Error) => logger.warn({ err: error }, 'the intermediate folder is not watched any more');
    try {
      this.#watching = new FolderWatch(intermediateFolder, () => void this.scan(), failed);
    } catch (error) {
      logger.warn({ err: error }, 'the intermediate folder cannot be watched; it is looked at regularly');
    }
  }

  #add(job: StoredJob): void {
    const id = job.index.jobId;
    if (!this.#jobs.has(id)) {
      let at = this.#order.length;
      while (at > 0 && compareJobIds(this.#order[at - 1]!, id) > 0) at--;
      this.#order.splice(at, 0, id);
    }
    this.#jobs.set(id, job);
    this.#loaded.delete(id);
    this.#totals.delete(id);
    this.changes.tell(id);
    this.watches.tell(id, undefined);
    while (this.#order.length > this.#options.listedJobs) this.#forget(this.#order[0]!);
  }

  #forget(id: string): void {
    this.#jobs.delete(id);
    this.#totals.delete(id);
    const at = this.#order.indexOf(id);
    if (at >= 0) this.#order.splice(at, 1);
  }

  /** What the names of the listed jobs say, in order of their ids. */
  async list(): Promise<JobIndex[]> {
    await this.scan();
    return this.#order.map((id) => this.#jobs.get(id)!.index);
  }

  /** How many tasks each of these listed jobs had, by its id; those of which nothing is known are absent. */
  async totals(jobIds: readonly string[]): Promise<Map<string, JobTotals>> {
    const known = new Map<string, JobTotals>();
    for (const id of jobIds) {
      const stored = this.#jobs.get(id);
      if (stored === undefined) continue;
      const totals = this.#totals.has(id) ? this.#totals.get(id) : await readJobTotals(historyPath(stored));
      if (this.#jobs.get(id) === stored) this.#totals.set(id, totals);
      if (totals !== undefined) known.set(id, totals);
    }
    return known;
  }

  /** A job's files; undefined where there is no such job. */
  async find(jobId: string): Promise<StoredJob | undefined> {
    const known = this.#jobs.get(jobId);
    if (known) return known;
    await this.scan();
    return this.#jobs.get(jobId) ?? (await this.#done.find(jobId));
  }

  /** Whether a job has more tasks than are loaded. */
  isTooLarge({ index }: StoredJob): boolean {
    const { maximumTasks } = this.#options;
    return maximumTasks > 0 && index.maps + index.reduces > maximumTasks;
  }

  /**
   * A job with all its tasks.
   * @throws Failure JOB_NOT_FOUND when it was removed, HISTORY_UNREADABLE when it is damaged, HISTORY_EXCEEDS_LIMIT when there is no room for it
   */
  async load(stored: StoredJob): Promise<CompletedJob> {
    const id = stored.index.jobId;
    const known = this.#loaded.get(id);
    if (known) {
      this.#loaded.delete(id);
      this.#loaded.set(id, known);
      return known.job;
    }
    const { promise, resolve } = Promise.withResolvers<CompletedJob>();
    const entry: LoadedJob = { job: promise, tasks: stored.index.maps + stored.index.reduces, bytes: 0 };
    const read = this.#reading.then(() => this.#read(stored, entry));
    resolve(read);
    this.#reading = read.catch(() => undefined);
    this.#loaded.set(id, entry);
    this.#evict();
    try {
      const job = await entry.job;
      entry.tasks = job.tasks.length;
      this.#evict();
      return job;
    } catch (error) {
      if (this.#loaded.get(id) === entry) this.#loaded.delete(id);
      throw error;
    }
  }

  /** Forgets what is loaded; from now on as many jobs, or tasks of jobs, are kept as this says. */
  keepLoaded(jobs: number, tasks: number | undefined): void {
    this.#loaded.clear();
    this.#kept = { loadedJobs: jobs, loadedTasks: tasks };
  }

  #evict(): void {
    const { loadedJobs, loadedTasks } = this.#kept;
    for (const id of this.#loaded.keys()) {
      const tasks = [...this.#loaded.values()].reduce((sum, entry) => sum + entry.tasks, 0);
      const fits =
        loadedTasks !== undefined && loadedTasks > 0 ? tasks <= loadedTasks : this.#loaded.size <= loadedJobs && tasks <= tasksInMemory;
      // The newest always stays: it is being asked for.
      if (fits || this.#loaded.size <= 1) return;
      this.#loaded.delete(id);
    }
  }

  /** Forgets jobs, those that were asked for longest ago first, until there is room for another file of so many bytes. */
  #makeRoom(entry: LoadedJob, bytes: number): void {
    entry.bytes = bytes;
    let left = this.#options.maximumHistoryBytes;
    for (const loaded of this.#loaded.values()) left -= loaded.bytes;
    for (const [id, loaded] of this.#loaded) {
      if (left >= 0) return;
      if (loaded === entry || loaded.bytes === 0) continue;
      this.#loaded.delete(id);
      left += loaded.bytes;
    }
  }

  async #read(stored: StoredJob, entry: LoadedJob): Promise<CompletedJob> {
    const path = historyPath(stored);
    const { maximumHistoryBytes: mostBytes } = this.#options;
    const reserve = async (bytes: number) => this.#makeRoom(entry, bytes);
    const mostParts = Math.floor((getHeapStatistics().heap_size_limit * heapPartOfJob) / heapBytesOfPart);
    const parse = async () => {
      await using file = await BoundedFile.open(path, { mostBytes, reserve });
      const more = () => file.more();
      return await readCompletedJobInSlices(parseComingHistory(file, jobReading), stored.index, { mostParts, more });
    };
    try {
      return await this.#ofFile(stored, path, parse, (error) =>
        error instanceof FileTooLong
          ? failure('HISTORY_EXCEEDS_LIMIT', { path, what: `${error.bytes} bytes`, most: mostBytes })
          : failure('HISTORY_UNREADABLE', { what: 'load', path }),
      );
    } catch (error) {
      if (error instanceof JobTooLarge) throw failure('HISTORY_EXCEEDS_LIMIT', { path, what: 'more tasks and attempts', most: mostParts });
      if (!(error instanceof UnreadableHistory || error instanceof ContradictoryHistory)) throw error;
      this.#options.logger.error({ err: error, path }, 'a history file cannot be read');
      throw failure('HISTORY_UNREADABLE', { what: 'parse', path });
    }
  }

  /** What is read from a file of a job. @throws JOB_NOT_FOUND where the job is gone; what `refused` makes of the file system's error */
  async #ofFile<Read>(stored: StoredJob, path: string, read: () => Promise<Read>, refused: (error: unknown) => Error): Promise<Read> {
    const { jobId } = stored.index;
    try {
      return await read();
    } catch (error) {
      if (isAbsent(error)) {
        const gone = await stat(historyPath(stored)).then(
          () => false,
          () => true,
        );
        if (!gone) throw refused(error);
        this.#forget(jobId);
        throw failure('JOB_NOT_FOUND', { id: jobId });
      }
      if (!(error instanceof FileTooLong) && (error as NodeJS.ErrnoException).code === undefined) throw error;
      this.#options.logger.error({ err: error, path }, 'a file of a job cannot be read');
      throw refused(error);
    }
  }

  /** A job's configuration, secrets hidden. @throws Failure JOB_CONFIGURATION_UNREADABLE */
  async configuration(stored: StoredJob): Promise<{ path: string; properties: ConfigurationProperty[] }> {
    const path = configurationPath(stored);
    const refused = () => failure('JOB_CONFIGURATION_UNREADABLE', { id: stored.index.jobId });
    const read = () => readBounded(path, { mostBytes: maximumConfigurationBytes });
    const bytes = await this.#ofFile(stored, path, read, refused);
    try {
      return { path, properties: redactJobConfiguration(readJobConfiguration(bytes.toString('utf8')), this.#options.sensitiveKeys) };
    } catch (error) {
      if (error instanceof UnreadableConfiguration) throw refused();
      throw error;
    }
  }

  /** Removes jobs that finished before `cutoffMs`. */
  async clean(cutoffMs: number): Promise<number> {
    const removed = await this.#done.clean(cutoffMs);
    for (const id of removed) {
      this.#forget(id);
      this.#loaded.delete(id);
    }
    return removed.length;
  }
}
