// Containers below a launcher process, remembered by files: what engines for processes of this machine have in common.
import { randomBytes } from 'node:crypto';
import type { FSWatcher } from 'node:fs';
import type { Clock, Timer } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { makeFolder } from '../../lib/make-folder.ts';
import { type ProcessStat, readStat } from '../../lib/process-stat.ts';
import { processExitCode } from '../../model/exit-status.ts';
import type {
  ContainerEngine,
  ContainerSignal,
  EngineExit,
  EngineOrder,
  EngineUsage,
  Recovered,
  ShellOrder,
  ShellProcess,
} from '../engine.ts';
import { ContainerFiles, containerOf, type RecordedStart } from './container-files.ts';
import { Launcher, type LauncherEvent } from './launcher.ts';
import type { LauncherOrder } from './launcher-script.ts';
import { containerAround, containerIn, type EndedContainer, Leftovers, orphanParents, readEnvironment } from './leftovers.ts';
import { UsageReader } from './process-table.ts';
import type { ContainerRuntime, RuntimeSignal } from './runtime.ts';
import { startShell } from './shell.ts';

/** What a supervised engine needs. */
export interface SupervisedEngineOptions {
  /** Folder of its own: pid and exit files, the launcher's script. */
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Environment of the launcher, inherited by containers; default `PATH`, `LANG` and `TZ` of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Command line before the launcher's; it has to execute what follows. */
  readonly within?: readonly string[] | undefined;
}

/** A container that this engine started or adopted. */
interface Running {
  readonly workFolder: string;
  /** Its start, as its files are named; absent before the first order. */
  name?: string;
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
  starting?: Starting;
  /** Commands that were brought into it. */
  readonly shells: Set<ShellProcess>;
  /** Its end is known; what it left behind may still be being removed. */
  ended: boolean;
  /** Seen dead without an exit file; its keeper may still be writing it. */
  missing?: boolean;
}

/** A start on its way to the launcher. */
interface Starting {
  readonly order: Omit<LauncherOrder, 'name'>;
  readonly resolve: (started: { pid: number }) => void;
  readonly reject: (error: Error) => void;
  /** How often it was ordered, and when last. */
  orders: number;
  orderedMs: number;
}

/** How often it is checked that containers live whose keeper may have been killed, so that no push tells of their end. */
const livenessIntervalMs = 1000;
/** How many of them are checked at a time. */
const livenessSlice = 200;
/** A launcher with orders of which none is carried out for so long stands still: another takes its place. */
const launcherStallMs = 30_000;
/** Launchers that a start is tried with. */
const launchersOfStart = 3;
/** How long a keeper may take to write the exit code of a container that is gone. */
const exitFileMs = 200;

