// How keys and values lie in map output (Text, BytesWritable, IntWritable, NullWritable), and Java's hash of them, which decides their partition.
import { variableIntegerSize, variableIntegerSizeAt, writeVariableInteger } from '../../wire/files/writables.ts';

/** How a key or value lies in map output: `text` = length and UTF-8 bytes, `bytes` = a length of 4 bytes and bytes, `int` = the bytes of a number, big-endian, `null` = nothing. */
export type WritableKind = 'text' | 'bytes' | 'int' | 'null';

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

const fixedLengthBytes = 4;

/** Size of what stands before `length` raw bytes. */
export function prefixSize(kind: WritableKind, length: number): number {
  if (kind === 'text') return variableIntegerSize(length);
  return kind === 'bytes' ? fixedLengthBytes : 0;
}

/** Writes what stands before `length` raw bytes; answers their place. */
export function writePrefix(target: Buffer, at: number, kind: WritableKind, length: number): number {
  if (kind === 'text') return writeVariableInteger(target, at, length);
  return kind === 'bytes' ? target.writeUInt32BE(length, at) : at;
}

/** Serialized size of a raw value of `length` bytes. */
export function serializedSize(kind: WritableKind, length: number): number {
  return prefixSize(kind, length) + length;
}

/** Bytes before the raw content of a serialized value that starts at `at`. */
export function prefixSizeAt(kind: WritableKind, source: Buffer, at: number): number {
  if (kind === 'text') return variableIntegerSizeAt(source, at);
  return kind === 'bytes' ? fixedLengthBytes : 0;
}

/** Four bytes big-endian, as IntWritable writes them. */
export function intBytes(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeInt32BE(value | 0);
  return bytes;
}

/** Bytes as BytesWritable shows them: two hexadecimal digits each, with blanks between. */
export const spacedHex = (bytes: Buffer): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(' ');
