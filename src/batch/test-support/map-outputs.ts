// Map outputs for tests: records as lists of pairs, written and read in the form that maps leave for reduces.
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RecordCursor, SegmentWriter } from '../tasks/segment.ts';
import { encodeIndex } from '../tasks/segment-index.ts';
import type { WritableKind } from '../tasks/writables.ts';

/** A record with texts for its raw key and value. */
export type Pair = readonly [key: string, value: string];

/** All records that the cursor has left. */
export function recordsOf(cursor: RecordCursor): Pair[] {
  const records: Pair[] = [];
  while (cursor.next())
    records.push([
      cursor.buffer.toString('latin1', cursor.keyStart, cursor.keyEnd),
      cursor.buffer.toString('latin1', cursor.valueStart, cursor.valueEnd),
    ]);
  return records;
}

/** Pairs in the order of their key bytes; equal keys keep their order. */
export function sortedPairs(pairs: readonly Pair[]): Pair[] {
  return [...pairs].sort(([a], [b]) => Buffer.compare(Buffer.from(a, 'latin1'), Buffer.from(b, 'latin1')));
}

export function append(writer: SegmentWriter, [key, value]: Pair): void {
  const [keyBytes, valueBytes] = [Buffer.from(key, 'latin1'), Buffer.from(value, 'latin1')];
  writer.append(keyBytes, 0, keyBytes.length, valueBytes, 0, valueBytes.length);
}

/** Leaves the output of a map attempt in an application's folder: one list of pairs for each reduce, sorted here. */
export function writeMapOutput(
  applicationFolder: string,
  attemptId: string,
  partitions: readonly (readonly Pair[])[],
  kinds: readonly [WritableKind, WritableKind] = ['text', 'text'],
): void {
  const folder = join(applicationFolder, 'output', attemptId);
  mkdirSync(folder, { recursive: true });
  const file = openSync(join(folder, 'file.out'), 'w');
  const writer = new SegmentWriter(file, ...kinds);
  const places = partitions.map((pairs) => {
    for (const pair of sortedPairs(pairs)) append(writer, pair);
    return writer.endSegment();
  });
  closeSync(file);
  writeFileSync(join(folder, 'file.out.index'), encodeIndex(places));
}
