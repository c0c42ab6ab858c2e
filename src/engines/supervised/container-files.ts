// What is remembered of containers in the engine's folder, so that each order is carried out at most once (P5 of docs/protocol.md)
// whoever dies or stands still when. Every start has a name of its own, `ID.GENERATION-NUMBER`; a generation is one launcher, and there is one at a time (P14). `NAME.pid` tells the process that is about
// to become the container (a line of /proc/PID/stat and one with its working folder), `orders.GENERATION/NAME` is its claim: from then on
// it was started. `NAME.exit` says how it ended: its exit code. All are written by the container's leader and keeper (launcher-script.ts),
// whether or not a node manager lives, and removed by the engine alone.
//
// The fence: a generation ends when its folder becomes `fenced.GENERATION`, in one step. What was claimed by then was started; what was
// not never will be, as nothing can be claimed in a folder that is not there.
//
// The boot: `boot.GENERATION` tells in which boot of the machine a generation began, so that nobody takes a process for one that an earlier boot had
// under its number. `boot` tells the last boot whose machine had nothing more to tell of earlier ones: of what ran then nothing may be left, and
// until the ends of all that are durable, a container of which nothing is found is one of those.
//
// Earlier versions wrote `ID.pid` and `ID.exit` alone; they count as claimed, and as of the boot that `boot` tells, like generations without a boot.
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  type FSWatcher,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { currentBoot } from '../../lib/boot.ts';
import { type ProcessStat, parseStat, readStat } from '../../lib/process-stat.ts';

/** The start of a container, from its pid file. */
export interface RecordedStart {
  /** The process that leads its session. */
  readonly pid: number;
  /** When that process started, in clock ticks since boot: tells it from a later one with its number. */
  readonly startTicks: number;
  readonly workFolder: string;
}

const fileName = /^(container_[^.]+)(?:\.([0-9a-f]+)-\d+)?\.(?:pid|exit)$/;
const generationFolder = /^(orders|fenced)\.([0-9a-f]+)$/;
const generationBoot = /^boot\.([0-9a-f]+)$/;

/** The container of a start. */
export const containerOf = (name: string): string => name.split('.', 1)[0]!;
const generationOf = (name: string): string | undefined => /\.([0-9a-f]+)-\d+$/.exec(name)?.[1];

/** The files of one engine. Reads never fail: a file that is missing or only half written says nothing. */
export class ContainerFiles {
  readonly #folder: string;
  /** Names of the starts that are known to be claimed, or may become so, by container. */
  readonly #names = new Map<string, Set<string>>();
  /** Those of an earlier boot of the machine: nothing of them lives. */
  readonly #earlier = new Set<string>();
  readonly #rebooted: boolean;
  /** This boot of the machine; undefined where the system does not tell. */
  readonly #boot = currentBoot();
  #count = 0;

