// Owns the applications and containers of a node. Orders come in from the resource manager; what happens goes out through the
// observer. Every change of state is made by `apply` in one turn; waiting happens between changes only.
import { mkdir } from 'node:fs/promises';
import { exitStatus, processExitCode } from '../../model/exit-status.ts';
import { applicationIdOfContainer, InvalidId } from '../../model/ids.ts';
import type { ContainerReport, ContainerStart, ExecutionType, NodeResource } from '../../wire/cluster/container-messages.ts';
import type { LaunchContext, LocalResource } from '../../wire/cluster/launch-context.ts';
import type { OpportunisticFigures, SignalCommand } from '../../wire/cluster/node-channel.ts';
import { Application } from '../applications/application.ts';
import type { NodeRecords } from '../store/node-store.ts';
import { Admission } from './admission.ts';
import { Container, type ContainerRecord } from './container.ts';
import { ContainerRunner, type ContainerRunnerOptions } from './container-runner.ts';

/** Hears what happens on the node. */
export interface NodeObserver {
  /** A container began to run or ended. */
  containerChanged(report: ContainerReport): void;
  /**
   * All containers of an ended application are gone, its logs are complete. Resolves when they have been dealt with; false when they could
   * not be, so that the application must not be forgotten over a restart.
   */
  applicationEnded(application: Application): Promise<boolean>;
  signalled(containerId: string, command: SignalCommand, success: boolean): void;
}

/** What a container becomes; absent parts stay. */
export interface ContainerUpdate {
  readonly containerId: string;
  readonly executionType?: ExecutionType;
  readonly resource?: NodeResource;
  readonly version?: number;
}

/** What the manager needs. */
export interface ContainerManagerOptions extends Omit<ContainerRunnerOptions, 'admission'> {
  /** What the node has now. */
  readonly capacity?: () => NodeResource;
  /** Opportunistic containers that may wait. Default 0: none are taken. */
  readonly opportunisticQueueLength?: number;
  readonly maximumDiagnostics: number;
}

/** Ended containers that an application lists before the oldest go. */
const maximumEndedContainers = 1000;

/** Where no more is remembered of a container. */
const hasEndedBefore = 'The container has ended before.';

/** How often a node that stops while its disk is full looks whether its containers have ended. */
const stuckLookMs = 100;

/** The application of a container; undefined for what is no container's id. */
function applicationOf(containerId: string): string | undefined {
  try {
    return applicationIdOfContainer(containerId);
  } catch (error) {
    if (error instanceof InvalidId) return undefined;
    throw error;
  }
}

/** The applications and containers of a node. */
export class ContainerManager {
  readonly applications = new Map<string, Application>();
  readonly containers = new Map<string, Container>();
  readonly #options: ContainerManagerOptions;
  readonly #observer: NodeObserver;
  readonly #runner: ContainerRunner;
  readonly #admission: Admission;
  readonly #lives = new Set<Promise<void>>();
  #stopping = false;

