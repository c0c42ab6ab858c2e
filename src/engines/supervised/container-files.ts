// What is remembered of containers in the engine's folder. `ID.pid` says that a container was started: a line of /proc/PID/stat and one
// with its working folder. `ID.exit` says how it ended: its exit code. Both are written by the container's keeper (launcher-script.ts),
// whether or not a node manager lives, and removed by the engine alone.
import { type FSWatcher, readdirSync, readFileSync, rmSync, watch } from 'node:fs';
import { join } from 'node:path';
import { parseStat, readStat } from '../../lib/process-stat.ts';

/** The start of a container, from its pid file. */
export interface RecordedStart {
  /** The process that leads its session. */
  readonly pid: number;
  /** When that process started, in clock ticks since boot: tells it from a later one with its number. */
  readonly startTicks: number;
  readonly workFolder: string;
}

/** The files of one engine. Reads never fail: a file that is missing or only half written says nothing. */
export class ContainerFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The start that the pid file tells of; undefined for a container that was never started. */
  start(containerId: string): RecordedStart | undefined {
    const [line = '', workFolder = ''] = this.#read(`${containerId}.pid`).split('\n');
    const stat = parseStat(line);
    // The folder's name is bytes in an encoding of the user's choice; the line before is plain ASCII but for the process's name.
    return stat && { pid: stat.pid, startTicks: stat.startTicks, workFolder: Buffer.from(workFolder, 'latin1').toString() };
  }

  /** Whether a pid file is there, complete or not. */
  hasStart(containerId: string): boolean {
    return this.#read(`${containerId}.pid`) !== '';
  }

  /** The exit code of a container that has ended; undefined while it runs, or when its keeper was killed. */
  exitCode(containerId: string): number | undefined {
    const found = /^(\d+)\n$/.exec(this.#read(`${containerId}.exit`));
    return found ? Number(found[1]) : undefined;
  }

  /** The process that the pid file names, if it still is that process and lives. */
  livingPid(containerId: string): number | undefined {
    const start = this.start(containerId);
    if (!start) return undefined;
    const now = readStat(start.pid);
    return now && !now.zombie && now.startTicks === start.startTicks ? start.pid : undefined;
  }

  remove(containerId: string): void {
    for (const kind of ['exit', 'pid']) rmSync(join(this.#folder, `${containerId}.${kind}`), { force: true });
  }

  /** The containers that have files. */
  containerIds(): string[] {
    const ids = readdirSync(this.#folder).flatMap((name) => /^(container_.*)\.(?:pid|exit)$/.exec(name)?.[1] ?? []);
    return [...new Set(ids)];
  }

  /** Calls `changed` with the container whose exit file was written; the file may still be incomplete. */
  watchExits(changed: (containerId: string) => void, failed: (error: Error) => void): FSWatcher {
    const watcher = watch(this.#folder, { persistent: false }, (_event, name) => {
      if (name?.endsWith('.exit')) changed(name.slice(0, -'.exit'.length));
    });
    return watcher.on('error', failed);
  }

  #read(name: string): string {
    try {
      return readFileSync(join(this.#folder, name), 'latin1');
    } catch {
      return '';
    }
  }
}
