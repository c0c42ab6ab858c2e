// Streaming: any executable as mapper, combiner and reducer (the contract of hadoop-streaming, text mode).

import type { JobConfiguration } from '../job-configuration.ts';
import type { ProcessCombiner } from '../map-output.ts';
import type { Groups } from '../merge.ts';
import type { MapRun, Program, ProgramContext, ReduceRun } from '../program.ts';
import type { RawRecordSink } from '../records.ts';
import { Pipe } from './pipe.ts';

const tab = '\t';
const noBytes = Buffer.alloc(0);

/** The command of one side; undefined = records are passed through. */
function commandOf(configuration: JobConfiguration, side: 'map' | 'reduce' | 'combine'): string | undefined {
  const encoded = configuration.raw(`stream.${side}.streamprocessor`);
  return encoded === undefined || encoded === '' ? undefined : decodeURIComponent(encoded.replaceAll('+', ' '));
}

function openPipe(side: 'map' | 'reduce', command: string, context: ProgramContext, sink: RawRecordSink): Promise<Pipe> {
  const { configuration } = context;
  return Pipe.start({
    command,
    context,
    sink,
    outputSeparator: Buffer.from(configuration.text(`stream.${side}.output.field.separator`, tab)),
    outputKeyFields: configuration.integer(`stream.num.${side}.output.key.fields`, 1),
    workingFolder: process.cwd(),
  });
}

async function map(run: MapRun): Promise<void> {
  const { configuration, split, output } = run;
  if (split !== undefined) run.setStatus(`file:${split.path}:${split.start}+${split.length}`);
  const command = commandOf(configuration, 'map');
  const ignoreKey = configuration.boolean('stream.map.input.ignoreKey', true);
  const separator = Buffer.from(configuration.text('stream.map.input.field.separator', tab));
  const key = Buffer.alloc(20);
  const positionText = (position: number) => key.write(String(position), 'latin1');
  if (command === undefined) {
    await run.forEachLine((buffer, start, end, position) => output.collect(key, 0, positionText(position), buffer, start, end));
    return;
  }
  const pipe = await openPipe('map', command, run, output);
  try {
    await run.forEachLine(
      (buffer, start, end, position) => {
        if (ignoreKey) pipe.write(noBytes, 0, 0, undefined, buffer, start, end);
        else pipe.write(key, 0, positionText(position), separator, buffer, start, end);
      },
      () => pipe.flush(),
      ignoreKey ? (buffer, start, end, lines) => pipe.writeLines(buffer, start, end, lines) : undefined,
    );
  } catch (error) {
    await pipe.explain(error);
  }
  await pipe.finish();
}

/** Feeds sorted records to a child, one line a value. */
async function feed(pipe: Pipe, groups: Groups, separator: Buffer, onInput: () => void): Promise<void> {
  const { cursor } = groups;
  try {
    while (groups.nextGroup()) {
      onInput();
      while (groups.nextValue()) {
        pipe.write(cursor.buffer, cursor.keyStart, cursor.keyEnd, separator, cursor.buffer, cursor.valueStart, cursor.valueEnd);
        if (pipe.buffered) await pipe.flush();
      }
    }
  } catch (error) {
    await pipe.explain(error);
  }
  await pipe.finish();
}

async function reduce(run: ReduceRun): Promise<void> {
  const { configuration, groups, output } = run;
  const command = commandOf(configuration, 'reduce');
  const separator = Buffer.from(configuration.text('stream.reduce.input.field.separator', tab));
  if (command !== undefined) {
    // A reducer without input is started all the same, and what it writes is dropped.
    let inputSeen = false;
    const sink: RawRecordSink = {
      get full() {
        return output.full;
      },
      drain: () => output.drain(),
      collect: (...record) => {
        if (inputSeen) output.collect(...record);
      },
    };
    await feed(await openPipe('reduce', command, run, sink), groups, separator, () => {
      inputSeen = true;
    });
    return;
  }
  const { cursor } = groups;
  while (groups.nextGroup()) {
    while (groups.nextValue())
      output.collect(cursor.buffer, cursor.keyStart, cursor.keyEnd, cursor.buffer, cursor.valueStart, cursor.valueEnd);
    if (output.full) await output.drain();
  }
}

/** A combiner command follows the rules of a reducer; it runs once for each sorted run of each partition. */
function combiner(command: string, context: () => ProgramContext): ProcessCombiner {
  return async (groups, emit) => {
    const sink: RawRecordSink = {
      full: false,
      drain: async () => {},
      collect: emit,
    };
    const { configuration } = context();
    if (!groups.nextGroup()) return;
    const pipe = await openPipe('reduce', command, context(), sink);
    const separator = Buffer.from(configuration.text('stream.reduce.input.field.separator', tab));
    const { cursor } = groups;
    do {
      while (groups.nextValue()) {
        pipe.write(cursor.buffer, cursor.keyStart, cursor.keyEnd, separator, cursor.buffer, cursor.valueStart, cursor.valueEnd);
        if (pipe.buffered) await pipe.flush();
      }
    } while (groups.nextGroup());
    await pipe.finish();
  };
}

/** The streaming program of a job; `context` gives the running task to a combiner. */
export function streaming(configuration: JobConfiguration, context: () => ProgramContext): Program {
  const combine = commandOf(configuration, 'combine');
  return {
    api: 'mapred',
    keyKind: 'text',
    valueKind: 'text',
    readsFiles: true,
    writesFiles: true,
    combiner: combine === undefined ? undefined : { process: combiner(combine, context) },
    map,
    reduce,
  };
}
