// What a streaming child says about itself: `reporter:` lines on its standard error, and how many records went in and came out.
import type { Readable } from 'node:stream';
import { parseLongExactly } from '../../../lib/java-long.ts';
import type { ProgramContext } from '../program.ts';
import { LineSplitter } from './line-splitter.ts';

const statusIntervalMs = 10_000;
/** Longer lines are cut. */
const longestLine = 1 << 16;
/** What is copied of a command's standard error, where `mapreduce.task.userlog.limit.kb` says nothing. */
const usualLimitBytes = 64 << 20;
const keptLines = 20;
const longestKeptLine = 500;

/** Follows one child; other lines of its standard error are copied to the task's own. */
export class Scribe {
  readonly #context: ProgramContext;
  readonly #prefix: string;
  readonly #limitBytes: number;
  #copiedBytes = 0;
  #lastLines: string[] = [];
  #ownStatus = false;
  #lastStatusMs = 0;
  ended: Promise<void> = Promise.resolve();

  constructor(context: ProgramContext) {
    this.#context = context;
    this.#prefix = context.configuration.text('stream.stderr.reporter.prefix', 'reporter:');
    const limitKiB = context.configuration.integer('mapreduce.task.userlog.limit.kb', 0);
    this.#limitBytes = limitKiB > 0 ? limitKiB * 1024 : usualLimitBytes;
  }

  /** The last lines that the child wrote for people. */
  get lastLines(): readonly string[] {
    return this.#lastLines;
  }

  follow(stderr: Readable): void {
    const lines = new LineSplitter((buffer, start, end) => {
      this.#context.touch();
      const line = buffer.toString('utf8', start, end);
      if (!line.startsWith(this.#prefix)) this.#copy(Buffer.concat([buffer.subarray(start, end), Buffer.from('\n')]), line);
      else if (!this.#report(line.slice(this.#prefix.length))) process.stderr.write(`streaming: cannot read '${line.slice(0, 1000)}'\n`);
    }, longestLine);
    this.ended = new Promise((resolve) => {
      stderr.on('data', (piece: Buffer) => lines.push(piece));
      stderr.on('close', () => {
        lines.end();
        this.#finish();
        resolve();
      });
    });
  }

  #copy(bytes: Buffer, line: string): void {
    this.#lastLines.push(line.slice(0, longestKeptLine));
    if (this.#lastLines.length > keptLines) this.#lastLines.shift();
    const before = this.#copiedBytes;
    this.#copiedBytes += bytes.length;
    if (this.#copiedBytes <= this.#limitBytes) process.stderr.write(bytes);
    else if (before <= this.#limitBytes)
      process.stderr.write(
        `streaming: more than ${this.#limitBytes} bytes of standard error: the rest is left out, but for its last lines\n`,
      );
  }

  #finish(): void {
    if (this.#copiedBytes > this.#limitBytes) process.stderr.write(`${this.#lastLines.join('\n')}\n`);
  }

  #report(text: string): boolean {
    if (text.startsWith('status:')) {
      this.#ownStatus = true;
      this.#context.setStatus(text.slice('status:'.length).trim());
      return true;
    }
    if (!text.startsWith('counter:')) return false;
    const columns = text.slice('counter:'.length).trim().split(',');
    while (columns.at(-1) === '') columns.pop();
    const [group, name, amount] = columns;
    const counted = columns.length === 3 ? parseLongExactly(amount!) : undefined;
    if (counted === undefined) return false;
    this.#context.counters.increment(group!, name!, counted);
    return true;
  }

  /** Tells the numbers of records, at most every ten seconds, until the child set a status of its own. */
  afterOutput(recordsIn: number, recordsOut: number): void {
    if (this.#ownStatus) return;
    const now = performance.timeOrigin + performance.now();
    if (now - this.#lastStatusMs <= statusIntervalMs) return;
    this.#lastStatusMs = now;
    this.#context.setStatus(`Records R/W=${recordsIn}/${recordsOut}`);
  }
}
