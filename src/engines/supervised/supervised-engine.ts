// Containers below a launcher process, remembered by files: what engines for processes of this machine have in common.
import { type FSWatcher, mkdirSync } from 'node:fs';
import type { Clock, Timer } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { type ProcessStat, readStat } from '../../lib/process-stat.ts';
import { processExitCode } from '../../model/exit-status.ts';
import type { ContainerEngine, ContainerSignal, EngineExit, EngineOrder, EngineUsage, Recovered } from '../engine.ts';
import { ContainerFiles, type RecordedStart } from './container-files.ts';
import { Launcher, type LauncherEvent } from './launcher.ts';
import { containerAround, containerIn, type EndedContainer, Leftovers, orphanParents, readEnvironment } from './leftovers.ts';
import { UsageReader } from './process-table.ts';
import type { ContainerRuntime, RuntimeSignal } from './runtime.ts';

/** What a supervised engine needs. */
export interface SupervisedEngineOptions {
  /** Folder of its own: pid and exit files, the launcher's script. */
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Environment of the launcher, inherited by containers; default `PATH`, `LANG` and `TZ` of this process. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A container that this engine started or adopted. */
interface Running {
  readonly workFolder: string;
  /** Resolves when it has ended and nothing of it is left. */
  readonly exited: Promise<EngineExit>;
  readonly resolveExited: (exit: EngineExit) => void;
  /** Adopted from an earlier process of the node manager: its keeper pushes to a pipe that is closed, so its exit file is watched. */
  readonly adopted: boolean;
  /** The leader of its session, once the launcher has told it. */
  pid: number | undefined;
  /** When the leader started, in clock ticks since boot. */
  startTicks: number | undefined;
  /** Its main process, as the runtime says; the leader for plain processes. Absent while it is being started. */
  main?: number;
  /** The start that waits for the launcher's word; absent after it. */
  starting?: { readonly resolve: (started: { pid: number }) => void; readonly reject: (error: Error) => void };
  /** Its end is known; what it left behind may still be being removed. */
  ended: boolean;
  /** Seen dead without an exit file; its keeper may still be writing it. */
  missing?: boolean;
}

/** How often it is checked that containers live whose keeper may have been killed, so that no push tells of their end. */
const livenessIntervalMs = 1000;
/** How many of them are checked at a time. */
const livenessSlice = 200;
/** How long after the death of a launcher a start waits for the pid file that proves that its order was read. */
const orphanedStartMs = 500;
/** How long a keeper may take to write the exit code of a container that is gone. */
const exitFileMs = 200;

/**
 * An engine whose containers run below one launcher.
 *
 * The protocol with the launcher: the engine writes an order for each start; the launcher forks a keeper for it and says `started` when the
 * pid file is written, `failed` when the container could not be started, `exited` when the exit file is written. When the launcher dies
 * another takes its place: keepers go on and still push, orders that were not read are lost, which a missing pid file tells.
 *
 * What files say: a container with a pid file was started; one with an exit file has ended, whatever a pipe says. After a restart the files
 * alone are believed. A leader that is dead without an exit file had its keeper killed: it ends as lost.
 *
 * Who changes what: keepers write the files, the engine removes them (before a start, and by `forget`). A `Running` is made by `start` and
 * `recover`; the launcher's word and the check of liveness fill it in; `#ended` alone marks its end, once, and its promise resolves when
 * the runtime and `Leftovers` have removed what is left of it. `forget` drops it.
 */
export class SupervisedEngine implements ContainerEngine {
  readonly name: string;
  readonly resize?: (containerId: string, limits: EngineOrder['limits']) => Promise<void>;
  readonly #runtime: ContainerRuntime;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #files: ContainerFiles;
  readonly #launcher: Launcher;
  readonly #leftovers: Leftovers;
  readonly #usageReader = new UsageReader();
  readonly #containers = new Map<string, Running>();
  /** Watches exit files; since the first adoption. */
  #exitWatcher: FSWatcher | undefined;
  /** The next check of liveness; set while there are containers to check. */
  #livenessTimer: Timer | undefined;
  /** Those that the present round of checks has not come to. */
  #unchecked: string[] = [];
  #closed = false;

