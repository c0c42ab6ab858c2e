// Reads files that somebody else wrote: no links, no pipes, and no more than there is room for, whatever becomes of the file meanwhile.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Thrown where a file has more bytes than are read. */
export class FileTooLong extends Error {
  override readonly name = 'FileTooLong';
  readonly bytes: number;
  readonly mostBytes: number;

  constructor(path: string, bytes: number, mostBytes: number) {
    super(`${path} has ${bytes} bytes, and at most ${mostBytes} are read`);
    this.bytes = bytes;
    this.mostBytes = mostBytes;
  }
}

/** Read at once: so much is there before anything can be made of it. */
const pieceBytes = 2 * 1024 * 1024;
/** So many zeros, from a multiple of their number on: nobody wrote them. */
const holeBytes = 64 * 1024;
const hole = Buffer.alloc(holeBytes);

/** How a file is read. */
export interface BoundedRead {
  readonly mostBytes: number;
  /** Asked for room before anything is read; what it gives back is waited for. */
  readonly reserve?: (bytes: number) => Promise<void>;
}

/** Bytes that come one after the other. */
export interface ComingBytes {
  /** Those that are there: with each piece another view of them all. */
  readonly bytes: Buffer;
  /** Whether no more come. */
  readonly isWhole: boolean;
}

/**
 * A plain file of words while it is read: the bytes that it has when it is opened. Those that it loses meanwhile are left out, those that it gains are
 * not read. It ends where a hole begins, as one has that was cut or lengthened without being written: holes cost who makes them nothing.
 */
export class BoundedFile implements ComingBytes, AsyncDisposable {
  readonly #file: FileHandle;
  readonly #buffer: Buffer;
  readonly #reading: Promise<void>;
  #bytes: Buffer;
  #isWhole = false;
  #isClosed = false;
  #failure: unknown;
  #wake: (() => void) | undefined;

  private constructor(file: FileHandle, size: number) {
    this.#file = file;
    this.#buffer = Buffer.allocUnsafe(size);
    this.#bytes = this.#buffer.subarray(0, 0);
    this.#reading = this.#read();
  }

  /** Opens a file and begins to read it. @throws FileTooLong; the file system's errors: ELOOP for a link, EINVAL for what is no plain file */
  static async open(path: string, { mostBytes, reserve }: BoundedRead): Promise<BoundedFile> {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const facts = await file.stat();
      if (!facts.isFile()) throw Object.assign(new Error(`${path} is no plain file`), { code: 'EINVAL', path });
      if (facts.size > mostBytes) throw new FileTooLong(path, facts.size, mostBytes);
      await reserve?.(facts.size);
      return new BoundedFile(file, facts.size);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Resolves once there are more bytes, or no more come. @throws the file system's error */
  async more(): Promise<void> {
    if (this.#failure === undefined && !this.#isWhole) await new Promise<void>((resolve) => (this.#wake = resolve));
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Reads no more. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#reading;
    await this.#file.close();
  }

  async #read(): Promise<void> {
    const buffer = this.#buffer;
    let length = 0;
    let looked = 0;
    try {
      while (length < buffer.length && !this.#isClosed) {
        const { bytesRead } = await this.#file.read(buffer, length, Math.min(pieceBytes, buffer.length - length), length);
        if (bytesRead === 0) break;
        length += bytesRead;
        for (; looked + hole.length <= length; looked += hole.length)
          if (hole.equals(buffer.subarray(looked, looked + hole.length))) return this.#ends(Buffer.from(buffer.subarray(0, looked)));
        this.#bytes = buffer.subarray(0, looked);
        this.#tell();
      }
      this.#ends(buffer.subarray(0, length));
    } catch (error) {
      this.#failure = error;
      this.#tell();
    }
  }

  #ends(bytes: Buffer): void {
    this.#bytes = bytes;
    this.#isWhole = true;
    this.#tell();
  }

  #tell(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}

/** All bytes of a BoundedFile. @throws as that does */
export async function readBounded(path: string, how: BoundedRead): Promise<Buffer> {
  await using file = await BoundedFile.open(path, how);
  while (!file.isWhole) await file.more();
  return file.bytes;
}
