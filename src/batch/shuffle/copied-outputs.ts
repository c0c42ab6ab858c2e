// What a reduce has copied: small outputs in a bounded part of its memory, larger ones and merged runs on disk (MergeManagerImpl of Hadoop).

import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { makeFolder } from '../../lib/make-folder.ts';
import { pause } from '../../lib/pause.ts';
import { writeWhole } from '../../lib/whole-writes.ts';
import type { BlockCodec } from '../tasks/block-codec.ts';
import { merge } from '../tasks/merge.ts';
import { mergeDown, writeAll } from '../tasks/merge-passes.ts';
import type { KeyComparator } from '../tasks/record-sort.ts';
import { checksumBytes, type RecordCursor, type SegmentPlace, SegmentReader, SegmentWriter } from '../tasks/segment.ts';
import { CorruptSegment, packedBlockBytes } from '../tasks/segment-bytes.ts';
import type { WritableKind } from '../tasks/writables.ts';
import { checkLocal, type LocalOutput, piecesOf } from './local-outputs.ts';

/** How much memory the copies may take, bytes. */
export interface CopyLimits {
  /** All copies together, those under way included (`mapreduce.reduce.shuffle.input.buffer.percent`). */
  readonly memoryBytes: number;
  /** From so much on, complete copies are merged to disk (`…shuffle.merge.percent`). */
  readonly mergeBytes: number;
  /** Larger outputs go to disk as they come (`…shuffle.memory.limit.percent`). */
  readonly largestInMemory: number;
}

export interface CopiedOutputsOptions extends CopyLimits {
  readonly folder: string;
  /** The order of keys; undefined: that of their bytes. */
  readonly compare?: KeyComparator | undefined;
  readonly keyKind: WritableKind;
  readonly valueKind: WritableKind;
  /** How outputs and runs are compressed; undefined: not at all. */
  readonly codec?: BlockCodec | undefined;
  /** `mapreduce.task.io.sort.factor`: most runs merged at a time, at least 2. */
  readonly factor: number;
  /** How many outputs there will be. */
  readonly maps: number;
  /** Is told why merging beside the copying failed, as where the disk is full. */
  readonly onFailed: (error: Error) => void;
}

/** Thrown where an output cannot be written here: asking for it again, or another machine for another one, would not help. */
export class NotWritten extends Error {
  override readonly name = 'java.io.IOException';
  constructor(cause: Error) {
    super('a copied output cannot be written to this node’s disk', { cause });
  }
}

function writing<Value>(work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    throw new NotWritten(error as Error);
  }
}

/** One output on its way: written piece by piece, then checked, then kept or dropped. */
export interface Copy {
  /** @throws NotWritten */
  write(bytes: Buffer): void;
  /** @throws CorruptSegment where the bytes are not what the map wrote */
  check(): void;
  keep(): void;
  /** Gives up what came so far; after `keep` nothing. */
  drop(): void;
}

/** An output in memory, and how much of that it takes. */
interface Kept {
  readonly bytes: Buffer;
  readonly rawLength: number;
  readonly taken: number;
}
interface Run {
  readonly path: string;
  readonly place: SegmentPlace;
  readonly bytes: number;
  /** It is a part of what a map of this node left, for other reduces too: it is read and not removed. */
  readonly isOfMap?: boolean;
}

/** Holds the outputs of all maps for one reduce, and merges them in the end. */
export class CopiedOutputs {
  readonly #options: CopiedOutputsOptions;
  #kept: Kept[] = [];
  #keptBytes = 0;
  /** Memory of all copies, complete or not, and of those being merged. */
  #memoryBytes = 0;
  #runs: Run[] = [];
  #files = 0;
  #mergingMemory: Promise<void> | undefined;
  #mergingRuns: Promise<void> | undefined;
  #failed = false;
  /** What was written to local files, outputs on their way and merges, and read from them again. */
  writtenBytes = 0;
  readBytes = 0;
  #given = false;

  constructor(options: CopiedOutputsOptions) {
    this.#options = options;
    makeFolder(options.folder, 0o750);
  }

