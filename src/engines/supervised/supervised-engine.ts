// Containers below a launcher process, remembered by files: what engines for processes of this machine have in common.
// The launcher pushes starts and exits; for containers adopted from an earlier life the folder of exit files is watched.
import { type ChildProcess, spawn } from 'node:child_process';
import { type FSWatcher, mkdirSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock, Timer } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { type ProcessStat, parseStat, readStat } from '../../lib/process-stat.ts';
import { processExitCode } from '../../model/exit-status.ts';
import type { ContainerEngine, EngineExit, EngineOrder, Recovered } from '../engine.ts';
import { launcherFields, launcherScript } from './launcher-script.ts';
import { containerAround, containerIn, type EndedContainer, Leftovers, readEnvironment, takers } from './leftovers.ts';
import { UsageReader } from './process-table.ts';
import type { ContainerRuntime, RuntimeSignal } from './runtime.ts';

/** What a supervised engine needs. */
export interface SupervisedEngineOptions {
  /** Folder of its own: pid and exit files, the launcher. */
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Environment of the launcher, inherited by containers; default `PATH`, `LANG` and `TZ` of this process. */
  readonly environment?: Readonly<Record<string, string>>;
}

interface Running {
  /** The process that the launcher started. */
  pid: number | undefined;
  /** Its main process, as the runtime says; the same for plain processes. */
  main?: number;
  /** When that process started, to tell it from a later one with the same number. */
  startTicks: number | undefined;
  readonly workFolder: string;
  readonly exited: Promise<EngineExit>;
  readonly finish: (exit: EngineExit) => void;
  started?: { readonly resolve: (started: { pid: number }) => void; readonly reject: (error: Error) => void };
  ended: boolean;
  /** Seen dead without an exit file; its keeper may still be writing it. */
  missing?: boolean;
}

/** How often containers are looked at whose keeper may be gone, so that nobody tells of their end. */
const livenessMs = 1000;
/** How many of them at a time. */
const livenessSlice = 200;

