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
/** Bytes that have so many characters, and more. */
const longestKeptBytes = 4 * longestKeptLine;
/** Lines are written together: one by one they would hold up a command that writes many. */
const writtenBytes = 2 * longestLine;
const lineFeed = 10;

interface KeptLine {
  readonly buffer: Buffer;
  readonly start: number;
  readonly end: number;
}

/** Follows one child; other lines of its standard error are copied to the task's own. */
export class Scribe {
  readonly #context: ProgramContext;
  readonly #prefix: Buffer;
  readonly #limitBytes: number;
  #copiedBytes = 0;
  /** What was not written yet, and how much of it there is. */
  #waiting = Buffer.alloc(0);
  #waitingBytes = 0;
  /** The last lines, in turn. */
  readonly #kept: KeptLine[] = [];
  #lines = 0;
  #ownStatus = false;
  #lastStatusMs = 0;
  ended: Promise<void> = Promise.resolve();

  constructor(context: ProgramContext) {
    this.#context = context;
    this.#prefix = Buffer.from(context.configuration.text('stream.stderr.reporter.prefix', 'reporter:'));
    const limitKiB = context.configuration.integer('mapreduce.task.userlog.limit.kb', 0);
    this.#limitBytes = limitKiB > 0 ? limitKiB * 1024 : usualLimitBytes;
  }

  /** The last lines that the child wrote for people. */
  get lastLines(): readonly string[] {
    const oldest = Math.max(0, this.#lines - keptLines);
    return Array.from({ length: this.#lines - oldest }, (_, index) => {
      const { buffer, start, end } = this.#kept[(oldest + index) % keptLines]!;
      return buffer.toString('utf8', start, Math.min(end, start + longestKeptBytes)).slice(0, longestKeptLine);
    });
  }

  follow(stderr: Readable): void {
    const prefix = this.#prefix;
    const lines = new LineSplitter((buffer, start, end) => {
      const text = start + prefix.length;
      if (text > end || prefix.compare(buffer, start, text) !== 0) return this.#copy(buffer, start, end);
      if (this.#report(buffer.toString('utf8', text, end))) return;
      this.#write();
      process.stderr.write(`streaming: cannot read '${buffer.toString('utf8', start, end).slice(0, 1000)}'\n`);
    }, longestLine);
    this.ended = new Promise((resolve) => {
      stderr.on('data', (piece: Buffer) => {
        this.#context.touch();
        lines.push(piece);
        this.#write();
      });
      stderr.on('close', () => {
        lines.end();
        this.#finish();
        resolve();
      });
    });
  }

  #copy(buffer: Buffer, start: number, end: number): void {
    this.#kept[this.#lines++ % keptLines] = { buffer, start, end };
    const before = this.#copiedBytes;
    this.#copiedBytes += end - start + 1;
    if (this.#copiedBytes <= this.#limitBytes) this.#add(buffer, start, end);
    else if (before <= this.#limitBytes) {
      this.#write();
      process.stderr.write(
        `streaming: more than ${this.#limitBytes} bytes of standard error: the rest is left out, but for its last lines\n`,
      );
    }
  }

  #add(buffer: Buffer, start: number, end: number): void {
    if (this.#waiting.length === 0) this.#waiting = Buffer.allocUnsafe(writtenBytes);
    if (this.#waitingBytes + end - start + 1 > writtenBytes) this.#write();
    buffer.copy(this.#waiting, this.#waitingBytes, start, end);
    this.#waitingBytes += end - start + 1;
    this.#waiting[this.#waitingBytes - 1] = lineFeed;
  }

  #write(): void {
    if (this.#waitingBytes > 0) process.stderr.write(this.#waiting.subarray(0, this.#waitingBytes));
    this.#waitingBytes = 0;
    // Where standard error does not take it at once it stays as it is.
    if (process.stderr.writableLength > 0) this.#waiting = Buffer.alloc(0);
  }

  #finish(): void {
    this.#write();
    if (this.#copiedBytes > this.#limitBytes) process.stderr.write(`${this.lastLines.join('\n')}\n`);
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
