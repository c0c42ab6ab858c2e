// Collects what a task has to tell its master and tells it from time to time.
import { readFileSync } from 'node:fs';
import { type CounterData, Counters } from '../counters/counters.ts';
import { fileOutputCounterGroup, fileSystemCounterGroup, fileSystemKeys, taskCounterGroup } from '../counters/names.ts';
import { ChildProcesses, type ChildUse } from './child-processes.ts';
import { normalizeStatus, type TaskProgress } from './progress.ts';
import type { RecordRange } from './skipping/record-ranges.ts';
import type { StatusReport, TaskKind, TaskPhase } from './umbilical.ts';
import type { Umbilical } from './umbilical-client.ts';

const firstReportMs = 50;
const reportIntervalMs = 1000;
/** Counters travel with a task's last word, and before that with reports from this age on (as Hadoop's tasks report first after three seconds). */
const firstCountersMs = 2500;

/** Counters of the process, which change although nothing happens in its task. */
const processCounters = /^(GC_TIME_MILLIS|CPU_MILLISECONDS|COMMITTED_HEAP_BYTES|(MAP_|REDUCE_)?(PHYSICAL|VIRTUAL)_MEMORY_BYTES(_MAX)?)$/;

const everyTask = { SPILLED_RECORDS: 0, FAILED_SHUFFLE: 0, MERGED_MAP_OUTPUTS: 0 };
/** What a master is told of a task's counters with its first word, before it has done anything. */
const firstCounters: Readonly<Record<TaskKind, CounterData>> = {
  MAP: { [taskCounterGroup]: everyTask },
  REDUCE: {
    [taskCounterGroup]: {
      COMBINE_INPUT_RECORDS: 0,
      COMBINE_OUTPUT_RECORDS: 0,
      REDUCE_INPUT_GROUPS: 0,
      REDUCE_SHUFFLE_BYTES: 0,
      REDUCE_INPUT_RECORDS: 0,
      REDUCE_OUTPUT_RECORDS: 0,
      ...everyTask,
      SHUFFLED_MAPS: 0,
    },
    [fileOutputCounterGroup]: { BYTES_WRITTEN: 0 },
  },
};

/** Brings counters up to date with numbers that its owner keeps elsewhere while it works. */
export type CounterSource = () => void;

/** Bytes of local files that were read and written so far. */
export type FileUse = () => { readonly read: number; readonly written: number };

/** Thrown out of a task that its master does not know any more. */
export class AttemptNotWanted extends Error {
  override readonly name = 'AttemptNotWanted';
}

/** The state of one running attempt. */
export class Reporter {
  readonly attemptId: string;
  readonly kind: TaskKind;
  readonly counters: Counters;
  readonly progress: TaskProgress;
  readonly #umbilical: Umbilical;
  readonly #onUnwanted: () => void;
  readonly #children = new ChildProcesses(process.pid);
  /** CPU time before this attempt: a process that starts, or a master that runs tasks itself, has done other work (Task.initialize). */
  readonly #earlierCpuMs = this.#cpuMs(this.#children.measure());
  phase: TaskPhase = 'STARTING';
  mapFinishTimeMs: number | undefined;
  shuffleFinishTimeMs: number | undefined;
  sortFinishTimeMs: number | undefined;
  /** What the program waits for, where it does. */
  waitsFor: (() => string) | undefined;
  /** In skipping mode: which records may be at work. */
  nextRecords: (() => RecordRange | undefined) | undefined;
  #sources: CounterSource[] = [];
  #fetchFailures: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #active = false;
  #sending: Promise<void> = Promise.resolve();
  #startedMs = 0;
  /** What the master has been told while the task ran. */
  #toldCounters: CounterData;
  #toldStatus = '';
  #touches = 0;
  #lastSeen = '';
  readonly #fileUses: FileUse[] = [];

  constructor(options: {
    attemptId: string;
    kind: TaskKind;
    progress: TaskProgress;
    umbilical: Umbilical;
    counters?: Counters;
    onUnwanted: () => void;
  }) {
    this.attemptId = options.attemptId;
    this.kind = options.kind;
    this.#toldCounters = firstCounters[options.kind];
    this.progress = options.progress;
    this.counters = options.counters ?? new Counters();
    this.#umbilical = options.umbilical;
    this.#onUnwanted = options.onUnwanted;
    for (const key of Object.keys(fileSystemKeys))
      if (key !== 'BYTES_READ_EC') this.counters.increment(fileSystemCounterGroup, `FILE_${key}`, 0);
  }

  setStatus(text: string): void {
    this.progress.status = normalizeStatus(text);
  }

  /** Something happened that no counter and no status tells. */
  touch(): void {
    this.#touches++;
  }

  count(name: string, amount = 1): void {
    this.counters.increment(taskCounterGroup, name, amount);
  }

  /** The absolute number of a counter of tasks. */
  set(name: string, value: number): void {
    this.counters.set(taskCounterGroup, name, value);
  }