/** Starts the launcher and gives the engine. @throws when bash or setsid is missing. */
export function createSupervisedEngine(options: SupervisedEngineOptions, runtime: ContainerRuntime): ContainerEngine {
  const { folder, clock, logger } = options;
  const containers = new Map<string, Running>();
  const adopted = new Set<string>();
  let launcher: ChildProcess | undefined;
  let watcher: FSWatcher | undefined;
  let liveness: Timer | undefined;
  let closed = false;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const leftovers = new Leftovers(clock, logger);
  const scriptFile = join(folder, 'launcher.sh');
  writeFileSync(scriptFile, launcherScript, { mode: 0o700 });

  const pidFile = (containerId: string) => join(folder, `${containerId}.pid`);
  const exitFile = (containerId: string) => join(folder, `${containerId}.exit`);
  const readText = (path: string): string => {
    try {
      return readFileSync(path, 'latin1');
    } catch {
      return '';
    }
  };
  const readExit = (containerId: string): number | undefined => {
    const found = /^(\d+)\n$/.exec(readText(exitFile(containerId)));
    return found ? Number(found[1]) : undefined;
  };

  /** What tells the processes of a container, from its pid file. */
  const noted = (containerId: string) => {
    const [line = '', workFolder = ''] = readText(pidFile(containerId)).split('\n');
    const stat = parseStat(line);
    return stat && { pid: stat.pid, startTicks: stat.startTicks, workFolder: Buffer.from(workFolder, 'latin1').toString() };
  };

  const remember = (containerId: string, workFolder: string): Running => {
    let finish: (exit: EngineExit) => void = () => undefined;
    const exited = new Promise<EngineExit>((resolve) => {
      finish = resolve;
    });
    const running: Running = { pid: undefined, startTicks: undefined, workFolder, exited, finish, ended: false };
    containers.set(containerId, running);
    return running;
  };

  const endEverything = async (ended: EndedContainer, exitCode?: number): Promise<{ readonly outOfMemory?: boolean }> => {
    const facts = await runtime.ended(ended.containerId, exitCode).catch((error: unknown) => {
      logger.warn({ err: error, container: ended.containerId }, 'what belongs to an ended container could not be removed');
      return {};
    });
    await leftovers.end(ended);
    return facts;
  };
  const end = (containerId: string, exitCode: number) => {
    const running = containers.get(containerId);
    adopted.delete(containerId);
    if (!running || running.ended) return;
    running.ended = true;
    running.started?.resolve({ pid: running.pid ?? 0 });
    const { pid, startTicks, workFolder } = running;
    void endEverything({ containerId, pid, startTicks, workFolder }, exitCode).then(({ outOfMemory }) =>
      running.finish(outOfMemory && exitCode !== 0 ? { exitCode, outOfMemory } : { exitCode }),
    );
  };

  const hear = (line: string) => {
    const [what, containerId = '', value = ''] = line.split(' ');
    const running = containers.get(containerId);
    if (!running) return;
    if (what === 'started') {
      running.pid = Number(value);
      running.startTicks = noted(containerId)?.startTicks;
      watchLiveness();
      running.started?.resolve({ pid: running.pid });
      running.started = undefined;
    } else if (what === 'exit') end(containerId, Number(value));
    else if (what === 'failed') {
      containers.delete(containerId);
      running.started?.reject(new Error(`the launcher could not start ${containerId}`));
    }
  };

  const startLauncher = (): ChildProcess => {
    const inherited = Object.fromEntries(['PATH', 'LANG', 'TZ'].flatMap((name) => (process.env[name] ? [[name, process.env[name]!]] : [])));
    const child = spawn('/bin/bash', [scriptFile, folder], {
      cwd: folder,
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
      env: { ...(options.environment ?? inherited) },
    });
    let rest = '';
    child.stdout?.setEncoding('latin1').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) hear(line);
    });
    child.stdin?.on('error', (error) => logger.debug({ err: error }, 'writing to the launcher failed'));
    child.on('error', (error) => logger.error({ err: error }, 'the launcher could not be started'));
    child.on('exit', (code, signal) => {
      if (launcher === child) launcher = undefined;
      if (closed) return;
      logger.warn({ code, signal }, 'the launcher ended; starting another');
      // Keepers of running containers go on and still push through the old pipe. Orders the launcher had not read are lost: those
      // containers have no pid file soon after.
      const waiting = [...containers].filter(([, running]) => running.started);
      clock.setTimer(500, () => {
        for (const [containerId, running] of waiting) {
          if (!running.started || readText(pidFile(containerId)) !== '') continue;
          containers.delete(containerId);
          running.started.reject(new Error(`the launcher ended before it started ${containerId}`));
        }
      });
      launcher = startLauncher();
    });
    // The launcher must not keep the process alive by itself.
    child.unref();
    (child.stdout as { unref?: () => void } | null)?.unref?.();
    (child.stdin as { unref?: () => void } | null)?.unref?.();
    return child;
  };
  launcher = startLauncher();

  /** Whether the process that the pid file names is still that process. */
  const livingPid = (containerId: string): number | undefined => {
    const then = noted(containerId);
    if (!then) return undefined;
    const now = readStat(then.pid);
    return now && !now.zombie && now.startTicks === then.startTicks ? then.pid : undefined;
  };

  const usageReader = new UsageReader();
  let unseen: string[] = [];
  const checkLiveness = (): boolean => {
    if (unseen.length === 0) unseen = [...containers.keys()];
    let left = unseen.length > livenessSlice;
    for (const containerId of unseen.splice(0, livenessSlice)) {
      const running = containers.get(containerId);
      if (!running || running.ended || running.pid === undefined) continue;
      const exitCode = adopted.has(containerId) ? readExit(containerId) : undefined;
      const now = readStat(running.pid);
      if (exitCode !== undefined) end(containerId, exitCode);
      else if (now && !now.zombie && now.startTicks === (running.startTicks ?? now.startTicks)) left = true;
      else if (running.missing) end(containerId, readExit(containerId) ?? processExitCode.lost);
      else left = running.missing = true;
    }
    return left;
  };
  const watchLiveness = () => {
    if (liveness || closed) return;
    liveness = clock.setTimer(livenessMs, () => {
      liveness = undefined;
      if (checkLiveness()) watchLiveness();
    });
  };
  const watchExitFiles = () => {
    if (watcher) return;
    watcher = watch(folder, { persistent: false }, (_event, name) => {
      const containerId = name?.endsWith('.exit') ? name.slice(0, -5) : undefined;
      if (containerId === undefined || !adopted.has(containerId)) return;
      const exitCode = readExit(containerId);
      if (exitCode !== undefined) end(containerId, exitCode);
    });
    watcher.on('error', (error) => logger.warn({ err: error }, 'watching the exit files failed'));
  };

  /** Tells the running container that a process left the session of. Nothing of a container is older than its first process. */
  const claims = (): ((process: ProcessStat) => string | undefined) => {
    let oldestTicks = Number.POSITIVE_INFINITY;
    for (const { startTicks, ended } of containers.values())
      if (!ended && startTicks !== undefined) oldestTicks = Math.min(oldestTicks, startTicks);
    const workFolderOf = (containerId: string) => {
      const running = containers.get(containerId);
      return running?.main !== undefined && !running.ended ? running.workFolder : undefined;
    };
    const parentsOfOrphans = takers();
    return ({ pid, startTicks, parentPid }) => {
      if (startTicks < oldestTicks) return undefined;
      const containerId = containerIn(readEnvironment(pid), workFolderOf);
      return containerId ?? (parentsOfOrphans.has(parentPid) ? containerAround(pid, workFolderOf) : undefined);
    };
  };
  const send = (containerId: string, signal: RuntimeSignal): boolean => {
    const running = containers.get(containerId);
    return running?.pid !== undefined && !running.ended && runtime.signal(containerId, running.pid, signal);
  };

  return {
    name: runtime.name,
    async start(order: EngineOrder) {
      const { containerId } = order;
      if (closed) throw new Error('the engine is closed');
      if (containers.has(containerId)) throw new Error(`${containerId} is running already`);
      rmSync(exitFile(containerId), { force: true });
      rmSync(pidFile(containerId), { force: true });
      const running = remember(containerId, order.workFolder);
      try {
        const launch = launcherFields(await runtime.prepare(order));
        const { pid } = await new Promise<{ pid: number }>((resolve, reject) => {
          running.started = { resolve, reject };
          if (closed || !launcher?.stdin) reject(new Error('the engine is closed'));
          else launcher.stdin.write(launch);
        });
        const main = await runtime.running(containerId, pid, running.exited);
        running.main = main.pid;
        return main;
      } catch (error) {
        containers.delete(containerId);
        await runtime
          .ended(containerId)
          .catch((problem: unknown) => logger.warn({ err: problem, container: containerId }, 'a start could not be undone'));
        throw error;
      }
    },
    signal: send,
    pause: async (containerId) => send(containerId, 'SIGSTOP'),
    resume: async (containerId) => send(containerId, 'SIGCONT'),
    wait(containerId) {
      const running = containers.get(containerId);
      return running ? running.exited : Promise.reject(new Error(`${containerId} is not known`));
    },
    async recover(containerId): Promise<Recovered> {
      const left = noted(containerId);
      const exitCode = readExit(containerId);
      const pid = exitCode === undefined ? livingPid(containerId) : undefined;
      if (pid === undefined) {
        // Its keeper may be about to write the exit code.
        if (left && exitCode === undefined) await new Promise<void>((resolve) => clock.setTimer(200, resolve));
        const code = exitCode ?? readExit(containerId);
        if (!left) {
          await runtime.ended(containerId, code);
          return code === undefined ? { state: 'unknown' } : { state: 'exited', exitCode: code };
        }
        const { outOfMemory } = await endEverything({ containerId, ...left }, code);
        return { state: 'exited', exitCode: code ?? processExitCode.lost, ...(outOfMemory && code !== 0 && { outOfMemory }) };
      }
      const running = remember(containerId, left?.workFolder ?? '');
      running.pid = pid;
      running.startTicks = left?.startTicks;
      adopted.add(containerId);
      watchExitFiles();
      watchLiveness();
      const meanwhile = readExit(containerId);
      if (meanwhile !== undefined) end(containerId, meanwhile);
      // It may end in this moment.
      const main = await runtime.running(containerId, pid, running.exited).catch(() => ({ pid }));
      running.main = main.pid;
      return { state: 'running', pid: main.pid };
    },
    traces: () => [
      ...new Set([
        ...readdirSync(folder).flatMap((name) => (/^container_.*\.(pid|exit)$/.test(name) ? [name.replace(/\.(pid|exit)$/, '')] : [])),
        ...runtime.traces(),
      ]),
    ],
    async usage() {
      const leaders = new Map<string, number>();
      for (const [containerId, { main, ended }] of containers) if (main && !ended) leaders.set(containerId, main);
      return leaders.size === 0 ? new Map() : usageReader.read(leaders, runtime.members([...leaders.keys()]), claims());
    },
    forget(containerId) {
      const running = containers.get(containerId);
      if (running && !running.ended) return;
      containers.delete(containerId);
      rmSync(exitFile(containerId), { force: true });
      rmSync(pidFile(containerId), { force: true });
    },
    ...(runtime.resize && { resize: (containerId, limits) => runtime.resize?.(containerId, limits) ?? Promise.resolve() }),
    async close() {
      closed = true;
      runtime.close();
      watcher?.close();
      liveness?.cancel();
      const child = launcher;
      launcher = undefined;
      if (!child || child.exitCode !== null) return;
      await new Promise<void>((resolve) => {
        child.once('exit', () => resolve());
        child.ref();
        child.stdin?.end();
      });
      child.stdout?.destroy();
    },
  };
}
