// The engine's end of the launcher (launcher-script.ts): starts it, gives it orders, hears what it says, starts another when it dies.
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '../../lib/log.ts';
import { type LauncherOrder, launcherFields, launcherScript } from './launcher-script.ts';

/** What a launcher says of a container. */
export type LauncherEvent =
  /** Its pid file is written; `pid` leads its session. */
  | { readonly type: 'started'; readonly containerId: string; readonly pid: number }
  /** Its exit file is written. */
  | { readonly type: 'exited'; readonly containerId: string; readonly exitCode: number }
  /** It was never started. */
  | { readonly type: 'failed'; readonly containerId: string };

/** What a launcher needs. */
export interface LauncherOptions {
  /** The engine's folder; takes the script, and the files of containers. */
  readonly folder: string;
  readonly logger: Logger;
  /** Environment of the launcher, inherited by containers; default `PATH`, `LANG` and `TZ` of this process. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Hears what the launcher says, also of containers of a launcher that has died: their keepers go on. */
  readonly onEvent: (event: LauncherEvent) => void;
  /** The launcher died, or could not be started: orders that it had not read are lost. */
  readonly onDeath: () => void;
}

/** One launcher at a time, until closed. */
export class Launcher {
  readonly #options: LauncherOptions;
  readonly #scriptFile: string;
  /** Absent when the last one could not be started, and after `close`. */
  #process: ChildProcess | undefined;
  #closed = false;

  /** Starts it. @throws Error when the folder cannot be written to */
  constructor(options: LauncherOptions) {
    this.#options = options;
    this.#scriptFile = join(options.folder, 'launcher.sh');
    writeFileSync(this.#scriptFile, launcherScript, { mode: 0o700 });
    this.#process = this.#spawn();
  }

  /** Gives an order; false when there is no launcher. What became of it is heard by `onEvent`, or nothing after `onDeath`. */
  order(order: LauncherOrder): boolean {
    if (!this.#process?.stdin) return false;
    this.#process.stdin.write(launcherFields(order));
    return true;
  }

  /** Ends the launcher; containers and their keepers go on. Resolves when it is gone. */
  async close(): Promise<void> {
    this.#closed = true;
    const child = this.#process;
    this.#process = undefined;
    if (!child || child.exitCode !== null) return;
    await new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.ref();
      child.stdin?.end();
    });
    child.stdout?.destroy();
  }

  #spawn(): ChildProcess {
    const { folder, environment, logger } = this.#options;
    const child = spawn('/bin/bash', [this.#scriptFile, folder], {
      cwd: folder,
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
      env: { ...(environment ?? inheritedEnvironment()) },
    });
    let incomplete = '';
    child.stdout?.setEncoding('latin1').on('data', (text: string) => {
      const lines = (incomplete + text).split('\n');
      incomplete = lines.pop() ?? '';
      for (const line of lines) {
        const event = parseLine(line);
        if (event) this.#options.onEvent(event);
      }
    });
    child.stdin?.on('error', (error) => logger.debug({ err: error }, 'writing to the launcher failed'));
    child.on('error', (error) => {
      logger.error({ err: error }, 'the launcher could not be started');
      if (this.#process === child) this.#process = undefined;
      if (!this.#closed) this.#options.onDeath();
    });
    child.on('exit', (code, signal) => {
      if (this.#closed) return;
      logger.warn({ code, signal }, 'the launcher ended; starting another');
      this.#process = this.#spawn();
      this.#options.onDeath();
    });
    // The launcher must not keep this process alive by itself.
    child.unref();
    (child.stdout as { unref?: () => void } | null)?.unref?.();
    (child.stdin as { unref?: () => void } | null)?.unref?.();
    return child;
  }
}

const inheritedEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    ['PATH', 'LANG', 'TZ'].flatMap((name) => {
      const value = process.env[name];
      return value ? [[name, value]] : [];
    }),
  );

/** A line of the launcher's output; undefined for one that is none: what a launcher that was killed wrote half. */
export function parseLine(line: string): LauncherEvent | undefined {
  const [, type, containerId = '', value] = /^(started|exit|failed) (\S+)(?: (\d{1,10}))?$/.exec(line) ?? [];
  if (type === 'failed') return value === undefined ? { type, containerId } : undefined;
  if (type === undefined || value === undefined) return undefined;
  return type === 'started' ? { type, containerId, pid: Number(value) } : { type: 'exited', containerId, exitCode: Number(value) };
}
