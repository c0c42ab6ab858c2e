// What maps left on the disks of the node that a reduce runs on: nobody has to send it.
import { closeSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { pause } from '../../lib/pause.ts';
import { checksumBytes, type SegmentPlace } from '../tasks/segment.ts';
import { CorruptSegment } from '../tasks/segment-bytes.ts';
import { readMapOutput } from './map-outputs.ts';

/** The part of a map's output that is for one reduce. */
export interface LocalOutput {
  readonly file: string;
  readonly place: SegmentPlace;
  /** Opens the file to be read. @throws Error where it is none, or leads out of the application's folder */
  open(): number;
}

const pieceBytes = 1 << 20;
const piecesBetweenPauses = 16;

/**
 * A reduce's part of what an attempt at a map left in one of the application's folders; undefined where it did not.
 * @throws CorruptSegment where the index is not what was written, Error where it leads out of its folder
 */
export function findLocal(applicationFolders: readonly string[], attemptId: string, reduce: number): LocalOutput | undefined {
  const output = readMapOutput(applicationFolders, attemptId);
  const place = output?.place(reduce);
  return place && { file: output!.file, place, open: () => output!.open() };
}

/** The bytes of an output, its checksum included; each piece is valid until the next. @throws CorruptSegment where they end early */
export function* piecesOf(output: LocalOutput): Generator<Buffer, void> {
  const { offset, partLength } = output.place;
  const file = output.open();
  try {
    const piece = Buffer.allocUnsafe(Math.min(partLength, pieceBytes));
    for (let read = 0; read < partLength; ) {
      const got = readSync(file, piece, 0, Math.min(piece.length, partLength - read), offset + read);
      if (got === 0) throw new CorruptSegment(`${output.file} is shorter than its index says`);
      yield piece.subarray(0, got);
      read += got;
    }
  } finally {
    closeSync(file);
  }
}

/** Reads an output to its end, with turns for others in between. @throws CorruptSegment where it is not what was written */
export async function checkLocal(output: LocalOutput): Promise<void> {
  const sumAt = output.place.partLength - checksumBytes;
  const written = Buffer.alloc(checksumBytes);
  let [read, sum, pieces] = [0, 0, 0];
  for (const piece of piecesOf(output)) {
    const records = Math.max(0, Math.min(piece.length, sumAt - read));
    sum = crc32(piece.subarray(0, records), sum);
    if (records < piece.length) piece.copy(written, Math.max(0, read - sumAt), records);
    read += piece.length;
    if (++pieces % piecesBetweenPauses === 0) await pause();
  }
  if (sumAt < 2 || sum >>> 0 !== written.readUInt32BE()) throw new CorruptSegment(`checksum of ${output.file} is wrong`);
}
