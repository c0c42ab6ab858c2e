// Runs one attempt at a reduce: copy, sort, reduce.
import { join } from 'node:path';
import { fileOutputCounterGroup } from '../counters/names.ts';
import type { CopyLimits } from '../shuffle/copied-outputs.ts';
import { Shuffle } from '../shuffle/shuffle.ts';
import { containerBytes } from './container-memory.ts';
import { mapOutputCodecOf } from './input/compression.ts';
import type { JobConfiguration } from './job-configuration.ts';
import { Groups } from './merge.ts';
import type { Program, ReduceRun } from './program.ts';
import { countProcessed, countsProcessed } from './skipping/attempt-skipping.ts';
import { KeptGroups } from './skipping/kept-records.ts';
import { OutputFile, type TaskEnvironment } from './task-environment.ts';

/** Share of the container's memory that the buffers of the copying are measured by: the rest is the program's and the runtime's. */
const bufferMemoryShare = 0.5;
/** Of so many chances to pause only one is looked at: the others cost nothing. */
const callsBetweenBreaths = 256;
/** Counters a reduce has from its start on. */
const reduceCounters = [
  'COMBINE_INPUT_RECORDS',
  'COMBINE_OUTPUT_RECORDS',
  'REDUCE_INPUT_GROUPS',
  'REDUCE_INPUT_RECORDS',
  'REDUCE_OUTPUT_RECORDS',
  'SPILLED_RECORDS',
];

/** How much of the container's memory the copies may take; shares outside of 0 to 1 are cut to it. */
function copyLimits(configuration: JobConfiguration): CopyLimits {
  const share = (name: string, otherwise: number) => Math.min(1, Math.max(0, configuration.number(name, otherwise)));
  const memoryBytes =
    containerBytes(configuration, 'REDUCE') * bufferMemoryShare * share('mapreduce.reduce.shuffle.input.buffer.percent', 0.7);
  return {
    memoryBytes,
    mergeBytes: memoryBytes * share('mapreduce.reduce.shuffle.merge.percent', 0.66),
    largestInMemory: memoryBytes * share('mapreduce.reduce.shuffle.memory.limit.percent', 0.25),
  };
}

/** Copies the map outputs and runs the reduce function; the output lies then in the attempt's work folder, not yet committed. */
export async function runReduce(task: TaskEnvironment, program: Program): Promise<void> {
  const { configuration, reporter, assignment, clock } = task;
  const { counters, progress } = reporter;
  for (const name of reduceCounters) reporter.count(name, 0);
  counters.increment(fileOutputCounterGroup, 'BYTES_WRITTEN', 0);
  reporter.phase = 'SHUFFLE';
  const shuffle = new Shuffle({
    jobId: task.jobId,
    reduce: assignment.index,
    maps: assignment.maps,
    token: task.token,
    umbilical: task.umbilical,
    reporter,
    phase: progress.phases[0]!,
    clock,
    folder: join(task.localFolder, 'output', reporter.attemptId),
    localFolders: task.localFolders,
    compare: program.compare,
    keyKind: program.keyKind,
    valueKind: program.valueKind,
    codec: mapOutputCodecOf(configuration),
    fetchers: Math.max(1, configuration.integer('mapreduce.reduce.shuffle.parallelcopies', 5)),
    limits: copyLimits(configuration),
    factor: Math.max(2, configuration.integer('mapreduce.task.io.sort.factor', 10)),
    readTimeoutMs: configuration.integer('mapreduce.reduce.shuffle.read.timeout', 180_000),
    reportAfterMs: configuration.integer('heddle.batch.fetch-failure-report-after-ms', 3000),
    signal: task.signal,
  });
  reporter.addFileUse(() => shuffle.fileBytes);
  const cursor = await shuffle.run();
  reporter.shuffleFinishTimeMs = clock.now();
  progress.completePhase();
  // Hadoop merges to disk between copying and reducing. Here the records are merged while the reduce reads them, so this phase is over as soon
  // as it begins; its state and time are told all the same, for clients show them.
  reporter.phase = 'SORT';
  reporter.sortFinishTimeMs = clock.now();
  progress.completePhase();
  reporter.phase = 'REDUCE';

  const { skipping } = task;
  const kept = skipping && new KeptGroups(cursor, program.group ?? program.compare, skipping, program.plainKey);
  const groups = kept ?? new Groups(cursor, program.group ?? program.compare);
  const counts = countsProcessed(configuration, 'REDUCE', program);
  let counted = 0;
  const output = new OutputFile(task, program);
  const bytesToReduce = cursor.bytesLeft ?? 0;
  const context = task.programContext();
  let tellsProgress = false;
  reporter.addSource(() => {
    if (bytesToReduce > 0 && !tellsProgress) progress.phases[2]!.value = 1 - (cursor.bytesLeft ?? 0) / bytesToReduce;
    reporter.set('REDUCE_INPUT_GROUPS', groups.groups - (skipping?.leftOutGroups ?? 0));
    reporter.set('REDUCE_INPUT_RECORDS', groups.records - (skipping?.leftOutRecords ?? 0));
    reporter.set('SPILLED_RECORDS', groups.records);
    output.report('REDUCE_OUTPUT_RECORDS');
    if (!counts || kept !== undefined) return;
    countProcessed(reporter, groups.groups - counted);
    counted = groups.groups;
  });
  let calls = 0;
  const run: ReduceRun = {
    ...context,
    setProgress: (value) => {
      tellsProgress = true;
      context.setProgress(value);
    },
    groups,
    output: output.sink,
    isSkipping: kept !== undefined,
    pause: () => task.breathe(),
    breathe:
      kept === undefined
        ? () => (++calls % callsBetweenBreaths === 0 ? task.breathe() : undefined)
        : async () => {
            skipping!.processed();
            await task.breathe();
            await kept.prepare();
          },
  };
  await kept?.prepare();
  await program.reduce(run);
  cursor.close();
  output.close();
  progress.phases[2]!.value = 1;
}
