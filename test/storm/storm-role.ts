// One role of a storm's cluster: a process that is killed and started again, as often as it takes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { until } from '../support/processes.ts';

const executable = join(import.meta.dirname, '../../bin/heddle.js');
const clockModule = pathToFileURL(join(import.meta.dirname, 'set-clock.ts')).href;
const mostStarts = 10;
const startLimitMs = 60_000;
const stopLimitMs = 60_000;

/** Where the roles run; machine 0 has the resource manager, timeline and history server, and runs this process too. */
export interface Places {
  /** Addresses of the machines; on one machine all are loopback. */
  readonly addresses: readonly string[];
  /** The command line that runs something on a machine. */
  readonly command: (machine: number, ...words: readonly string[]) => readonly [string, readonly string[]];
  /** Pulls the cable of a machine or puts it back; undefined where all is one machine. */
  readonly setCable: ((machine: number, plugged: boolean) => void) | undefined;
}

export interface StormRoleOptions {
  readonly name: string;
  /** As `heddle start` takes it. */
  readonly kind: string;
  readonly machine: number;
  readonly dataDir: string;
  readonly settings: Record<string, string>;
  readonly places: Places;
  readonly log: string;
  /** Says by how much the clock of all machines is set, ms. */
  readonly clockFile: string;
  /** Folder of compiled code. */
  readonly compiled: string;
  /** Hears what no role should do: not start, not stop, end by itself. */
  readonly trouble: (what: string) => void;
}

/** One role as a process that can be killed and started again. */
export class StormRole {
  readonly name: string;
  readonly machine: number;
  /** How long starts took until the role was ready, ms. */
  readonly startedMs: number[] = [];
  readonly #options: StormRoleOptions;
  readonly #words: readonly string[];
  #process: ChildProcess | undefined;
  /** Whose end is wanted. */
  #ending: ChildProcess | undefined;
  #busy: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #isClosed = false;

  constructor(options: StormRoleOptions) {
    this.#options = options;
    this.name = options.name;
    this.machine = options.machine;
    const set = Object.entries(options.settings).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
    this.#words = [process.execPath, executable, 'start', options.kind, '--json', '--data', options.dataDir, ...set];
  }

  /** Something is being done to it. */
  get isBusy(): boolean {
    return this.#waiting > 0;
  }

  /** Its process; undefined where it does not run. */
  get pid(): number | undefined {
    return this.#process && !hasEnded(this.#process) ? this.#process.pid : undefined;
  }

  /** Runs what leaves the role as it was, after everything that was begun before. */
  alone<T>(run: () => Promise<T>): Promise<T> {
    this.#waiting++;
    const done = this.#busy.then(run).finally(() => this.#waiting--);
    this.#busy = done.catch(() => undefined);
    return done;
  }

  /** Ends it by a signal, waits for so long, ms, and starts it. */
  async restart(signal: NodeJS.Signals, awayMs = 0): Promise<void> {
    await this.signal(signal);
    if (awayMs > 0) await sleep(awayMs);
    await this.start();
  }

  /**
   * Starts it and waits until it is ready. One that ends instead, or takes a minute, is started again, as a service manager does; it is noted but
   * where the storm itself holds its store.
   * @throws Error where that does not help
   */
  async start(): Promise<void> {
    for (let tries = 0; tries < mostStarts && !this.#isClosed; tries++) {
      const beganMs = Date.now();
      const problem = await this.#startOnce();
      if (this.#isClosed) return this.close();
      if (problem === undefined) {
        this.startedMs.push(Date.now() - beganMs);
        return;
      }
      if (!problem.includes('is locked by another program')) this.#options.trouble(`did not start: ${problem}`);
      await sleep(100 * 2 ** Math.min(tries, 6));
    }
    if (!this.#isClosed) throw new Error(`${this.name} does not start: ${this.#options.log}`);
  }

  /** Why it is not ready. */
  async #startOnce(): Promise<string | undefined> {
    const { places, log, compiled, clockFile } = this.#options;
    const [command, words] = places.command(this.machine, ...this.#words);
    const options = `${process.env['NODE_OPTIONS'] ?? ''} --import=${clockModule}`.trim();
    const environment = { ...process.env, NODE_COMPILE_CACHE: compiled, NODE_OPTIONS: options, HEDDLE_STORM_CLOCK: clockFile };
    // What a terminal sends to the storm is none of its business.
    const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'pipe'], env: environment, detached: true });
    this.#process = child;
    let ready = false;
    let said = '';
    child.stdout.on('data', (chunk) => {
      ready ||= String(chunk).includes('{');
    });
    child.stderr.on('data', (chunk) => {
      appendFileSync(log, chunk);
      if (!ready) said = `${said}${chunk}`.slice(-2000);
    });
    child.on('exit', () => ready && this.#ended(child));
    try {
      await until(`${this.name} to be ready (${log})`, async () => ready || hasEnded(child), startLimitMs);
    } catch (error) {
      await this.signal('SIGKILL');
      return String(error);
    }
    return ready ? undefined : `it ended with ${child.exitCode ?? child.signalCode}: ${lastLine(said)}`;
  }

  /** It ran and has ended: where nobody wanted that, it is told and starts again. */
  #ended(child: ChildProcess): void {
    if (this.#ending === child || this.#isClosed) return;
    this.#options.trouble(`ended by itself with ${child.exitCode ?? child.signalCode}`);
    this.alone(async () => {
      if (this.#process === child) await this.start();
    }).catch((error: unknown) => this.#options.trouble(String(error)));
  }

  /** Sends a signal; after one that ends it, waits for its end. */
  async signal(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (!child || hasEnded(child)) return;
    if (signal === 'SIGSTOP' || signal === 'SIGCONT') return void child.kill(signal);
    this.#ending = child;
    const ended = once(child, 'exit');
    child.kill(signal);
    if (signal !== 'SIGKILL' && !(await endsWithin(child, ended, stopLimitMs))) {
      this.#options.trouble(`does not end within ${stopLimitMs} ms after ${signal}`);
      child.kill('SIGKILL');
    }
    await ended;
  }

  /** Ends it for good. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.signal('SIGCONT');
    await this.signal('SIGTERM');
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

async function endsWithin(child: ChildProcess, ended: Promise<unknown>, ms: number): Promise<boolean> {
  const limit = new AbortController();
  await Promise.race([ended, sleep(ms, undefined, { signal: limit.signal }).catch(() => undefined)]);
  limit.abort();
  return hasEnded(child);
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? '';
