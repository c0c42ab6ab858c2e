// The sleep job: maps and reduces that wait (Hadoop's SleepJob). It reads and writes no files.
import type { MapRun, Program, ProgramContext, ReduceRun } from '../program.ts';
import { intBytes } from '../writables.ts';

const noBytes = Buffer.alloc(0);

const longestSilenceMs = 1000;

/** Sleeping is what such a task does, not a standstill. */
async function sleep(milliseconds: number, run: ProgramContext): Promise<void> {
  for (let left = milliseconds; left > 0; left -= longestSilenceMs) {
    await wait(Math.min(left, longestSilenceMs), run.signal);
    run.touch();
  }
}

function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', stop, { once: true });
  });
}

function durations({ configuration }: ProgramContext, kind: 'map' | 'reduce') {
  const count = configuration.integer(`mapreduce.sleepjob.${kind}.sleep.count`, 1);
  return { count, durationMs: count === 0 ? 0 : Math.floor(configuration.number(`mapreduce.sleepjob.${kind}.sleep.time`, 100) / count) };
}

async function map(run: MapRun): Promise<void> {
  const { count, durationMs } = durations(run, 'map');
  const records = run.configuration.integer('mapreduce.sleepjob.reduce.sleep.count', 1) * run.reduces;
  let key = 0;
  for (let done = 0; done < count; done++) {
    run.countInput(1);
    run.setProgress(done / count);
    run.setStatus(`Sleeping... (${durationMs * (count - done)}) ms left`);
    await sleep(durationMs, run);
    const emits = Math.floor(records / count) + (records % count > done ? 1 : 0);
    for (let i = 0; i < emits; i++) {
      const bytes = intBytes(key++);
      run.output.collect(bytes, 0, 4, noBytes, 0, 0);
    }
  }
}

/** One wait for each key: every map gives each reduce the same `count` keys, so a reduce waits for its own time however many maps there are. */
async function reduce(run: ReduceRun): Promise<void> {
  const { count, durationMs } = durations(run, 'reduce');
  for (let done = 0; run.groups.nextGroup(); done++) {
    run.setStatus(`Sleeping... (${durationMs * Math.max(0, count - done)}) ms left`);
    run.setProgress(Math.min(1, done / count));
    await sleep(durationMs, run);
    await run.breathe();
  }
}

export const sleepJob: Program = {
  api: 'mapreduce',
  keyKind: 'int',
  valueKind: 'null',
  readsFiles: false,
  writesFiles: false,
  partitioner: (key, start, _end, partitions) => (key.readInt32BE(start) & 0x7fffffff) % partitions,
  map,
  reduce,
};
