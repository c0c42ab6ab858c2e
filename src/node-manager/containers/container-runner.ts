// Brings one container from its order to its end: the steps of its start, its process, the words and the code of its end, clean-up.
// Which containers there are and who may ask for what is the manager's business.
import { join } from 'node:path';
import type { ContainerEngine, ContainerSignal, EngineExit } from '../../engines/engine.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { exitStatus, isSignalled, launchFailedExitCode } from '../../model/exit-status.ts';
import type { ContainerReport } from '../../wire/cluster/container-messages.ts';
import type { SignalCommand } from '../../wire/cluster/node-channel.ts';
import type { AuxiliaryServices } from '../auxiliary/services.ts';
import type { NodeFolders } from '../folders.ts';
import type { LocalCache } from '../localization/cache.ts';
import { asLocalizationFailure } from '../localization/errors.ts';
import { LocalizationCounts } from '../localization/localization-counts.ts';
import type { NodeMetrics } from '../metrics.ts';
import type { NodeStore } from '../store/node-store.ts';
import type { Admission } from './admission.ts';
import type { Container } from './container.ts';
import { killedOnRequest, launchException, lostWithMachine, memoryRanOut, nonZeroExit } from './diagnostics.ts';
import { type ErrorFileSettings, fullDisks, readErrorFiles } from './failure-report.ts';
import { bringFile, bringFiles } from './further-files.ts';
import { makeFolders } from './steps/make-folders.ts';
import type { StartContext, StartStep } from './steps/step.ts';
import { launchingSteps, preparingSteps, startingAgainSteps, startSteps } from './steps/steps.ts';

/** What running containers needs. */
export interface ContainerRunnerOptions {
  readonly engine: ContainerEngine;
  /** Says when a container may start. */
  readonly admission: Admission;
  readonly folders: NodeFolders;
  readonly cache: LocalCache;
  readonly store: NodeStore;
  /** Counts starts and ends; absent: nobody does. */
  readonly metrics?: NodeMetrics | undefined;
  readonly auxiliary: AuxiliaryServices;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly node: Omit<StartContext['node'], 'serviceData'>;
  readonly sleepBeforeKillMs: number;
  /** Shortest time between the end of a container that is started again and its next start. */
  readonly retryMinimumIntervalMs: number;
  readonly errorFiles: ErrorFileSettings;
  /** Why no container may start: too few folders are good; undefined when enough are. */
  readonly disksFailed: () => string | undefined;
  /** How long folders of ended applications are kept; -1: for ever. */
  readonly deleteDelayMs: number;
  /** The user that containers run as, for the texts of signals. */
  readonly processUser: string;
}

/** Hears how far containers are. */
export interface ContainerRunnerObserver {
  /** It began to run, or its exit code is final. */
  changed(report: ContainerReport): void;
  signalled(containerId: string, command: SignalCommand, success: boolean): void;
  /** Its exit code is final; nothing was cleaned up yet. */
  completed(container: Container): void;
  /** Nothing of it is left. */
  gone(container: Container): void;
}

const signals = {
  OUTPUT_THREAD_DUMP: 'SIGQUIT',
  GRACEFUL_SHUTDOWN: 'SIGTERM',
  FORCEFUL_SHUTDOWN: 'SIGKILL',
} as const satisfies Record<SignalCommand, ContainerSignal>;

/** Runs containers, each from its order to its end. */
export class ContainerRunner {
  readonly #options: ContainerRunnerOptions;
  readonly #observer: ContainerRunnerObserver;
  #leaving = false;

  constructor(options: ContainerRunnerOptions, observer: ContainerRunnerObserver) {
    this.#options = options;
    this.#observer = observer;
  }

