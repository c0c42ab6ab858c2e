// One container on its node. `apply` is the only door for its state; nothing in here waits.
import type { Clock } from '../../lib/clock.ts';
import { fields, type JsonOf, mapOf, number, optional, text, truth } from '../../lib/json-shape.ts';
import { nextState } from '../../lib/state-machine.ts';
import { exitStatus } from '../../model/exit-status.ts';
import type { ContainerReport, ContainerStart, ExecutionType } from '../../wire/cluster/container-messages.ts';
import { containerStart } from '../../wire/cluster/container-messages.ts';
import { type LaunchContext, type LocalResource, launchContext, localResource } from '../../wire/cluster/launch-context.ts';
import type { SignalCommand } from '../../wire/cluster/node-channel.ts';
import { type ContainerEvent, type ContainerState, containerTable, endedStates, waitingStates } from './container-states.ts';
import { addDiagnostics } from './diagnostics.ts';
import { freshRetries, nextRetry, type RetryRecord, retryRecord } from './retry-policy.ts';

/** What a container is to run from its next start on. */
const reinitialization = fields({
  launch: launchContext,
  /** What a rollback brings back then; absent: nothing. */
  previous: optional(launchContext),
  /** All that it needs is here: the process is being ended. */
  isFetched: truth(),
});
export type Reinitialization = JsonOf<typeof reinitialization>;

/** What of a container survives a restart of the node manager. */
export const containerRecord = fields({
  order: containerStart,
  /** Times are ms since the epoch. */
  createdTime: number(),
  startedTime: optional(number()),
  finishedTime: optional(number()),
  exitCode: number(),
  diagnostics: text(),
  /** Its end was asked for. */
  killed: truth(),
  /** It ended and its exit code is final. */
  complete: truth(),
  retries: optional(retryRecord),
  /** It failed and waits to be started again. */
  relaunching: optional(truth()),
  paused: optional(truth()),
  version: optional(number()),
  managerVersion: optional(number()),
  reinitialization: optional(reinitialization),
  /** What a rollback brings back. */
  previousLaunch: optional(launchContext),
  /** Being fetched while it runs, by their names in its folder. */
  localizing: optional(mapOf(localResource)),
  /** Could not be fetched while it ran: name → why. */
  notLocalized: optional(mapOf(text())),
});
export type ContainerRecord = JsonOf<typeof containerRecord>;

/** A container. Fields are read everywhere and written here only. */
export class Container {
  /** Its resource changes when the container is resized, its launch context when it is initialized anew or files are brought to it. */
  order: ContainerStart;
  readonly createdTime: number;
  startedTime: number | undefined;
  finishedTime: number | undefined;
  executionType: ExecutionType;
  state: ContainerState = 'NEW';
  exitCode: number = exitStatus.invalid;
  diagnostics = '';
  pid: number | undefined;
  retries: RetryRecord;
  /** Its order is durable: the next process of the node manager would carry it out. */
  recorded = false;
  /** Resolves when it is. */
  recording: Promise<void> = Promise.resolve();
  /** The engine's files say that it was started: it is not started again whatever is durable here. */
  engineKeeps = false;
  /** Resolves when people can read what was in its folder when it was started; its folder stays until then. */
  described: Promise<void> = Promise.resolve();
  /** It has ended, and whatever happens it does not run again: its end may be told. */
  endIsSafe = false;
  /** Counts the changes of its size and kind that its master has shown. */
  version: number;
  /** Counts those of which the resource manager has told. */
  managerVersion: number;
  /** What it is to run when its process has ended. */
  reinitialization: Reinitialization | undefined;
  /** What a rollback brings back; undefined: nothing. */
  previousLaunch: LaunchContext | undefined;
  /** Being fetched while it runs, by their names in its folder. */
  readonly localizing: Map<string, LocalResource>;
  /** Could not be fetched while it ran: name → why. */
  readonly notLocalized: Map<string, string>;
  /** Signals that came before its process ran. */
  readonly waitingSignals: SignalCommand[] = [];
  /** Aborted when its end is asked for, so that steps of the start stop early. */
  readonly ending = new AbortController();
  readonly #clock: Clock;
  readonly #maximumDiagnostics: number;

  constructor(order: ContainerStart, clock: Clock, maximumDiagnostics: number, record?: ContainerRecord) {
    this.order = order;
    this.executionType = order.executionType ?? 'GUARANTEED';
    this.#clock = clock;
    this.#maximumDiagnostics = maximumDiagnostics;
    this.createdTime = record?.createdTime ?? clock.now();
    this.retries = record?.retries ?? freshRetries(order.launch.retry);
    this.version = record?.version ?? 0;
    this.managerVersion = record?.managerVersion ?? 0;
    this.reinitialization = record?.reinitialization;
    this.previousLaunch = record?.previousLaunch;
    this.localizing = new Map(Object.entries(record?.localizing ?? {}));
    this.notLocalized = new Map(Object.entries(record?.notLocalized ?? {}));
    if (!record) return;
    this.startedTime = record.startedTime;
    this.finishedTime = record.finishedTime;
    this.exitCode = record.exitCode;
    this.diagnostics = record.diagnostics;
    this.recorded = true;
    this.endIsSafe = record.complete;
    if (record.complete) this.state = 'DONE';
  }

