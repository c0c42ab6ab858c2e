// Where the ranges of a TotalOrderPartitioner are cut: as a partition file says, or by a sample of the input, which the map functions of
// modules and word count see as they will see the whole. A sample that is not typical makes ranges of unequal size, never a wrong order.

import { readFileSync, statSync } from 'node:fs';
import { NotSequenceFile, sequenceKeys } from '../../wire/files/sequence-reader.ts';
import { Counters } from '../counters/counters.ts';
import { isCompressed } from '../tasks/input/compression.ts';
import { recordInputOf } from '../tasks/input/formats.ts';
import type { InputSplit } from '../tasks/input/input-split.ts';
import { type LineConsumer, LineReader } from '../tasks/input/line-reader.ts';
import { elsewhereOf } from '../tasks/input/split-reader.ts';
import { BadSetting, type JobConfiguration } from '../tasks/job-configuration.ts';
import { localPath } from '../tasks/paths.ts';
import type { MapRun, Program } from '../tasks/program.ts';
import { loadProgram } from '../tasks/programs/index.ts';
import { keyOrder } from '../tasks/programs/ordered.ts';
import { commandOf, programSetting } from '../tasks/programs/stream-commands.ts';
import { streamFormOf } from '../tasks/programs/stream-forms.ts';
import { compareKeys, type KeyComparator } from '../tasks/record-sort.ts';
import { formatAttemptId, formatTaskId } from '../tasks/task-ids.ts';
import { cutPointsOf } from '../tasks/total-order.ts';

const places = 100;
const linesOfPlace = 50;
const chunkBytes = 1 << 14;
const longestLineBytes = 1 << 20;
const longestPointBytes = 512;
const largestFileBytes = 1 << 24;
const largestPointsBytes = 1 << 20;

/** Raised where cut points cannot be had; the message says why, and what helps. */
export class NoCutPoints extends Error {
  override readonly name = 'NoCutPoints';
}

/** What a job's cut points depend on. */
interface CutPointsOf {
  readonly jobId: string;
  readonly settings: JobConfiguration;
  readonly splits: readonly (InputSplit | undefined)[];
  readonly reduces: number;
  readonly workingFolder: string;
}

const isStreaming = (settings: JobConfiguration) => settings.text(programSetting, 'streaming') === 'streaming';

/** The order of a job's keys, as its reduces get them. */
function orderOf(settings: JobConfiguration, program: Program): KeyComparator {
  if (!isStreaming(settings)) return program.compare ?? compareKeys;
  const { pack } = keyOrder(settings);
  return (a, aStart, aEnd, b, bStart, bEnd) => Buffer.compare(pack(a.subarray(aStart, aEnd)), pack(b.subarray(bStart, bEnd)));
}

