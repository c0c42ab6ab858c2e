// TFile: the container format of aggregated logs (org.apache.hadoop.io.file.tfile of Hadoop 3.4: TFile inside BCFile), as a
// sequence of keys and values in blocks, written without compression and read with none or gz.
// Layout: magic, data blocks, meta blocks (TFile.meta, TFile.index, BCFile.index), the index of meta blocks, and a tail of
// its offset (8 bytes), the version (2 x 2) and the magic again. Values are chunks: -length for each but the last.
import type { FileHandle } from 'node:fs/promises';
import { createInflate } from 'node:zlib';
import { appendWhole } from '../../lib/whole-writes.ts';
import { longestTfileNumber, readTfileNumber, tfileNumberTail, writeTfileNumber } from './java-data.ts';

const magic = Buffer.from('d111d36891b5d7b639df414092bae150', 'hex');
const version = Buffer.from([0, 1, 0, 0]);
const tailLength = 8 + version.length + magic.length;
/** A block ends with the record that makes it at least this long, in bytes. */
const minimumBlockBytes = 256 * 1024;
/** Chunks of values, in bytes (tfile.io.chunk.size). */
const chunkBytes = 1024 * 1024;
/** Longest key and index block that a reader takes, in bytes. */
const maximumKeyBytes = 64 * 1024;
const maximumIndexBytes = 64 * 1024 * 1024;

/** Thrown when bytes are no TFile or break off. */
export class UnreadableTfile extends Error {
  override readonly name = 'UnreadableTfile';
}

interface Region {
  readonly offset: number;
  readonly length: number;
  readonly rawLength: number;
}

const named = (text: string): Buffer => Buffer.concat([writeTfileNumber(Buffer.byteLength(text)), Buffer.from(text)]);
const region = ({ offset, length, rawLength }: Region): Buffer =>
  Buffer.concat([writeTfileNumber(offset), writeTfileNumber(length), writeTfileNumber(rawLength)]);

/** Writes keys and values one after the other into a file that is open for writing at its beginning. */
export class TfileWriter {
  readonly #file: FileHandle;
  #offset = 0;
  #blockStart = 0;
  #blockRecords = 0;
  #records = 0;
  #firstKey: Buffer | undefined;
  #lastKey: Buffer = Buffer.alloc(0);
  readonly #blocks: { region: Region; lastKey: Buffer; records: number }[] = [];

  constructor(file: FileHandle) {
    this.#file = file;
  }

  async #put(bytes: Uint8Array): Promise<void> {
    await appendWhole(this.#file, bytes);
    this.#offset += bytes.length;
  }

