// How keys and values lie in map output (Text, IntWritable, NullWritable), and Java's hash of them, which decides their partition.
import { variableIntegerSize, variableIntegerSizeAt } from '../../wire/files/writables.ts';

/** How a key or value lies in map output: `text` = length and UTF-8 bytes, `int` = 4 bytes big-endian, `null` = nothing. */
export type WritableKind = 'text' | 'int' | 'null';

/** Java's hash of Text and BytesWritable (WritableComparator.hashBytes): h = 31·h + signed byte, from 1, in 32 bits. */
export function hashBytes(bytes: Uint8Array, start = 0, end = bytes.length): number {
  let hash = 1;
  for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + ((bytes[i]! << 24) >> 24)) | 0;
  return hash;
}

/** HashPartitioner: the partition of a key with this hash. */
export function partitionOf(hash: number, partitions: number): number {
  return (hash & 0x7fffffff) % partitions;
}

/** Serialized size of a raw value of `length` bytes. */
export function serializedSize(kind: WritableKind, length: number): number {
  return kind === 'text' ? variableIntegerSize(length) + length : length;
}

/** Bytes before the raw content of a serialized value that starts at `at`. */
export function prefixSizeAt(kind: WritableKind, source: Buffer, at: number): number {
  return kind === 'text' ? variableIntegerSizeAt(source, at) : 0;
}

/** Four bytes big-endian, as IntWritable writes them. */
export function intBytes(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeInt32BE(value | 0);
  return bytes;
}
