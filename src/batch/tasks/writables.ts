// The byte forms Hadoop gives to keys and values in map output: variable-length integers, Text, IntWritable, NullWritable; and Java's hash of them.

/** How a key or value lies in map output: `text` = length and UTF-8 bytes, `int` = 4 bytes big-endian, `null` = nothing. */
export type WritableKind = 'text' | 'int' | 'null';

/** Number of bytes WritableUtils.writeVLong needs for `value` (any safe integer). */
export function variableIntegerSize(value: number): number {
  if (value >= -112 && value <= 127) return 1;
  let rest = value < 0 ? -value - 1 : value;
  let bytes = 0;
  while (rest > 0) {
    rest = Math.floor(rest / 256);
    bytes++;
  }
  return bytes + 1;
}

/** Writes `value` as WritableUtils.writeVLong at `at`; answers the position behind it. */
export function writeVariableInteger(target: Buffer, at: number, value: number): number {
  if (value >= -112 && value <= 127) {
    target[at] = value & 0xff;
    return at + 1;
  }
  let rest = value < 0 ? -value - 1 : value;
  const bytes = variableIntegerSize(value) - 1;
  target[at] = ((value < 0 ? -120 : -112) - bytes) & 0xff;
  for (let i = bytes; i >= 1; i--) {
    target[at + i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return at + bytes + 1;
}

/** Size of a variable-length integer by its first byte. */
export function variableIntegerSizeAt(source: Buffer, at: number): number {
  const first = (source[at]! << 24) >> 24;
  if (first >= -112) return 1;
  return first < -120 ? -119 - first : -111 - first;
}

/** Reads a variable-length integer at `at`. */
export function readVariableInteger(source: Buffer, at: number): number {
  const first = (source[at]! << 24) >> 24;
  if (first >= -112) return first;
  const negative = first < -120;
  const bytes = negative ? -120 - first : -112 - first;
  let value = 0;
  for (let i = 1; i <= bytes; i++) value = value * 256 + source[at + i]!;
  return negative ? -value - 1 : value;
}

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