  /** Takes up what is there and fences all former generations. @throws Error when a former one cannot be fenced */
  constructor(folder: string) {
    this.#folder = folder;
    this.#rebooted = this.#wasRebooted();
    if (!this.#rebooted) this.noteBoot();
    const names = readdirSync(folder);
    const generations = names.flatMap((name) => {
      const [, state, generation] = generationFolder.exec(name) ?? [];
      return generation === undefined ? [] : [{ state, generation }];
    });
    for (const { state, generation } of generations) if (state === 'orders') this.fence(generation);
    for (const { generation } of generations) {
      for (const name of readdirSync(join(folder, `fenced.${generation}`))) if (name.startsWith('container_')) this.#note(name);
      this.#endLauncher(generation);
    }
    const known = new Set(generations.map(({ generation }) => generation));
    for (const name of names) {
      const generation = generationBoot.exec(name)?.[1];
      if (generation !== undefined && !known.has(generation)) this.#drop(name);
    }
    for (const name of this.#startNames()) {
      if (this.#isEarlier(generationOf(name))) this.#earlier.add(name);
      if (generationOf(name) !== undefined && !this.isClaimed(name)) this.removeStart(name);
    }
  }

  /** Whether the machine was started anew since an engine last noted a boot here: what was not on the disk by then is lost. */
  get rebooted(): boolean {
    return this.#rebooted;
  }

  /** Notes that nothing of an earlier boot is left to be told: the ends of all that ran then are durable. @throws Error when it cannot be written */
  noteBoot(): void {
    if (this.#boot === undefined || this.#read('boot').trim() === this.#boot) return;
    // As a whole: one that a full disk or the loss of power has emptied is of another boot.
    writeFileSync(this.#path('boot.new'), `${this.#boot}\n`, { mode: 0o600 });
    renameSync(this.#path('boot.new'), this.#path('boot'));
  }

  /** Whether a start, also one of which nothing is left (undefined), was of a time before the machine was started anew. */
  isOfEarlierBoot(name: string | undefined): boolean {
    return name === undefined ? this.#rebooted : this.#earlier.has(name);
  }

  /** Begins a generation; its name. @throws Error when its folder cannot be made */
  begin(): string {
    const generation = randomBytes(6).toString('hex');
    if (this.#boot !== undefined) writeFileSync(this.#path(`boot.${generation}`), `${this.#boot}\n`, { mode: 0o600 });
    mkdirSync(join(this.#folder, `orders.${generation}`), { mode: 0o700 });
    return generation;
  }

  /** Ends a generation: what it has not claimed will never run. @throws Error when that cannot be said */
  fence(generation: string): void {
    try {
      renameSync(join(this.#folder, `orders.${generation}`), join(this.#folder, `fenced.${generation}`));
    } catch (error) {
      // Where there is no folder nothing can be claimed.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }

  /** A name for a start of a container, in a generation. */
  newName(containerId: string, generation: string): string {
    const name = `${containerId}.${generation}-${++this.#count}`;
    this.#note(name);
    return name;
  }

  /** The start of a container that was carried out; the one that lives where there are several. Undefined: it was never started, or is forgotten. */
  claimedStart(containerId: string): string | undefined {
    const names = [...(this.#names.get(containerId) ?? [])].filter((name) => this.isClaimed(name));
    if (existsSync(this.#path(`${containerId}.pid`)) || existsSync(this.#path(`${containerId}.exit`))) names.push(containerId);
    return names.find((name) => this.livingPid(name) !== undefined) ?? names.at(-1);
  }

  /** Whether a start was carried out. */
  isClaimed(name: string): boolean {
    const generation = generationOf(name);
    if (generation === undefined) return existsSync(this.#path(`${name}.pid`));
    return ['orders', 'fenced'].some((state) => existsSync(this.#path(`${state}.${generation}/${name}`)));
  }

  /** Whether a start that is not claimed never will be. */
  isFenced(name: string): boolean {
    const generation = generationOf(name);
    return generation === undefined || !existsSync(this.#path(`orders.${generation}`));
  }

  /** What the pid file of a start tells; undefined where it cannot be read. */
  start(name: string): RecordedStart | undefined {
    const [line = '', workFolder = ''] = this.#read(`${name}.pid`).split('\n');
    const stat = parseStat(line);
    // The folder's name is bytes in an encoding of the user's choice; the line before is plain ASCII but for the process's name.
    return stat && { pid: stat.pid, startTicks: stat.startTicks, workFolder: Buffer.from(workFolder, 'latin1').toString() };
  }

  /** The exit code of a start that has ended; undefined while it runs, or when its keeper was killed. */
  exitCode(name: string): number | undefined {
    const found = /^(\d+)\n$/.exec(this.#read(`${name}.exit`));
    return found ? Number(found[1]) : undefined;
  }

  /** The process that the pid file names, if it still is that process and lives. */
  livingPid(name: string): number | undefined {
    const start = this.#earlier.has(name) ? undefined : this.start(name);
    return start && living(start)?.pid;
  }

  /** Drops all that is kept of a container: it may be started again. */
  remove(containerId: string): void {
    for (const name of [...(this.#names.get(containerId) ?? []), containerId]) this.removeStart(name);
  }

  /** Drops what is kept of one start. */
  removeStart(name: string): void {
    const generation = generationOf(name);
    // The claim goes last: without it the others mean nothing.
    for (const kind of ['exit', 'pid']) this.#drop(`${name}.${kind}`);
    if (generation !== undefined) {
      for (const state of ['orders', 'fenced']) this.#drop(`${state}.${generation}/${name}`);
      this.#removeEmpty(generation);
    }
    const containerId = containerOf(name);
    const names = this.#names.get(containerId);
    names?.delete(name);
    if (names?.size === 0) this.#names.delete(containerId);
  }

  /** The containers of which something is kept. */
  containerIds(): string[] {
    return [...new Set([...this.#startNames()].map(containerOf))];
  }

  /** Calls `changed` with the start whose exit file was written; the file may still be incomplete. */
  watchExits(changed: (name: string) => void, failed: (error: Error) => void): FSWatcher {
    const watcher = watch(this.#folder, { persistent: false }, (_event, name) => {
      if (name?.endsWith('.exit')) changed(name.slice(0, -'.exit'.length));
    });
    return watcher.on('error', failed);
  }

  #note(name: string): void {
    const containerId = containerOf(name);
    const names = this.#names.get(containerId);
    if (names) names.add(name);
    else this.#names.set(containerId, new Set([name]));
  }

  #startNames(): Set<string> {
    const written = readdirSync(this.#folder).filter((name) => fileName.test(name));
    return new Set([
      ...written.map((name) => name.slice(0, name.lastIndexOf('.'))),
      ...[...this.#names.values()].flatMap((own) => [...own]),
    ]);
  }

  /** A former launcher that still lives has nothing more to do; one that stands still would stay for ever. */
  #endLauncher(generation: string): void {
    const stat = parseStat(this.#read(`fenced.${generation}/launcher`).trim());
    if (stat && !this.#isEarlier(generation) && living(stat)) {
      try {
        process.kill(stat.pid, 'SIGKILL');
      } catch {
        // Gone already.
      }
    }
    this.#drop(`fenced.${generation}/launcher`);
    this.#removeEmpty(generation);
  }

  /** Removes a file, or what else stands in its place. */
  #drop(name: string): void {
    rmSync(this.#path(name), { recursive: true, force: true });
  }

  #removeEmpty(generation: string): void {
    try {
      rmdirSync(this.#path(`fenced.${generation}`));
    } catch {
      // Not there, or not empty.
      return;
    }
    this.#drop(`boot.${generation}`);
  }

  #wasRebooted(): boolean {
    return this.#boot !== undefined && existsSync(this.#path('boot')) && this.#read('boot').trim() !== this.#boot;
  }

  /** Whether a generation, or a start of a version that had none, is of an earlier boot. One whose note the loss of power has emptied is. */
  #isEarlier(generation: string | undefined): boolean {
    if (this.#boot === undefined) return false;
    if (generation === undefined || !existsSync(this.#path(`boot.${generation}`))) return this.#rebooted;
    return this.#read(`boot.${generation}`).trim() !== this.#boot;
  }

  #path(name: string): string {
    return `${this.#folder}/${name}`;
  }

  #read(name: string): string {
    try {
      return readFileSync(this.#path(name), 'latin1');
    } catch {
      return '';
    }
  }
}

/** The process that began then, if it lives. */
function living({ pid, startTicks }: Pick<ProcessStat, 'pid' | 'startTicks'>): ProcessStat | undefined {
  const now = readStat(pid);
  return now && !now.zombie && now.startTicks === startTicks ? now : undefined;
}
