// Keeps idle servers small. V8 gives memory back late and only in part, and where nothing happens never: after work, it is asked to.
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from './clock.ts';
import { type Repetition, repeat } from './repeat.ts';

/** What is seen of this thread, and what can be done to it. */
export interface Workload {
  /** CPU time taken so far. */
  cpuMs(): number;
  /** What the heap takes of the system. */
  heapMiB(): number;
  /** Objects in it, also those that could be collected. */
  usedMiB(): number;
  /** Collects all garbage and gives what became free back to the system. */
  collect(): Promise<void>;
  /** Lets V8 optimize code where the launcher forbade it. */
  optimize?(): void;
}

/** How often is looked. */
const lookMs = 2000;
/** A thread that took less of a core between two looks is quiet. */
const quietShare = 0.05;
/** It rests once it was quiet for so many looks in a row: a first collection takes a third of a second, which a pause between two requests does not pay. */
const restLooks = 5;
/** Growth of the heap that is worth a collection. */
const growthMiB = 2;
/** Work between two collections at least, so that they cost much less than the work. */
const workMs = 100;
/**
 * More objects take too long: V8 goes through them step by step by itself. What it has emptied costs nothing, and it gives that back much later.
 */
const mostUsedMiB = 64;
/** A thread that takes more of a core than this for `busyLooks` in a row has work that is worth optimizing for. */
const busyShare = 0.5;
const busyLooks = 5;

/** Collects garbage once after each time of work, when the thread rests; the start counts as work. Optimizes for good once work lasts. */
export function keepSmall(clock: Clock, workload: Workload = threadWorkload()): Repetition {
  let last = { atMs: clock.steadyMs(), cpuMs: workload.cpuMs() };
  let collected = { cpuMs: -workMs, heapMiB: 0 };
  let worked = true;
  let busy = 0;
  let quiet = 0;
  const isWorthwhile = (cpuMs: number): boolean => {
    const heapMiB = workload.heapMiB();
    return cpuMs - collected.cpuMs >= workMs && heapMiB - collected.heapMiB >= growthMiB && workload.usedMiB() <= mostUsedMiB;
  };
  const afterCollection = () => {
    last = { atMs: clock.steadyMs(), cpuMs: workload.cpuMs() };
    collected = { cpuMs: last.cpuMs, heapMiB: workload.heapMiB() };
  };
  const look = () => {
    const now = { atMs: clock.steadyMs(), cpuMs: workload.cpuMs() };
    const share = (now.cpuMs - last.cpuMs) / Math.max(1, now.atMs - last.atMs);
    last = now;
    busy = share > busyShare ? busy + 1 : 0;
    if (busy === busyLooks) workload.optimize?.();
    const isQuiet = share < quietShare;
    worked ||= !isQuiet;
    quiet = isQuiet ? quiet + 1 : 0;
    if (!worked || quiet < restLooks || !isWorthwhile(now.cpuMs)) return;
    worked = false;
    return workload.collect().then(afterCollection);
  };
  const failed = (error: unknown) => {
    throw error;
  };
  return repeat({ clock, intervalMs: lookMs, run: look, failed });
}

/** This thread. */
export function threadWorkload(): Workload {
  return {
    cpuMs() {
      const { user, system } = process.threadCpuUsage();
      return (user + system) / 1000;
    },
    heapMiB: () => getHeapStatistics().total_physical_size / 2 ** 20,
    usedMiB: () => getHeapStatistics().used_heap_size / 2 ** 20,
    async collect() {
      // Touches no flag: those count for all threads at once. Builds of Node.js without an inspector leave it to V8.
      if (!process.features.inspector) return;
      const { Session } = await import('node:inspector/promises');
      const session = new Session();
      session.connect();
      try {
        await session.post('HeapProfiler.collectGarbage');
      } finally {
        session.disconnect();
      }
    },
  };
}

/** V8 lets go of code that ran at the start alone when some collections in a row have not seen it used: about 1 MB of a node manager. */
const firstCollections = 6;

/** The process, for a role that has it for itself; bin/heddle.js starts node managers small. */
export function processWorkload(): Workload {
  let collections = firstCollections;
  return {
    ...threadWorkload(),
    async collect() {
      // V8 shows its collector to contexts made while it is exposed; at other times code in the cache would not fit its flags.
      setFlagsFromString('--expose-gc');
      const collect = runInNewContext('gc') as (options: object) => void;
      setFlagsFromString('--no-expose-gc');
      for (let i = 0; i < collections; i++) collect({ type: 'major', flavor: 'last-resort', execution: 'sync' });
      collections = 1;
    },
    optimize() {
      for (const flag of ['--opt', '--maglev', '--sparkplug']) setFlagsFromString(flag);
    },
  };
}