  /** Starts the launcher. @throws Error when the folder cannot be made or written to */
  constructor(options: SupervisedEngineOptions, runtime: ContainerRuntime) {
    const { folder, clock, logger, environment } = options;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.name = runtime.name;
    this.#runtime = runtime;
    this.#clock = clock;
    this.#logger = logger;
    this.#files = new ContainerFiles(folder);
    this.#leftovers = new Leftovers(clock, logger);
    const { resize } = runtime;
    if (resize) this.resize = (containerId, limits) => resize.call(runtime, containerId, limits);
    this.#launcher = new Launcher({
      folder,
      logger,
      environment,
      onEvent: (event) => this.#launcherSaid(event),
      onDeath: () => this.#launcherDied(),
    });
  }

  async start(order: EngineOrder): Promise<{ pid: number }> {
    const { containerId } = order;
    if (this.#closed) throw new Error('the engine is closed');
    if (this.#containers.has(containerId)) throw new Error(`${containerId} is running already`);
    this.#files.remove(containerId);
    const running = this.#add(containerId, order.workFolder);
    try {
      const launch = await this.#runtime.prepare(order);
      const { pid } = await new Promise<{ pid: number }>((resolve, reject) => {
        running.starting = { resolve, reject };
        if (this.#closed) reject(new Error('the engine is closed'));
        else if (!this.#launcher.order(launch)) reject(new Error('the launcher could not be started'));
      });
      const main = await this.#runtime.running(containerId, pid, running.exited);
      running.main = main.pid;
      return main;
    } catch (error) {
      this.#containers.delete(containerId);
      await this.#runtime
        .ended(containerId)
        .catch((problem: unknown) => this.#logger.warn({ err: problem, container: containerId }, 'a start could not be undone'));
      throw error;
    }
  }

  signal(containerId: string, signal: ContainerSignal): boolean {
    return this.#send(containerId, signal);
  }

  async pause(containerId: string): Promise<boolean> {
    return this.#send(containerId, 'SIGSTOP');
  }

  async resume(containerId: string): Promise<boolean> {
    return this.#send(containerId, 'SIGCONT');
  }

  wait(containerId: string): Promise<EngineExit> {
    return this.#containers.get(containerId)?.exited ?? Promise.reject(new Error(`${containerId} is not known`));
  }

  async recover(containerId: string): Promise<Recovered> {
    const start = this.#files.start(containerId);
    const exitCode = this.#files.exitCode(containerId);
    const pid = exitCode === undefined ? this.#files.livingPid(containerId) : undefined;
    if (!start || pid === undefined) return this.#recoverEnded(containerId, start, exitCode);
    const running = this.#add(containerId, start.workFolder, true);
    running.pid = pid;
    running.startTicks = start.startTicks;
    this.#exitWatcher ??= this.#files.watchExits(
      (changed) => this.#readExit(changed),
      (error) => this.#logger.warn({ err: error }, 'watching the exit files failed'),
    );
    this.#checkLivenessLater();
    // It may have ended before the watch began, and may end in this moment.
    this.#readExit(containerId);
    const main = await this.#runtime.running(containerId, pid, running.exited).catch(() => ({ pid }));
    running.main = main.pid;
    return { state: 'running', pid: main.pid };
  }

  rememberedContainers(): readonly string[] {
    return [...new Set([...this.#files.containerIds(), ...this.#runtime.rememberedContainers()])];
  }

  async usage(): Promise<ReadonlyMap<string, EngineUsage>> {
    const leaders = new Map<string, number>();
    for (const [containerId, { main, ended }] of this.#containers) if (main && !ended) leaders.set(containerId, main);
    if (leaders.size === 0) return new Map();
    return this.#usageReader.read(leaders, this.#runtime.members([...leaders.keys()]), this.#containerOfStray());
  }

  forget(containerId: string): void {
    const running = this.#containers.get(containerId);
    if (running && !running.ended) return;
    this.#containers.delete(containerId);
    this.#files.remove(containerId);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#runtime.close();
    this.#exitWatcher?.close();
    this.#livenessTimer?.cancel();
    await this.#launcher.close();
  }

  #add(containerId: string, workFolder: string, adopted = false): Running {
    const { promise: exited, resolve: resolveExited } = Promise.withResolvers<EngineExit>();
    const running: Running = { workFolder, exited, resolveExited, adopted, pid: undefined, startTicks: undefined, ended: false };
    this.#containers.set(containerId, running);
    return running;
  }

  #send(containerId: string, signal: RuntimeSignal): boolean {
    const running = this.#containers.get(containerId);
    return running?.pid !== undefined && !running.ended && this.#runtime.signal(containerId, running.pid, signal);
  }

  #launcherSaid(event: LauncherEvent): void {
    const { containerId } = event;
    const running = this.#containers.get(containerId);
    if (!running) return;
    switch (event.type) {
      case 'started':
        running.pid = event.pid;
        running.startTicks = this.#files.start(containerId)?.startTicks;
        this.#checkLivenessLater();
        running.starting?.resolve({ pid: event.pid });
        delete running.starting;
        return;
      case 'exited':
        this.#ended(containerId, event.exitCode);
        return;
      case 'failed':
        this.#containers.delete(containerId);
        running.starting?.reject(new Error(`the launcher could not start ${containerId}`));
    }
  }

  /** Starts whose order was not read have no pid file soon after; they fail. */
  #launcherDied(): void {
    const starting = [...this.#containers].filter(([, running]) => running.starting);
    this.#clock.setTimer(orphanedStartMs, () => {
      for (const [containerId, running] of starting) {
        if (!running.starting || this.#files.hasStart(containerId)) continue;
        this.#containers.delete(containerId);
        running.starting.reject(new Error(`the launcher ended before it started ${containerId}`));
      }
    });
  }

  /** Ends an adopted container whose exit file is complete. */
  #readExit(containerId: string): void {
    if (!this.#containers.get(containerId)?.adopted) return;
    const exitCode = this.#files.exitCode(containerId);
    if (exitCode !== undefined) this.#ended(containerId, exitCode);
  }

  /** The container has ended: what is left of it goes, then those who wait for it are told. Only the first call counts. */
  #ended(containerId: string, exitCode: number): void {
    const running = this.#containers.get(containerId);
    if (!running || running.ended) return;
    running.ended = true;
    running.starting?.resolve({ pid: running.pid ?? 0 });
    const { pid, startTicks, workFolder } = running;
    void this.#removeRemains({ containerId, pid, startTicks, workFolder }, exitCode).then(({ outOfMemory }) =>
      running.resolveExited(outOfMemory && exitCode !== 0 ? { exitCode, outOfMemory } : { exitCode }),
    );
  }

  /** Lets the runtime clean up, then ends the processes that left the container's session. Never rejects. */
  async #removeRemains(ended: EndedContainer, exitCode?: number): Promise<{ readonly outOfMemory?: boolean }> {
    const facts = await this.#runtime.ended(ended.containerId, exitCode).catch((error: unknown) => {
      this.#logger.warn({ err: error, container: ended.containerId }, 'what belongs to an ended container could not be removed');
      return {};
    });
    await this.#leftovers.end(ended);
    return facts;
  }

  /** A container of an earlier process of the node manager that does not run: it ended, or was never started. */
  async #recoverEnded(containerId: string, start: RecordedStart | undefined, exitCode: number | undefined): Promise<Recovered> {
    if (!start) {
      await this.#runtime.ended(containerId, exitCode);
      return exitCode === undefined ? { state: 'unknown' } : { state: 'exited', exitCode };
    }
    // Its keeper may be about to write the exit code.
    if (exitCode === undefined) await new Promise<void>((resolve) => this.#clock.setTimer(exitFileMs, resolve));
    const code = exitCode ?? this.#files.exitCode(containerId);
    const { outOfMemory } = await this.#removeRemains({ containerId, ...start }, code);
    return { state: 'exited', exitCode: code ?? processExitCode.lost, ...(outOfMemory && code !== 0 && { outOfMemory }) };
  }

  #checkLivenessLater(): void {
    if (this.#livenessTimer || this.#closed) return;
    this.#livenessTimer = this.#clock.setTimer(livenessIntervalMs, () => {
      this.#livenessTimer = undefined;
      if (this.#checkLiveness()) this.#checkLivenessLater();
    });
  }

  /** Checks the next slice of containers; true when there is more to check later. */
  #checkLiveness(): boolean {
    if (this.#unchecked.length === 0) this.#unchecked = [...this.#containers.keys()];
    let more = this.#unchecked.length > livenessSlice;
    for (const containerId of this.#unchecked.splice(0, livenessSlice)) {
      const running = this.#containers.get(containerId);
      if (!running || running.ended || running.pid === undefined) continue;
      this.#readExit(containerId);
      if (running.ended) continue;
      const now = readStat(running.pid);
      const lives = now && !now.zombie && now.startTicks === (running.startTicks ?? now.startTicks);
      // One that is dead is left to its keeper until the next check.
      if (!lives && running.missing) this.#ended(containerId, this.#files.exitCode(containerId) ?? processExitCode.lost);
      else more = true;
      if (!lives) running.missing = true;
    }
    return more;
  }

  /**
   * Tells the running container that a process left the session of, by the process's environment or, for an orphan, by where it stands.
   * Nothing of a container is older than its leader.
   */
  #containerOfStray(): (process: ProcessStat) => string | undefined {
    let oldestTicks = Number.POSITIVE_INFINITY;
    for (const { startTicks, ended } of this.#containers.values())
      if (!ended && startTicks !== undefined) oldestTicks = Math.min(oldestTicks, startTicks);
    const workFolderOf = (containerId: string) => {
      const running = this.#containers.get(containerId);
      return running?.main !== undefined && !running.ended ? running.workFolder : undefined;
    };
    const parents = orphanParents();
    return ({ pid, startTicks, parentPid }) => {
      if (startTicks < oldestTicks) return undefined;
      return containerIn(readEnvironment(pid), workFolderOf) ?? (parents.has(parentPid) ? containerAround(pid, workFolderOf) : undefined);
    };
  }
}
