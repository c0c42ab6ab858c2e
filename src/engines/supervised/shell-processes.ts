// All processes of a shell in a container: below its first one, in its sessions, or with its mark in their environment.
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { type ProcessStat, readStat } from '../../lib/process-stat.ts';
import { settledEnvironment } from './leftovers.ts';
import { readProcesses } from './process-table.ts';

/** Longest time that the end of processes is waited for; what the kernel does not let go by then is named in the log. */
const boundMs = 5000;
const longestPauseMs = 50;
/** How many looks in a row have to find nothing: what forks and ends may have come between two moments of one. */
const emptyLooks = 2;

/** The processes of one shell. */
export class ShellProcesses {
  readonly #mark: string;
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** Leaders of its sessions → when they started, in clock ticks since boot. */
  readonly #sessions = new Map<number, number>();
  readonly #leader: number;
  readonly #startTicks: number;
  readonly #environmentOf: typeof settledEnvironment;
  #ending: Promise<void> | undefined;

  /** `leader` leads a session of its own and lives; `mark` is `NAME=value`, as in the environment of each. */
  constructor(
    leader: number,
    mark: string,
    { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
    environmentOf = settledEnvironment,
  ) {
    this.#environmentOf = environmentOf;
    this.#mark = mark;
    this.#clock = clock;
    this.#logger = logger;
    this.#leader = leader;
    this.#startTicks = readStat(leader)?.startTicks ?? 0;
    this.#sessions.set(leader, this.#startTicks);
  }

  /** A process that says that it leads a session of this shell; it is not believed unless it is below the first one. */
  addSession(pid: number): void {
    const stat = readStat(pid);
    if (stat?.sessionId !== pid) return;
    for (let above: ProcessStat | undefined = stat, depth = 0; above && depth < 100; depth++) {
      if (above.pid === this.#leader) this.#sessions.set(pid, stat.startTicks);
      above = above.parentPid > 1 ? readStat(above.parentPid) : undefined;
    }
  }

  /** Ends what is left outside of its own sessions: those have who runs the command, and tells how it ended. */
  async endBeside(): Promise<void> {
    for (const { pid, sessionId } of this.#look(await readProcesses()).left) if (!this.#sessions.has(sessionId)) kill(pid);
  }

  /** Ends them all. Never rejects; resolves when none is left, or after five seconds. */
  end(): Promise<void> {
    this.#ending ??= this.#endAll()
      .catch((error: unknown) => this.#logger.warn({ err: error }, 'the processes of a shell could not be ended'))
      .finally(() => {
        this.#ending = undefined;
      });
    return this.#ending;
  }

  async #endAll(): Promise<void> {
    const startMs = this.#clock.steadyMs();
    let empty = 0;
    for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      const { left, sure } = this.#look(await readProcesses());
      empty = left.length === 0 && sure ? empty + 1 : 0;
      if (empty === emptyLooks) return;
      if (this.#clock.steadyMs() - startMs >= boundMs) {
        if (left.length > 0) this.#logger.warn({ pids: left.map(({ pid }) => pid) }, 'processes of a shell that were killed do not end');
        return;
      }
      for (const { pid } of left) kill(pid);
      await new Promise<void>((resolve) => this.#clock.setTimer(pauseMs, resolve));
    }
  }

  /** What is left of them. It is not sure that there are no others while a process has no environment that could tell. */
  #look(processes: readonly ProcessStat[]): { readonly left: ProcessStat[]; readonly sure: boolean } {
    const sessions = new Set<number>();
    for (const [leader, startTicks] of this.#sessions) {
      // While a session has members its number is not given to a new process: a younger leader means that this session is gone.
      const now = readStat(leader);
      if (!now || now.startTicks === startTicks) sessions.add(leader);
    }
    let sure = true;
    const byPid = new Map(processes.map((each) => [each.pid, each]));
    const belongs = (each: ProcessStat): boolean => {
      if (each.startTicks < this.#startTicks) return false;
      if (sessions.has(each.sessionId)) return true;
      const environment = this.#environmentOf(each.pid);
      sure &&= environment !== undefined;
      return environment?.includes(`\0${this.#mark}\0`) === true;
    };
    const roots = new Set(processes.filter(belongs).map(({ pid }) => pid));
    const left = processes.filter((each) => {
      for (let above: ProcessStat | undefined = each, depth = 0; above && depth < 100; depth++) {
        if (roots.has(above.pid)) return true;
        above = byPid.get(above.parentPid);
      }
      return false;
    });
    return { left, sure };
  }
}

function kill(pid: number): void {
  try {
    if (pid > 1) process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}