/**
 * An engine whose containers run below one launcher.
 *
 * The protocol with the launcher: the engine writes an order for each start; the launcher forks a keeper for it and says `started` when the
 * start was claimed, `failed` when the container could not be started, `exited` when the exit file is written. A launcher that died, or
 * says nothing for too long, is fenced (container-files.ts) before another takes its place: what it has not claimed is ordered again, what
 * it has goes on, as keepers do.
 *
 * What files say: a container with a claimed start was started, whoever lived or stood still then; one with an exit file has ended,
 * whatever a pipe says. After a restart the files alone are believed: the engine fences what its predecessors have not claimed, and starts
 * nothing that has a claimed start until it is forgotten. A leader that is dead without an exit file had its keeper killed: it ends as
 * lost; so does, when the machine was started anew, whatever an earlier process may have started.
 *
 * Who changes what: leaders and keepers write the files, the engine removes them (by `forget`). A `Running` is made by `start` and
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
  /** The next look whether the launcher stands still; set while starts wait for its word. */
  #stallTimer: Timer | undefined;
  /** When a start was last carried out or refused. */
  #heardMs = Number.NEGATIVE_INFINITY;
  /** The next check of liveness; set while there are containers to check. */
  #livenessTimer: Timer | undefined;
  /** Those that the present round of checks has not come to. */
  #unchecked: string[] = [];
  /** Those of an earlier boot of the machine whose ends may not be durable yet. */
  readonly #lostWithMachine = new Set<string>();
  #isRecovered = false;
  #closed = false;

  /** Starts the launcher. @throws Error when the folder cannot be made or written to */
  constructor(options: SupervisedEngineOptions, runtime: ContainerRuntime) {
    const { folder, clock, logger, environment, within } = options;
    makeFolder(folder, 0o700);
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
      files: this.#files,
      clock,
      logger,
      environment,
      within,
      onEvent: (event) => this.#launcherSaid(event),
      onDeath: () => this.#launcherDied(),
    });
  }

  /** Why no container can be started, such as what the command line before the launcher's says; undefined once one can. */
  whyNotReady(): Promise<string | undefined> {
    return this.#launcher.whyNotReady();
  }

  async start(order: EngineOrder): Promise<{ pid: number }> {
    const { containerId } = order;
    if (this.#closed) throw new Error('the engine is closed');
    if (this.#containers.has(containerId)) throw new Error(`${containerId} is running already`);
    if (this.#files.claimedStart(containerId) !== undefined) throw new Error(`${containerId} was started before`);
    const running = this.#add(containerId, order.workFolder);
    try {
      const launch = await this.#runtime.prepare(order);
      const { pid } = await new Promise<{ pid: number }>((resolve, reject) => {
        running.starting = { order: launch, resolve, reject, orders: 0, orderedMs: 0 };
        this.#order(containerId, running);
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

  async enter(order: ShellOrder): Promise<ShellProcess> {
    const running = this.#containers.get(order.containerId);
    const { pid, main, workFolder, ended = true } = running ?? {};
    if (pid === undefined || main === undefined || workFolder === undefined || ended)
      throw new Error(`${order.containerId} is not running`);
    const mark = randomBytes(12).toString('hex');
    const entry = await this.#runtime.enter(order, { pid, main, workFolder, mark });
    if (running?.ended) throw new Error(`${order.containerId} has ended`);
    const shell = await startShell(entry, { ...order, mark }, { clock: this.#clock, logger: this.#logger });
    running?.shells.add(shell);
    void shell.ended.then(() => running?.shells.delete(shell));
    if (running?.ended) await shell.end();
    return shell;
  }

  wait(containerId: string): Promise<EngineExit> {
    return this.#containers.get(containerId)?.exited ?? Promise.reject(new Error(`${containerId} is not known`));
  }

  async recover(containerId: string): Promise<Recovered> {
    const recovered = await this.#recover(containerId);
    if (recovered.state === 'exited' && recovered.machineLost) this.#lostWithMachine.add(containerId);
    return recovered;
  }

  recovered(): void {
    this.#isRecovered = true;
    this.#noteBoot();
  }

  /** Until then a process that follows has to know that the machine was started anew, too. */
  #noteBoot(): void {
    if (!this.#isRecovered || this.#lostWithMachine.size > 0) return;
    try {
      this.#files.noteBoot();
    } catch (error) {
      this.#logger.warn(
        { err: error },
        'that the machine was started anew cannot be noted; the next start asks again what was lost with it',
      );
    }
  }

  async #recover(containerId: string): Promise<Recovered> {
    const name = this.#files.claimedStart(containerId);
    const start = name === undefined ? undefined : this.#files.start(name);
    const exitCode = name === undefined ? undefined : this.#files.exitCode(name);
    const pid = name !== undefined && exitCode === undefined ? this.#files.livingPid(name) : undefined;
    if (name === undefined || !start || pid === undefined) return this.#recoverEnded(containerId, name, start, exitCode);
    const running = this.#add(containerId, start.workFolder, true);
    running.name = name;
    running.pid = pid;
    running.startTicks = start.startTicks;
    this.#exitWatcher ??= this.#files.watchExits(
      (changed) => this.#readExit(containerOf(changed)),
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
    if (this.#lostWithMachine.delete(containerId)) this.#noteBoot();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#runtime.close();
    this.#exitWatcher?.close();
    this.#livenessTimer?.cancel();
    this.#stallTimer?.cancel();
    await this.#launcher.close();
  }

  #add(containerId: string, workFolder: string, adopted = false): Running {
    const { promise: exited, resolve: resolveExited } = Promise.withResolvers<EngineExit>();
    const running: Running = {
      workFolder,
      exited,
      resolveExited,
      adopted,
      pid: undefined,
      startTicks: undefined,
      shells: new Set(),
      ended: false,
    };
    this.#containers.set(containerId, running);
    return running;
  }

  #send(containerId: string, signal: RuntimeSignal): boolean {
    const running = this.#containers.get(containerId);
    return running?.pid !== undefined && !running.ended && this.#runtime.signal(containerId, running.pid, signal);
  }

  /** Orders a start that waits for the launcher's word, under a new name; rejects it where that is not possible. */
  #order(containerId: string, running: Running): void {
    const { starting } = running;
    if (!starting) return;
    if (this.#closed) return starting.reject(new Error('the engine is closed'));
    if (++starting.orders > launchersOfStart) return starting.reject(new Error(`the launcher ended before it started ${containerId}`));
    const generation = this.#launcher.generation();
    if (generation === undefined) return starting.reject(new Error('the launcher could not be started'));
    running.name = this.#files.newName(containerId, generation);
    starting.orderedMs = this.#clock.steadyMs();
    this.#launcher.order({ ...starting.order, name: running.name });
    this.#stallTimer ??= this.#clock.setTimer(launcherStallMs, () => this.#lookForStall());
  }

  #lookForStall(): void {
    this.#stallTimer = undefined;
    const waiting = [...this.#containers.values()].flatMap(({ starting }) => (starting ? [starting.orderedMs] : []));
    if (waiting.length === 0) return;
    const leftMs = Math.max(Math.min(...waiting), this.#heardMs) + launcherStallMs - this.#clock.steadyMs();
    if (leftMs > 0) this.#stallTimer = this.#clock.setTimer(leftMs, () => this.#lookForStall());
    else {
      this.#logger.warn({ starts: waiting.length }, 'the launcher stands still; starting another');
      this.#launcher.replace();
    }
  }

  #launcherSaid(event: LauncherEvent): void {
    const containerId = containerOf(event.name);
    const running = this.#containers.get(containerId);
    if (running?.name !== event.name) return;
    // Exits are told by keepers, also while the launcher stands still.
    if (event.type !== 'exited') this.#heardMs = this.#clock.steadyMs();
    switch (event.type) {
      case 'started':
        this.#started(event.name, running, event.pid);
        return;
      case 'exited':
        this.#ended(containerId, event.exitCode);
        return;
      case 'failed':
        this.#containers.delete(containerId);
        this.#files.removeStart(event.name);
        running.starting?.reject(new Error(`the launcher could not start ${containerId}`));
    }
  }

  #started(name: string, running: Running, pid: number): void {
    running.pid = pid;
    running.startTicks = this.#files.start(name)?.startTicks;
    this.#checkLivenessLater();
    running.starting?.resolve({ pid });
    delete running.starting;
  }

  /** The launcher's generation is fenced: what was claimed goes on, what was not is ordered again. */
  #launcherDied(): void {
    for (const [containerId, running] of [...this.#containers]) {
      const { name, starting } = running;
      if (name === undefined || !starting || !this.#files.isFenced(name)) continue;
      const start = this.#files.isClaimed(name) ? this.#files.start(name) : undefined;
      if (start) {
        this.#started(name, running, start.pid);
        continue;
      }
      this.#files.removeStart(name);
      this.#order(containerId, running);
    }
  }

  #exitCodeOf({ name }: Running): number | undefined {
    return name === undefined ? undefined : this.#files.exitCode(name);
  }

  /** Ends an adopted container whose exit file is complete. */
  #readExit(containerId: string): void {
    const running = this.#containers.get(containerId);
    if (!running?.adopted) return;
    const exitCode = this.#exitCodeOf(running);
    if (exitCode !== undefined) this.#ended(containerId, exitCode);
  }

  /** The container has ended: what is left of it goes, then those who wait for it are told. Only the first call counts. */
  #ended(containerId: string, exitCode: number): void {
    const running = this.#containers.get(containerId);
    if (!running || running.ended) return;
    running.ended = true;
    running.starting?.resolve({ pid: running.pid ?? 0 });
    const { pid, startTicks, workFolder } = running;
    const shells = [...running.shells].map((shell) => shell.end());
    const remains = this.#removeRemains({ containerId, pid, startTicks, workFolder }, exitCode);
    void Promise.all([remains, ...shells]).then(([{ outOfMemory }]) =>
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
  async #recoverEnded(
    containerId: string,
    name: string | undefined,
    start: RecordedStart | undefined,
    exitCode: number | undefined,
  ): Promise<Recovered> {
    const lost = {
      state: 'exited',
      exitCode: processExitCode.lost,
      ...(this.#files.isOfEarlierBoot(name) && { machineLost: true }),
    } as const;
    if (name === undefined || !start) {
      await this.#runtime.ended(containerId, exitCode);
      if (exitCode !== undefined) return { state: 'exited', exitCode };
      // What was started before the machine was started anew may have left nothing.
      return name === undefined && !this.#files.rebooted ? { state: 'unknown' } : lost;
    }
    // Its keeper may be about to write the exit code.
    if (exitCode === undefined) await new Promise<void>((resolve) => this.#clock.setTimer(exitFileMs, resolve));
    const code = exitCode ?? this.#files.exitCode(name);
    const { outOfMemory } = await this.#removeRemains({ containerId, ...start }, code);
    if (code === undefined && lost.machineLost) return lost;
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
      if (!lives && running.missing) this.#ended(containerId, this.#exitCodeOf(running) ?? processExitCode.lost);
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
