// The index beside a file of segments: where each partition's lies (Hadoop's SpillRecord).
import { crc32 } from 'node:zlib';
import type { SegmentPlace } from './segment.ts';
import { CorruptSegment } from './segment-bytes.ts';

const indexEntryBytes = 24;

/** The index beside a map output file: offset, raw length, part length of each partition (8 bytes each), then a checksum (Hadoop's SpillRecord). */
export function encodeIndex(places: readonly SegmentPlace[]): Buffer {
  const bytes = Buffer.alloc(places.length * indexEntryBytes + 8);
  places.forEach((place, i) => {
    bytes.writeBigInt64BE(BigInt(place.offset), i * indexEntryBytes);
    bytes.writeBigInt64BE(BigInt(place.rawLength), i * indexEntryBytes + 8);
    bytes.writeBigInt64BE(BigInt(place.partLength), i * indexEntryBytes + 16);
  });
  bytes.writeBigInt64BE(BigInt(crc32(bytes.subarray(0, bytes.length - 8))), bytes.length - 8);
  return bytes;
}

/** Reads {@link encodeIndex}'s form. @throws CorruptSegment */
export function decodeIndex(bytes: Buffer): SegmentPlace[] {
  return Array.from({ length: countInIndex(bytes) }, (_, i) => placeInIndex(bytes, i));
}

/** How many partitions an index of {@link encodeIndex}'s form has, its checksum checked. @throws CorruptSegment */
export function countInIndex(bytes: Buffer): number {
  const count = (bytes.length - 8) / indexEntryBytes;
  if (!Number.isInteger(count) || count < 0) throw new CorruptSegment('index of a map output has an odd length');
  if (BigInt(crc32(bytes.subarray(0, bytes.length - 8))) !== bytes.readBigInt64BE(bytes.length - 8))
    throw new CorruptSegment('checksum of an index is wrong');
  return count;
}

/** One partition's entry in an index of that form. */
export function placeInIndex(bytes: Buffer, partition: number): SegmentPlace {
  const at = partition * indexEntryBytes;
  return {
    offset: Number(bytes.readBigInt64BE(at)),
    rawLength: Number(bytes.readBigInt64BE(at + 8)),
    partLength: Number(bytes.readBigInt64BE(at + 16)),
  };
}
