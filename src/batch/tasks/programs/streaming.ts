// Streaming: any executable as mapper, combiner and reducer (the contract of hadoop-streaming).

import { pause } from '../../../lib/pause.ts';
import { inputFormatOf, recordInputOf, textInputs } from '../input/formats.ts';
import { recordOf } from '../input/input-record.ts';
import type { JobConfiguration } from '../job-configuration.ts';
import type { Combiner, GroupCombiner, ProcessCombiner } from '../map-output.ts';
import type { Groups } from '../merge.ts';
import { inputUri } from '../paths.ts';
import type { MapRun, Program, ProgramContext, ReduceRun } from '../program.ts';
import type { Partitioner } from '../record-table.ts';
import { emit, type RawRecordSink, type RecordSink } from '../records.ts';
import { wantsTotalOrder } from '../total-order.ts';
import { partitionOf } from '../writables.ts';
import { aggregateReducer, aggregatorOf } from './aggregate.ts';
import { type KeyOrder, keyOrder } from './ordered.ts';
import { Pipe } from './pipe.ts';
import { commandOf } from './stream-commands.ts';
import {
  dataOfForm,
  kindOfDatum,
  lineData,
  type RecordData,
  recordWriter,
  shown,
  streamFormOf,
  textData,
  type WriteRecord,
} from './stream-forms.ts';

const tab = '\t';

/** `isLent`: that records stay as they are until the pipe is flushed. */
function openPipe(side: 'map' | 'reduce', command: string, context: ProgramContext, sink: RawRecordSink, isLent = true): Promise<Pipe> {
  const { configuration } = context;
  return Pipe.start({
    command,
    context,
    sink,
    outputForm: streamFormOf(configuration, `${side}.output`),
    outputSeparator: Buffer.from(configuration.text(`stream.${side}.output.field.separator`, tab)),
    // Less than one counts as one (TextOutputReader.splitKeyVal).
    outputKeyFields: Math.max(1, configuration.integer(`stream.num.${side}.output.key.fields`, 1)),
    workingFolder: process.cwd(),
    isLent,
  });
}

/**
 * Whether lines go through the job as they are, so that their keys stay numbers (LongWritable): sorted and hashed as such, and text in the
 * output alone. What reads keys as text, a command, aggregate, or a part of keys by which they are sorted, is given text.
 */
function keepsPositions(configuration: JobConfiguration, order: KeyOrder): boolean {
  const commands = (['map', 'combine', 'reduce'] as const).filter((side) => commandOf(configuration, side) !== undefined);
  return (
    commands.length === 0 &&
    configuration.text('mapred.reducer.class', '') !== aggregateReducer &&
    order.plain === undefined &&
    !wantsTotalOrder(configuration) &&
    recordInputOf(configuration) === 'positions'
  );
}

/** The partition of such a key: LongWritable's hash is the lower half of its number; what looks at parts of keys is given its digits. */
function positionPartitioner(byParts: Partitioner | undefined): Partitioner {
  if (byParts === undefined) return (key, _start, end, partitions) => partitionOf(key.readInt32BE(end - 4), partitions);
  return (key, start, _end, partitions) => {
    const digits = Buffer.from(String(key.readBigInt64BE(start)));
    return byParts(digits, 0, digits.length, partitions);
  };
}

