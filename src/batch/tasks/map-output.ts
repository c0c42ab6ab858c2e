// What a map emits for the reduces: collected in memory, sorted by partition and key, combined, spilled to disk, and at the end merged
// into one file with one segment a partition (Hadoop's MapOutputBuffer).
import { closeSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../lib/make-folder.ts';
import type { Counters } from '../counters/counters.ts';
import { taskCounterGroup } from '../counters/names.ts';
import type { BlockCodec } from './block-codec.ts';
import { FoldTable } from './fold-table.ts';
import { Groups, merge } from './merge.ts';
import { bytesOfPasses, mergeDown, writeSome } from './merge-passes.ts';
import type { KeyComparator } from './record-sort.ts';
import { type Fold, type Partitioner, partitionOfKey, type RecordTable } from './record-table.ts';
import type { RecordSink } from './records.ts';
import { type RecordCursor, type SegmentPlace, SegmentReader, SegmentWriter } from './segment.ts';
import { encodeIndex } from './segment-index.ts';
import { SortBuffer } from './sort-buffer.ts';
import { serializedSize, type WritableKind } from './writables.ts';

/** Combines the values of each group; what it emits must keep the order of keys. */
export type GroupCombiner = (groups: Groups, emit: EmitRecord) => undefined;
/** The same by a process, which is waited for. */
export type ProcessCombiner = (groups: Groups, emit: EmitRecord) => Promise<void>;
export type EmitRecord = (key: Buffer, keyStart: number, keyEnd: number, value: Buffer, valueStart: number, valueEnd: number) => void;
export type Combiner = { readonly fold: Fold } | { readonly group: GroupCombiner } | { readonly process: ProcessCombiner };

export interface MapOutputOptions {
  /** Folder of this attempt's output; `file.out` and `file.out.index` end up there. */
  readonly folder: string;
  readonly partitions: number;
  readonly partitioner: Partitioner;
  readonly keyKind: WritableKind;
  readonly valueKind: WritableKind;
  readonly combiner: Combiner | undefined;
  /** The order of keys; undefined: that of their bytes. A fold knows no other. */
  readonly compare?: KeyComparator | undefined;
  /** A key as the map emitted it, where it travels in another form: what counts is that. */
  readonly plainKey?: ((key: Buffer) => Buffer) | undefined;
  /** Bytes collected before a spill: `mapreduce.task.io.sort.mb` × `mapreduce.map.sort.spill.percent`. */
  readonly spillBytes: number;
  /** `mapreduce.task.io.sort.factor`: most spills merged at a time, at least 2. */
  readonly factor: number;
  /** `mapreduce.map.combine.minspills`: from this many spills on the final merge combines again. */
  readonly minimumSpillsToCombine: number;
  /** How the output is compressed; undefined: not at all. */
  readonly codec?: BlockCodec | undefined;
  readonly counters: Counters;
  /** Is called and awaited time and again while records are written: for others to have their turn, and as a sign that work goes on. */
  readonly breathe?: (() => Promise<void>) | undefined;
}

/** Records on their way to a file, step by step. */
type Writing = Generator<undefined, SegmentPlace[], undefined>;

interface Spill {
  readonly path: string;
  readonly places: readonly SegmentPlace[];
  readonly bytes: number;
}

/** What a spill may take beyond the bytes at which it is due and more: a few ordinary records. */
const slackBytes = 1 << 16;
/** A map that cannot wait may collect a little more than that before it has to: mostly it can before. */
const patience = 1 / 8;
const mostPatienceBytes = 4 << 20;
/** A record of more than this share of what is collected before a spill is not collected. */
const longShare = 1 / 4;
/** A combiner is given so many records before others have their turn. */
const recordsToCombine = 1 << 14;

/** The sink of a map that feeds reduces. */
export class MapOutput implements RecordSink {
  readonly #options: MapOutputOptions;
  readonly #table: RecordTable;
  #spills: Spill[] = [];
  #files = 0;
  #records = 0;
  #bytes = 0;
  readonly #mostBytes: number;
  /** Records of more bytes are not collected; a table that combines what it has already takes all. */
  readonly #longBytes: number;
  /** Bytes of the longest key so far. */
  #longestKey = 1;
  #draining: Promise<void> | undefined;
  /** Of the merging at the end: what it has to write, and has. */
  #bytesToMerge = 0;
  #mergedBytes = 0;
  /** What was written to local files, spills and merges of them included, and read from them again. */
  writtenBytes = 0;
  readBytes = 0;

  constructor(options: MapOutputOptions) {
    this.#options = options;
    const { combiner, partitions, partitioner, keyKind, valueKind, compare } = options;
    this.#mostBytes = Math.ceil(options.spillBytes + Math.min(mostPatienceBytes, options.spillBytes * patience));
    this.#table =
      combiner !== undefined && 'fold' in combiner
        ? new FoldTable(partitions, partitioner, combiner.fold)
        : new SortBuffer(partitions, partitioner, { keyKind, valueKind, compare, bytes: this.#mostBytes + slackBytes });
    this.#longBytes = this.#table instanceof SortBuffer ? options.spillBytes * longShare : Number.POSITIVE_INFINITY;
    const { counters } = options;
    for (const name of [
      'MAP_OUTPUT_RECORDS',
      'MAP_OUTPUT_BYTES',
      'MAP_OUTPUT_MATERIALIZED_BYTES',
      'COMBINE_INPUT_RECORDS',
      'SPILLED_RECORDS',
    ])
      counters.increment(taskCounterGroup, name, 0);
    if (combiner !== undefined) counters.increment(taskCounterGroup, 'COMBINE_OUTPUT_RECORDS', 0);
    makeFolder(options.folder, 0o750);
  }

  /** True, too, while records go to disk: none may come then. */
  get full(): boolean {
    return this.#draining !== undefined || this.#table.usedBytes >= this.#options.spillBytes;
  }

  /** How far the merging at the end is, 0 to 1. */
  get mergeProgress(): number {
    return this.#bytesToMerge === 0 ? 0 : Math.min(1, this.#mergedBytes / this.#bytesToMerge);
  }

  /**
   * A map may emit any number of records before it can wait: what is full, or has no room for so many bytes more, goes to disk at once, where no
   * process has to combine it.
   */
  #makeRoom(bytes: number): void {
    if (this.#draining !== undefined) throw new Error('a record was emitted while others went to disk');
    if (this.#table.usedBytes < this.#mostBytes && this.#table.usedBytes + bytes <= this.#mostBytes + slackBytes) return;
    if (this.#table.records === 0) return;
    const { combiner } = this.#options;
    if (combiner !== undefined && 'process' in combiner) return;
    const { path, steps } = this.#spilling(combiner);
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    this.#spilled(path, step.value);
  }

  collect(key: Buffer, keyStart: number, keyEnd: number, value: Buffer, valueStart: number, valueEnd: number): void {
    const length = keyEnd - keyStart + valueEnd - valueStart;
    if (keyEnd - keyStart > this.#longestKey) this.#longestKey = keyEnd - keyStart;
    const isLong = length > this.#longBytes;
    this.#makeRoom(isLong ? Number.POSITIVE_INFINITY : length);
    this.#count(this.#keyLength(key, keyStart, keyEnd), serializedSize(this.#options.valueKind, valueEnd - valueStart));
    if (isLong) this.#spillOne(key, keyStart, keyEnd, value, valueStart, valueEnd);
    else this.#table.add(key, keyStart, keyEnd, value, valueStart, valueEnd);
  }

  /** A long record goes to disk as it is, as a spill of its own (MapOutputBuffer.spillSingleRecord): to collect it would take its memory again. */
  #spillOne(key: Buffer, keyStart: number, keyEnd: number, value: Buffer, valueStart: number, valueEnd: number): void {
    const { keyKind, valueKind, codec, partitions, partitioner, counters } = this.#options;
    const own = partitionOfKey(partitioner, key, keyStart, keyEnd, partitions);
    const path = this.#newPath();
    const file = openSync(path, 'w', 0o640);
    try {
      const writer = new SegmentWriter(file, keyKind, valueKind, codec);
      const places = Array.from({ length: partitions }, (_, partition) => {
        if (partition === own) writer.append(key, keyStart, keyEnd, value, valueStart, valueEnd);
        return writer.endSegment();
      });
      this.writtenBytes += writer.position;
      counters.increment(taskCounterGroup, 'SPILLED_RECORDS', writer.records);
      this.#spills.push({ path, places, bytes: sizeOf(places) });
    } finally {
      closeSync(file);
    }
  }

  collectInteger(key: Buffer, keyStart: number, keyEnd: number, value: number): void {
    this.#makeRoom(keyEnd - keyStart + 4);
    this.#count(this.#keyLength(key, keyStart, keyEnd), 4);
    this.#table.addInteger(key, keyStart, keyEnd, value);
  }

  #keyLength(key: Buffer, start: number, end: number): number {
    const { plainKey } = this.#options;
    return plainKey === undefined ? end - start : plainKey(key.subarray(start, end)).length;
  }

  #count(keyLength: number, valueSize: number): void {
    this.#records++;
    this.#bytes +=
      valueSize + (keyLength <= 127 && this.#options.keyKind === 'text' ? keyLength + 1 : serializedSize(this.#options.keyKind, keyLength));
  }

  /** Brings the counters up to date. */
  report(): void {
    this.#options.counters.set(taskCounterGroup, 'MAP_OUTPUT_RECORDS', this.#records);
    this.#options.counters.set(taskCounterGroup, 'MAP_OUTPUT_BYTES', this.#bytes);
  }

  /** Writes what is collected as a sorted spill file; who asks while that goes on waits for the same one. Until it is over no record may come. */
  drain(): Promise<void> {
    this.#draining ??= this.#drain().finally(() => {
      this.#draining = undefined;
    });
    return this.#draining;
  }

  async #drain(): Promise<void> {
    const { combiner } = this.#options;
    if (combiner !== undefined && 'process' in combiner) {
      const path = this.#newPath();
      this.#spilled(path, await this.#writeCombined(path, (partition) => this.#table.sorted(partition), combiner.process));
    } else {
      const { path, steps } = this.#spilling(combiner);
      this.#spilled(path, await this.#breathing(steps));
    }
  }

  #newPath(): string {
    return join(this.#options.folder, `spill${this.#files++}.out`);
  }

  #spilling(combiner: Exclude<Combiner, { readonly process: ProcessCombiner }> | undefined): { path: string; steps: Writing } {
    const { counters } = this.#options;
    // A fold has already combined: what went in is what was collected since the last spill.
    if (combiner !== undefined && 'fold' in combiner) {
      counters.increment(taskCounterGroup, 'COMBINE_INPUT_RECORDS', this.#table.added);
      counters.increment(taskCounterGroup, 'COMBINE_OUTPUT_RECORDS', this.#table.records);
    }
    const combine = combiner !== undefined && 'group' in combiner ? combiner.group : undefined;
    const path = this.#newPath();
    return { path, steps: this.#writing(path, (partition) => this.#table.sorted(partition), combine) };
  }

  /** Lets others have their turn between the steps. */
  async #breathing(steps: Writing): Promise<SegmentPlace[]> {
    const { breathe } = this.#options;
    let step = steps.next();
    try {
      for (; step.done !== true; step = steps.next()) await breathe?.();
    } finally {
      // Where the breath was the last one the file is closed all the same.
      if (step.done !== true) steps.return([]);
    }
    return step.value;
  }

  #spilled(path: string, places: readonly SegmentPlace[]): void {
    this.#spills.push({ path, places, bytes: sizeOf(places) });
    this.#table.clear();
    this.report();
  }

  /** What is in memory is sorted step by step; where nothing is there is nothing to do. */
  *#sorting(partition: number): Generator<undefined, void, undefined> {
    if (this.#table.records > 0 && this.#table.sort !== undefined) yield* this.#table.sort(partition);
  }

  /** Writes sorted records; each step is a moment in which others may have their turn. */
  *#writing(path: string, sorted: (partition: number) => RecordCursor, combine: GroupCombiner | undefined): Writing {
    const { counters, keyKind, valueKind, codec, partitions } = this.#options;
    const file = openSync(path, 'w', 0o640);
    try {
      const writer = new SegmentWriter(file, keyKind, valueKind, codec);
      const places: SegmentPlace[] = [];
      let counted = 0;
      const count = () => {
        const more = writer.position - counted;
        counted += more;
        this.writtenBytes += more;
        this.#mergedBytes += more;
      };
      for (let partition = 0; partition < partitions; partition++) {
        yield* this.#sorting(partition);
        const cursor = sorted(partition);
        if (combine === undefined)
          while (writeSome(cursor, writer)) {
            count();
            yield;
          }
        else {
          const groups = new Groups(cursor, this.#options.compare);
          const before = writer.records;
          do {
            groups.slice(recordsToCombine);
            combine(groups, (...record) => writer.append(...record));
            count();
            yield;
          } while (groups.isCut);
          this.#countCombined(groups, writer.records - before);
        }
        cursor.close();
        places.push(writer.endSegment());
      }
      counters.increment(taskCounterGroup, 'SPILLED_RECORDS', writer.records);
      count();
      return places;
    } finally {
      closeSync(file);
    }
  }

  async #writeCombined(path: string, sorted: (partition: number) => RecordCursor, combine: ProcessCombiner): Promise<SegmentPlace[]> {
    const { counters, keyKind, valueKind, codec, partitions } = this.#options;
    const file = openSync(path, 'w', 0o640);
    try {
      const writer = new SegmentWriter(file, keyKind, valueKind, codec);
      const places: SegmentPlace[] = [];
      for (let partition = 0; partition < partitions; partition++) {
        for (const _ of this.#sorting(partition)) await this.#options.breathe?.();
        const cursor = sorted(partition);
        const groups = new Groups(cursor, this.#options.compare);
        const before = writer.records;
        await combine(groups, (...record) => writer.append(...record));
        await this.#options.breathe?.();
        this.#countCombined(groups, writer.records - before);
        cursor.close();
        places.push(writer.endSegment());
      }
      counters.increment(taskCounterGroup, 'SPILLED_RECORDS', writer.records);
      this.writtenBytes += writer.position;
      return places;
    } finally {
      closeSync(file);
    }
  }

  #countCombined(groups: Groups, records: number): void {
    const { counters } = this.#options;
    counters.increment(taskCounterGroup, 'COMBINE_INPUT_RECORDS', groups.records);
    counters.increment(taskCounterGroup, 'COMBINE_OUTPUT_RECORDS', records);
  }

  /** Spills the rest and leaves one merged output file with its index; answers the size of each partition's segment. */
  async finish(): Promise<readonly SegmentPlace[]> {
    const { folder, counters } = this.#options;
    // What is in memory at the end is merged from there with the spills, unless it has to be combined first.
    const inMemory = this.#options.combiner === undefined && this.#spills.length > 0 ? this.#table : undefined;
    if (inMemory === undefined && (this.#table.records > 0 || this.#spills.length === 0)) await this.drain();
    const path = join(folder, 'file.out');
    let places: readonly SegmentPlace[];
    if (this.#spills.length === 1 && (inMemory?.records ?? 0) === 0) {
      renameSync(this.#spills[0]!.path, path);
      places = this.#spills[0]!.places;
    } else places = await this.#mergeAll(path, inMemory);
    const index = encodeIndex(places);
    writeFileSync(`${path}.index`, index, { mode: 0o640 });
    this.writtenBytes += index.length;
    counters.set(taskCounterGroup, 'MAP_OUTPUT_MATERIALIZED_BYTES', sizeOf(places));
    this.report();
    return places;
  }

  /** How many runs are merged at a time: a function that compares is given whole keys, of which one of each run lies in memory. */
  get #factor(): number {
    const { factor, compare, spillBytes } = this.#options;
    return compare === undefined ? factor : Math.max(2, Math.min(factor, Math.floor(spillBytes / this.#longestKey)));
  }

  async #mergeAll(path: string, inMemory: RecordTable | undefined): Promise<SegmentPlace[]> {
    const { combiner, minimumSpillsToCombine, compare } = this.#options;
    const factor = this.#factor;
    const combine = this.#spills.length < minimumSpillsToCombine ? undefined : combiner;
    const spilled = this.#spills.reduce((sum, { bytes }) => sum + bytes, 0);
    this.#bytesToMerge = bytesOfPasses(this.#spills, factor) + spilled + (inMemory?.usedBytes ?? 0);
    this.#mergedBytes = 0;
    this.#spills = await mergeDown(this.#spills, factor, async (some) => {
      const merged = this.#newPath();
      const places = await this.#fromSpills(some, (sorted) => this.#breathing(this.#writing(merged, sorted, undefined)));
      return { path: merged, places, bytes: sizeOf(places) };
    });
    return this.#fromSpills(this.#spills, (sorted) => {
      if (inMemory !== undefined)
        return this.#breathing(
          this.#writing(path, (partition) => merge([sorted(partition), inMemory.sorted(partition)], compare), undefined),
        );
      if (combine !== undefined && 'process' in combine) return this.#writeCombined(path, sorted, combine.process);
      return this.#breathing(this.#writing(path, sorted, combine && groupCombinerOf(combine)));
    });
  }

  /** Opens spills for `write`, and removes them when it is done. */
  async #fromSpills(
    spills: readonly Spill[],
    write: (sorted: (partition: number) => RecordCursor) => Promise<SegmentPlace[]>,
  ): Promise<SegmentPlace[]> {
    const { keyKind, valueKind, codec, compare } = this.#options;
    const files = spills.map((spill) => openSync(spill.path, 'r'));
    for (const spill of spills) this.readBytes += spill.bytes;
    try {
      return await write((partition) =>
        merge(
          spills.map((spill, i) => SegmentReader.inFile(files[i]!, spill.places[partition]!, keyKind, valueKind, undefined, codec)),
          compare,
        ),
      );
    } finally {
      for (const file of files) closeSync(file);
      for (const spill of spills) rmSync(spill.path);
    }
  }
}

const sizeOf = (places: readonly SegmentPlace[]): number => places.reduce((sum, place) => sum + place.partLength, 0);

/** A fold as a combiner of groups. */
export function groupCombinerOf(combiner: Exclude<Combiner, { readonly process: ProcessCombiner }>): GroupCombiner {
  if ('group' in combiner) return combiner.group;
  const bytes = Buffer.alloc(4);
  return (groups, emit) => {
    while (groups.nextGroup()) {
      const { cursor } = groups;
      groups.nextValue();
      let sum = cursor.buffer.readInt32BE(cursor.valueStart);
      while (groups.nextValue()) sum = combiner.fold(sum, cursor.buffer.readInt32BE(cursor.valueStart));
      bytes.writeInt32BE(sum | 0);
      emit(groups.key, 0, groups.key.length, bytes, 0, 4);
    }
  };
}