  get id(): string {
    return this.order.containerId;
  }
  /** Its exit code is final; nothing of it runs. */
  get ended(): boolean {
    return endedStates.has(this.state);
  }
  get killed(): boolean {
    return this.ending.signal.aborted;
  }

  /** Counts the changes of its size and kind, whoever told of them. */
  get latestVersion(): number {
    return Math.max(this.version, this.managerVersion);
  }

  /** Its processes stand still. */
  get isHeld(): boolean {
    return this.state === 'PAUSED' || this.state === 'RESUMING';
  }

  /** Takes an event; false where its state does not allow it, and then nothing changes. */
  apply(event: ContainerEvent): boolean {
    const next = nextState<ContainerState, ContainerEvent>(containerTable, this.state, event);
    if (next === undefined) return false;
    const wasEnded = this.ended;
    this.state = next;
    if (event === 'launched') this.startedTime ??= this.#clock.now();
    if (!wasEnded && this.ended) this.finishedTime ??= this.#clock.now();
    return true;
  }

  /** Whether it is started again after it failed with `exitCode`; then this start is counted. */
  takeRetry(exitCode: number): boolean {
    const next = nextRetry(this.order.launch.retry, this.retries, exitCode, this.#clock.now());
    if (!next || !this.apply('relaunch')) return false;
    this.retries = next;
    return true;
  }

  /** Whether it starts anew now that its process has ended, because that was asked for; then it has its next launch context. */
  takeReinitialization(): boolean {
    const next = this.reinitialization;
    if (this.state !== 'REINITIALIZING_AWAITING_KILL' || !next) return false;
    this.#startAnew(next.launch, next.previous);
    return true;
  }

  /** Whether it starts anew with its former launch context after the present one failed. */
  takeRollback(): boolean {
    if (this.state !== 'RUNNING' || !this.previousLaunch) return false;
    this.#startAnew(this.previousLaunch, undefined);
    return true;
  }

  /** Files that it has already stay its own (ReInitializationContext.mergedResourceSet). */
  #startAnew(launch: LaunchContext, previous: LaunchContext | undefined): void {
    const localResources = { ...this.order.launch.localResources, ...launch.localResources };
    this.order = { ...this.order, launch: { ...launch, localResources } };
    this.previousLaunch = previous;
    this.reinitialization = undefined;
    this.retries = freshRetries(launch.retry);
    this.apply('startAnew');
  }

  /** A file that was asked for while it runs is here. */
  hasLocalized(name: string, resource: LocalResource): void {
    const { launch } = this.order;
    this.order = { ...this.order, launch: { ...launch, localResources: { ...launch.localResources, [name]: resource } } };
    this.localizing.delete(name);
  }

  /** Adds a text with the time in front. */
  addDiagnostics(text: string): void {
    this.diagnostics = addDiagnostics(this.diagnostics, text, this.#clock.now(), this.#maximumDiagnostics);
  }

  /** What the resource manager is told. */
  report(): ContainerReport {
    const { containerId, askId, resource, priority, allocationTags } = this.order;
    return {
      containerId,
      ...(askId === undefined ? {} : { askId }),
      state: this.#reportedState(),
      exitCode: this.exitCode,
      diagnostics: this.diagnostics,
      resource,
      priority,
      executionType: this.executionType,
      ...(allocationTags ? { allocationTags } : {}),
      ...(this.latestVersion > 0 ? { version: this.latestVersion } : {}),
      createdTime: this.createdTime,
      startedTime: this.startedTime,
      finishedTime: this.finishedTime,
    };
  }

  #reportedState(): ContainerReport['state'] {
    if (this.ended && this.endIsSafe) return 'COMPLETE';
    return this.startedTime === undefined && (waitingStates.has(this.state) || this.ended) ? 'NEW' : 'RUNNING';
  }

  /** What survives a restart. */
  record(): ContainerRecord {
    return {
      order:
        this.executionType === (this.order.executionType ?? 'GUARANTEED')
          ? this.order
          : { ...this.order, executionType: this.executionType },
      createdTime: this.createdTime,
      startedTime: this.startedTime,
      finishedTime: this.finishedTime,
      exitCode: this.exitCode,
      diagnostics: this.diagnostics,
      killed: this.killed,
      complete: this.ended,
      retries: this.retries,
      // One that was initialized anew waits for its start as one that failed does.
      relaunching: this.state === 'RELAUNCHING' || (this.state === 'SCHEDULED' && this.startedTime !== undefined),
      paused: this.isHeld,
      ...(this.version > 0 && { version: this.version }),
      ...(this.managerVersion > 0 && { managerVersion: this.managerVersion }),
      ...(this.reinitialization && { reinitialization: this.reinitialization }),
      ...(this.previousLaunch && { previousLaunch: this.previousLaunch }),
      ...(this.localizing.size > 0 && { localizing: Object.fromEntries(this.localizing) }),
      ...(this.notLocalized.size > 0 && { notLocalized: Object.fromEntries(this.notLocalized) }),
    };
  }
}