async function map(run: MapRun, output: RecordSink, keepsNumbers: boolean): Promise<void> {
  const { configuration, split } = run;
  if (split !== undefined) run.setStatus(`${inputUri(split.path)}:${split.start}+${split.length}`);
  const command = commandOf(configuration, 'map');
  const form = streamFormOf(configuration, 'map.input');
  const input = recordInputOf(configuration);
  const isText = form === 'text' || form === 'keyonlytext';
  const read = recordOf(configuration, input, !keepsNumbers && (isText || command === undefined));
  if (command === undefined) {
    await run.forEachLine((buffer, start, end, position) => {
      const { key, keyStart, keyEnd, valueStart } = read(buffer, start, end, position);
      output.collect(key, keyStart, keyEnd, buffer, valueStart, end);
    });
    return;
  }
  // Only lines of text can lack their keys.
  const ignoreKey =
    form === 'text' && configuration.boolean('stream.map.input.ignoreKey', textInputs.includes(inputFormatOf(configuration)));
  const separator = Buffer.from(configuration.text('stream.map.input.field.separator', tab));
  const pipe = await openPipe('map', command, run, output, input === 'positions' || input === 'pairs');
  const data: RecordData = input === 'positions' && !isText ? lineData : textData;
  const write = recordWriter(form, data, separator, !ignoreKey, pipe);
  try {
    await run.forEachLine(
      (buffer, start, end, position) => {
        const { key, keyStart, keyEnd, valueStart } = read(buffer, start, end, position);
        write(key, keyStart, keyEnd, buffer, valueStart, end);
      },
      () => pipe.flush(),
      ignoreKey && input === 'positions' ? (buffer, start, end, lines) => pipe.writeLines(buffer, start, end, lines) : undefined,
    );
  } catch (error) {
    await pipe.explain(error);
  }
  await pipe.finish();
}

/** What maps of a job emit. */
const mapData = (configuration: JobConfiguration) => dataOfForm[streamFormOf(configuration, 'map.output')];

/**
 * Feeds the sorted records of the current group and of all behind it to a child. A child that takes all at once would let nothing else have its
 * turn. In skipping mode none of a group is held back here when the next one is told of.
 */
async function feedGroups(
  pipe: Pipe,
  groups: Groups,
  write: WriteRecord,
  order: KeyOrder,
  run?: Pick<ReduceRun, 'breathe' | 'pause' | 'isSkipping'>,
): Promise<void> {
  const { cursor } = groups;
  do {
    while (groups.nextValue()) {
      const { buffer, keyStart, keyEnd } = cursor;
      write(buffer, order.plainStart(buffer, keyStart, keyEnd), order.plainEnd(keyEnd), buffer, cursor.valueStart, cursor.valueEnd);
      if (!pipe.buffered) continue;
      await pipe.flush();
      await (run ?? { pause }).pause();
    }
    if (run?.isSkipping === true) await pipe.flush();
    const waiting = run?.breathe();
    if (waiting !== undefined) await waiting;
  } while (groups.nextGroup());
}

/** Writes what maps emitted to a reducer or combiner. */
function reduceWriter(configuration: JobConfiguration, pipe: Pipe): WriteRecord {
  const separator = Buffer.from(configuration.text('stream.reduce.input.field.separator', tab));
  const form = streamFormOf(configuration, 'reduce.input');
  return recordWriter(form, mapData(configuration), separator, true, pipe);
}

async function reduceByCommand(run: ReduceRun, command: string, order: KeyOrder): Promise<void> {
  const { configuration, groups } = run;
  const output = shown(run.output, dataOfForm[streamFormOf(configuration, 'reduce.output')]);
  // A reducer without input is started all the same, and what it writes is dropped.
  let inputSeen = false;
  const sink: RawRecordSink = {
    get full() {
      return output.full;
    },
    drain: () => output.drain(),
    collect: (key, keyStart, keyEnd, value, valueStart, valueEnd) => {
      if (inputSeen) output.collect(key, keyStart, keyEnd, value, valueStart, valueEnd);
    },
  };
  const pipe = await openPipe('reduce', command, run, sink);
  const write = reduceWriter(configuration, pipe);
  try {
    inputSeen = groups.nextGroup();
    if (inputSeen) await feedGroups(pipe, groups, write, order, run);
  } catch (error) {
    await pipe.explain(error);
  }
  await pipe.finish();
}

async function passThrough({ groups, output: file, breathe }: ReduceRun, order: KeyOrder, emitted: RecordData): Promise<void> {
  const { cursor } = groups;
  const output = shown(file, emitted);
  while (groups.nextGroup()) {
    while (groups.nextValue()) {
      const { buffer, keyStart, keyEnd } = cursor;
      output.collect(
        buffer,
        order.plainStart(buffer, keyStart, keyEnd),
        order.plainEnd(keyEnd),
        buffer,
        cursor.valueStart,
        cursor.valueEnd,
      );
    }
    const waiting = breathe();
    if (waiting !== undefined) await waiting;
    if (output.full) await output.drain();
  }
}