  /** Brings the container from its order to its end; resolves when nothing of it is left. */
  async run(container: Container): Promise<void> {
    const context = this.#context(container);
    const done: StartStep[] = [];
    const take = async (steps: readonly StartStep[]): Promise<boolean> => {
      for (const step of steps) {
        if (container.killed) return false;
        done.push(step);
        await step.run(context);
      }
      return true;
    };
    const { clock, metrics } = this.#options;
    const begunMs = clock.steadyMs();
    container.apply('initialize');
    try {
      if (!(await take(preparingSteps))) return await this.#endUnstarted(container, done);
    } catch (error) {
      if (container.killed) return await this.#endUnstarted(container, done);
      container.addDiagnostics(`${asLocalizationFailure(error).diagnostics}\n`);
      container.apply('localizationFailed');
      return await this.#complete(container, done);
    }
    if (container.killed) return await this.#endUnstarted(container, done);
    container.apply('localized');
    metrics?.localizations.add(clock.steadyMs() - begunMs);
    if (!(await this.#options.admission.admit(container))) return await this.#endUnstarted(container, done);
    const disksFailed = this.#options.disksFailed();
    if (disksFailed !== undefined) {
      container.exitCode = exitStatus.disksFailed;
      container.addDiagnostics(`Most of the disks failed. ${disksFailed}\n`);
      container.apply('failed');
      return await this.#complete(container, done);
    }
    const readyMs = clock.steadyMs();
    try {
      if (!(await take(launchingSteps))) return await this.#endUnstarted(container, done);
    } catch (error) {
      if (container.killed) return await this.#endUnstarted(container, done);
      this.#launchFailed(container, error);
      return await this.#complete(container, done);
    }
    const exited = this.#options.engine.wait(container.id);
    metrics?.launches.add(clock.steadyMs() - readyMs);
    this.#launched(container);
    await this.#watch(container, exited, done);
  }

  /** Follows a container that an earlier process of the node manager started. */
  follow(container: Container, exited: Promise<EngineExit>): Promise<void> {
    container.engineKeeps = true;
    return this.#watch(container, exited, startSteps);
  }

  /**
   * Fetches what the container's next launch context needs, then ends its process, after which it starts anew. Where something cannot be
   * fetched it goes on as it is (ContainerImpl.ReInitializeContainerTransition).
   */
  async reinitialize(container: Container): Promise<void> {
    const { cache, store } = this.#options;
    const asked = container.reinitialization;
    const isStillAsked = () => asked !== undefined && container.reinitialization === asked;
    if (!asked) return;
    try {
      await bringFiles(container, asked.launch.localResources, cache);
    } catch (error) {
      if (!isStillAsked() || !container.apply('localizationFailed')) return;
      container.reinitialization = undefined;
      container.addDiagnostics(`Container aborting re-initialization.. ${asLocalizationFailure(error).diagnostics}\n`);
      void store.saveContainer(container.record());
      return;
    }
    if (!isStillAsked() || !container.apply('localized')) return;
    container.reinitialization = { ...asked, isFetched: true };
    // The next process of the node manager has to know why the process ended.
    await untilEnding(container, store.saveContainer(container.record()));
    this.endForNewStart(container);
  }

  /** Ends the process of a container that starts anew then. */
  endForNewStart(container: Container): void {
    if (!this.#leaving && container.state === 'REINITIALIZING_AWAITING_KILL') this.terminate(container);
  }

  /** Brings a file that was asked for while the container runs (ContainerImpl.ResourceLocalizedWhileRunningTransition). */
  async localize(container: Container, name: string): Promise<void> {
    const { cache, folders, node, store } = this.#options;
    const resource = container.localizing.get(name);
    if (!resource) return;
    try {
      await bringFile(container, name, resource, { cache, folders, users: node.users });
      container.hasLocalized(name, resource);
    } catch (error) {
      if (container.ended || container.killed) return;
      const { diagnostics } = asLocalizationFailure(error);
      container.localizing.delete(name);
      container.notLocalized.set(name, diagnostics);
      container.addDiagnostics(`${diagnostics}\n`);
    }
    if (!container.ended) void store.saveContainer(container.record());
  }

  /** Starts a container again that failed, or was to start anew, under an earlier process of the node manager. */
  async relaunch(container: Container): Promise<void> {
    const exit = await this.#relaunch(container);
    if (exit) await this.#watch(container, Promise.resolve(exit), startSteps);
    else await this.#complete(container, startSteps);
  }

  /** Ends a container of an earlier process of the node manager that was never started and is not wanted any more. */
  endUnstarted(container: Container): Promise<void> {
    return this.#endUnstarted(container, startSteps);
  }

  /** Nothing is started any more: what runs is left to the next process of the node manager. */
  leave(): void {
    this.#leaving = true;
  }

  /** TERM now, KILL after the delay to whatever is left. */
  terminate(container: Container): void {
    const { engine, clock, sleepBeforeKillMs } = this.#options;
    const { pid } = container;
    engine.signal(container.id, 'SIGTERM');
    // What stands still could not obey.
    void engine.resume?.(container.id).catch(() => undefined);
    clock.setTimer(sleepBeforeKillMs, () => {
      // It may have started anew meanwhile.
      if (!container.ended && container.pid === pid) engine.signal(container.id, 'SIGKILL');
    });
  }

  /**
   * Sends a signal that a user asked for and notes it in the diagnostics (ContainerLaunch.signalContainer). The resource manager knows
   * a container as launched a little before its process runs: such a signal waits for the process.
   */
  signal(container: Container, command: SignalCommand): void {
    const { engine, store, processUser } = this.#options;
    const signal = signals[command];
    if (container.ended || signal === undefined || (container.killed && container.pid === undefined)) {
      this.#observer.signalled(container.id, command, false);
      return;
    }
    if (container.pid === undefined) {
      container.waitingSignals.push(command);
      return;
    }
    const success = engine.signal(container.id, signal);
    container.addDiagnostics(
      `Sent signal ${command} (${signal}) to pid ${container.pid} as user ${processUser} for container ${container.id}, result=${success ? 'success' : 'failed'}\n`,
    );
    void store.saveContainer(container.record());
    this.#observer.signalled(container.id, command, success);
  }

  /** Makes the processes of a container stand still or go on; false where the engine or its state does not allow it. */
  async hold(container: Container, what: 'pause' | 'resume'): Promise<boolean> {
    const { engine, store, logger } = this.#options;
    const hold = engine[what]?.bind(engine);
    if (!hold || !container.apply(what)) return false;
    const success = await hold(container.id).catch((error: unknown) => {
      logger.warn({ err: error, container: container.id, what }, 'the processes of a container could not be held or let go');
      return false;
    });
    container.apply((what === 'pause') === success ? 'paused' : 'resumed');
    void store.saveContainer(container.record());
    return success;
  }

  #context(container: Container): StartContext {
    const { engine, folders, cache, node, auxiliary, clock } = this.#options;
    const { user, applicationId, containerId } = container.order;
    const scriptFile = join(folders.work(user, applicationId, containerId), 'launch_container.sh');
    const isGiven = node.gpus !== undefined || Object.keys(container.order.launch.localResources).length > 0;
    const recorded = () => untilEnding(container, isGiven ? this.#options.store.durable() : container.recording);
    const surroundings = { ...node, serviceData: auxiliary.metadata() };
    return {
      container,
      folders,
      cache,
      engine,
      node: surroundings,
      recorded,
      links: new Map(),
      localized: new LocalizationCounts(clock),
      scriptFile,
      script: '',
    };
  }

  /** Its end was asked for before its process ran. */
  #endUnstarted(container: Container, done: readonly StartStep[]): Promise<void> {
    if (!container.apply('nothingToKill')) container.apply('kill');
    return this.#complete(container, done);
  }

  /** Its process runs. */
  #launched(container: Container): void {
    container.engineKeeps = true;
    container.apply('launched');
    // The engine's files say so as well.
    void this.#options.store.saveContainer(container.record(), 'patient');
    if (container.killed) this.terminate(container);
    else this.#observer.changed(container.report());
    for (const command of container.waitingSignals.splice(0)) this.signal(container, command);
  }

  /** From its process to its end; where its order says so, failed ones are followed by others. */
  async #watch(container: Container, first: Promise<EngineExit>, done: readonly StartStep[]): Promise<void> {
    let exit: EngineExit | undefined = await first;
    while (exit && !(await this.#settle(container, exit))) exit = await this.#relaunch(container);
    await this.#complete(container, done);
  }

  /** Starts it again and waits for its end, after a failure when its interval is over; undefined when it was not to start any more or could not. */
  async #relaunch(container: Container): Promise<EngineExit | undefined> {
    if (container.state === 'RELAUNCHING') await this.#forgetFailure(container);
    else await this.#forgetFormer(container);
    // The next process of the node manager starts it.
    if (this.#leaving) return new Promise<never>(() => undefined);
    const context = this.#context(container);
    try {
      for (const step of startingAgainSteps) {
        if (container.killed) break;
        await step.run(context);
      }
    } catch (error) {
      if (!container.killed) {
        this.#launchFailed(container, error);
        return undefined;
      }
    }
    if (container.killed && container.pid === undefined) {
      container.apply('nothingToKill');
      return undefined;
    }
    const exited = this.#options.engine.wait(container.id);
    this.#launched(container);
    return exited;
  }

  /** It failed and is started again: waits for its interval. */
  async #forgetFailure(container: Container): Promise<void> {
    const { engine, store, clock, logger, retryMinimumIntervalMs } = this.#options;
    // Once the engine has forgotten it, an exit that it knows of is that of the next start.
    await untilEnding(container, store.saveContainer(container.record()));
    if (!container.killed) {
      engine.forget(container.id);
      container.engineKeeps = false;
    }
    const delayMs = Math.max(retryMinimumIntervalMs, container.order.launch.retry?.intervalMs ?? 0);
    logger.info({ container: container.id, exitCode: container.exitCode, delayMs }, 'a container failed and will be started again');
    await new Promise<void>((resolve) => {
      const timer = clock.setTimer(delayMs, resolve);
      const stop = () => {
        timer.cancel();
        resolve();
      };
      container.ending.signal.addEventListener('abort', stop, { once: true });
      if (container.killed) stop();
    });
  }

  /**
   * It starts anew. Until the engine has forgotten its former process, what is durable says that this one was to be ended; a process of the
   * node manager that finds nothing of it starts it, whichever of the two records it reads.
   */
  async #forgetFormer(container: Container): Promise<void> {
    const { engine, store, logger } = this.#options;
    if (!container.killed) {
      engine.forget(container.id);
      container.engineKeeps = false;
    }
    logger.info({ container: container.id }, 'a container starts anew');
    await untilEnding(container, store.saveContainer(container.record()));
  }

