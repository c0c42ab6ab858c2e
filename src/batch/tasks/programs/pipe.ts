// One streaming child process: records go in and come out in the form that the job names, its standard error may report counters and status.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { makeFolder } from '../../../lib/make-folder.ts';
import { type BytePiece, BytePieces, largestKeptBytes, release } from '../byte-pieces.ts';
import { RecordTooLong } from '../container-memory.ts';
import type { DetailedError } from '../describe-error.ts';
import type { ProgramContext } from '../program.ts';
import type { RawRecordSink } from '../records.ts';
import { copyBytes } from '../segment.ts';
import { standardErrorHead } from '../standard-error.ts';
import { findProgram, splitCommand, streamingEnvironment } from './command-line.ts';
import { longestLineBytes } from './longest-line.ts';
import { Scribe } from './scribe.ts';
import type { StreamForm, WriteParts } from './stream-forms.ts';
import { streamReader } from './stream-readers.ts';

export interface PipeOptions {
  readonly command: string;
  readonly context: ProgramContext;
  readonly sink: RawRecordSink;
  /** In which form the command writes records; of text also `stream.<map|reduce>.output.field.separator` and `stream.num.<map|reduce>.output.key.fields`. */
  readonly outputForm: StreamForm;
  readonly outputSeparator: Buffer;
  readonly outputKeyFields: number;
  readonly workingFolder: string;
  /** That what is written stays as it is until {@link Pipe.flush} is over: what is long is not copied then. */
  readonly isLent?: boolean;
}

const writeBytes = 1 << 16;
const lineEnd = Buffer.from('\n');
const noBytes = Buffer.alloc(0);

/** Thrown when the child ends with another code than 0; the message is PipeMapRed's. */
export class SubprocessFailed extends Error implements DetailedError {
  override readonly name = 'java.lang.RuntimeException';
  readonly details: string;
  constructor(code: number, lastLines: readonly string[]) {
    super(`PipeMapRed.waitOutputThreads(): subprocess failed with code ${code}`);
    const killed = code === 128 + 9 ? ['It was killed by signal 9, as happens where memory runs out.'] : [];
    this.details = [...killed, ...(lastLines.length > 0 ? [standardErrorHead, ...lastLines] : [])].join('\n');
  }
}

/** Codes of writes to a child that has closed its standard input. */
const closedInput: ReadonlySet<string | undefined> = new Set([
  'EPIPE',
  'ECONNRESET',
  'EOF',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);

const whyNotStarted: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such program, or not the one that its first line names behind #!',
  EACCES: 'it is no file that may be run',
  E2BIG: 'its arguments and variables are too long; stream.jobconf.truncate.limit shortens settings of the job among them',
};

/** Why the system started no program, in words where they are known. */
function whyNotRun(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return whyNotStarted[code ?? ''] ?? message;
}

/** A running child and its streams. */
export class Pipe {
  readonly #child: ChildProcess;
  readonly #options: PipeOptions;
  readonly #ended: Promise<number>;
  readonly #reading: Promise<void>;
  readonly #scribe: Scribe;
  /** What is written is collected here, while the child takes what lies in the other one. */
  #input = Buffer.allocUnsafe(writeBytes);
  #given = Buffer.allocUnsafe(writeBytes);
  #used = 0;
  /** What came after that and is long. */
  readonly #long = new BytePieces();
  /** Until the child has taken what it was given. */
  #taking: Promise<void> | undefined;
  #isTaken: () => void = () => {};
  #inputError: Error | undefined;
  /** The child reads no further: what it does not want is no failure, its exit code tells. */
  #isDeaf = false;
  #code: number | undefined;
  recordsIn = 0;
  recordsOut = 0;

