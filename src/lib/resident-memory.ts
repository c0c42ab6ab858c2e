// Keeps idle servers small. V8 gives memory back late and only in part, and where nothing happens never: after work, it is asked to.
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock, Timer } from './clock.ts';

/** What is seen of this thread, and what can be done to it. */
export interface Workload {
  /** CPU time taken so far. */
  cpuMs(): number;
  usedHeapMiB(): number;
  /** Collects all garbage and gives what became free back to the system. */
  collect(): void;
  /** Lets V8 optimize code where the launcher forbade it. */
  optimize?(): void;
}

/** How often is looked. */
const lookMs = 2000;
/** A thread that took less of a core between two looks is quiet. */
const quietShare = 0.05;
/** Work after which there is something to collect; keeps the cost of collections far below that of the work. */
const workMs = 300;
/** Larger heaps take too long: V8 goes through them step by step by itself. */
const largestHeapMiB = 64;
/** A thread that takes more of a core than this for `busyLooks` in a row has work that is worth optimizing for. */
const busyShare = 0.5;
const busyLooks = 5;

/** Collects garbage once after each time of work, when it is over; the start counts as one. Optimizes for good once work lasts. */
export function keepSmall(clock: Clock, workload: Workload = threadWorkload()): { stop(): void } {
  let last = { atMs: clock.now(), cpuMs: workload.cpuMs() };
  let collectedCpuMs = -workMs;
  let busy = 0;
  let wasQuiet = false;
  let timer: Timer;
  const look = () => {
    const now = { atMs: clock.now(), cpuMs: workload.cpuMs() };
    const share = (now.cpuMs - last.cpuMs) / Math.max(1, now.atMs - last.atMs);
    last = now;
    const isQuiet = share < quietShare;
    if (isQuiet && wasQuiet && now.cpuMs - collectedCpuMs >= workMs && workload.usedHeapMiB() <= largestHeapMiB) {
      workload.collect();
      collectedCpuMs = workload.cpuMs();
      last = { atMs: clock.now(), cpuMs: collectedCpuMs };
    }
    wasQuiet = isQuiet;
    busy = share > busyShare ? busy + 1 : 0;
    if (busy === busyLooks) workload.optimize?.();
    again();
  };
  const again = () => {
    timer = clock.setTimer(lookMs, look);
  };
  again();
  return { stop: () => timer.cancel() };
}

/** This thread. */
function threadWorkload(): Workload {
  return {
    cpuMs() {
      const { user, system } = process.threadCpuUsage();
      return (user + system) / 1000;
    },
    usedHeapMiB: () => getHeapStatistics().used_heap_size / 2 ** 20,
    collect() {
      // V8 shows its collector to contexts made while it is exposed; at other times code in the cache would not fit its flags.
      setFlagsFromString('--expose-gc');
      const collect = runInNewContext('gc') as (options: object) => void;
      setFlagsFromString('--no-expose-gc');
      collect({ type: 'major', flavor: 'last-resort', execution: 'sync' });
    },
  };
}

/** The process, for a role that has it for itself; bin/heddle.js starts node managers small. */
export function processWorkload(): Workload {
  return {
    ...threadWorkload(),
    optimize() {
      for (const flag of ['--opt', '--maglev']) setFlagsFromString(flag);
    },
  };
}