  constructor(options: ContainerManagerOptions, observer: NodeObserver) {
    this.#options = options;
    this.#observer = observer;
    this.#admission = new Admission({
      capacity: options.capacity ?? (() => ({ memoryMiB: Number.POSITIVE_INFINITY, vcores: Number.POSITIVE_INFINITY })),
      maximumQueueLength: options.opportunisticQueueLength ?? 0,
      kill: (...parameters) => this.kill(...parameters),
      queued: (container) => observer.containerChanged(container.report()),
    });
    this.#runner = new ContainerRunner(
      { ...options, admission: this.#admission },
      {
        changed: (report) => observer.containerChanged(report),
        signalled: (...parameters) => observer.signalled(...parameters),
        completed: (container) => {
          const started = this.applications.get(container.order.applicationId)?.startedContainers.get(container.id);
          if (started) started.exitCode = container.exitCode;
        },
        gone: (container) => {
          const application = this.applications.get(container.order.applicationId);
          if (application) this.#containerEnded(application);
        },
      },
    );
  }

  /** Starts a container; `version` counts changes of its size and kind before. An order that came before is not carried out twice. One of a container that has ended is answered with its end. */
  start(order: ContainerStart, version = 0): void {
    if (this.#stopping) return;
    const { clock, store, maximumDiagnostics } = this.#options;
    const former = this.containers.get(order.containerId);
    if (former) {
      if (former.state === 'DONE') this.#observer.containerChanged(former.report());
      return;
    }
    const past = this.applications.has(order.applicationId) ? store.pastExitCode(order.containerId) : undefined;
    if (past !== undefined) return this.#tellEnd(order.containerId, past, hasEndedBefore, order);
    const container = new Container(order, clock, maximumDiagnostics);
    container.version = version;
    if (applicationIdOfContainer(order.containerId) !== order.applicationId) {
      this.#refuse(container, 'The container does not belong to the application of its order.\n');
      return;
    }
    const known = this.applications.get(order.applicationId);
    // Which of its containers ran here is not known any more; their tokens may still be shown (P5).
    if (!known && store.hasEnded(order.applicationId)) {
      this.#refuse(container, 'The application has ended.\n');
      return;
    }
    const missing = this.#options.auxiliary.missing(order.launch.serviceData);
    if (missing !== undefined) {
      this.#refuse(container, `${missing}\n`);
      return;
    }
    const application = known ?? this.#beginApplication(order);
    if (known) this.#options.auxiliary.containerArrived(order, false);
    if (application.finishing) {
      this.#refuse(container, 'The application has ended.\n');
      return;
    }
    this.#options.folders.place(container.id);
    this.#add(application, container);
    if (this.#options.metrics) this.#options.metrics.containersLaunched += 1;
    container.recording = store.saveContainer(container.record()).then(() => {
      container.recorded = true;
    });
    this.#live(container, () => this.#runner.run(container));
  }

  /** Whether a container of a present application has ended, of which nothing else is known any more. */
  hasEnded(containerId: string): boolean {
    return this.#options.store.pastExitCode(containerId) !== undefined;
  }

  /** Ends a container; one that has ended or is unknown is reported as complete all the same, and will not be started any more. */
  stop(containerId: string, exitCode: number, diagnostics: string): void {
    const container = this.containers.get(containerId);
    if (container) return this.kill(container, exitCode, diagnostics);
    const applicationId = applicationOf(containerId);
    if (applicationId === undefined || !this.applications.has(applicationId)) return this.#tellEnd(containerId, exitCode, diagnostics);
    const past = this.#options.store.pastExitCode(containerId);
    if (past !== undefined) return this.#tellEnd(containerId, past, hasEndedBefore);
    this.#live({ id: containerId }, async () => {
      await this.#options.store.forgetContainer({ containerId, applicationId, exitCode });
      this.#tellEnd(containerId, exitCode, diagnostics);
    });
  }

  /** Asks for the end of a container; the first call gives exit code and words (ContainerImpl.KillTransition). */
  kill(container: Container, exitCode: number, diagnostics: string): void {
    if (container.ended || container.killed) return;
    const wasRunning = container.pid !== undefined;
    container.apply('kill');
    container.exitCode = exitCode;
    container.addDiagnostics(`${diagnostics}\n`);
    container.ending.abort();
    void this.#options.store.saveContainer(container.record());
    if (wasRunning) this.#runner.terminate(container);
  }

  /** Containers that wait for room, by their type. */
  get queued(): { readonly guaranteed: number; readonly opportunistic: number } {
    const { queued, waiting } = this.#admission.figures;
    return { guaranteed: waiting - queued, opportunistic: queued };
  }

  /** Opportunistic containers; undefined where the node takes none. */
  get opportunistic(): OpportunisticFigures | undefined {
    return (this.#options.opportunisticQueueLength ?? 0) > 0 ? this.#admission.figures : undefined;
  }

  /** The resource manager has changed a container; `version` counts its changes. */
  update({ containerId, executionType, resource, version = 0 }: ContainerUpdate): void {
    const container = this.containers.get(containerId);
    if (!container) return;
    container.managerVersion = Math.max(container.managerVersion, version);
    if (resource) this.resize(containerId, resource);
    if (executionType) this.changeExecutionType(containerId, executionType);
  }

  /** Makes a guaranteed container opportunistic, or the reverse. */
  changeExecutionType(containerId: string, executionType: ExecutionType): void {
    const container = this.containers.get(containerId);
    if (!container || container.ended) return;
    this.#admission.change(container, executionType);
    void this.#options.store.saveContainer(container.record());
  }

  /** The node offers more or less than before. */
  resized(): void {
    this.#admission.resized();
  }

  /** A container has another size from now on: what watches and limits it follows. */
  resize(containerId: string, resource: ContainerStart['resource']): void {
    const container = this.containers.get(containerId);
    if (!container || container.ended) return;
    const { engine, store, logger } = this.#options;
    container.order = { ...container.order, resource };
    void store.saveContainer(container.record());
    if (container.pid === undefined) return;
    engine
      .resize?.(containerId, { memoryMiB: resource.memoryMiB, vcores: resource.vcores })
      .catch((error: unknown) => logger.warn({ err: error, container: containerId }, 'the limits of a container could not be changed'));
  }

  /** Makes a container's processes stand still; false where the engine or its state does not allow it. */
  pause(container: Container): Promise<boolean> {
    return this.#runner.hold(container, 'pause');
  }

  /** Lets them go on. */
  resume(container: Container): Promise<boolean> {
    return this.#runner.hold(container, 'resume');
  }

  /**
   * A running container starts anew: with another launch context, or with its own where none is given. `keepsFormer`: the present one can be
   * brought back. False where its state does not allow it.
   */
  reinitialize(container: Container, launch: LaunchContext | undefined, keepsFormer: boolean): boolean {
    const own = container.order.launch;
    if (!launch) return this.#startAnew(container, own, container.previousLaunch, 'Container will be Restarted.');
    return this.#startAnew(container, launch, keepsFormer ? own : undefined, 'Container will be Re-initialized.');
  }

  /** A running container starts anew with the launch context that it had before; false where there is none, or its state does not allow it. */
  rollBack(container: Container): boolean {
    const { previousLaunch } = container;
    return previousLaunch !== undefined && this.#startAnew(container, previousLaunch, undefined, 'Container upgrade will be Rolled-back.');
  }

  /** A running container keeps its launch context: the former one is forgotten. False where there is none. */
  commit(container: Container): boolean {
    if (!container.previousLaunch) return false;
    container.previousLaunch = undefined;
    void this.#options.store.saveContainer(container.record());
    return true;
  }

  /** Brings files to a running container, each by its name there; what it has is not brought again. */
  localize(container: Container, files: Readonly<Record<string, LocalResource>>): void {
    const names = Object.keys(files).filter((name) => !container.localizing.has(name));
    for (const name of names) {
      container.localizing.set(name, files[name]!);
      container.notLocalized.delete(name);
    }
    void this.#options.store.saveContainer(container.record());
    for (const name of names) this.#live(container, () => this.#runner.localize(container, name));
  }

  #startAnew(container: Container, launch: LaunchContext, previous: LaunchContext | undefined, diagnostics: string): boolean {
    if (!container.apply('reinitialize')) return false;
    container.addDiagnostics(`${diagnostics}\n`);
    container.reinitialization = { launch, ...(previous && { previous }), isFetched: false };
    void this.#options.store.saveContainer(container.record());
    this.#live(container, () => this.#runner.reinitialize(container));
    return true;
  }

  /** Sends a signal that a user asked for. */
  signal(containerId: string, command: SignalCommand): void {
    const container = this.containers.get(containerId);
    if (container) this.#runner.signal(container, command);
    else this.#observer.signalled(containerId, command, false);
  }

  /** The application is over: its containers are ended, then its folders go and its logs are dealt with. */
  finishApplication(applicationId: string): void {
    const application = this.applications.get(applicationId);
    if (!application || application.finishing) return;
    if (!application.hasLiveContainers) {
      application.apply('finish');
      void this.#options.store.saveApplication(application.record(), 'patient');
      this.#endApplication(application);
      return;
    }
    application.apply('finishWithContainers');
    void this.#options.store.saveApplication(application.record());
    for (const container of application.containers.values())
      this.kill(
        container,
        exitStatus.killedAfterApplicationEnd,
        'Container killed on application-finish event: Application killed by ResourceManager',
      );
  }

  /** What the resource manager is told at the beginning of a session. */
  reports(): ContainerReport[] {
    return [...this.containers.values()].map((container) => container.report());
  }

  /** Takes up what an earlier process of the node manager left: adopts what runs, completes what ended, goes on with what was being started. */
  async recover(records: NodeRecords): Promise<void> {
    for (const record of records.applications) {
      const application = new Application(record);
      application.apply('initialize');
      application.apply('initialized');
      this.applications.set(application.id, application);
    }
    for (const record of records.containers) await this.#recoverContainer(record);
    await this.#endStrays();
    this.#options.engine.recovered?.();
    for (const record of records.applications) if (record.finished) this.finishApplication(record.applicationId);
  }

  async #recoverContainer(record: ContainerRecord): Promise<void> {
    const { engine, cache } = this.#options;
    const application = this.applications.get(record.order.applicationId);
    if (!application) return;
    const container = this.#restore(application, record);
    if (record.complete) return;
    for (const resource of Object.values(record.order.launch.localResources)) cache.adopt(resource, record.order);
    const recovered = await engine.recover(container.id);
    const startsAgain = record.relaunching === true || record.reinitialization?.isFetched === true;
    const waits = startsAgain && recovered.state === 'unknown';
    // It ran, and the engine's files are gone.
    const isLost = recovered.state === 'unknown' && !waits && record.startedTime !== undefined;
    const found = isLost ? ({ state: 'exited', exitCode: processExitCode.lost } as const) : recovered;
    if (found.state === 'unknown' && !waits) {
      if (container.killed) this.#live(container, () => this.#runner.endUnstarted(container));
      else this.#live(container, () => this.#runner.run(container));
      return;
    }
    container.apply('initialize');
    container.apply('localized');
    container.apply('launched');
    if (found.state === 'running' || waits) this.#admission.adopt(container);
    if (record.reinitialization) container.apply('reinitialize');
    if (record.reinitialization?.isFetched) container.apply('localized');
    if (waits) {
      if (!container.takeReinitialization()) container.apply('relaunch');
      if (record.killed) container.apply('kill');
      this.#live(container, () => this.#runner.relaunch(container));
      return;
    }
    if (record.paused && container.apply('pause')) container.apply('paused');
    if (record.killed) container.apply('kill');
    if (found.state === 'running') container.pid = found.pid;
    const exited = found.state === 'exited' ? Promise.resolve(found) : engine.wait(container.id);
    this.#live(container, () => this.#runner.follow(container, exited));
    if (found.state !== 'running') return;
    if (record.killed) return this.#runner.terminate(container);
    this.#runner.endForNewStart(container);
    if (container.state === 'REINITIALIZING') this.#live(container, () => this.#runner.reinitialize(container));
    for (const name of container.localizing.keys()) this.#live(container, () => this.#runner.localize(container, name));
  }

  /** Ends all containers; for a node that leaves or stops for good. What waits for room on a full disk is left to the next process. */
  async stopAll(diagnostics: string): Promise<void> {
    const { store, clock } = this.#options;
    this.#stopping = true;
    for (const container of this.containers.values()) this.kill(container, exitStatus.aborted, diagnostics);
    const isStuck = () => store.trouble !== undefined && [...this.containers.values()].every(({ ended }) => ended);
    while (this.#lives.size > 0 && !isStuck()) {
      const pause = new Promise<void>((resolve) => clock.setTimer(stuckLookMs, resolve));
      await Promise.race([Promise.allSettled([...this.#lives]), pause]);
    }
  }

  /** Lets everything run on without this object: no further orders are taken, pending starts are waited for. */
  leaveRunning(): void {
    this.#stopping = true;
    this.#runner.leave();
  }

  #beginApplication(order: ContainerStart): Application {
    const { store, auxiliary } = this.#options;
    const application = new Application({
      applicationId: order.applicationId,
      user: order.user,
      acls: order.applicationAcls,
      logAggregation: order.logAggregation,
    });
    this.applications.set(application.id, application);
    application.apply('initialize');
    void store.saveApplication(application.record());
    auxiliary.containerArrived(order, true);
    application.apply('initialized');
    return application;
  }

  #add(application: Application, container: Container): void {
    this.containers.set(container.id, container);
    application.containers.set(container.id, container);
    application.startedContainers.set(container.id, { isMaster: container.order.isMaster, exitCode: container.exitCode });
  }

  #restore(application: Application, record: ContainerRecord): Container {
    const container = new Container(record.order, this.#options.clock, this.#options.maximumDiagnostics, record);
    this.#options.folders.adopt(record.order.user, application.id, container.id);
    this.#add(application, container);
    if (record.killed) container.ending.abort();
    return container;
  }

  /** A container that is not started; it is reported and forgotten. */
  #refuse(container: Container, reason: string): void {
    container.addDiagnostics(reason);
    container.exitCode = exitStatus.invalid;
    container.apply('kill');
    container.endIsSafe = true;
    this.#observer.containerChanged(container.report());
  }

  /** Brings a container from its order to its end and keeps account of it; nothing in it may end the process. */
  #live(container: Pick<Container, 'id'>, life: () => Promise<void>): void {
    const running: Promise<void> = life()
      .catch((error: unknown) => this.#options.logger.error({ err: error, container: container.id }, 'the life of a container failed'))
      .finally(() => this.#lives.delete(running));
    this.#lives.add(running);
  }

  #containerEnded(application: Application): void {
    if (application.containers.size > maximumEndedContainers) {
      for (const container of application.containers.values()) {
        if (application.containers.size <= maximumEndedContainers) break;
        if (container.state === 'DONE') this.#forget(application, container);
      }
    }
    if (application.state !== 'FINISHING_CONTAINERS_WAIT' || application.hasLiveContainers) return;
    application.apply('lastContainerEnded');
    this.#endApplication(application);
  }

  /** Only that it ended is remembered, so that it is never started again while its application is here. */
  #forget(application: Application, container: Container): void {
    application.containers.delete(container.id);
    this.containers.delete(container.id);
    this.#options.folders.forget(container.id);
    const { id: containerId, exitCode } = container;
    void this.#options.store.forgetContainer({ containerId, applicationId: application.id, exitCode });
  }

  /** Tells the end of a container of which nothing else is known. */
  #tellEnd(containerId: string, exitCode: number, diagnostics: string, order?: ContainerStart): void {
    const nowMs = this.#options.clock.now();
    this.#observer.containerChanged({
      containerId,
      state: 'COMPLETE',
      exitCode,
      diagnostics,
      resource: order?.resource ?? { memoryMiB: 0, vcores: 0 },
      priority: order?.priority ?? 0,
      createdTime: nowMs,
      finishedTime: nowMs,
    });
  }

  /** Folders go, services are told, logs are dealt with, then nothing of the application is left here. */
  #endApplication(application: Application): void {
    const { auxiliary, cache, folders, logger, store, clock, deleteDelayMs } = this.#options;
    const remove = async () => {
      for (const local of folders.local) {
        const paths = [folders.application(local, application.user, application.id)];
        if (folders.separateUsers) paths.push(folders.applicationCache(local, application.user, application.id));
        for (const path of paths)
          await folders
            .remove(path)
            .catch((error: unknown) => logger.warn({ err: error, path }, 'the folder of an application could not be removed'));
      }
    };
    const end = async () => {
      auxiliary.applicationEnded(application.id);
      cache.applicationEnded(application.id);
      if (deleteDelayMs === 0) await remove();
      else if (deleteDelayMs > 0) clock.setTimer(deleteDelayMs, () => void remove().catch(() => undefined));
      application.apply('cleanedUp');
      for (const container of application.containers.values()) this.containers.delete(container.id);
      const settled = await this.#observer.applicationEnded(application);
      for (const id of application.containers.keys()) folders.forget(id);
      store.rememberEnd(application.id);
      this.applications.delete(application.id);
      if (settled) store.removeApplication(application.id);
    };
    const ending: Promise<void> = end()
      .catch((error: unknown) => logger.error({ err: error, application: application.id }, 'the end of an application failed'))
      .finally(() => this.#lives.delete(ending));
    this.#lives.add(ending);
  }

  /** Ends processes that the engine remembers and the store does not: their orders were never committed. */
  async #endStrays(): Promise<void> {
    const { engine, logger, folders } = this.#options;
    // A folder that cannot be made is told by the checks of the disks.
    await Promise.allSettled([...folders.local, ...folders.logs].map((folder) => mkdir(folder, { recursive: true, mode: 0o755 })));
    for (const containerId of engine.rememberedContainers()) {
      const known = this.containers.get(containerId);
      if (known && !known.ended) continue;
      if (!known && (await engine.recover(containerId)).state === 'running') {
        logger.warn({ container: containerId }, 'ending a container that nobody remembers');
        engine.signal(containerId, 'SIGKILL');
        await engine.wait(containerId);
      }
      engine.forget(containerId);
    }
  }
}
