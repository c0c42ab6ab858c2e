// What surrounds a running attempt: its assignment, settings, line to the master, folders and output file.

import { join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import { pause } from '../../lib/pause.ts';
import { fileOutputCounterGroup, fileSystemCounterGroup, fileSystemKeys, taskCounterGroup } from '../counters/names.ts';
import { defaultCodec } from './input/compression.ts';
import type { JobConfiguration } from './job-configuration.ts';

import { lazyOutputs } from './output/formats.ts';
import type { JobCommitter } from './output/job-committer.ts';
import { TextOutput, type TextOutputOptions } from './output/text-output.ts';
import type { Program, ProgramContext } from './program.ts';
import type { RecordSink } from './records.ts';
import type { Reporter } from './reporter.ts';
import type { AttemptSkipping } from './skipping/attempt-skipping.ts';
import { partFileName } from './task-ids.ts';
import type { TaskAssignment } from './umbilical.ts';
import type { Umbilical } from './umbilical-client.ts';

const yieldIntervalMs = 100;

/** The surroundings of one attempt. */
export class TaskEnvironment {
  readonly jobId: string;
  readonly assignment: TaskAssignment;
  readonly configuration: JobConfiguration;
  readonly reporter: Reporter;
  readonly umbilical: Umbilical;
  readonly committer: JobCommitter;
  readonly clock: Clock;
  readonly token: Buffer;
  /** The application's folder on a local disk of this node. */
  readonly localFolder: string;
  /** Its folders on all of them, where what maps left is looked for before the node that they ran on is asked. */
  readonly localFolders: readonly string[];
  readonly signal: AbortSignal;
  /** Present where the attempt runs in skipping mode. */
  skipping: AttemptSkipping | undefined;
  #lastBreathMs = 0;

  constructor(options: {
    jobId: string;
    assignment: TaskAssignment;
    configuration: JobConfiguration;
    reporter: Reporter;
    umbilical: Umbilical;
    committer: JobCommitter;
    clock: Clock;
    token: Buffer;
    localFolder: string;
    localFolders?: readonly string[] | undefined;
    signal: AbortSignal;
  }) {
    this.jobId = options.jobId;
    this.assignment = options.assignment;
    this.configuration = options.configuration;
    this.reporter = options.reporter;
    this.umbilical = options.umbilical;
    this.committer = options.committer;
    this.clock = options.clock;
    this.token = options.token;
    this.localFolder = options.localFolder;
    this.localFolders = options.localFolders ?? [];
    this.signal = options.signal;
  }

  /** Lets timers and sockets have their turn now and then during long computing. */
  async breathe(): Promise<void> {
    this.signal.throwIfAborted();
    const now = this.clock.steadyMs();
    if (now - this.#lastBreathMs < yieldIntervalMs) return;
    this.#lastBreathMs = now;
    await pause();
  }

  programContext(): ProgramContext {
    const { configuration, reporter, assignment, committer, signal } = this;
    const phase = reporter.kind === 'MAP' ? 0 : 2;
    return {
      configuration,
      counters: reporter.counters,
      attemptId: reporter.attemptId,
      index: assignment.index,
      maps: assignment.maps,
      reduces: assignment.reduces,
      workFolder: committer.workFolder(reporter.attemptId),
      setStatus: (text) => reporter.setStatus(text),
      touch: () => reporter.touch(),
      // Programs may say anything; no number counts as no progress (org.apache.hadoop.util.Progress.set).
      setProgress: (value) => {
        reporter.progress.phases[phase]!.value = Number.isNaN(value) ? 0 : Math.min(1, Math.max(0, value));
      },
      waitsFor: (what) => {
        reporter.waitsFor = what;
      },
      signal,
    };
  }
}

/** The file an attempt writes its part of the output to; of jobs without output it takes the records and drops them. */
export class OutputFile {
  readonly #task: TaskEnvironment;
  #file: TextOutput | undefined;
  readonly sink: RecordSink;
  #dropped = 0;

  constructor(task: TaskEnvironment, program: Program) {
    this.#task = task;
    const { configuration, reporter, assignment, committer } = task;
    const work = committer.workFolder(reporter.attemptId);
    if (!program.writesFiles || work === undefined) {
      const drop = () => {
        this.#dropped++;
      };
      this.sink = { full: false, collect: drop, collectInteger: drop, drain: async () => {} };
      return;
    }
    committer.checkSeen();
    if (committer.scheme === undefined) reporter.addFileUse(() => ({ read: 0, written: this.#file?.bytesWritten ?? 0 }));
    else
      for (const key of Object.keys(fileSystemKeys))
        if (key !== 'BYTES_READ_EC') reporter.counters.increment(fileSystemCounterGroup, `${committer.scheme}_${key}`, 0);
    const name = partFileName(program.api, reporter.kind, assignment.index, configuration.text('mapreduce.output.basename', 'part'));
    const compress = configuration.boolean('mapreduce.output.fileoutputformat.compress', false);
    const options = {
      path: join(work, name),
      separator: Buffer.from(configuration.text('mapreduce.output.textoutputformat.separator', '\t')),
      checksums: committer.scheme === undefined,
      valueless: (reporter.kind === 'REDUCE' ? (program.reducedValueKind ?? program.valueKind) : program.valueKind) === 'null',
      codec: compress ? configuration.text('mapreduce.output.fileoutputformat.compress.codec', defaultCodec) : undefined,
    };
    const format = configuration.get('mapred.output.format.class') || configuration.text('mapreduce.job.outputformat.class', '');
    this.sink = lazyOutputs.includes(format) ? this.#lazy(options) : this.#open(options);
  }

  #open(options: TextOutputOptions): TextOutput {
    this.#file = new TextOutput(options);
    return this.#file;
  }

  /** Makes the file with the first record. */
  #lazy(options: TextOutputOptions): RecordSink {
    const file = () => this.#file ?? this.#open(options);
    return {
      full: false,
      collect: (...record) => file().collect(...record),
      collectInteger: (...record) => file().collectInteger(...record),
      drain: async () => {},
    };
  }

  /** Brings the counters up to date. */
  report(recordCounter: 'MAP_OUTPUT_RECORDS' | 'REDUCE_OUTPUT_RECORDS'): void {
    const { counters } = this.#task.reporter;
    counters.set(taskCounterGroup, recordCounter, this.#file?.records ?? this.#dropped);
    if (this.#file === undefined) return;
    const { bytesWritten } = this.#file;
    counters.set(fileOutputCounterGroup, 'BYTES_WRITTEN', bytesWritten);
    const { scheme } = this.#task.committer;
    if (scheme !== undefined) counters.set(fileSystemCounterGroup, `${scheme}_BYTES_WRITTEN`, bytesWritten);
  }

  close(): void {
    this.#file?.close();
  }
}
