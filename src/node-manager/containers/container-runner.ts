// Brings one container from its order to its end: the steps of its start, its process, the words and the code of its end, clean-up.
// Which containers there are and who may ask for what is the manager's business.
import type { ContainerEngine, ContainerSignal } from '../../engines/engine.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { ContainerReport, SignalCommand } from '../../wire/cluster/node-channel.ts';
import type { AuxiliaryServices } from '../auxiliary/services.ts';
import type { NodeFolders } from '../folders.ts';
import type { LocalCache } from '../localization/cache.ts';
import { LocalizationFailure } from '../localization/errors.ts';
import type { NodeStore } from '../store/node-store.ts';
import type { Container } from './container.ts';
import { killedOnRequest, launchException, nonZeroExit } from './diagnostics.ts';
import { killedExitCodes, launchFailedExitCode } from './exit-codes.ts';
import { type ErrorFileSettings, readErrorFiles } from './failure-report.ts';
import { makeFolders } from './steps/make-folders.ts';
import type { StartContext, StartStep } from './steps/step.ts';
import { launchingSteps, preparingSteps, startSteps } from './steps/steps.ts';

/** What running containers needs. */
export interface ContainerRunnerOptions {
  readonly engine: ContainerEngine;
  readonly folders: NodeFolders;
  readonly cache: LocalCache;
  readonly store: NodeStore;
  readonly auxiliary: AuxiliaryServices;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly node: Omit<StartContext['node'], 'serviceData'>;
  readonly sleepBeforeKillMs: number;
  readonly errorFiles: ErrorFileSettings;
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

/** See the head of this file. */
export class ContainerRunner {
  readonly #options: ContainerRunnerOptions;
  readonly #observer: ContainerRunnerObserver;

  constructor(options: ContainerRunnerOptions, observer: ContainerRunnerObserver) {
    this.#options = options;
    this.#observer = observer;
  }

  /** Goes through the whole life; resolves when nothing is left. */
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
    container.apply('initialize');
    try {
      if (!(await take(preparingSteps))) return await this.#endUnstarted(container, done);
    } catch (error) {
      if (container.killed) return await this.#endUnstarted(container, done);
      const failed =
        error instanceof LocalizationFailure ? error : new LocalizationFailure(error instanceof Error ? error.message : String(error));
      container.addDiagnostics(`${failed.diagnostics}\n`);
      container.apply('localizationFailed');
      return await this.#complete(container, done);
    }
    if (container.killed) return await this.#endUnstarted(container, done);
    container.apply('localized');
    try {
      if (!(await take(launchingSteps))) return await this.#endUnstarted(container, done);
    } catch (error) {
      if (container.killed) return await this.#endUnstarted(container, done);
      container.exitCode = launchFailedExitCode;
      container.addDiagnostics(`${error instanceof Error ? error.message : String(error)}\n`);
      container.apply('failed');
      return await this.#complete(container, done);
    }
    container.apply('launched');
    const exited = this.#options.engine.wait(container.id);
    this.#options.store.saveContainer(container.record());
    if (container.killed) this.terminate(container);
    else this.#observer.changed(container.report());
    for (const command of container.waitingSignals.splice(0)) this.signal(container, command);
    await this.#finish(container, (await exited).exitCode, done);
  }

  /** Follows a container that an earlier life of the node manager started. */
  async follow(container: Container, exited: Promise<{ readonly exitCode: number }>): Promise<void> {
    await this.#finish(container, (await exited).exitCode, startSteps);
  }

  /** Ends a container of an earlier life that was never started and is not wanted any more. */
  endUnstarted(container: Container): Promise<void> {
    return this.#endUnstarted(container, startSteps);
  }

  /** TERM now, KILL after the delay to whatever is left. */
  terminate(container: Container): void {
    const { engine, clock, sleepBeforeKillMs } = this.#options;
    engine.signal(container.id, 'SIGTERM');
    clock.setTimer(sleepBeforeKillMs, () => {
      if (!container.ended) engine.signal(container.id, 'SIGKILL');
    });
  }

  /**
   * Sends a signal on somebody's request and notes it in the diagnostics (ContainerLaunch.signalContainer). The resource manager knows
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
    store.saveContainer(container.record());
    this.#observer.signalled(container.id, command, success);
  }

  #context(container: Container): StartContext {
    const { engine, folders, cache, node, auxiliary } = this.#options;
    return { container, folders, cache, engine, node: { ...node, serviceData: auxiliary.metadata() }, links: new Map(), scriptFile: '' };
  }

  /** Its end was asked for before its process ran. */
  #endUnstarted(container: Container, done: readonly StartStep[]): Promise<void> {
    if (!container.apply('nothingToKill')) container.apply('kill');
    return this.#complete(container, done);
  }

  /** Its process ended with `exitCode` (ContainerLaunch.handleContainerExitCode and the transitions after it). */
  async #finish(container: Container, exitCode: number, done: readonly StartStep[]): Promise<void> {
    const { folders, errorFiles } = this.#options;
    container.pid = undefined;
    if (exitCode === 0) {
      container.exitCode = 0;
      container.apply('succeeded');
    } else if (killedExitCodes.has(exitCode)) {
      container.addDiagnostics(killedOnRequest(exitCode));
      container.addDiagnostics(`${nonZeroExit(exitCode)}\n`);
      if (!container.killed) {
        container.exitCode = exitCode;
        container.addDiagnostics('Killed by external signal\n');
      }
      container.apply('killed');
    } else {
      const logFolder = folders.containerLogs(container.order.applicationId, container.id)[0]!;
      const errors = await readErrorFiles(logFolder, errorFiles);
      container.addDiagnostics(launchException(container.id, exitCode));
      const text = `${nonZeroExit(exitCode)}${errors}\n`;
      // Hadoop's retry policy adds the text before it decides not to retry, then the end of the container adds it again.
      if (!container.killed) container.addDiagnostics(text);
      container.addDiagnostics(text);
      container.exitCode = exitCode;
      container.apply('failed');
    }
    await this.#complete(container, done);
  }

  /** The exit code is final: tell it at once, then clean up. */
  async #complete(container: Container, done: readonly StartStep[]): Promise<void> {
    const { store, logger } = this.#options;
    this.#observer.completed(container);
    store.saveContainer(container.record());
    this.#observer.changed(container.report());
    for (const command of container.waitingSignals.splice(0)) this.#observer.signalled(container.id, command, false);
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