  #newPath(): string {
    return join(this.#options.folder, `run${this.#files++}.out`);
  }

  /**
   * A place for an output of `partLength` bytes, checksum included, and `rawLength` uncompressed ones; waits while merging makes room.
   * @throws NotWritten
   */
  async begin(partLength: number, rawLength: number): Promise<Copy> {
    const { memoryBytes, largestInMemory } = this.#options;
    if (partLength > largestInMemory) return this.#onDisk(partLength, rawLength);
    const taken = this.#memoryOf(partLength, rawLength);
    const fits = () => this.#memoryBytes + taken <= memoryBytes;
    while (!fits() && this.#mergingMemory !== undefined && !this.#failed) await this.#mergingMemory;
    return fits() ? this.#inMemory(partLength, rawLength, taken) : this.#onDisk(partLength, rawLength);
  }

  /** What an output takes in memory: who reads a compressed one has a block of it and a buffer beside. */
  #memoryOf(partLength: number, rawLength: number): number {
    return this.#options.codec === undefined ? partLength : partLength + 2 * Math.min(rawLength, packedBlockBytes);
  }

  /**
   * Takes an output that lies on this node. It is read where it lies when it is merged, unless that would be one run too many and there is
   * memory left. It is checked now, as one that was sent: what is damaged later fails the reduce.
   * @throws CorruptSegment where its bytes are not what the map wrote, Error where it cannot be read
   */
  async takeLocal(output: LocalOutput): Promise<void> {
    const { maps, factor, mergeBytes, largestInMemory } = this.#options;
    const { place, file: path } = output;
    const { partLength, rawLength } = place;
    if (maps <= factor || partLength > largestInMemory || this.#memoryBytes + this.#memoryOf(partLength, rawLength) > mergeBytes) {
      await checkLocal(output);
      this.#addRun({ path, place: this.#placeOf(place.offset, place), bytes: partLength, isOfMap: true });
      return;
    }
    const copy = await this.begin(partLength, rawLength);
    try {
      for (const piece of piecesOf(output)) copy.write(piece);
      copy.check();
      copy.keep();
      this.readBytes += partLength;
    } finally {
      copy.drop();
    }
  }

  /** Where a reader finds a segment: of one that is not compressed the bytes themselves say how long it is. */
  #placeOf(offset: number, { rawLength, partLength }: Omit<SegmentPlace, 'offset'>): SegmentPlace {
    return { offset, rawLength: this.#options.codec === undefined ? partLength - checksumBytes : rawLength, partLength };
  }

