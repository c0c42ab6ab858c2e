// Who reads a page and types what it says: a shell in a box of its own (box.sh), which is gone with all that it started when the page is read.
import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

const checkout = join(import.meta.dirname, '../..');
// A box ends with this process, however that ends.
const boxed = ['--pdeathsig', 'KILL', 'unshare', '--net', '--mount', '--uts', '--ipc', '--pid', '--fork', '--kill-child'];

/** Why this machine cannot give a page a box of its own, or undefined. */
export function whyNoBoxes(): string | undefined {
  if (process.platform !== 'linux') return 'namespaces of Linux';
  const { error, status, stderr } = spawnSync('setpriv', [...boxed, 'sh', '-c', 'ip link set lo up && mount -t tmpfs tmpfs /mnt'], {
    encoding: 'utf8',
  });
  if (error) return `the program setpriv (${error.message})`;
  return status === 0 ? undefined : `namespaces, which root may make (${stderr.trim()})`;
}

/** What commands printed, standard error among it, and their exit status. */
export interface Typed {
  readonly output: string;
  readonly status: number;
}

export class Reader implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'heddle-page-'));
  readonly #shell: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #ended: Promise<void>;
  readonly #limitMs: number;
  #heard = '';
  #wake = () => {};
  #isOver = false;

  /** @param cache a folder for compiled code that all readers share; @param limitMs how long commands may take before the box is given up */
  constructor(cache: string, limitMs: number) {
    this.#limitMs = limitMs;
    const box = join(import.meta.dirname, 'box.sh');
    this.#shell = spawn('setpriv', [...boxed, 'bash', box, checkout, this.#folder, cache], { stdio: ['pipe', 'pipe', 'pipe'] });
    const hear = (text: string) => {
      this.#heard += text;
      this.#wake();
    };
    this.#shell.stdout.setEncoding('utf8').on('data', hear);
    this.#shell.stderr.setEncoding('utf8').on('data', hear);
    this.#shell.stdin.on('error', () => {});
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ended = promise;
    this.#shell.on('close', () => {
      this.#isOver = true;
      this.#wake();
      resolve();
    });
  }

  /**
   * Types commands and waits for their end, or (STAY) until they say that they are ready.
   * @throws when they take too long, after which nothing more can be typed, or the shell is gone
   */
  async type(kind: 'GRANTED' | 'RUN' | 'STAY' | 'END', commands = ''): Promise<Typed> {
    let isLate = false;
    const limit = setTimeout(() => {
      isLate = true;
      this.#shell.kill('SIGKILL');
    }, this.#limitMs);
    try {
      this.#shell.stdin.write(`${kind}\n${commands}\0`);
      for (;;) {
        const [output = '', status, rest] = this.#heard.split('\0', 3);
        if (status !== undefined && rest !== undefined) {
          this.#heard = this.#heard.slice(output.length + status.length + 2);
          return { output, status: Number(status) };
        }
        if (this.#isOver) throw new Error(`${isLate ? `no end after ${this.#limitMs / 1000} s` : 'the shell is gone'}\n${this.#heard}`);
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      clearTimeout(limit);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#shell.stdin.end();
    // Its first process takes all others of the box along.
    this.#shell.kill('SIGKILL');
    await this.#ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
