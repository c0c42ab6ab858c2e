// What the tables have in common that collect a map's records, and what they work with.
import type { RecordCursor } from './segment.ts';

/** Combines two integers into one; lets equal keys meet in memory before anything is sorted. */
export type Fold = (left: number, right: number) => number;

/** The partition of a raw key; `hash` is its Java hash where known. */
export type Partitioner = (key: Buffer, start: number, end: number, hash: number | undefined, partitions: number) => number;

/** A table that collects records of all partitions and gives them back sorted. */
export interface RecordTable {
  readonly records: number;
  /** Bytes in use, with what sorting needs. */
  readonly usedBytes: number;
  sorted(partition: number): RecordCursor;
  clear(): void;
}