  /** Adds a record whose value is the joined parts; each part is a chunk of its own when it is long. */
  async append(key: Buffer, value: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    if (this.#offset === 0) await this.#put(magic);
    if (this.#blockRecords === 0) this.#blockStart = this.#offset;
    await this.#put(Buffer.concat([writeTfileNumber(key.length), key]));
    let waiting: Uint8Array[] = [];
    let waitingLength = 0;
    for await (const part of value) {
      waiting.push(part);
      waitingLength += part.length;
      if (waitingLength < chunkBytes) continue;
      await this.#put(Buffer.concat([writeTfileNumber(-waitingLength), ...waiting]));
      waiting = [];
      waitingLength = 0;
    }
    await this.#put(Buffer.concat([writeTfileNumber(waitingLength), ...waiting]));
    this.#firstKey ??= key;
    this.#lastKey = key;
    this.#records++;
    this.#blockRecords++;
    if (this.#offset - this.#blockStart >= minimumBlockBytes) this.#endBlock();
  }

  #endBlock(): void {
    if (this.#blockRecords === 0) return;
    const length = this.#offset - this.#blockStart;
    this.#blocks.push({
      region: { offset: this.#blockStart, length, rawLength: length },
      lastKey: this.#lastKey,
      records: this.#blockRecords,
    });
    this.#blockRecords = 0;
  }

  /** Writes the indices and the tail; the file stays open. */
  async finish(): Promise<void> {
    if (this.#offset === 0) await this.#put(magic);
    this.#endBlock();
    const metas: { name: string; region: Region }[] = [];
    const meta = async (name: string, bytes: Buffer) => {
      metas.push({ name, region: { offset: this.#offset, length: bytes.length, rawLength: bytes.length } });
      await this.#put(bytes);
    };
    await meta('TFile.meta', Buffer.concat([version, writeTfileNumber(this.#records), named('')]));
    await meta('TFile.index', this.#keyIndex());
    const regions = this.#blocks.map((block) => region(block.region));
    await meta('BCFile.index', Buffer.concat([named('none'), writeTfileNumber(regions.length), ...regions]));
    const indexAt = Buffer.alloc(8);
    indexAt.writeBigInt64BE(BigInt(this.#offset));
    const byName = metas.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    await this.#put(
      Buffer.concat([
        writeTfileNumber(byName.length),
        ...byName.flatMap((entry) => [named(`data:${entry.name}`), named('none'), region(entry.region)]),
      ]),
    );
    await this.#put(Buffer.concat([indexAt, version, magic]));
  }

  #keyIndex(): Buffer {
    if (!this.#firstKey) return writeTfileNumber(0);
    const first = Buffer.concat([writeTfileNumber(this.#firstKey.length), this.#firstKey]);
    const entries = this.#blocks.map(({ lastKey, records }) =>
      Buffer.concat([writeTfileNumber(lastKey.length), lastKey, writeTfileNumber(records)]),
    );
    return Buffer.concat([first, ...entries].flatMap((entry) => [writeTfileNumber(entry.length), entry]));
  }
}

/** Bytes that are read forwards; `skip` does not read them where it can avoid it. */
interface Source {
  /** Exactly `length` bytes. @throws UnreadableTfile when fewer are left. */
  read(length: number): Promise<Buffer>;
  skip(length: number): Promise<void>;
  /** Between one and `most` bytes. */
  some(most: number): Promise<Buffer>;
}

const broken = () => new UnreadableTfile('The file ends inside a record');

/** A part of a file, read through a small buffer. */
class FileSource implements Source {
  readonly #file: FileHandle;
  #at: number;
  readonly #end: number;
  #buffer: Buffer = Buffer.alloc(0);

  constructor(file: FileHandle, at: number, end: number) {
    if (at < 0 || end < at) throw new UnreadableTfile('A part of the file lies outside of it');
    this.#file = file;
    this.#at = at;
    this.#end = end;
  }

  async #fill(wanted: number): Promise<void> {
    const length = Math.min(Math.max(wanted, 16 * 1024), this.#end - this.#at);
    const bytes = Buffer.allocUnsafe(length);
    const { bytesRead } = await this.#file.read(bytes, 0, length, this.#at);
    if (bytesRead === 0) throw broken();
    this.#at += bytesRead;
    this.#buffer = this.#buffer.length === 0 ? bytes.subarray(0, bytesRead) : Buffer.concat([this.#buffer, bytes.subarray(0, bytesRead)]);
  }

  async read(length: number): Promise<Buffer> {
    while (this.#buffer.length < length) await this.#fill(length - this.#buffer.length);
    const taken = this.#buffer.subarray(0, length);
    this.#buffer = this.#buffer.subarray(length);
    return taken;
  }

  async skip(length: number): Promise<void> {
    const buffered = Math.min(length, this.#buffer.length);
    this.#buffer = this.#buffer.subarray(buffered);
    this.#at += length - buffered;
    if (this.#at > this.#end) throw broken();
  }

  async some(most: number): Promise<Buffer> {
    if (this.#buffer.length === 0) await this.#fill(Math.min(most, 64 * 1024));
    return this.read(Math.min(most, this.#buffer.length));
  }
}

/** Bytes of a stream, as compressed blocks give them. */
class StreamSource implements Source {
  readonly #parts: AsyncIterator<Buffer>;
  #buffer: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Buffer>) {
    this.#parts = stream[Symbol.asyncIterator]();
  }

  async some(most: number): Promise<Buffer> {
    while (this.#buffer.length === 0) {
      let next: IteratorResult<Buffer>;
      try {
        next = await this.#parts.next();
      } catch {
        throw new UnreadableTfile('A compressed block cannot be expanded');
      }
      if (next.done) throw broken();
      this.#buffer = next.value;
    }
    const taken = this.#buffer.subarray(0, most);
    this.#buffer = this.#buffer.subarray(taken.length);
    return taken;
  }

  async read(length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let left = length; left > 0; left -= parts.at(-1)!.length) parts.push(await this.some(left));
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  async skip(length: number): Promise<void> {
    for (let left = length; left > 0; ) left -= (await this.some(left)).length;
  }
}

async function number(source: Source): Promise<number> {
  const first = (await source.read(1))[0]!;
  return readTfileNumber(first, await source.read(tfileNumberTail(first)));
}

async function length(source: Source, most: number): Promise<number> {
  const value = await number(source);
  if (value < 0 || value > most) throw new UnreadableTfile(`A length of ${value} makes no sense here`);
  return value;
}

const text = async (source: Source): Promise<string> => (await source.read(await length(source, maximumKeyBytes))).toString('utf8');
const readRegion = async (source: Source): Promise<Region> => ({
  offset: await number(source),
  length: await number(source),
  rawLength: await number(source),
});

/** The value of a record while it is being read, its chunks joined. */
export class TfileValue {
  readonly #source: Source;
  #left = 0;
  #last = false;

  constructor(source: Source) {
    this.#source = source;
  }

  async #nextChunk(): Promise<boolean> {
    while (this.#left === 0 && !this.#last) {
      const size = await number(this.#source);
      this.#last = size >= 0;
      this.#left = Math.abs(size);
    }
    return this.#left > 0;
  }

  /** Whether nothing is left. */
  async ended(): Promise<boolean> {
    return !(await this.#nextChunk());
  }

  /** Between one and `most` bytes. @throws UnreadableTfile at the end. */
  async some(most: number): Promise<Buffer> {
    if (!(await this.#nextChunk())) throw broken();
    const bytes = await this.#source.some(Math.min(most, this.#left));
    this.#left -= bytes.length;
    return bytes;
  }

  /** Exactly `wanted` bytes. @throws UnreadableTfile when fewer are left. */
  async read(wanted: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let left = wanted; left > 0; left -= parts.at(-1)!.length) parts.push(await this.some(left));
    return Buffer.concat(parts);
  }

  /** Passes over `count` bytes. @throws UnreadableTfile when fewer are left. */
  async skip(count: number): Promise<void> {
    for (let left = count; left > 0; ) {
      if (!(await this.#nextChunk())) throw broken();
      const step = Math.min(left, this.#left);
      await this.#source.skip(step);
      this.#left -= step;
      left -= step;
    }
  }

  /** Passes over the rest. */
  async skipRest(): Promise<void> {
    while (await this.#nextChunk()) await this.skip(this.#left);
  }
}

async function* compressedBytes(file: FileHandle, { offset, length: size }: Region): AsyncGenerator<Buffer> {
  const source = new FileSource(file, offset, offset + size);
  for (let left = size; left > 0; ) {
    const bytes = await source.some(Math.min(left, 64 * 1024));
    left -= bytes.length;
    yield bytes;
  }
}

function openRegion(file: FileHandle, compression: string, part: Region): Source {
  if (compression === 'none') return new FileSource(file, part.offset, part.offset + part.length);
  if (compression !== 'gz') throw new UnreadableTfile(`Blocks compressed with ${compression} cannot be read`);
  const inflate = createInflate();
  void (async () => {
    try {
      for await (const bytes of compressedBytes(file, part)) {
        if (inflate.destroyed) return;
        if (!inflate.write(bytes)) await new Promise((resolve) => inflate.once('drain', resolve).once('close', resolve));
      }
      inflate.end();
    } catch (error) {
      inflate.destroy(error instanceof Error ? error : undefined);
    }
  })();
  return new StreamSource(inflate);
}

/**
 * The records of a file, in order. A value may be read until the next record is asked for; what is left of it is passed over.
 * @throws UnreadableTfile when the file is none.
 */
export async function* readTfile(file: FileHandle): AsyncGenerator<{ key: Buffer; value: TfileValue }> {
  const { size } = await file.stat();
  if (size < magic.length + tailLength) throw new UnreadableTfile('Not a valid BCFile.');
  const tail = await new FileSource(file, size - tailLength, size).read(tailLength);
  if (!tail.subarray(12).equals(magic) || tail.readUInt16BE(8) !== 1) throw new UnreadableTfile('Not a valid BCFile.');
  const metaIndexAt = Number(tail.readBigInt64BE(0));
  if (metaIndexAt < magic.length || metaIndexAt > size - tailLength) throw new UnreadableTfile('Not a valid BCFile.');
  const metaIndex = new FileSource(file, metaIndexAt, size - tailLength);
  let blocks: { compression: string; regions: Region[] } | undefined;
  for (let left = await length(metaIndex, 1000); left > 0; left--) {
    const name = await text(metaIndex);
    const compression = await text(metaIndex);
    const part = await readRegion(metaIndex);
    if (name === 'data:BCFile.index') blocks = await readBlockIndex(openRegion(file, compression, part), size);
  }
  if (!blocks) throw new UnreadableTfile('The index of blocks is missing');
  for (const part of blocks.regions) {
    if (part.offset < 0 || part.length < 0 || part.offset + part.length > size)
      throw new UnreadableTfile('A block lies outside of the file');
    const source = openRegion(file, blocks.compression, part);
    const counted = new CountingSource(source);
    while (counted.passed < part.rawLength) {
      const key = await counted.read(await length(counted, maximumKeyBytes));
      const value = new TfileValue(counted);
      yield { key, value };
      await value.skipRest();
    }
  }
}

/** Blocks of a file of `size` bytes: together they are no longer than it, however many a compressed index names. */
async function readBlockIndex(source: Source, size: number): Promise<{ compression: string; regions: Region[] }> {
  const compression = await text(source);
  const regions: Region[] = [];
  let sum = 0;
  for (let left = await length(source, maximumIndexBytes / longestTfileNumber); left > 0; left--) {
    const part = await readRegion(source);
    sum += part.length;
    if (part.length <= 0) throw new UnreadableTfile('A block lies outside of the file');
    if (sum > size) throw new UnreadableTfile('The blocks of the file are longer than the file');
    regions.push(part);
  }
  return { compression, regions };
}

/** Counts what passes, to know where a block ends. */
class CountingSource implements Source {
  readonly #inner: Source;
  passed = 0;

  constructor(inner: Source) {
    this.#inner = inner;
  }

  async read(count: number): Promise<Buffer> {
    const bytes = await this.#inner.read(count);
    this.passed += count;
    return bytes;
  }

  async skip(count: number): Promise<void> {
    await this.#inner.skip(count);
    this.passed += count;
  }

  async some(most: number): Promise<Buffer> {
    const bytes = await this.#inner.some(most);
    this.passed += bytes.length;
    return bytes;
  }
}
