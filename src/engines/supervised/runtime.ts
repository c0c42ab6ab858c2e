// What distinguishes engines that share the launcher: how a container's command is made, how it is signalled, what is cleaned up.
import type { ContainerSignal, EngineOrder, ShellOrder } from '../engine.ts';
import type { LauncherOrder } from './launcher-script.ts';
import type { ShellEntry } from './shell.ts';

/** Signals, and the two that stop and continue. */
export type RuntimeSignal = ContainerSignal | 'SIGSTOP' | 'SIGCONT';

/** A way to run containers below the launcher. All members are told container ids. */
export interface ContainerRuntime {
  readonly name: string;
  /** Makes ready what the command needs. Rejects when it cannot; then `ended` is called. */
  prepare(order: EngineOrder): Promise<Omit<LauncherOrder, 'name'>>;
  /** Resolves with the main process once the container really runs. `pid` is the leader that the launcher started. */
  running(containerId: string, pid: number, exited: Promise<unknown>): Promise<{ pid: number }>;
  /** Sends a signal; `pid` is the leader. False when nothing took it. */
  signal(containerId: string, pid: number, signal: RuntimeSignal): boolean;
  /** Its leader ended, or it could not be started: nothing of it may be left when this resolves. */
  ended(containerId: string, exitCode?: number): Promise<{ readonly outOfMemory?: boolean }>;
  /** Processes that belong to running containers wherever they went. */
  members(containerIds: readonly string[]): ReadonlyMap<number, string>;
  /** Ids of the containers that left something with the runtime, running or not. */
  rememberedContainers(): readonly string[];
  /** The engine ends; what runs goes on. */
  close(): void;
  resize?(containerId: string, limits: EngineOrder['limits']): Promise<void>;
  /** How a command gets into a running container; `pid` is the leader that the launcher started. Rejects when it cannot. */
  enter(order: ShellOrder, container: EnteredContainer): Promise<ShellEntry>;
}

/** A running container that a command is to get into. */
export interface EnteredContainer {
  /** The leader of its session. */
  readonly pid: number;
  /** Its main process, as the runtime says. */
  readonly main: number;
  readonly workFolder: string;
  /** Tells the processes of the command: the value of a variable that each of them has. */
  readonly mark: string;
}
