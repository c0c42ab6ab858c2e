// The engine's end of the launcher (launcher-script.ts): starts it, gives it orders, hears what it says, starts another when it is gone.

import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import { fileText } from '../../lib/file-text.ts';
import type { Logger } from '../../lib/log.ts';
import type { ContainerFiles } from './container-files.ts';
import { type LauncherOrder, launcherFields, launcherScript } from './launcher-script.ts';

/** What a launcher says of a start. */
export type LauncherEvent =
  /** It was claimed; `pid` leads its session. */
  | { readonly type: 'started'; readonly name: string; readonly pid: number }
  /** Its exit file is written. */
  | { readonly type: 'exited'; readonly name: string; readonly exitCode: number }
  /** It was not carried out and never will be. */
  | { readonly type: 'failed'; readonly name: string };

/** What a launcher needs. */
export interface LauncherOptions {
  /** The engine's folder; takes the script, and the files of containers. */
  readonly folder: string;
  readonly files: Pick<ContainerFiles, 'begin' | 'fence'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Environment of the launcher, inherited by containers; default `PATH`, `LANG` and `TZ` of this process. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Command line before its own; it has to execute what follows. What it sets is inherited by all that the launcher starts. */
  readonly within?: readonly string[] | undefined;
  /** Hears what the launcher says, also of containers of a launcher that has died: their keepers go on. */
  readonly onEvent: (event: LauncherEvent) => void;
  /** A launcher is gone or given up, and its generation fenced: orders to it that were not claimed never will be. */
  readonly onDeath: () => void;
}

interface Process {
  readonly child: ChildProcess;
  readonly generation: string;
  /** Resolves once it takes orders, with undefined, or is gone before, with the reason. */
  readonly notReady: Promise<string | undefined>;
}

/** Time until it is tried again to fence a generation, such as while the disk of its folder is away. */
const fenceAgainMs = 1000;
/** How long a launcher may take to end when it is closed. */
const closeMs = 1000;
/** How long a launcher that is waited for may take until it is ready. */
const readyMs = 20_000;

/** One launcher at a time, until closed. A new one is started only when the former one's generation was fenced. */
export class Launcher {
  readonly #options: LauncherOptions;
  readonly #scriptFile: string;
  /** Absent where none could be started, and after `close`. */
  #process: Process | undefined;
  /** The one that was started last, gone or not. */
  #last: Process | undefined;
  #closed = false;