  #reader({ bytes, rawLength }: Kept): SegmentReader {
    const { keyKind, valueKind, codec } = this.#options;
    return SegmentReader.inMemory(bytes, keyKind, valueKind, codec && { codec, rawLength });
  }

  #inMemory(partLength: number, rawLength: number, taken: number): Copy {
    const bytes = Buffer.allocUnsafe(partLength);
    let filled = 0;
    let open = true;
    this.#memoryBytes += taken;
    return {
      write: (piece) => {
        filled += piece.copy(bytes, filled);
      },
      check: () => void this.#reader({ bytes: bytes.subarray(0, filled), rawLength, taken }),
      keep: () => {
        open = false;
        this.#kept.push({ bytes, rawLength, taken });
        this.#keptBytes += taken;
        this.#mergeMemoryWhereDue();
      },
      drop: () => {
        if (open) this.#memoryBytes -= taken;
        open = false;
      },
    };
  }

  #onDisk(partLength: number, rawLength: number): Copy {
    const path = this.#newPath();
    const file = writing(() => openSync(path, 'w', 0o640));
    const sumAt = partLength - checksumBytes;
    const written = Buffer.alloc(checksumBytes);
    let filled = 0;
    let sum = 0;
    let open = true;
    return {
      write: (piece) => {
        const records = Math.max(0, Math.min(piece.length, sumAt - filled));
        sum = crc32(piece.subarray(0, records), sum);
        if (records < piece.length) piece.copy(written, Math.max(0, filled - sumAt), records);
        writing(() => writeWhole(file, piece));
        this.writtenBytes += piece.length;
        filled += piece.length;
      },
      check: () => {
        if (sumAt < 2 || sum >>> 0 !== written.readUInt32BE()) throw new CorruptSegment('checksum of a segment on its way is wrong');
      },
      keep: () => {
        open = false;
        closeSync(file);
        this.#addRun({ path, place: this.#placeOf(0, { rawLength, partLength }), bytes: partLength });
      },
      drop: () => {
        if (!open) return;
        open = false;
        closeSync(file);
        rmSync(path, { force: true });
      },
    };
  }

  /** Merging that goes on beside the copying, begun in a later turn: its failure is told, nobody has to wait for it. */
  async #beside(merging: () => Promise<void>): Promise<void> {
    await pause();
    try {
      await merging();
    } catch (error) {
      this.#failed = true;
      this.#options.onFailed(error as Error);
    }
  }

  #mergeMemoryWhereDue(): void {
    if (this.#keptBytes <= this.#options.mergeBytes) return;
    this.#mergingMemory ??= this.#beside(async () => {
      await this.#mergeMemory();
      this.#mergingMemory = undefined;
      this.#mergeMemoryWhereDue();
    });
  }

  /** Merges the complete copies in memory to one run. */
  async #mergeMemory(): Promise<void> {
    const [kept, bytes] = [this.#kept, this.#keptBytes];
    this.#kept = [];
    this.#keptBytes = 0;
    const readers = kept.map((one) => this.#reader(one));
    this.#addRun(await this.#write(merge(readers, this.#options.compare)));
    this.#memoryBytes -= bytes;
  }

  #addRun(run: Run): void {
    this.#runs.push(run);
    if (this.#runs.length < 2 * this.#options.factor - 1) return;
    this.#mergingRuns ??= this.#beside(async () => {
      await this.#mergeRuns();
      this.#mergingRuns = undefined;
    });
  }

  async #mergeRuns(): Promise<void> {
    const { factor } = this.#options;
    while (this.#runs.length >= 2 * factor - 1) {
      const smallest = [...this.#runs].sort((a, b) => a.bytes - b.bytes).slice(0, factor);
      this.#runs = this.#runs.filter((run) => !smallest.includes(run));
      this.#runs.push(await this.#mergeSome(smallest));
    }
  }

  #mergeSome(runs: readonly Run[]): Promise<Run> {
    return this.#write(merge(this.#open(runs), this.#options.compare));
  }

  /** Writes a cursor as a run and closes it, which removes the runs it read. */
  async #write(cursor: RecordCursor): Promise<Run> {
    const path = this.#newPath();
    const file = openSync(path, 'w', 0o640);
    try {
      const writer = new SegmentWriter(file, this.#options.keyKind, this.#options.valueKind, this.#options.codec);
      await writeAll(cursor, writer);
      const place = writer.endSegment();
      this.writtenBytes += place.partLength;
      return { path, place, bytes: place.partLength };
    } finally {
      closeSync(file);
      cursor.close();
    }
  }

  #open(runs: readonly Run[]): SegmentReader[] {
    return runs.map(({ path, place, isOfMap }) => {
      const file = openSync(path, 'r');
      this.readBytes += place.partLength;
      const { keyKind, valueKind, codec } = this.#options;
      const close = () => {
        closeSync(file);
        if (isOfMap !== true) rmSync(path, { force: true });
      };
      return SegmentReader.inFile(file, place, keyKind, valueKind, close, codec);
    });
  }

  /** The sorted stream of all records kept; closing it removes the files. */
  async merged(): Promise<RecordCursor> {
    const { factor, compare } = this.#options;
    while (!this.#failed && (this.#mergingMemory !== undefined || this.#mergingRuns !== undefined)) {
      await this.#mergingMemory;
      await this.#mergingRuns;
    }
    const runs = await mergeDown(this.#runs, factor, (some) => this.#mergeSome(some));
    this.#given = true;
    return merge([...this.#open(runs), ...this.#kept.map((one) => this.#reader(one))], compare);
  }

  /** Removes the files of a copying that failed. */
  discard(): void {
    if (!this.#given) rmSync(this.#options.folder, { recursive: true, force: true });
  }
}
