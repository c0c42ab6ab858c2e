// Reads tar archives (ustar, GNU long names, pax) as they stream by. Nothing is written outside the target folder: links are made
// last, so that no entry is written through one, and a hard link leads only to a file of the same archive.
import { link, lstat, mkdir, open, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { appendWhole } from '../../lib/whole-writes.ts';
import { LocalizationFailure } from './errors.ts';
import type { UnpackBudget } from './limits.ts';

const blockBytes = 512;
/** Longest long name or pax header. */
const longestHeaderBytes = 1024 * 1024;

interface TarHeader {
  readonly name: string;
  readonly kind: string;
  readonly mode: number;
  readonly bytes: number;
  readonly linkTo: string;
}

/** Pulls exact pieces out of a stream of chunks. */
class Pieces {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** At most `bytes` bytes; empty at the end. */
  async some(bytes: number): Promise<Buffer> {
    while (this.#rest.length === 0) {
      const { value, done } = await this.#source.next();
      if (done) return this.#rest;
      this.#rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
    const piece = this.#rest.subarray(0, bytes);
    this.#rest = this.#rest.subarray(piece.length);
    return piece;
  }

  /** Exactly `bytes` bytes, or undefined where the stream ends before. */
  async exactly(bytes: number): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    for (let left = bytes; left > 0; ) {
      const piece = await this.some(left);
      if (piece.length === 0) return undefined;
      parts.push(piece);
      left -= piece.length;
    }
    return parts.length === 1 ? parts[0] : Buffer.concat(parts);
  }

  async close(): Promise<void> {
    await this.#source.return?.();
  }
}

const text = (field: Buffer): string => {
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? field.length : end);
};

/** An octal field, or a binary one where its first bit is set; NaN for neither. */
function number(field: Buffer): number {
  if ((field[0]! & 0x80) !== 0) {
    let value = field[0]! & 0x7f;
    for (const byte of field.subarray(1)) value = value * 256 + byte;
    return value;
  }
  const digits = text(field).trim();
  return digits === '' ? 0 : /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : Number.NaN;
}

/** Checks the sum and reads the fields. */
function readHeader(block: Buffer, broken: () => LocalizationFailure): TarHeader {
  let sum = 8 * 0x20;
  for (let at = 0; at < blockBytes; at++) if (at < 148 || at >= 156) sum += block[at]!;
  const bytes = number(block.subarray(124, 136));
  if (number(block.subarray(148, 156)) !== sum || !Number.isSafeInteger(bytes)) throw broken();
  const prefix = block.toString('latin1', 257, 263) === 'ustar\0' ? text(block.subarray(345, 500)) : '';
  const name = text(block.subarray(0, 100));
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    kind: String.fromCharCode(block[156] || 0x30),
    mode: number(block.subarray(100, 108)) & 0o777 || 0o644,
    bytes,
    linkTo: text(block.subarray(157, 257)),
  };
}

/** `length key=value\n` records. */
function readPax(content: Buffer): Map<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at);
    const length = Number(content.toString('latin1', at, space));
    if (space < 0 || !Number.isSafeInteger(length) || length < 4 || at + length > content.length) break;
    const record = content.toString('utf8', space + 1, at + length - 1);
    const equals = record.indexOf('=');
    if (equals > 0) records.set(record.slice(0, equals), record.slice(equals + 1));
    at += length;
  }
  return records;
}

/** Unpacks a stream into the folder `target`, which exists. `what` names the archive in failures. @throws LocalizationFailure */
export async function untar(source: AsyncIterable<Uint8Array>, target: string, what: string, budget: UnpackBudget): Promise<void> {
  const broken = () => new LocalizationFailure(`${what} is not a tar archive or is cut off`);
  const pieces = new Pieces(source);
  const unpacking = new Unpacking(target, broken);
  let longName: string | undefined;
  let longLink: string | undefined;
  let pax = new Map<string, string>();
  let any = false;
  try {
    for (;;) {
      const block = await pieces.exactly(blockBytes);
      // Some writers leave the two empty blocks of the end away; an archive is at least one block.
      if (!block) {
        if (!any) throw broken();
        break;
      }
      if (block.every((byte) => byte === 0)) {
        if (any) break;
        any = true;
        continue;
      }
      any = true;
      const header = readHeader(block, broken);
      const padding = (blockBytes - (header.bytes % blockBytes)) % blockBytes;
      if ('LKxg'.includes(header.kind)) {
        if (header.bytes > longestHeaderBytes) throw broken();
        const content = await pieces.exactly(header.bytes + padding);
        if (!content) throw broken();
        if (header.kind === 'L') longName = text(content.subarray(0, header.bytes));
        else if (header.kind === 'K') longLink = text(content.subarray(0, header.bytes));
        else if (header.kind === 'x') pax = readPax(content.subarray(0, header.bytes));
        continue;
      }
      if (pax.has('GNU.sparse.major') || header.kind === 'S')
        throw new LocalizationFailure(`${what}: files with holes are not supported; pack them without --sparse`);
      const paxBytes = pax.has('size') ? Number(pax.get('size')) : header.bytes;
      if (!Number.isSafeInteger(paxBytes) || paxBytes < 0) throw broken();
      budget.entry();
      const entry = {
        ...header,
        name: pax.get('path') ?? longName ?? header.name,
        linkTo: pax.get('linkpath') ?? longLink ?? header.linkTo,
        bytes: paxBytes,
      };
      longName = undefined;
      longLink = undefined;
      pax = new Map();
      await unpacking.entry(entry, pieces, budget);
    }
    await unpacking.makeLinks();
  } finally {
    await pieces.close();
  }
}

