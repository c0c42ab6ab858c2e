// Reads files that somebody else wrote: no links, no pipes, and no more than there is room for, whatever becomes of the file meanwhile.
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

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

/** Read at once: between two pieces others are served. */
const pieceBytes = 1024 * 1024;
/** So many zeros, from a multiple of their number on: nobody wrote them. */
const holeBytes = 64 * 1024;
const hole = Buffer.alloc(holeBytes);

/** How a file is read. */
export interface BoundedRead {
  readonly mostBytes: number;
  /** Asked for room before anything is read; what it gives back is waited for. */
  readonly reserve?: (bytes: number) => Promise<void>;
}

/**
 * The bytes that a plain file of words has when it is opened: those that it loses meanwhile are left out, those that it gains are not read. It
 * ends where a hole begins, as one has that was cut or lengthened without being written: holes cost who makes them nothing.
 * @throws FileTooLong; the file system's errors: ELOOP for a link, EINVAL for what is no plain file
 */
export async function readBounded(path: string, { mostBytes, reserve }: BoundedRead): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const facts = await file.stat();
    if (!facts.isFile()) throw Object.assign(new Error(`${path} is no plain file`), { code: 'EINVAL', path });
    if (facts.size > mostBytes) throw new FileTooLong(path, facts.size, mostBytes);
    await reserve?.(facts.size);
    const bytes = Buffer.allocUnsafe(facts.size);
    let length = 0;
    let looked = 0;
    while (length < bytes.length) {
      const { bytesRead } = await file.read(bytes, length, Math.min(pieceBytes, bytes.length - length), length);
      if (bytesRead === 0) break;
      length += bytesRead;
      for (; looked + hole.length <= length; looked += hole.length)
        if (hole.equals(bytes.subarray(looked, looked + hole.length))) return Buffer.from(bytes.subarray(0, looked));
    }
    return bytes.subarray(0, length);
  } finally {
    await file.close();
  }
}
