// Merging many sorted runs a few at a time, so that neither open files nor read buffers grow with their number (org.apache.hadoop.mapred.Merger).
import { pause } from '../../lib/pause.ts';
import type { RecordCursor, SegmentWriter } from './segment.ts';

/** A run as a pass sees it. */
export interface SizedRun {
  readonly bytes: number;
}

/** How many of `runs` are merged first so that every later pass merges `factor` of them and the last one all that is left (Merger.getPassFactor). */
export function firstPassSize(runs: number, factor: number): number {
  if (runs <= factor) return runs;
  const rest = (runs - 1) % (factor - 1);
  return rest === 0 ? factor : rest + 1;
}

/** Where the `count` neighbours begin that have the fewest bytes together. Neighbours, so that equal keys keep the order of their runs. */
function cheapestNeighbours(runs: readonly SizedRun[], count: number): number {
  let bytes = 0;
  for (let i = 0; i < count; i++) bytes += runs[i]!.bytes;
  let [best, least] = [0, bytes];
  for (let start = 1; start + count <= runs.length; start++) {
    bytes += runs[start + count - 1]!.bytes - runs[start - 1]!.bytes;
    if (bytes < least) [best, least] = [start, bytes];
  }
  return best;
}

/** The passes until at most `factor` (at least 2) runs are left: gives the neighbours of each, is told what becomes of them, and ends with those left. */
function* passes<R extends SizedRun>(runs: readonly R[], factor: number): Generator<readonly R[], R[], R> {
  const left = [...runs];
  let count = firstPassSize(left.length, factor);
  while (left.length > factor) {
    const start = cheapestNeighbours(left, count);
    left.splice(start, count, yield left.slice(start, start + count));
    count = factor;
  }
  return left;
}

/** Merges runs until at most `factor` (at least 2) are left; `mergeSome` makes one run of several neighbours and removes them. */
export async function mergeDown<R extends SizedRun>(
  runs: readonly R[],
  factor: number,
  mergeSome: (some: readonly R[]) => R | Promise<R>,
): Promise<R[]> {
  const plan = passes(runs, factor);
  let pass = plan.next();
  while (pass.done !== true) pass = plan.next(await mergeSome(pass.value));
  return pass.value;
}

/** How many bytes {@link mergeDown} writes before at most `factor` runs are left, as far as their sizes tell. */
export function bytesOfPasses(runs: readonly SizedRun[], factor: number): number {
  const plan = passes(runs, factor);
  let all = 0;
  for (let pass = plan.next(); pass.done !== true; ) {
    const bytes = pass.value.reduce((sum, run) => sum + run.bytes, 0);
    all += bytes;
    pass = plan.next({ bytes });
  }
  return all;
}

/** Writes records of a cursor until some have gone to the file: a good moment to let others have their turn; false when all are written. */
export function writeSome(cursor: RecordCursor, writer: SegmentWriter): boolean {
  const before = writer.position;
  while (cursor.next()) {
    writer.appendFrom(cursor);
    if (writer.position !== before) return true;
  }
  return false;
}

/** Writes all records of a cursor, with turns for timers and sockets in between. */
export async function writeAll(cursor: RecordCursor, writer: SegmentWriter): Promise<void> {
  while (writeSome(cursor, writer)) await pause();
}
