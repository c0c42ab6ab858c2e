// Reads /proc: which processes belong to a container and what they use.

import { readdirSync } from 'node:fs';
import { fileText } from '../../lib/file-text.ts';
import { pause } from '../../lib/pause.ts';
import { type ProcessStat, readStat } from '../../lib/process-stat.ts';
import type { EngineUsage, ProcessFacts } from '../engine.ts';

/** Size of a memory page in bytes: 4 KiB on every Linux that Node supports. */
export const pageBytes = 4096;
/** How many processes are read before other work gets its turn. */
const slice = 200;

/** The command line of a process; empty for one that is gone. */
const readCommandLine = (pid: number): string => fileText(`/proc/${pid}/cmdline`).replace(/\0$/, '').replaceAll('\0', ' ');

/** What one container uses. Command lines are read where they are asked for. */
class TableUsage implements EngineUsage {
  readonly physicalMemoryBytes: number;
  readonly virtualMemoryBytes: number;
  readonly cpuTimeMs: number;
  readonly #processes: readonly ProcessStat[];

  constructor(used: Omit<EngineUsage, 'processes'>, processes: readonly ProcessStat[]) {
    this.physicalMemoryBytes = used.physicalMemoryBytes;
    this.virtualMemoryBytes = used.virtualMemoryBytes;
    this.cpuTimeMs = used.cpuTimeMs;
    this.#processes = processes;
  }

  get processes(): readonly ProcessFacts[] {
    return this.#processes.map((process) => ({ ...process, commandLine: readCommandLine(process.pid) }));
  }
}

/** Everything that runs on the machine but what is skipped; yields to other work between slices. */
export async function readProcesses(skip: (pid: number) => boolean = () => false): Promise<ProcessStat[]> {
  const pids = readdirSync('/proc').filter((name) => name.charCodeAt(0) >= 48 && name.charCodeAt(0) <= 57);
  const found: ProcessStat[] = [];
  for (let start = 0; start < pids.length; start += slice) {
    if (start > 0) await pause();
    for (const pid of pids.slice(start, start + slice)) {
      if (skip(Number(pid))) continue;
      const stat = readStat(Number(pid));
      if (stat && !stat.zombie) found.push(stat);
    }
  }
  return found;
}

/**
 * Reads the processes of containers again and again. A process that belonged to none at two readings is left out for a while: a process
 * that joins a container later is new. Beside each container waits its keeper, so this halves the work.
 */
export class UsageReader {
  readonly #outsiders = new Map<number, number>();
  #looks = 0;

  /**
   * The use of each container; `leaders` are their first processes, `known` further ones (pid → container). `claim` names the container of a
   * process that is neither in a container's session nor below its leader.
   */
  async read(
    leaders: ReadonlyMap<string, number>,
    known: ReadonlyMap<number, string>,
    claim: (process: ProcessStat) => string | undefined,
  ): Promise<Map<string, EngineUsage>> {
    // Numbers of processes are used again.
    if (this.#looks++ % looksOfOneMemory === 0) this.#outsiders.clear();
    const processes = await readProcesses((pid) => (this.#outsiders.get(pid) ?? 0) >= 2 && !known.has(pid));
    const belonging = new Set<number>();
    const usage = groupUsage(processes, leaders, known, claim, belonging);
    for (const { pid } of processes) if (!belonging.has(pid)) this.#outsiders.set(pid, (this.#outsiders.get(pid) ?? 0) + 1);
    return usage;
  }
}
const looksOfOneMemory = 20;

/**
 * Sums up, for each leading process, everything in its session and below it, and `known` processes (pid → container). The numbers of all
 * of them go to `belonging`.
 */
function groupUsage(
  processes: readonly ProcessStat[],
  leaders: ReadonlyMap<string, number>,
  known: ReadonlyMap<number, string>,
  claim: (process: ProcessStat) => string | undefined,
  belonging: Set<number>,
): Map<string, EngineUsage> {
  const containerOfLeader = new Map([...leaders].map(([containerId, pid]) => [pid, containerId]));
  const byPid = new Map(processes.map((process) => [process.pid, process]));
  const members = new Map<string, ProcessStat[]>();
  const add = (process: ProcessStat, containerId: string) => {
    belonging.add(process.pid);
    const list = members.get(containerId);
    if (list) list.push(process);
    else members.set(containerId, [process]);
  };
  const claimed = new Map<number, string>();
  const others: ProcessStat[] = [];
  for (const process of processes) {
    let containerId = known.get(process.pid) ?? containerOfLeader.get(process.sessionId);
    for (let ancestor: ProcessStat | undefined = process, depth = 0; !containerId && ancestor && depth < 100; depth++) {
      containerId = containerOfLeader.get(ancestor.pid) ?? containerOfLeader.get(ancestor.sessionId);
      ancestor = byPid.get(ancestor.parentPid);
    }
    if (!containerId) {
      containerId = claim(process);
      if (containerId) claimed.set(process.pid, containerId);
    }
    if (containerId) add(process, containerId);
    else others.push(process);
  }
  // What is below a claimed process belongs with it.
  for (const process of claimed.size > 0 ? others : []) {
    let ancestor = byPid.get(process.parentPid);
    for (let depth = 0; ancestor && !claimed.has(ancestor.pid) && depth < 100; depth++) ancestor = byPid.get(ancestor.parentPid);
    if (ancestor) add(process, claimed.get(ancestor.pid)!);
  }
  const usage = new Map<string, EngineUsage>();
  for (const [containerId, list] of members) {
    let physicalMemoryBytes = 0;
    let virtualMemoryBytes = 0;
    let cpuTimeMs = 0;
    for (const process of list) {
      physicalMemoryBytes += process.residentPages * pageBytes;
      virtualMemoryBytes += process.virtualMemoryBytes;
      cpuTimeMs += process.userTimeMs + process.systemTimeMs;
    }
    usage.set(containerId, new TableUsage({ physicalMemoryBytes, virtualMemoryBytes, cpuTimeMs }, list));
  }
  return usage;
}