  /** Starts it. @throws Error when the folder cannot be written to */
  constructor(options: LauncherOptions) {
    this.#options = options;
    this.#scriptFile = join(options.folder, 'launcher.sh');
    // One that is there already needs no room on a full disk.
    if (fileText(this.#scriptFile) !== launcherScript) writeFileSync(this.#scriptFile, launcherScript, { mode: 0o700 });
    this.#spawn();
  }

  /** The launcher that the next order goes to; one is started where there is none. Undefined where that is not possible. */
  generation(): string | undefined {
    if (!this.#process && !this.#closed) {
      try {
        this.#spawn();
      } catch (error) {
        this.#options.logger.error({ err: error }, 'the launcher could not be started');
      }
    }
    return this.#process?.generation;
  }

  /** Why the launcher that was started last cannot take orders, in words of what stands before it or its own; undefined once it does. */
  async whyNotReady(): Promise<string | undefined> {
    if (this.#last === undefined) return 'the launcher could not be started';
    const { child, notReady } = this.#last;
    const timer = this.#options.clock.setTimer(readyMs, () => child.kill('SIGKILL'));
    // Nothing else may keep this process alive meanwhile.
    child.ref();
    try {
      return await notReady;
    } finally {
      timer.cancel();
      child.unref();
    }
  }

  /** Gives an order to the launcher of `generation()`. What became of it is heard by `onEvent`, or nothing before `onDeath`. */
  order(order: LauncherOrder): void {
    this.#process?.child.stdin?.write(launcherFields(order));
  }

  /** Gives up the launcher, which does not do what it should: another takes its place. */
  replace(): void {
    const former = this.#process;
    if (!former) return;
    former.child.kill('SIGKILL');
    this.#gone(former);
  }

  /** Ends the launcher; containers and their keepers go on. Resolves when it is gone. */
  async close(): Promise<void> {
    this.#closed = true;
    const child = this.#process?.child;
    this.#process = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    await new Promise<void>((resolve) => {
      // One that stands still does not see that its orders have ended.
      const timer = this.#options.clock.setTimer(closeMs, () => child.kill('SIGKILL'));
      child.once('exit', () => {
        timer.cancel();
        resolve();
      });
      child.ref();
      child.stdin?.end();
    });
    child.stdout?.destroy();
  }

  #spawn(): void {
    const { folder, files, environment, within = [], logger, onEvent } = this.#options;
    const generation = files.begin();
    const [program = '', ...words] = [...within, '/bin/bash', this.#scriptFile, folder, generation];
    const child = spawn(program, words, {
      cwd: folder,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
      env: { ...(environment ?? inheritedEnvironment()) },
    });
    const { promise: notReady, resolve } = Promise.withResolvers<string | undefined>();
    const started = { child, generation, notReady };
    this.#process = started;
    this.#last = started;
    let incomplete = '';
    child.stdout?.setEncoding('latin1').on('data', (text: string) => {
      const lines = (incomplete + text).split('\n');
      incomplete = lines.pop() ?? '';
      for (const line of lines) {
        if (line === 'ready') resolve(undefined);
        const event = parseLine(line);
        if (event) onEvent(event);
      }
    });
    let complaint = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (complaint = (complaint + text).slice(-longestComplaint)));
    child.on('close', (code, signal) => resolve(complaint.trim().split('\n').at(-1) || `the launcher ended with ${code ?? signal}`));
    child.stdin?.on('error', (error) => logger.debug({ err: error }, 'writing to the launcher failed'));
    child.on('error', (error) => {
      resolve(error.message);
      logger.error({ err: error }, 'the launcher could not be started');
      this.#gone(started);
    });
    child.on('exit', (code, signal) => {
      if (this.#process !== started) return;
      logger.warn({ code, signal }, 'the launcher ended');
      this.#gone(started);
    });
    // The launcher must not keep this process alive by itself.
    child.unref();
    for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as { unref?: () => void } | null)?.unref?.();
  }

  /** No order goes to it any more; the next order starts another. */
  #gone(former: Process): void {
    if (this.#process !== former) return;
    this.#process = undefined;
    this.#fence(former);
  }

  /** Until its generation is fenced it is not known whether its orders are carried out. */
  #fence({ generation }: Pick<Process, 'generation'>): void {
    const { files, clock, logger, onDeath } = this.#options;
    if (this.#closed) return;
    try {
      files.fence(generation);
    } catch (error) {
      logger.error({ err: error }, 'a launcher that ended could not be fenced; trying again');
      clock.setTimer(fenceAgainMs, () => this.#fence({ generation }));
      return;
    }
    onDeath();
  }
}

const inheritedEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    ['PATH', 'LANG', 'TZ'].flatMap((name) => {
      const value = process.env[name];
      return value ? [[name, value]] : [];
    }),
  );

const longestComplaint = 2000;

/** A line of the launcher's output; undefined for one that is none: what a launcher that was killed wrote half. */
export function parseLine(line: string): LauncherEvent | undefined {
  const [, type, name = '', value] = /^(started|exit|failed) (\S+)(?: (\d{1,10}))?$/.exec(line) ?? [];
  if (type === 'failed') return value === undefined ? { type, name } : undefined;
  if (type === undefined || value === undefined) return undefined;
  return type === 'started' ? { type, name, pid: Number(value) } : { type: 'exited', name, exitCode: Number(value) };
}
