// What runs below a process and what it uses (ProcfsBasedProcessTree).
import { readdirSync, readFileSync } from 'node:fs';
import { type ProcessStat, readStat } from '../../lib/process-stat.ts';

/** Size of a memory page in bytes: 4 KiB on every Linux that Node supports. */
const pageBytes = 4096;
/** After so many looks every process is read again: numbers are used again. */
const looksOfOneMemory = 20;
const deepest = 100;

/** What all processes below one use. */
export interface ChildUse {
  /** Processor time, also of those that have ended: Hadoop counts of these what it saw at its last look. */
  readonly cpuTimeMs: number;
  readonly residentBytes: number;
  readonly virtualBytes: number;
}

/** The processes below one, looked at again and again. */
export class ChildProcesses {
  readonly #root: number;
  /** Numbers of processes that were not below the root: none of them ever comes to be. */
  #outsiders = new Set<string>();
  #looks = 0;

  /** @param root number of the process whose children, and theirs, are meant. */
  constructor(root: number) {
    this.#root = root;
  }

  /** What they use now; nothing where /proc does not tell. */
  measure(): ChildUse {
    // The root first: a child that ends meanwhile is missing once, not counted twice.
    let cpuTimeMs = readStat(this.#root)?.endedChildrenTimeMs ?? 0;
    let pages = 0;
    let virtualBytes = 0;
    for (const stat of isChildless(this.#root) ? [] : this.#running()) {
      cpuTimeMs += stat.userTimeMs + stat.systemTimeMs + stat.endedChildrenTimeMs;
      pages += stat.residentPages;
      virtualBytes += stat.virtualMemoryBytes;
    }
    return { cpuTimeMs, residentBytes: pages * pageBytes, virtualBytes };
  }

  #running(): ProcessStat[] {
    if (this.#looks++ % looksOfOneMemory === 0) this.#outsiders.clear();
    const read = new Map<number, ProcessStat>();
    const outsiders = new Set<string>();
    for (const name of processNumbers()) {
      if (this.#outsiders.has(name)) {
        outsiders.add(name);
        continue;
      }
      const stat = readStat(Number(name));
      if (stat !== undefined) read.set(stat.pid, stat);
    }
    const found: ProcessStat[] = [];
    for (const stat of read.values())
      if (this.#isBelow(stat, read)) found.push(stat);
      else outsiders.add(String(stat.pid));
    this.#outsiders = outsiders;
    return found;
  }

  #isBelow(stat: ProcessStat, read: ReadonlyMap<number, ProcessStat>): boolean {
    let ancestor: ProcessStat | undefined = stat;
    for (let depth = 0; ancestor !== undefined && depth < deepest; depth++) {
      if (ancestor.parentPid === this.#root) return true;
      ancestor = read.get(ancestor.parentPid);
    }
    return false;
  }
}

/**
 * Whether a process surely has no children: most tasks never have one, and to read all processes of a machine takes long.
 * False where /proc does not tell (CONFIG_PROC_CHILDREN).
 */
function isChildless(pid: number): boolean {
  const threads = `/proc/${pid}/task`;
  try {
    return readdirSync(threads).every((thread) => readFileSync(`${threads}/${thread}/children`).length === 0);
  } catch {
    return false;
  }
}

/** The numbers of all processes that can be seen. */
function processNumbers(): string[] {
  try {
    return readdirSync('/proc').filter((name) => name.charCodeAt(0) >= 48 && name.charCodeAt(0) <= 57);
  } catch {
    return [];
  }
}
