// The port behind which containers run. An engine starts, signals, watches and measures containers; what it runs them in is its own
// business. Members that not every engine can offer are optional: callers ask whether the member is there, never which engine it is.
import type { Readable, Writable } from 'node:stream';
import type { ProcessStat } from '../lib/process-stat.ts';

/** A user of the machine. */
export interface Identity {
  readonly name: string;
  readonly userId: number;
  readonly groupId: number;
}

/** A device of the machine that a container may not use. */
export interface DeviceNumber {
  readonly type: 'c' | 'b';
  readonly major: number;
  readonly minor: number;
}

/** An order to run a container. */
export interface EngineOrder {
  readonly containerId: string;
  /** The application's user, by name. */
  readonly user: string;
  /** The user of the machine that the container runs as; absent: the one that the engine runs as. */
  readonly identity?: Identity;
  /** Absolute path of the bash script to run. */
  readonly script: string;
  /** Absolute path of the container's folder, the script's working directory. */
  readonly workFolder: string;
  /** Environment of the process, secrets included; never written to a file or a command line. */
  readonly environment: Readonly<Record<string, string>>;
  readonly limits: { readonly memoryMiB: number; readonly vcores: number };
  /** Devices that are kept from it, where the engine can. */
  readonly deniedDevices?: readonly DeviceNumber[];
  /** Its variables that choose and shape a runtime (`YARN_CONTAINER_RUNTIME_…`). */
  readonly runtime?: Readonly<Record<string, string>>;
  /** Its local resources, name → path. */
  readonly resources?: Readonly<Record<string, string>>;
  /** Folders besides the work folder that it needs under the same paths. */
  readonly folders?: { readonly readOnly: readonly string[]; readonly readWrite: readonly string[] };
}

/** How a container ended. */
export interface EngineExit {
  /** The script's exit code; 128 + n when signal n ended it; `processExitCode.lost` when the process ended unseen. */
  readonly exitCode: number;
  /** The kernel ended processes of it because its control group had no memory left. */
  readonly outOfMemory?: boolean;
  /** It did not end by itself: the machine was started anew while it ran, or may have. */
  readonly machineLost?: boolean;
}

/** One process of a container, as `/proc` tells. */
export interface ProcessFacts extends Omit<ProcessStat, 'startTicks' | 'zombie'> {
  readonly commandLine: string;
}

/** What a container uses now. */
export interface EngineUsage {
  readonly physicalMemoryBytes: number;
  readonly virtualMemoryBytes: number;
  /** CPU time since the container's start of the processes alive now. */
  readonly cpuTimeMs: number;
  readonly processes: readonly ProcessFacts[];
}

/** What became of a container that an earlier process of the node manager started. */
export type Recovered =
  | { readonly state: 'running'; readonly pid: number }
  | ({ readonly state: 'exited' } & EngineExit)
  | { readonly state: 'unknown' };

/** Signals that a container can be sent. */
export type ContainerSignal = 'SIGTERM' | 'SIGKILL' | 'SIGQUIT';

/** Size of a terminal, in characters. */
export interface TerminalSize {
  readonly rows: number;
  readonly columns: number;
}

/** An order to run a command beside what a container runs already. */
export interface ShellOrder {
  readonly containerId: string;
  /** The user of the machine that the container runs as; absent: the one that the engine runs as. */
  readonly identity?: Identity;
  /** Program and parameters; the program is looked for in the container's `PATH`. */
  readonly command: readonly string[];
  /** It gets a pseudo terminal of this size and type (`TERM`); absent: pipes. */
  readonly terminal?: TerminalSize & { readonly type: string };
  /** A variable that the environment of the container's process has once its script has set it up; that is waited for, not for long. */
  readonly awaitedVariable?: string;
}

/** A command that runs in a container. Whoever has it reads `output` and `errors`, and ends it. */
export interface ShellProcess {
  readonly input: Writable;
  /** With a terminal all that is shown. */
  readonly output: Readable;
  readonly errors: Readable;
  /** Resolves with its exit code (128 + n when signal n ended it) when no process of it is left and everything that it wrote was read. */
  readonly ended: Promise<number>;
  /** Changes the size of its terminal; nothing without one. */
  resize(size: TerminalSize): void;
  /** Ends it and all processes below it, whatever they run. Never rejects; resolves when they are gone, or after five seconds. */
  end(): Promise<void>;
}

/** Where containers run. */
export interface ContainerEngine {
  readonly name: string;
  /**
   * Starts a container; resolves with its main process when that runs. Rejects when it cannot be started; then nothing of it is left.
   * One that was started before, by this process or an earlier one, is refused until it is forgotten.
   */
  start(order: EngineOrder): Promise<{ pid: number }>;
  /** Sends a signal to all processes of a container; false when it is not running. */
  signal(containerId: string, signal: ContainerSignal): boolean;
  /** Resolves when a started or recovered container has ended. Rejects for containers it does not know. */
  wait(containerId: string): Promise<EngineExit>;
  /** Looks for a container of an earlier process of the node manager and adopts it when it still runs; `unknown` means that it was never started and that no earlier order will start it any more. */
  recover(containerId: string): Promise<Recovered>;
  /**
   * Every container that earlier processes of the node manager may have started was asked for by `recover`. Once those that were lost with the machine
   * are forgotten, too, it may be forgotten that the machine was started anew.
   */
  readonly recovered?: () => void;
  /** Ids of the containers that the engine knows or that left something with it, running or not, so that those without an order can be ended. */
  rememberedContainers(): readonly string[];
  /** Use of all running containers. */
  usage(): Promise<ReadonlyMap<string, EngineUsage>>;
  /** Drops what the engine keeps of an ended container. */
  forget(containerId: string): void;
  /** Ends the engine; containers keep running and can be recovered. */
  close(): Promise<void>;
  /** Changes the limits of a running container. */
  resize?(containerId: string, limits: EngineOrder['limits']): Promise<void>;
  /** Makes all processes of a container stand still; false when it is not running. */
  pause?(containerId: string): Promise<boolean>;
  /** Lets them go on; harmless for one that was not paused. */
  resume?(containerId: string): Promise<boolean>;
  /**
   * Runs a command as if the container ran it: its user, environment, working folder, control groups and namespaces. It ends with the
   * container. Rejects when the container does not run or cannot be entered.
   */
  enter?(order: ShellOrder): Promise<ShellProcess>;
}