/** Cut points of a partition file of Hadoop (TotalOrderPartitioner.readPartitions). @throws NoCutPoints */
function pointsOfFile(path: string, reduces: number, compare: KeyComparator): Buffer[] {
  const fail = (why: string): never => {
    throw new NoCutPoints(`mapreduce.totalorderpartitioner.path: ${path}: ${why}`);
  };
  let points: Buffer[] = [];
  try {
    if (statSync(path).size > largestFileBytes) fail(`it is larger than ${largestFileBytes} bytes`);
    points = sequenceKeys(readFileSync(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!(error instanceof NotSequenceFile) && code === undefined) throw error;
    fail(code === 'ENOENT' ? 'there is no such file; leave the setting out, and the input is sampled' : (error as Error).message);
  }
  if (points.length !== reduces - 1)
    fail(`Wrong number of partitions in keyset: ${reduces} reduces need ${reduces - 1} keys, it has ${points.length}`);
  for (let i = 1; i < points.length; i++) {
    const [before, point] = [points[i - 1]!, points[i]!];
    if (compare(before, 0, before.length, point, 0, point.length) >= 0) fail('Split points are out of order');
  }
  return points;
}

interface Place {
  readonly path: string;
  readonly start: number;
}

/** Places all over the input, each as far from the next in bytes; compressed files are read from their beginnings alone. */
function placesOf(splits: readonly (InputSplit | undefined)[]): Place[] {
  const parts = splits.flatMap((split) => split?.parts ?? (split === undefined ? [] : [split]));
  const step = Math.max(1, parts.reduce((sum, { length }) => sum + length, 0) / places);
  const found: Place[] = [];
  let next = step / 2;
  let before = 0;
  for (const { path, start, length } of parts) {
    const whole = isCompressed(path);
    if (whole && next < before + length) found.push({ path, start: 0 });
    for (; next < before + length; next += step) if (!whole) found.push({ path, start: start + Math.floor(next - before) });
    before += length;
  }
  // A small input is read from its beginning, too: behind its only line there is none.
  const [first] = parts;
  return first === undefined ? [] : [{ path: first.path, start: first.start }, ...found];
}

/** Hands on some lines of each place. */
async function readSample({ splits, settings }: Pick<CutPointsOf, 'splits' | 'settings'>, consume: LineConsumer): Promise<void> {
  for (const { path, start } of placesOf(splits)) {
    const reader = new LineReader(
      { path, start, length: chunkBytes, hosts: [] },
      { chunkBytes, maximumLineBytes: longestLineBytes, elsewhere: elsewhereOf(settings) },
    );
    let lines = 0;
    const some: LineConsumer = (...line) => {
      if (lines++ < linesOfPlace) consume(...line);
    };
    try {
      for (let reads = 0; lines === 0 && reads < longestLineBytes / chunkBytes; reads++) if (!(await reader.readChunk(some))) break;
    } finally {
      reader.close();
    }
  }
}

type Keep = (key: Buffer, start: number, end: number) => void;

/** A command is not run: its keys are taken to be those that `cat` would leave. */
async function keysOfLines({ settings, splits }: CutPointsOf, keep: Keep): Promise<void> {
  const separator = Buffer.from(settings.text('stream.map.output.field.separator', '\t'));
  const fields = Math.max(1, settings.integer('stream.num.map.output.key.fields', 1));
  const isKeyOnly = streamFormOf(settings, 'map.output') === 'keyonlytext';
  await readSample({ splits, settings }, (buffer, start, end) => {
    let at = start - separator.length;
    for (let field = 0; field < fields; field++) {
      const found = isKeyOnly || separator.length === 0 ? -1 : buffer.indexOf(separator, at + separator.length);
      if (found < 0 || found >= end) return keep(buffer, start, end);
      at = found;
    }
    keep(buffer, start, at);
  });
}

/** Keys that the job's maps would emit for a sample of its input. */
async function sampledKeys(job: CutPointsOf, program: Program): Promise<Buffer[]> {
  const { jobId, settings, splits, reduces } = job;
  if (recordInputOf(settings) === 'sequence') throw new Error('sequence files are not sampled');
  const keys: Buffer[] = [];
  const keep: Keep = (key, start, end) => void keys.push(Buffer.from(key.subarray(start, Math.min(end, start + longestPointBytes))));
  if (isStreaming(settings) && commandOf(settings, 'map') !== undefined) {
    await keysOfLines(job, keep);
    return keys;
  }
  const [split] = splits;
  const run: MapRun = {
    ...{ configuration: settings, counters: new Counters(), attemptId: formatAttemptId(formatTaskId(jobId, 'MAP', 0), 0) },
    ...{ index: 0, maps: splits.length, workFolder: undefined, signal: new AbortController().signal },
    ...{ setStatus() {}, touch() {}, setProgress() {}, countInput() {}, waitsFor() {} },
    // As keys are before they are made ready for sorting.
    reduces: isStreaming(settings) ? 0 : reduces,
    split,
    inputFile: split?.path,
    output: { full: false, drain: async () => {}, collect: keep, collectInteger: keep },
    async forEachLine(consume, afterChunk) {
      await readSample(job, consume);
      await afterChunk?.();
    },
  };
  await program.map(run);
  return keys;
}

/** The keys that cut the ranges of a job's reduces. @throws NoCutPoints */
export async function findCutPoints(job: CutPointsOf): Promise<Buffer[]> {
  const { settings, reduces, workingFolder } = job;
  const path = settings.text('mapreduce.totalorderpartitioner.path', '');
  try {
    const program = await loadProgram(settings, () => {
      throw new Error('nothing is combined');
    });
    const compare = orderOf(settings, program);
    const points =
      path !== ''
        ? pointsOfFile(localPath(path, workingFolder), reduces, compare)
        : cutPointsOf(await sampledKeys(job, program), reduces, compare);
    if (points.reduce((sum, point) => sum + point.length, 0) > largestPointsBytes)
      throw new NoCutPoints(`mapreduce.totalorderpartitioner.path: ${path}: its keys have more than ${largestPointsBytes} bytes together`);
    return points;
  } catch (error) {
    if (error instanceof NoCutPoints || error instanceof BadSetting) throw error;
    throw new NoCutPoints(
      `the input could not be sampled for TotalOrderPartitioner: ${(error as Error).message}; name a partition file by mapreduce.totalorderpartitioner.path`,
    );
  }
}
