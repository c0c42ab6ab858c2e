// Ends what a container leaves behind: processes of its session, those that made a session of their own, and all below them.
// The parent of an orphan is the first process or an ancestor of the node manager that takes orphans, so it is enough to look at the
// children of these; only when one of them belongs to an ended container is the whole table read.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { isExecuting, type ProcessStat, programPlace, readStat } from '../../lib/process-stat.ts';
import { readProcesses } from './process-table.ts';

/** What tells the processes of an ended container. */
export interface EndedContainer {
  readonly containerId: string;
  /** Its first process, the leader of its session; undefined when that is not known. */
  readonly pid: number | undefined;
  /** When that process started, in clock ticks since boot. */
  readonly startTicks: number | undefined;
  /** Its working folder: together with the id it tells the container's environment from one with the same id elsewhere. */
  readonly workFolder: string;
}

/** A look costs the same for one container as for many: where many end, so long is waited after the last one. */
const betweenLooksMs = 10;
/** Longest time that the end of processes is waited for; what the kernel does not let go by then is named in the log. */
const boundMs = 5000;
const longestPauseMs = 50;
/** How often a look is repeated that found nothing but may have come between two moments of a process's life. */
const unsureLooks = 4;

/** Ends what containers leave behind; looks for many containers at once where they end together. */
export class Leftovers {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #environmentOf: typeof settledEnvironment;
  #waiting: { readonly ended: EndedContainer; readonly done: () => void }[] = [];
  #lastLookMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, logger: Logger, environmentOf = settledEnvironment) {
    this.#environmentOf = environmentOf;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Resolves when nothing of the container is left, or after five seconds. */
  end(ended: EndedContainer): Promise<void> {
    return new Promise((done) => {
      this.#waiting.push({ ended, done });
      if (this.#waiting.length > 1) return;
      const sinceMs = this.#clock.steadyMs() - this.#lastLookMs;
      if (sinceMs >= 0 && sinceMs < betweenLooksMs) this.#clock.setTimer(betweenLooksMs - sinceMs, () => this.#look());
      else setImmediate(() => this.#look());
    });
  }

  #look(): void {
    const all = this.#waiting;
    this.#waiting = [];
    this.#lastLookMs = this.#clock.steadyMs();
    this.#endAll(all.map((waiting) => waiting.ended))
      .catch((error: unknown) => this.#logger.warn({ err: error }, 'what containers left behind could not be looked for'))
      .finally(() => {
        for (const { done: tell } of all) tell();
      });
  }

  async #endAll(ended: readonly EndedContainer[]): Promise<void> {
    const startMs = this.#clock.steadyMs();
    let unsure = 0;
    const killed = new Killed();
    for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      const { left, dying, doubts } = await leftOf(ended, killed, this.#environmentOf);
      if (left.length === 0 && !dying && !doubts.executing && (!doubts.any || ++unsure === unsureLooks)) return;
      if (this.#clock.steadyMs() - startMs >= boundMs) {
        const containers = ended.map(({ containerId }) => containerId);
        this.#logger.warn({ containers, pids: left.map(({ pid }) => pid) }, 'processes that were killed do not end');
        return;
      }
      // A whole group at once: a member that forks meanwhile gives the signal to its child.
      const groups = new Set(left.map(({ groupId }) => groupId));
      for (const group of groups) kill(-group);
      for (const { pid } of left) kill(pid);
      killed.add(left);
      await new Promise<void>((resolve) => this.#clock.setTimer(pauseMs, resolve));
    }
  }
}

/** Processes that were killed and may not have ended yet: on a busy machine a while passes, and by then nothing may show which container's they were. */
class Killed {
  readonly #startTicks = new Map<number, number>();
  readonly #groups = new Set<number>();

  add(processes: readonly ProcessStat[]): void {
    for (const { pid, groupId, startTicks } of processes) {
      this.#startTicks.set(pid, startTicks);
      this.#groups.add(groupId);
    }
  }

  /** Whether one of them lives; those of `others` that are in one of their groups count. */
  live(others: readonly ProcessStat[]): boolean {
    for (const [pid, startTicks] of this.#startTicks) {
      const now = readStat(pid);
      if (now?.startTicks === startTicks && !now.zombie) return true;
      this.#startTicks.delete(pid);
    }
    return others.some(({ groupId, zombie }) => !zombie && this.#groups.has(groupId));
  }
}

function kill(target: number): void {
  try {
    if (Math.abs(target) > 1) process.kill(target, 'SIGKILL');
  } catch {
    // Gone already.
  }
}

/** Why what was found may not be all. */
interface Doubts {
  any: boolean;
  /** A process is just executing another program. */
  executing: boolean;
}

/**
 * All living processes of ended containers, and whether some that were killed have not ended yet. It is not sure that there are no others when a process was just ending (its children may
 * have become orphans after the list of orphans was read) or had no environment; while one executes another program it is sure to have one soon.
 */
async function leftOf(
  ended: readonly EndedContainer[],
  killed: Killed,
  environmentOf: typeof settledEnvironment,
): Promise<{ left: ProcessStat[]; dying: boolean; doubts: Doubts }> {
  const doubts: Doubts = { any: false, executing: false };
  const belongs = membership(ended, doubts, environmentOf);
  const candidates = orphans(doubts);
  // What hides its environment and its session is given away by where it stands. A person may stand there too: only orphans are asked.
  const folders = new Map(ended.map(({ containerId, workFolder }) => [containerId, workFolder]));
  const firstTicks = Math.min(...ended.map(({ startTicks }) => startTicks ?? 0));
  const hides = (each: ProcessStat) => {
    const containerId = each.zombie || each.startTicks < firstTicks ? undefined : containerAround(each.pid, (id) => folders.get(id));
    return containerId !== undefined && each.startTicks >= (ended.find((one) => one.containerId === containerId)?.startTicks ?? 0);
  };
  const hidden = new Set(candidates?.filter((each) => !belongs(each) && hides(each)).map(({ pid }) => pid));
  if (candidates && hidden.size === 0 && candidates.filter(belongs).length === 0)
    return { left: [], dying: killed.live(candidates), doubts };
  const processes = await readProcesses();
  const below = new Map<number, ProcessStat[]>();
  for (const each of processes) {
    const siblings = below.get(each.parentPid);
    if (siblings) siblings.push(each);
    else below.set(each.parentPid, [each]);
  }
  const found = new Set<ProcessStat>();
  const take = (each: ProcessStat) => {
    if (found.has(each)) return;
    found.add(each);
    for (const child of below.get(each.pid) ?? []) take(child);
  };
  for (const each of processes) if (hidden.has(each.pid) || belongs(each)) take(each);
  return { left: [...found], dying: killed.live(processes), doubts };
}

/** Tells whether a process is of one of the containers: by its session, or by the id and folder in its environment. */
function membership(
  ended: readonly EndedContainer[],
  doubts: Doubts,
  environmentOf: typeof settledEnvironment,
): (candidate: ProcessStat) => boolean {
  const sessions = new Map<number, number>();
  const byId = new Map<string, string>();
  let firstTicks = Number.POSITIVE_INFINITY;
  for (const { containerId, pid, startTicks, workFolder } of ended) {
    byId.set(containerId, workFolder);
    firstTicks = Math.min(firstTicks, startTicks ?? 0);
    if (pid === undefined || pid <= 1 || startTicks === undefined) continue;
    // While a session has members its number is not given to a new process: a younger leader means that this session is gone.
    const leader = readStat(pid);
    if (!leader || leader.startTicks === startTicks) sessions.set(pid, startTicks);
  }
  return (candidate) => {
    if (candidate.startTicks < firstTicks) return false;
    if (candidate.zombie) {
      doubts.any = true;
      return false;
    }
    const since = sessions.get(candidate.sessionId);
    if (since !== undefined) return candidate.startTicks >= since;
    const environment = environmentOf(candidate.pid);
    if (environment === undefined) doubts.executing = true;
    else if (environment.length <= 2) doubts.any = true;
    return containerIn(environment ?? '', (containerId) => byId.get(containerId)) !== undefined;
  };
}

/**
 * The container that an environment (as `readEnvironment` gives it) is of; undefined for none. `workFolderOf` gives the working folder of
 * the containers that are asked for.
 */
export function containerIn(environment: string, workFolderOf: (containerId: string) => string | undefined): string | undefined {
  const at = environment.indexOf('\0CONTAINER_ID=');
  if (at < 0) return undefined;
  const start = at + '\0CONTAINER_ID='.length;
  const containerId = environment.slice(start, environment.indexOf('\0', start));
  const workFolder = workFolderOf(containerId);
  return workFolder !== undefined && environment.includes(workFolder) ? containerId : undefined;
}

/** The container in whose working folder (named by its id) or below a process stands; undefined for none of those that are asked for. */
export function containerAround(pid: number, workFolderOf: (containerId: string) => string | undefined): string | undefined {
  let folder: string;
  try {
    folder = readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
  for (; folder.length > 1; folder = dirname(folder)) if (workFolderOf(basename(folder)) === folder) return basename(folder);
  return undefined;
}

/** The environment a process was started with, each variable between NULs; two NULs where it cannot be read. */
export function readEnvironment(pid: number): string {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'utf8')}\0`;
  } catch {
    return '';
  }
}

/** The same; undefined while the process is just executing another program: it has none then, and is sure to have one soon. */
export function settledEnvironment(pid: number): string | undefined {
  const environment = readEnvironment(pid);
  if (environment.length > 2) return environment;
  // Where it is not any more, it has just begun; one that executes program after program may be at the next already.
  const before = programPlace(pid);
  if (isExecuting(pid)) return undefined;
  const again = readEnvironment(pid);
  return again.length > 2 || (!isExecuting(pid) && programPlace(pid) === before) ? again : undefined;
}

/** Children of the processes that take orphans; undefined where the kernel does not list children. */
function orphans(doubts: Doubts): ProcessStat[] | undefined {
  const found: ProcessStat[] = [];
  try {
    for (const parent of orphanParents()) {
      for (const thread of adoptingThreads(parent)) {
        for (const pid of readFileSync(`/proc/${parent}/task/${thread}/children`, 'latin1').split(' ')) {
          if (pid === '') continue;
          const stat = readStat(Number(pid));
          if (stat) found.push(stat);
          else doubts.any = true;
        }
      }
    }
  } catch {
    return undefined;
  }
  return found;
}

/** The threads of a process that the kernel gives orphans to: its first one, as long as that has not ended; then any of the others. */
const adoptingThreads = (pid: number): readonly (number | string)[] =>
  readStat(pid)?.zombie === false ? [pid] : readdirSync(`/proc/${pid}/task`);

/** The processes that may become the parent of an orphan: this process's ancestors, and the first process, which in a container of its own may be this one or none of them. */
export function orphanParents(): Set<number> {
  const found = new Set([1]);
  for (let ancestor = process.ppid, depth = 0; ancestor > 0 && depth < 100; depth++) {
    found.add(ancestor);
    ancestor = readStat(ancestor)?.parentPid ?? 0;
  }
  return found;
}