/** A combiner command follows the rules of a reducer; it runs once for each sorted run of each partition. */
function combiner(command: string, context: () => ProgramContext, order: KeyOrder): ProcessCombiner {
  return async (groups, emit) => {
    const sink = order.packing<RawRecordSink>({ full: false, drain: async () => {}, collect: emit });
    const { configuration } = context();
    if (!groups.nextGroup()) return;
    const pipe = await openPipe('reduce', command, context(), sink);
    const write = reduceWriter(configuration, pipe);
    await feedGroups(pipe, groups, write, order);
    await pipe.finish();
  };
}

/** Hands the values of each group to the function that its key names; answers the keys with what was found. */
function* aggregated(groups: Groups, order: KeyOrder, uniqueLimit: number): Generator<{ key: Buffer } & ReturnType<typeof aggregatorOf>> {
  const { cursor } = groups;
  while (groups.nextGroup()) {
    const key = order.plain?.(groups.key) ?? groups.key;
    const found = aggregatorOf(key.toString(), uniqueLimit);
    while (groups.nextValue()) found.aggregator.add(cursor.buffer.toString('utf8', cursor.valueStart, cursor.valueEnd));
    yield { key, ...found };
  }
}

const uniqueLimitOf = (configuration: JobConfiguration) =>
  configuration.integer('mapreduce.aggregate.max.num.unique.values', Number.MAX_SAFE_INTEGER);

/** The reducer `aggregate`. */
async function reduceAggregate({ configuration, groups, output, breathe }: ReduceRun, order: KeyOrder): Promise<void> {
  for (const { id, aggregator } of aggregated(groups, order, uniqueLimitOf(configuration))) {
    emit(output, Buffer.from(id), Buffer.from(aggregator.report()));
    const waiting = breathe();
    if (waiting !== undefined) await waiting;
  }
  if (output.full) await output.drain();
}

/** Its combiner: values of a key become fewer, and remain values of that key. */
function combineAggregate(configuration: JobConfiguration, order: KeyOrder): GroupCombiner {
  return (groups, collect) => {
    const sink = order.packing<RawRecordSink>({ full: false, drain: async () => {}, collect });
    for (const { key, aggregator } of aggregated(groups, order, uniqueLimitOf(configuration)))
      for (const value of aggregator.partial()) emit(sink, key, Buffer.from(value));
  };
}

/** The streaming program of a job; `context` gives the running task to a combiner. */
export function streaming(configuration: JobConfiguration, context: () => ProgramContext): Program {
  const order = keyOrder(configuration);
  const combine = commandOf(configuration, 'combine');
  const isAggregate = configuration.text('mapred.reducer.class', '') === aggregateReducer;
  const combining: Combiner | undefined =
    combine !== undefined
      ? { process: combiner(combine, context, order) }
      : isAggregate
        ? { group: combineAggregate(configuration, order) }
        : undefined;
  const keepsNumbers = keepsPositions(configuration, order);
  const emitted = keepsNumbers ? lineData : mapData(configuration);
  const written = isAggregate
    ? textData
    : commandOf(configuration, 'reduce') === undefined
      ? emitted
      : dataOfForm[streamFormOf(configuration, 'reduce.output')];
  return {
    api: 'mapred',
    keyKind: kindOfDatum[emitted.key],
    valueKind: kindOfDatum[emitted.value],
    reducedValueKind: kindOfDatum[written.value],
    readsFiles: true,
    writesFiles: true,
    combiner: combining,
    partitioner: keepsNumbers ? positionPartitioner(order.partitioner) : order.partitioner,
    commands: [
      ...(commandOf(configuration, 'map') === undefined ? [] : (['MAP'] as const)),
      ...(commandOf(configuration, 'reduce') === undefined ? [] : (['REDUCE'] as const)),
    ],
    ...(order.plain === undefined ? {} : { plainKey: order.plain }),
    map: (run) => map(run, run.reduces > 0 ? order.packing(run.output) : shown(run.output, emitted), keepsNumbers),
    reduce(run) {
      const command = commandOf(configuration, 'reduce');
      if (command !== undefined) return reduceByCommand(run, command, order);
      return isAggregate ? reduceAggregate(run, order) : passThrough(run, order, emitted);
    },
  };
}
