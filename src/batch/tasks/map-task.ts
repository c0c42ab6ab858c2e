// Runs one attempt at a map.

import { join } from 'node:path';
import { fileInputCounterGroup, fileOutputCounterGroup, fileSystemCounterGroup, fileSystemKeys } from '../counters/names.ts';
import { sortBufferBytes } from './container-memory.ts';
import { mapOutputCodecOf } from './input/compression.ts';
import type { InputSplit } from './input/input-split.ts';
import type { LineConsumer, LinesConsumer } from './input/line-reader.ts';
import { SplitReader } from './input/split-reader.ts';
import { MapOutput } from './map-output.ts';
import { inputUri } from './paths.ts';
import type { MapRun, Program } from './program.ts';
import type { Partitioner } from './record-table.ts';
import type { RecordSink } from './records.ts';
import { isRemote, schemeOf } from './remote/store.ts';
import { countProcessed, countsProcessed } from './skipping/attempt-skipping.ts';
import { forEachKeptRecord } from './skipping/kept-records.ts';
import { OutputFile, type TaskEnvironment } from './task-environment.ts';
import { hashBytes, partitionOf } from './writables.ts';

const hashPartitioner: Partitioner = (key, start, end, partitions) => partitionOf(hashBytes(key, start, end), partitions);
/** Size of a split as Hadoop writes it (FileSplit, CombineFileSplit, an empty one). */
function splitBytes(split: InputSplit | undefined): number {
  if (split === undefined) return 48;
  const pathBytes = (path: string) => Buffer.byteLength(inputUri(path)) + 2;
  if (split.parts === undefined) return pathBytes(split.path) + 16;
  const hosts = split.hosts.reduce((sum, host) => sum + Buffer.byteLength(host) + 1, 0);
  return split.parts.reduce((sum, { path }) => sum + pathBytes(path) + 15, 24) + hosts;
}

/** The records that a map has of its split. */
class MapRecords {
  readonly #task: TaskEnvironment;
  readonly #input: SplitReader | undefined;
  readonly #output: RecordSink;
  readonly #counts: boolean;
  #counted = 0;
  /** How many the program has been given. */
  count = 0;

  constructor(task: TaskEnvironment, program: Program, input: SplitReader | undefined, output: RecordSink) {
    this.#task = task;
    this.#input = input;
    this.#output = output;
    this.#counts = task.skipping === undefined && countsProcessed(task.configuration, 'MAP', program);
    task.reporter.addSource(() => this.#countProcessed());
  }

  /** Without skipping nobody asks which record is at work: all that were given count. */
  #countProcessed(): void {
    if (!this.#counts) return;
    countProcessed(this.#task.reporter, this.count - this.#counted);
    this.#counted = this.count;
  }

  add(records: number): void {
    this.count += records;
  }

  readonly forEach: MapRun['forEachLine'] = async (consume, afterChunk, together) => {
    const input = this.#input;
    if (input === undefined) return;
    const { skipping, configuration } = this.#task;
    const one: LineConsumer = (buffer, start, end, position) => {
      this.count++;
      consume(buffer, start, end, position);
    };
    const many: LinesConsumer | undefined =
      together &&
      ((buffer, start, end, lines) => {
        this.count += lines;
        together(buffer, start, end, lines);
      });
    const between = () => {
      this.#showProgress(input);
      return this.#pause();
    };
    try {
      if (skipping !== undefined)
        await forEachKeptRecord(input, { skipping, configuration, consume: one, settled: async () => afterChunk?.(), between });
      else
        while (await input.readChunk(one, many)) {
          this.#showProgress(input);
          await afterChunk?.();
          await this.#pause();
        }
      this.#showProgress(input);
      await afterChunk?.();
    } finally {
      input.close();
    }
  };

  #showProgress(input: SplitReader): void {
    this.#task.reporter.progress.phases[0]!.value = input.progress;
  }

  async #pause(): Promise<void> {
    if (this.#output.full) await this.#output.drain();
    await this.#task.breathe();
  }
}

/** Runs the map function over the split; the output lies then in the attempt's folders, not yet committed. */
export async function runMap(task: TaskEnvironment, program: Program): Promise<void> {
  const { configuration, reporter, assignment } = task;
  const { counters, progress } = reporter;
  const { split, reduces } = assignment;
  for (const name of ['MAP_INPUT_RECORDS', 'MAP_OUTPUT_RECORDS', 'SPILLED_RECORDS', 'FAILED_SHUFFLE', 'MERGED_MAP_OUTPUTS'])
    reporter.count(name, 0);
  reporter.count('SPLIT_RAW_BYTES', splitBytes(split));
  counters.increment(fileInputCounterGroup, 'BYTES_READ', 0);
  if (reduces === 0) counters.increment(fileOutputCounterGroup, 'BYTES_WRITTEN', 0);
  reporter.phase = 'MAP';

  const direct = reduces === 0 ? new OutputFile(task, program) : undefined;
  const sorted =
    reduces === 0
      ? undefined
      : new MapOutput({
          folder: join(task.localFolder, 'output', reporter.attemptId),
          partitions: reduces,
          partitioner: program.partitioner ?? hashPartitioner,
          keyKind: program.keyKind,
          valueKind: program.valueKind,
          combiner: program.combiner,
          compare: program.compare,
          plainKey: program.plainKey,
          spillBytes: sortBufferBytes(configuration),
          factor: Math.max(2, configuration.integer('mapreduce.task.io.sort.factor', 10)),
          minimumSpillsToCombine: configuration.integer('mapreduce.map.combine.minspills', 3),
          codec: mapOutputCodecOf(configuration),
          counters,
          breathe: () => {
            reporter.touch();
            return task.breathe();
          },
        });
  const output: RecordSink = sorted ?? direct!.sink;
  const input = split && new SplitReader(split, configuration);
  const elsewhere = split && isRemote(split.path) ? schemeOf(split.path) : undefined;
  if (elsewhere !== undefined)
    for (const key of Object.keys(fileSystemKeys))
      if (key !== 'BYTES_READ_EC') counters.increment(fileSystemCounterGroup, `${elsewhere}_${key}`, 0);
  const records = new MapRecords(task, program, input, output);
  reporter.addSource(() => {
    reporter.set('MAP_INPUT_RECORDS', records.count);
    if (input !== undefined) counters.set(fileInputCounterGroup, 'BYTES_READ', input.bytesRead);
    if (elsewhere !== undefined) counters.set(fileSystemCounterGroup, `${elsewhere}_BYTES_READ`, input!.bytesRead);
    sorted?.report();
    if (reporter.phase === 'SORT') progress.phases[1]!.value = sorted!.mergeProgress;
    direct?.report('MAP_OUTPUT_RECORDS');
  });

  reporter.addFileUse(() => ({
    read: (elsewhere === undefined ? (input?.bytesRead ?? 0) : 0) + (sorted?.readBytes ?? 0),
    written: sorted?.writtenBytes ?? 0,
  }));

  const run: MapRun = {
    ...task.programContext(),
    split,
    get inputFile() {
      return input?.path;
    },
    output,
    countInput: (more) => records.add(more),
    forEachLine: records.forEach,
  };
  await program.map(run);
  reporter.mapFinishTimeMs = task.clock.now();
  progress.completePhase();
  if (sorted !== undefined) {
    reporter.phase = 'SORT';
    await sorted.finish();
    progress.completePhase();
  } else direct!.close();
}
