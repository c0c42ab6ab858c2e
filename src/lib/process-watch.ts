// What this process used since it started: collections of garbage, its processor and that of the machine, its threads.
import { readdirSync } from 'node:fs';
import { cpus } from 'node:os';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { fileText } from './file-text.ts';

/** Collections of one kind. */
export interface Collections {
  count: number;
  totalMs: number;
}

/** How many threads are in which state. */
export interface ThreadStates {
  readonly ids: readonly number[];
  readonly running: number;
  readonly waiting: number;
  /** Waiting for a disk. */
  readonly blocked: number;
}

/** Parts of all processors, from 0 to 1, since the last question. */
export interface Load {
  readonly process: number;
  readonly machine: number;
}

interface Spent {
  readonly processMs: number;
  readonly busyMs: number;
  readonly allMs: number;
}

function spent(): Spent {
  const { user, system } = process.cpuUsage();
  let busyMs = 0;
  let allMs = 0;
  for (const { times } of cpus()) {
    const all = times.user + times.nice + times.sys + times.idle + times.irq;
    allMs += all;
    busyMs += all - times.idle;
  }
  return { processMs: (user + system) / 1000, busyMs, allMs };
}

const none: Spent = { processMs: 0, busyMs: 0, allMs: 0 };
const part = (ms: number, ofMs: number): number => (ofMs <= 0 ? 0 : Math.min(1, Math.max(0, ms / ofMs)));

/** Watches the process from when it is made. */
export class ProcessWatch {
  /** Of what is young, and of everything. */
  readonly minor: Collections = { count: 0, totalMs: 0 };
  readonly major: Collections = { count: 0, totalMs: 0 };
  #spent: Spent = none;
  #mostThreads = 1;

  constructor() {
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) this.collected(entry.duration, (entry as { detail?: { kind?: number } }).detail?.kind);
    });
    observer.observe({ entryTypes: ['gc'] });
  }

  /** Garbage was collected; `kind` is one of `NODE_PERFORMANCE_GC_…`. */
  collected(tookMs: number, kind: number | undefined): void {
    const collections = kind === constants.NODE_PERFORMANCE_GC_MINOR ? this.minor : this.major;
    collections.count++;
    collections.totalMs += tookMs;
  }

  /** Since the last question; at the first one since the process, and the machine, started. */
  load(): Load {
    const now = spent();
    const before = this.#spent;
    this.#spent = now;
    const allMs = now.allMs - before.allMs;
    return { process: part(now.processMs - before.processMs, allMs), machine: part(now.busyMs - before.busyMs, allMs) };
  }

  /** Its threads as they are now; one that runs where the system does not tell. */
  threads(): ThreadStates {
    let ids: number[] = [];
    try {
      ids = readdirSync('/proc/self/task').map(Number);
    } catch {
      // No Linux.
    }
    if (ids.length === 0) return { ids: [process.pid], running: 1, waiting: 0, blocked: 0 };
    this.#mostThreads = Math.max(this.#mostThreads, ids.length);
    const states = ids.map((id) => /^State:\s+(\w)/m.exec(fileText(`/proc/self/task/${id}/status`))?.[1]);
    const count = (letters: string) => states.filter((state) => state !== undefined && letters.includes(state)).length;
    return { ids, running: count('R'), waiting: count('SIt'), blocked: count('D') };
  }

  /** The most threads at any question. */
  get mostThreads(): number {
    return this.#mostThreads;
  }
}
