// One attempt in skipping mode: it leaves records out that failed earlier attempts, and tells its master which one comes next, so that the master
// knows where it died (MapTask.SkippingRecordReader, ReduceTask.SkippingReduceValuesIterator and Task.reportNextRecordRange of Hadoop).
import type { JobConfiguration } from '../job-configuration.ts';
import type { Program } from '../program.ts';
import type { Reporter } from '../reporter.ts';
import type { TaskKind } from '../umbilical.ts';
import { nextKept, type RecordRange, type SkippingPlan } from './record-ranges.ts';
import { SkippedRecords, skipFolderOf } from './skipped-records.ts';

/** The group of the counters by which programs say what they are done with (SkipBadRecords.COUNTER_GROUP). */
export const skippingCounterGroup = 'SkippingTaskCounters';
const processedCounters: Readonly<Record<TaskKind, string>> = { MAP: 'MapProcessedRecords', REDUCE: 'ReduceProcessedGroups' };
const mostSkipped: Readonly<Record<TaskKind, string>> = {
  MAP: 'mapreduce.map.skip.maxrecords',
  REDUCE: 'mapreduce.reduce.skip.maxgroups',
};

/** How many records a map, or groups a reduce, may leave out around one that fails it; 0: a record that fails an attempt fails the task. */
export const mostSkippedOf = (settings: JobConfiguration, kind: TaskKind): number => settings.integer(mostSkipped[kind], 0);

/**
 * Whether the framework counts a record as processed when the program has taken it. What goes to a command is processed when the command says
 * so (PipeMapper and PipeReducer of Hadoop).
 */
export const countsProcessed = (settings: JobConfiguration, kind: TaskKind, { commands }: Pick<Program, 'commands'>): boolean =>
  mostSkippedOf(settings, kind) > 0 &&
  !(commands ?? []).includes(kind) &&
  settings.boolean(`mapreduce.${kind.toLowerCase()}.skip.proc-count.auto-incr`, true);

/** Counts records as processed. */
export const countProcessed = (reporter: Pick<Reporter, 'counters' | 'kind'>, records: number): void => {
  if (records > 0) reporter.counters.increment(skippingCounterGroup, processedCounters[reporter.kind], records);
};

/** Follows one attempt through its records. */
export class AttemptSkipping {
  readonly #plan: SkippingPlan;
  readonly #reporter: Reporter;
  readonly #counts: boolean;
  /** Undefined where nothing is to be kept of what is left out. */
  readonly #records: SkippedRecords | undefined;
  /** The number of the record that came last. */
  #index = -1;
  /** The first record that nothing says of that it is processed, and how many were before it. */
  #start: number;
  #startCounted = 0;
  /** What was left out: records of a map; groups of a reduce and their records. */
  leftOutRecords = 0;
  leftOutGroups = 0;

  constructor(
    plan: SkippingPlan,
    task: { readonly configuration: JobConfiguration; readonly reporter: Reporter; readonly localFolder: string },
    program: Program,
  ) {
    const { configuration, reporter, localFolder } = task;
    const { kind, attemptId } = reporter;
    const folder = plan.isTrial ? undefined : skipFolderOf(configuration);
    this.#plan = plan;
    this.#reporter = reporter;
    this.#counts = countsProcessed(configuration, kind, program);
    this.#records = folder === undefined ? undefined : new SkippedRecords(folder, { attemptId, kind, configuration, program, localFolder });
    this.#start = nextKept(plan.leftOut, 0) ?? 0;
    reporter.nextRecords = () => this.#next;
    const isMap = kind === 'MAP';
    reporter.addSource(() => {
      reporter.set(isMap ? 'MAP_SKIPPED_RECORDS' : 'REDUCE_SKIPPED_RECORDS', this.leftOutRecords);
      if (!isMap) reporter.set('REDUCE_SKIPPED_GROUPS', this.leftOutGroups);
    });
  }

  get isTrial(): boolean {
    return this.#plan.isTrial;
  }

  /** What may be at work now: from the first record that is not known to be processed to the one that came last. */
  get #next(): RecordRange | undefined {
    if (this.#index < 0) return undefined;
    const { counters, kind } = this.#reporter;
    for (const counted = counters.get(skippingCounterGroup, processedCounters[kind]); this.#startCounted < counted; this.#startCounted++)
      this.#start = nextKept(this.#plan.leftOut, this.#start + 1) ?? this.#start;
    const first = Math.min(this.#start, this.#index);
    return { first, count: this.#index - first + 1 };
  }

  /** Whether all records behind the one that came last are left out: they need not be read. */
  get isRestLeftOut(): boolean {
    return nextKept(this.#plan.leftOut, this.#index + 1) === undefined;
  }

  /** Takes the next record; answers whether it is left out. */
  isNextLeftOut(): boolean {
    this.#index++;
    return nextKept(this.#plan.leftOut, this.#index) !== this.#index;
  }

  /** Keeps a record that is left out, by its raw bytes. */
  leaveOut(key: Buffer, value: Buffer): void {
    this.leftOutRecords++;
    this.#records?.add(key, value);
  }

  /** Tells the master of the record that came last, before the program has it. @throws AttemptNotWanted, MasterUnreachable */
  announce(): Promise<void> {
    return this.#reporter.tellNextRecords();
  }

  /** The program is done with a record, as far as it can be seen from here. */
  processed(): void {
    if (this.#counts) countProcessed(this.#reporter, 1);
  }

  /** No record is left; tells so, for the program may still have some in its hands. */
  async end(): Promise<void> {
    this.#index++;
    await this.announce();
  }

  publish(): Promise<void> {
    return this.#records?.publish() ?? Promise.resolve();
  }
  discard(): void {
    this.#records?.discard();
  }
}