  /** Tells at once which records may be at work, before they are. @throws AttemptNotWanted, MasterUnreachable */
  async tellNextRecords(): Promise<void> {
    const { attemptId, phase, progress, nextRecords } = this;
    const answer = await this.#umbilical.status({
      attemptId,
      phase,
      progress: Number.isFinite(progress.value) ? progress.value : 0,
      statusText: progress.toString(),
      counters: {},
      nextRecords: nextRecords?.(),
    });
    if (!answer.known) throw new AttemptNotWanted(`${attemptId} is not wanted any more`);
  }

  /** Counts local files, too, that somebody reads or writes: before each report it is asked how far that is. */
  addFileUse(use: FileUse): void {
    this.#fileUses.push(use);
  }

  fetchFailed(mapAttemptId: string): void {
    this.#fetchFailures.push(mapAttemptId);
  }

  /** Adds a source that is asked before each report, until the task fails. */
  addSource(source: CounterSource): void {
    this.#sources.push(source);
  }

  /** Starts reporting by itself; `stop` ends it. */
  start(): void {
    this.#active = true;
    this.#startedMs = performance.now();
    this.#timer = setTimeout(() => this.#tick(), firstReportMs);
  }

  #tick(): void {
    this.#sending = this.#umbilical.status(this.#passingReport()).then(
      (answer) => {
        if (!answer.known && this.#active) this.#onUnwanted();
      },
      () => {
        if (this.#active) this.#onUnwanted();
      },
    );
    void this.#sending.then(() => {
      if (this.#active) this.#timer = setTimeout(() => this.#tick(), reportIntervalMs);
    });
  }

  /** Ends the reporting and waits for a report under way. */
  async stop(): Promise<void> {
    this.#active = false;
    clearTimeout(this.#timer);
    await this.#sending;
  }

  /** CPU time and memory are those of the process and all below it, such as streaming commands (Task.updateResourceCounters). */
  #measureProcesses(): void {
    const own = process.memoryUsage();
    const children = this.#children.measure();
    const set = (name: string, value: number) => this.counters.set(taskCounterGroup, name, Math.round(value));
    const peak = (name: string, value: number) => set(name, Math.max(value, this.counters.get(taskCounterGroup, name)));
    const virtual = virtualMemoryBytes() + children.virtualBytes;
    set('GC_TIME_MILLIS', 0);
    peak('CPU_MILLISECONDS', this.#cpuMs(children) - this.#earlierCpuMs);
    set('PHYSICAL_MEMORY_BYTES', own.rss + children.residentBytes);
    set('VIRTUAL_MEMORY_BYTES', virtual);
    set('COMMITTED_HEAP_BYTES', own.heapTotal + own.external);
    peak(`${this.kind}_PHYSICAL_MEMORY_BYTES_MAX`, Math.max(own.rss + children.residentBytes, peakResidentBytes()));
    peak(`${this.kind}_VIRTUAL_MEMORY_BYTES_MAX`, virtual);
    const files = this.#fileUses.map((use) => use());
    const sum = (part: keyof ReturnType<FileUse>) => files.reduce((all, bytes) => all + bytes[part], 0);
    this.counters.set(fileSystemCounterGroup, 'FILE_BYTES_READ', sum('read'));
    this.counters.set(fileSystemCounterGroup, 'FILE_BYTES_WRITTEN', sum('written'));
  }

  #cpuMs(children: ChildUse): number {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000 + children.cpuTimeMs;
  }

  /** Whether everything is as it was when this was asked last. A reduce that has nothing to copy waits for maps, however long they take. */
  #isIdle(): boolean {
    const { phase, progress, counters } = this;
    const seen = JSON.stringify([phase, progress.value, progress.toString(), this.#touches, counters.data()], (name, value: unknown) =>
      processCounters.test(name) ? undefined : value,
    );
    const same = seen === this.#lastSeen;
    this.#lastSeen = seen;
    return same && phase !== 'SHUFFLE';
  }

  #passingReport(): StatusReport {
    const report = { ...this.report(), ...(this.#isIdle() ? { idle: true } : {}) };
    if (performance.now() - this.#startedMs < firstCountersMs) return { ...report, counters: {} };
    this.#toldCounters = report.counters;
    this.#toldStatus = report.statusText;
    return report;
  }

  /** The state of a task that failed: its counters and status are those the master knows already, or the few counters that every task begins with. */
  failureReport(): StatusReport {
    this.#sources = [];
    return { ...this.report(), counters: this.#toldCounters, statusText: this.#toldStatus };
  }

  /** The state now. */
  report(): StatusReport {
    for (const source of this.#sources) source();
    this.#measureProcesses();
    const fetchFailures = this.#fetchFailures;
    this.#fetchFailures = [];
    return {
      attemptId: this.attemptId,
      progress: Number.isFinite(this.progress.value) ? this.progress.value : 0,
      statusText: this.progress.toString(),
      phase: this.phase,
      counters: this.counters.data(),
      mapFinishTimeMs: this.mapFinishTimeMs,
      shuffleFinishTimeMs: this.shuffleFinishTimeMs,
      sortFinishTimeMs: this.sortFinishTimeMs,
      fetchFailures: fetchFailures.length > 0 ? fetchFailures : undefined,
      nextRecords: this.nextRecords?.(),
      waitsFor: this.waitsFor?.(),
    };
  }
}

/** The most memory this process ever had resident (Linux), else 0. */
function peakResidentBytes(): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

function virtualMemoryBytes(): number {
  try {
    return Number(readFileSync('/proc/self/statm', 'latin1').split(' ')[0]) * 4096;
  } catch {
    return process.memoryUsage().rss;
  }
}