/** What was unpacked so far. */
class Unpacking {
  readonly #target: string;
  readonly #broken: () => LocalizationFailure;
  readonly #folders = new Set<string>(['']);
  readonly #files = new Set<string>();
  readonly #links = new Map<string, string>();

  constructor(target: string, broken: () => LocalizationFailure) {
    this.#target = target;
    this.#broken = broken;
  }

  /** The name of an entry inside the folder: no leading slash, as GNU tar does; one that leaves the folder is refused. */
  #inside(name: string): string {
    const parts = name.split('/').filter((part) => part !== '' && part !== '.');
    if (parts.includes('..') || name.includes('\0'))
      throw new LocalizationFailure(`expanding ${name.slice(0, 500)} would create file outside of ${this.#target}`);
    return parts.join('/');
  }

  async entry({ name, kind, mode, bytes, linkTo }: TarHeader, pieces: Pieces, budget: UnpackBudget): Promise<void> {
    const inside = this.#inside(name);
    const hasContent = kind === '0' || kind === '7';
    if (kind === '5' || (hasContent && name.endsWith('/'))) await this.#folder(inside);
    else if (kind === '2') this.#links.set(inside, linkTo);
    else if (kind === '1') await this.#hardLink(inside, this.#inside(linkTo));
    else if (hasContent && inside !== '') return this.#file(inside, mode, bytes, pieces, budget);
    // Devices and pipes are left out.
    await this.#content(bytes, pieces, async () => {});
  }

  async #folder(inside: string): Promise<void> {
    if (this.#folders.has(inside)) return;
    const above = dirname(inside);
    await this.#folder(above === '.' ? '' : above);
    await this.#clear(inside);
    await mkdir(join(this.#target, inside), { mode: 0o755 });
    this.#folders.add(inside);
  }

  /** A later entry takes the place of an earlier file or link. */
  async #clear(inside: string): Promise<void> {
    this.#links.delete(inside);
    if (this.#files.delete(inside)) await rm(join(this.#target, inside));
  }

  async #file(inside: string, mode: number, bytes: number, pieces: Pieces, budget: UnpackBudget): Promise<void> {
    const above = dirname(inside);
    await this.#folder(above === '.' ? '' : above);
    await this.#clear(inside);
    if (this.#folders.has(inside)) throw new LocalizationFailure(`${inside} is a folder and a file of the same archive`);
    const file = await open(join(this.#target, inside), 'wx', mode | 0o600);
    this.#files.add(inside);
    try {
      await this.#content(bytes, pieces, async (piece) => {
        budget.bytes(piece.length);
        await appendWhole(file, piece);
      });
    } finally {
      await file.close();
    }
  }

  async #hardLink(inside: string, to: string): Promise<void> {
    if (!this.#files.has(to)) throw new LocalizationFailure(`${inside} is a link to ${to}, which is no file of the archive before it`);
    if (inside === to) return;
    const above = dirname(inside);
    await this.#folder(above === '.' ? '' : above);
    await this.#clear(inside);
    await link(join(this.#target, to), join(this.#target, inside));
    this.#files.add(inside);
  }

  /** The content of an entry with its padding. */
  async #content(bytes: number, pieces: Pieces, use: (piece: Buffer) => Promise<void>): Promise<void> {
    for (let left = bytes; left > 0; ) {
      const piece = await pieces.some(left);
      if (piece.length === 0) throw this.#broken();
      left -= piece.length;
      await use(piece);
    }
    const padding = (blockBytes - (bytes % blockBytes)) % blockBytes;
    if (padding > 0 && !(await pieces.exactly(padding))) throw this.#broken();
  }

  /** Makes the symbolic links, which may lead anywhere: they are followed with the rights of the container alone. */
  async makeLinks(): Promise<void> {
    for (const [inside, to] of this.#links) {
      const above = dirname(inside);
      await this.#realFolder(above === '.' ? '' : above);
      if (inside !== '' && !this.#folders.has(inside)) await symlink(to, join(this.#target, inside));
    }
  }

  /** Like `#folder`, after links were made: a folder that is one is no place for another. */
  async #realFolder(inside: string): Promise<void> {
    if (this.#folders.has(inside)) return;
    const found = await lstat(join(this.#target, inside)).catch(() => undefined);
    if (found) throw new LocalizationFailure(`${inside} is a link and a folder of the same archive`);
    const above = dirname(inside);
    await this.#realFolder(above === '.' ? '' : above);
    await mkdir(join(this.#target, inside), { mode: 0o755 });
    this.#folders.add(inside);
  }
}