  #launchFailed(container: Container, error: unknown): void {
    container.exitCode = launchFailedExitCode;
    const isFull = /^(ENOSPC|EDQUOT)$/.test(String((error as NodeJS.ErrnoException | undefined)?.code));
    const where = isFull ? ': a disk below yarn.nodemanager.local-dirs or yarn.nodemanager.log-dirs' : '';
    container.addDiagnostics(`${error instanceof Error ? error.message : String(error)}${where}\n`);
    container.apply('failed');
  }

  /**
   * Its process ended with `exitCode` (ContainerLaunch.handleContainerExitCode and the transitions after it). False: it is to be started
   * again.
   */
  async #settle(container: Container, { exitCode, outOfMemory, machineLost }: EngineExit): Promise<boolean> {
    const { folders, errorFiles } = this.#options;
    container.pid = undefined;
    if (container.takeReinitialization()) {
      if (isSignalled(exitCode)) container.addDiagnostics(killedOnRequest(exitCode));
      return false;
    }
    if (exitCode === 0) {
      container.exitCode = 0;
      container.apply('succeeded');
      return true;
    }
    if (outOfMemory && !container.killed) {
      container.exitCode = exitStatus.exceededPhysicalMemory;
      container.addDiagnostics(memoryRanOut(container.id, container.order.resource.memoryMiB * 1024 * 1024));
      container.addDiagnostics(`${nonZeroExit(exitCode)}\n`);
      container.apply('killed');
      return true;
    }
    if (machineLost) {
      container.addDiagnostics(lostWithMachine);
      if (!container.killed) container.exitCode = exitStatus.aborted;
      container.apply('killed');
      return true;
    }
    if (isSignalled(exitCode)) {
      container.addDiagnostics(killedOnRequest(exitCode));
      container.addDiagnostics(`${nonZeroExit(exitCode)}\n`);
      if (!container.killed) {
        container.exitCode = exitCode;
        container.addDiagnostics('Killed by external signal\n');
      }
      container.apply('killed');
      return true;
    }
    const logFolder = folders.containerLogs(container.order.applicationId, container.id)[0]!;
    // The container may have put a link in its place.
    using held = await folders.hold(logFolder).catch(() => undefined);
    const errors = await readErrorFiles(held?.path, errorFiles);
    const { user, applicationId } = container.order;
    const noRoom = await fullDisks([folders.work(user, applicationId, container.id), logFolder]);
    container.addDiagnostics(launchException(container.id, exitCode));
    if (noRoom !== '') container.addDiagnostics(noRoom);
    const text = `${nonZeroExit(exitCode)}${errors}\n`;
    container.exitCode = exitCode;
    if (!container.killed) {
      if ((container.order.launch.retry?.policy ?? 'NEVER_RETRY') !== 'NEVER_RETRY')
        container.addDiagnostics('Diagnostic message from attempt : \n');
      container.addDiagnostics(text);
      if (container.takeRetry(exitCode)) return false;
      if (container.takeRollback()) {
        container.addDiagnostics('Container Re-init Auto Rolled-Back.\n');
        if (this.#options.metrics) this.#options.metrics.containersRolledBack += 1;
        return false;
      }
    }
    // Hadoop's retry policy added the text before it decided not to retry; the end of the container adds it again.
    container.addDiagnostics(text);
    container.apply('failed');
    return true;
  }

  /**
   * The exit code is final: it is told as soon as the container cannot run again, whoever dies, then cleaned up. The next process of the node
   * manager would carry out an order that is durable unless the engine's files or the durable end keep it from that.
   */
  async #complete(container: Container, done: readonly StartStep[]): Promise<void> {
    const { store, logger, admission } = this.#options;
    admission.release(container);
    this.#observer.completed(container);
    this.#options.metrics?.ended(container);
    const { engineKeeps } = container;
    const saved = store.saveContainer(container.record(), engineKeeps ? 'patient' : 'now');
    if (container.recorded && !engineKeeps) await saved;
    container.endIsSafe = true;
    this.#observer.changed(container.report());
    for (const command of container.waitingSignals.splice(0)) this.#observer.signalled(container.id, command, false);
    // What keeps it from running again until then goes when it is cleaned up; it is told what was in its folder before that.
    await saved;
    await container.described;
    const context = this.#context(container);
    for (const step of [...done].reverse()) {
      if (step === makeFolders && this.#options.deleteDelayMs !== 0) continue;
      await step
        .undo(context)
        .catch((error: unknown) => logger.warn({ err: error, container: container.id, step: step.name }, 'a step could not be undone'));
    }
    container.apply('cleanedUp');
    this.#observer.gone(container);
  }
}

/** Resolves with the promise, at the latest when the container's end is asked for. */
async function untilEnding({ ending: { signal } }: Container, promise: Promise<void>): Promise<void> {
  if (signal.aborted) return;
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const stop = () => resolve();
  signal.addEventListener('abort', stop, { once: true });
  await Promise.race([promise, ended]);
  signal.removeEventListener('abort', stop);
}
