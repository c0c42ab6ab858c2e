// What the tables have in common that collect a map's records, and what they work with.
import type { Sorting } from './record-sort.ts';
import type { RecordCursor } from './segment.ts';

/** Combines two integers of 32 bits into one; it must be associative, for equal keys meet in any grouping before anything is sorted. */
export type Fold = (left: number, right: number) => number;

/** The partition (0 to `partitions` - 1) of a raw key. */
export type Partitioner = (key: Buffer, start: number, end: number, partitions: number) => number;

/** A table that collects records of all partitions and gives them back sorted. */
export interface RecordTable {
  /** Records held now. */
  readonly records: number;
  /** Records taken since the last `clear`; more than `records` where the table combines. */
  readonly added: number;
  /** Bytes in use, with what sorting needs. */
  readonly usedBytes: number;
  /** Copies one record in. @throws RangeError for a partition that does not exist */
  add(key: Buffer, keyStart: number, keyEnd: number, value: Buffer, valueStart: number, valueEnd: number): void;
  /** Copies one record in whose value is an integer of 32 bits. @throws RangeError for a partition that does not exist */
  addInteger(key: Buffer, keyStart: number, keyEnd: number, value: number): void;
  /** Does beforehand what {@link RecordTable.sorted} would, step by step. */
  sort?(partition: number): Sorting;
  /** The records of one partition in the order of their key bytes; valid until the next `add` or `clear`. */
  sorted(partition: number): RecordCursor;
  clear(): void;
}

/** Partitions are numbered in 16 bits. */
const maximumPartitions = 0xffff;

/** @throws RangeError for more partitions than a table can number */
export function checkPartitions(partitions: number): void {
  if (partitions > maximumPartitions) throw new RangeError(`${partitions} partitions are too many: at most ${maximumPartitions}`);
}

/** The partition of a key; a partitioner is not asked where there is but one. @throws RangeError in the words of Hadoop's MapOutputBuffer */
export function partitionOfKey(partitioner: Partitioner, key: Buffer, start: number, end: number, partitions: number): number {
  if (partitions === 1) return 0;
  const partition = partitioner(key, start, end, partitions);
  if (!(partition >= 0 && partition < partitions))
    throw new RangeError(`Illegal partition for ${key.toString('utf8', start, end)} (${partition})`);
  return partition;
}