  private constructor(child: ChildProcess, options: PipeOptions) {
    this.#child = child;
    this.#options = options;
    this.#scribe = new Scribe(options.context);
    this.#ended = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => {
        this.#code = code ?? 128 + (signalNumbers[signal ?? ''] ?? 9);
        this.#isDeaf = true;
        this.#isTaken();
        resolve(this.#code);
      });
    });
    this.#ended.catch(() => {});
    child.stdin!.on('error', (error: NodeJS.ErrnoException) => {
      if (closedInput.has(error.code)) this.#isDeaf = true;
      else this.#inputError ??= error;
    });
    this.#scribe.follow(child.stderr!);
    this.#reading = this.#read();
    this.#reading.catch(() => child.kill('SIGKILL'));
    options.context.signal.addEventListener('abort', () => child.kill('SIGKILL'));
  }

  /** Starts the command. @throws Error `configuration exception` with the cause where it cannot be started. */
  static async start(options: PipeOptions): Promise<Pipe> {
    const [program, ...rest] = splitCommand(options.command);
    if (program === undefined) throw new Error('configuration exception: the command is empty');
    const environment = streamingEnvironment(options.context.configuration, process.env, options.workingFolder);
    if (environment['TMPDIR'] !== undefined) makeFolder(environment['TMPDIR']);
    try {
      const child = spawn(findProgram(program, options.workingFolder, environment.PATH ?? ''), rest, {
        cwd: options.workingFolder,
        env: environment,
        stdio: 'pipe',
      });
      await once(child, 'spawn');
      return new Pipe(child, options);
    } catch (error) {
      throw new Error(
        `configuration exception: Cannot run program "${program}" (in directory "${options.workingFolder}"): ${whyNotRun(error)}`,
      );
    }
  }

  /** Writes the parts of a record, one after the other; waits with {@link flush}. */
  readonly write: WriteParts = (before, key, keyStart, keyEnd, between, value, valueStart, valueEnd, behind) => {
    if (this.#isDeaf) return;
    this.recordsIn++;
    const size = before.length + keyEnd - keyStart + between.length + (valueEnd - valueStart) + behind.length;
    if (size > largestKeptBytes || this.#long.length > 0) {
      this.#long.append(before, 0, before.length);
      this.#writeLong(key, keyStart, keyEnd);
      this.#long.append(between, 0, between.length);
      this.#writeLong(value, valueStart, valueEnd);
      this.#long.append(behind, 0, behind.length);
      return;
    }
    if (this.#used + size > this.#input.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#input.length * 2, this.#used + size));
      this.#input.copy(larger, 0, 0, this.#used);
      this.#input = larger;
    }
    let at = copyBytes(before, 0, before.length, this.#input, this.#used);
    at = copyBytes(key, keyStart, keyEnd, this.#input, at);
    at = copyBytes(between, 0, between.length, this.#input, at);
    at = copyBytes(value, valueStart, valueEnd, this.#input, at);
    this.#used = copyBytes(behind, 0, behind.length, this.#input, at);
  };

  #writeLong(bytes: Buffer, start: number, end: number): void {
    if (this.#options.isLent === true && end - start > largestKeptBytes) this.#long.lend(bytes, start, end);
    else this.#long.append(bytes, start, end);
  }

  /** Writes lines as they are, and a line feed after the last. */
  writeLines(buffer: Buffer, start: number, end: number, lines: number): void {
    if (this.#isDeaf) return;
    this.write(noBytes, noBytes, 0, 0, noBytes, buffer, start, end, lineEnd);
    this.recordsIn += lines - 1;
  }

  get buffered(): boolean {
    return this.#used >= writeBytes || this.#long.length > 0;
  }

  /** Hands what was written to the child, once that has taken what it was given before. @throws SubprocessFailed as soon as it has ended with a failure */
  async flush(): Promise<void> {
    if (this.#inputError !== undefined) throw this.#inputError;
    if (this.#code !== undefined) this.#check(this.#code);
    await this.#taking;
    const isLong = this.#long.length > 0;
    const pieces = this.#long.take();
    if (this.#isDeaf) this.#used = 0;
    else if (isLong || this.#used > 0) this.#give(pieces);
    // Before the next record is read there has to be room for it.
    if (isLong) await this.#taking;
    if (this.#inputError !== undefined) throw this.#inputError;
  }

  /** The end of the child also ends the taking: another process may hold its input open, and not read. */
  #give(pieces: BytePiece[]): void {
    const bytes = this.#input.subarray(0, this.#used);
    const free = this.#given.length > largestKeptBytes ? Buffer.allocUnsafe(writeBytes) : this.#given;
    [this.#given, this.#input, this.#used] = [this.#input, free, 0];
    this.#taking = new Promise((resolve) => {
      this.#isTaken = resolve;
      const giveNext = (): void => {
        this.#options.context.touch();
        const piece = this.#isDeaf ? undefined : pieces.shift();
        if (piece === undefined) return resolve();
        this.#child.stdin!.write(piece.bytes, (error) => {
          if (!error && !piece.isLent) release(piece.bytes);
          giveNext();
        });
      };
      if (bytes.length === 0) giveNext();
      else this.#child.stdin!.write(bytes, giveNext);
    });
  }

  async #read(): Promise<void> {
    const { sink, outputForm, outputSeparator, outputKeyFields } = this.#options;
    const { configuration } = this.#options.context;
    const kind = configuration.boolean('mapreduce.task.ismap', true) ? 'MAP' : 'REDUCE';
    const longest = longestLineBytes(configuration, kind);
    const collect: RawRecordSink['collect'] = (key, keyStart, keyEnd, value, valueStart, valueEnd) => {
      sink.collect(key, keyStart, keyEnd, value, valueStart, valueEnd);
      if (this.recordsOut++ === 0) this.#scribe.afterOutput(this.recordsIn, this.recordsOut);
    };
    const reader = streamReader(outputForm, collect, {
      separator: outputSeparator,
      keyFields: outputKeyFields,
      longest,
      tooLong: () => new RecordTooLong('a line or record that the command wrote', longest, kind),
    });
    for await (const piece of this.#child.stdout! as AsyncIterable<Buffer>) {
      // Who feeds the command may have found the sink full, and be at it.
      if (sink.full) await sink.drain();
      reader.push(piece);
      if (this.recordsOut > 0) this.#scribe.afterOutput(this.recordsIn, this.recordsOut);
      if (sink.full) await sink.drain();
    }
    reader.end();
  }

  /** Closes the child's input, reads its output to the end and checks its exit code. @throws SubprocessFailed */
  async finish(): Promise<void> {
    let failure: unknown;
    try {
      await this.flush();
    } catch (error) {
      failure = error;
    }
    this.#child.stdin!.end();
    const { context, command } = this.#options;
    context.waitsFor(() => `the end of '${command}', which has all its input`);
    const code = await this.#ended;
    context.waitsFor(undefined);
    await this.#reading;
    await this.#scribe.ended;
    this.#check(code);
    if (failure !== undefined) throw failure;
  }

  #check(code: number): void {
    const failing = this.#options.context.configuration.boolean('stream.non.zero.exit.is.failure', true);
    if (code !== 0 && failing) throw new SubprocessFailed(code, this.#scribe.lastLines);
  }

  /** After a failed write: the child's own end explains more than a broken pipe. */
  async explain(error: unknown): Promise<never> {
    this.#child.stdin!.destroy();
    const code = await Promise.race([this.#ended, new Promise<undefined>((wake) => setTimeout(() => wake(undefined), 2000))]);
    if (code === undefined) this.#child.kill('SIGKILL');
    else this.#check(code);
    throw error;
  }
}

const signalNumbers: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGABRT: 6,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
};
