// What a map emits for the reduces: collected in memory, sorted by partition and key, combined, spilled to disk, and at the end merged
// into one file with one segment a partition (Hadoop's MapOutputBuffer).
import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Counters } from '../counters/counters.ts';
import { taskCounterGroup } from '../counters/names.ts';
import { FoldTable } from './fold-table.ts';
import { Groups, merge } from './merge.ts';
import type { Fold, Partitioner, RecordTable } from './record-table.ts';
import type { RecordSink } from './records.ts';
import { encodeIndex, type RecordCursor, type SegmentPlace, SegmentReader, SegmentWriter } from './segment.ts';
import { SortBuffer } from './sort-buffer.ts';
import { serializedSize, type WritableKind } from './writables.ts';

/** Combines the values of each group; what it emits must keep the order of keys. */
export type GroupCombiner = (groups: Groups, emit: EmitRecord) => Promise<void> | void;
export type EmitRecord = (key: Buffer, keyStart: number, keyEnd: number, value: Buffer, valueStart: number, valueEnd: number) => void;
export type Combiner = { readonly fold: Fold } | { readonly group: GroupCombiner };

export interface MapOutputOptions {
  /** Folder of this attempt's output; `file.out` and `file.out.index` end up there. */
  readonly folder: string;
  readonly partitions: number;
  readonly partitioner: Partitioner;
  readonly keyKind: WritableKind;
  readonly valueKind: WritableKind;
  readonly combiner: Combiner | undefined;
  /** Bytes collected before a spill: `mapreduce.task.io.sort.mb` × `mapreduce.map.sort.spill.percent`. */
  readonly spillBytes: number;
  /** `mapreduce.map.combine.minspills`: from this many spills on the final merge combines again. */
  readonly minimumSpillsToCombine: number;
  readonly counters: Counters;
}

interface Spill {
  readonly path: string;
  readonly places: readonly SegmentPlace[];
}

/** The sink of a map that feeds reduces. */
export class MapOutput implements RecordSink {
  readonly #options: MapOutputOptions;
  readonly #table: RecordTable;
  readonly #spills: Spill[] = [];
  #records = 0;
  #bytes = 0;

  constructor(options: MapOutputOptions) {
    this.#options = options;
    const { combiner, partitions, partitioner } = options;
    this.#table =
      combiner !== undefined && 'fold' in combiner
        ? new FoldTable(partitions, partitioner, combiner.fold)
        : new SortBuffer(partitions, partitioner);
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
    mkdirSync(options.folder, { recursive: true, mode: 0o750 });
  }

  get full(): boolean {
    return this.#table.usedBytes >= this.#options.spillBytes;
  }

  collect(key: Buffer, keyStart: number, keyEnd: number, value: Buffer, valueStart: number, valueEnd: number): void {
    this.#count(keyEnd - keyStart, serializedSize(this.#options.valueKind, valueEnd - valueStart));
    this.#table.add(key, keyStart, keyEnd, value, valueStart, valueEnd);
  }

  collectInteger(key: Buffer, keyStart: number, keyEnd: number, value: number): void {
    this.#count(keyEnd - keyStart, 4);
    this.#table.addInteger(key, keyStart, keyEnd, value);
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

  /** Writes what is collected as a sorted spill file. */
  async drain(): Promise<void> {
    const { folder, partitions, counters, combiner } = this.#options;
    const path = join(folder, `spill${this.#spills.length}.out`);
    // A fold has already combined: what went in is what was collected since the last spill.
    if (combiner !== undefined && 'fold' in combiner) {
      counters.increment(taskCounterGroup, 'COMBINE_INPUT_RECORDS', this.#table.added);
      counters.increment(taskCounterGroup, 'COMBINE_OUTPUT_RECORDS', this.#table.records);
    }
    const combine = combiner !== undefined && 'group' in combiner ? combiner.group : undefined;
    const places = await this.#write(path, (partition) => this.#table.sorted(partition), combine, partitions);
    this.#spills.push({ path, places });
    this.#table.clear();
    this.report();
  }

  async #write(
    path: string,
    sorted: (partition: number) => RecordCursor,
    combine: GroupCombiner | undefined,
    partitions: number,
  ): Promise<SegmentPlace[]> {
    const { counters, keyKind, valueKind } = this.#options;
    const file = openSync(path, 'w', 0o640);
    try {
      const writer = new SegmentWriter(file, keyKind, valueKind);
      const places: SegmentPlace[] = [];
      for (let partition = 0; partition < partitions; partition++) {
        const cursor = sorted(partition);
        if (combine === undefined)
          while (cursor.next())
            writer.append(cursor.buffer, cursor.keyStart, cursor.keyEnd, cursor.buffer, cursor.valueStart, cursor.valueEnd);
        else {
          const groups = new Groups(cursor);
          const before = writer.records;
          await combine(groups, (...record) => writer.append(...record));
          counters.increment(taskCounterGroup, 'COMBINE_INPUT_RECORDS', groups.records);
          counters.increment(taskCounterGroup, 'COMBINE_OUTPUT_RECORDS', writer.records - before);
        }
        cursor.close();
        places.push(writer.endSegment());
      }
      counters.increment(taskCounterGroup, 'SPILLED_RECORDS', writer.records);
      return places;
    } finally {
      closeSync(file);
    }
  }

  /** Spills the rest and leaves one merged output file with its index; answers the size of each partition's segment. */
  async finish(): Promise<readonly SegmentPlace[]> {
    const { folder, counters, partitions } = this.#options;
    if (this.#table.records > 0 || this.#spills.length === 0) await this.drain();
    const path = join(folder, 'file.out');
    let places: readonly SegmentPlace[];
    if (this.#spills.length === 1) {
      renameSync(this.#spills[0]!.path, path);
      places = this.#spills[0]!.places;
    } else places = await this.#mergeSpills(path, partitions);
    writeFileSync(`${path}.index`, encodeIndex(places), { mode: 0o640 });
    counters.set(
      taskCounterGroup,
      'MAP_OUTPUT_MATERIALIZED_BYTES',
      places.reduce((sum, place) => sum + place.partLength, 0),
    );
    this.report();
    return places;
  }

  async #mergeSpills(path: string, partitions: number): Promise<SegmentPlace[]> {
    const { combiner, keyKind, valueKind, minimumSpillsToCombine } = this.#options;
    const files = this.#spills.map((spill) => openSync(spill.path, 'r'));
    try {
      const combine = this.#spills.length < minimumSpillsToCombine || combiner === undefined ? undefined : groupCombinerOf(combiner);
      return await this.#write(
        path,
        (partition) => merge(this.#spills.map((spill, i) => SegmentReader.inFile(files[i]!, spill.places[partition]!, keyKind, valueKind))),
        combine,
        partitions,
      );
    } finally {
      for (const file of files) closeSync(file);
      for (const spill of this.#spills) rmSync(spill.path);
    }
  }
}

/** A fold as a combiner of groups. */
export function groupCombinerOf(combiner: Combiner): GroupCombiner {
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
