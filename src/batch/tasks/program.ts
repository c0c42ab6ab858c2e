// What a job runs: programs are given their input and a sink and know nothing of containers, masters or files of the framework.
import type { Counters } from '../counters/counters.ts';
import type { InputSplit } from './input/input-split.ts';
import type { LineConsumer, LinesConsumer } from './input/line-reader.ts';
import type { JobConfiguration } from './job-configuration.ts';
import type { Combiner } from './map-output.ts';
import type { Groups } from './merge.ts';
import type { KeyComparator } from './record-sort.ts';
import type { Partitioner } from './record-table.ts';
import type { RecordSink } from './records.ts';
import type { TaskKind } from './umbilical.ts';
import type { WritableKind } from './writables.ts';

/** What every program may use while it runs. */
export interface ProgramContext {
  readonly configuration: JobConfiguration;
  readonly counters: Counters;
  readonly attemptId: string;
  readonly index: number;
  readonly maps: number;
  readonly reduces: number;
  /** Sets the task's own status text. */
  setStatus(text: string): void;
  /** Replaces the output folder's name in the environment of child processes. */
  readonly workFolder: string | undefined;
  /** Says that something happened: without any such sign the attempt is given up after `mapreduce.task.timeout`. */
  touch(): void;
  /** 0 to 1 of the current phase, for programs without line input. */
  setProgress(value: number): void;
  /** Names what the program waits for; undefined: it goes on. Said of an attempt that is given up because nothing happens. */
  waitsFor(what: (() => string) | undefined): void;
  /** Aborted when the task is to end early. */
  readonly signal: AbortSignal;
}

export interface MapRun extends ProgramContext {
  readonly split: InputSplit | undefined;
  /** The file whose lines are read now; undefined without input. */
  readonly inputFile: string | undefined;
  readonly output: RecordSink;
  /**
   * Hands on every line of the split; `afterChunk` is awaited between chunks, when spilling is due the sink is drained. With `together` lines
   * may go there, many at a time.
   */
  forEachLine(consume: LineConsumer, afterChunk?: () => Promise<void>, together?: LinesConsumer): Promise<void>;
  /** Counts input records of programs without line input. */
  countInput(records: number): void;
}

export interface ReduceRun extends ProgramContext {
  readonly groups: Groups;
  readonly output: RecordSink;
  /**
   * Says that the program is done with a group, and lets timers and sockets have their turn: to be called after each group, before the next is
   * asked for, and awaited where it answers something. @throws where the task is to end early
   */
  breathe(): Promise<void> | undefined;
  /** The same within a group. */
  pause(): Promise<void>;
  /** Groups are told to the master one by one: none is to be held back until others come. */
  readonly isSkipping: boolean;
}

/** A kind of job. */
export interface Program {
  /** Which of Hadoop's APIs it stands for: decides names of output files and the rule of splits. */
  readonly api: 'mapred' | 'mapreduce';
  readonly keyKind: WritableKind;
  readonly valueKind: WritableKind;
  /** Kind of the values that reduces write, where it is another one than that of the maps' output. */
  readonly reducedValueKind?: WritableKind;
  /** False: the job reads no files; the number of maps comes from `mapreduce.job.maps`. */
  readonly readsFiles: boolean;
  readonly writesFiles: boolean;
  readonly combiner?: Combiner;
  readonly partitioner?: Partitioner;
  /** The order of keys; without it that of their bytes. */
  readonly compare?: KeyComparator;
  /** Which neighbours among sorted keys are one group of a reduce; without it those that are equal by their order. */
  readonly group?: KeyComparator;
  /** Tasks that hand their records to a command, which is done with them later than the program. */
  readonly commands?: readonly TaskKind[];
  /** A key as maps emitted it, where it travels in another form. */
  readonly plainKey?: (key: Buffer) => Buffer;
  /** Runs the whole of an attempt: what has to hold from its beginning to its end, combining included. */
  whole?(signal: AbortSignal, work: () => Promise<void>): Promise<void>;
  map(run: MapRun): Promise<void>;
  reduce(run: ReduceRun): Promise<void>;
}
