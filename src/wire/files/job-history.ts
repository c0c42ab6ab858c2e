// Job history files (`.jhist`): the events of one job in Avro, as Hadoop's EventWriter and EventReader of 3.4 write and read them.
// The first line names the encoding, the second is the writer's schema, the rest are records.
import { type FileHandle, open } from 'node:fs/promises';
import { type ComingBytes, FileTooLong, readBounded } from '../../lib/bounded-file.ts';
import { appendWhole, withPlace } from '../../lib/whole-writes.ts';
import { parseExact } from '../timeline/exact-json.ts';
import { AvroEnd, type AvroType, BinaryEncoder, fromAvroJson, readSchema, toAvroJson } from './avro.ts';
import { BinaryDecoder, longestText } from './avro-decoder.ts';
import {
  fromAvroEvent,
  type HistoryEvent,
  type HistoryFields,
  historyMisfit,
  historySchema,
  historySchemaLine,
  recordsOfToday,
  toAvroEvent,
} from './job-history-events.ts';

export type { HistoryEvent, HistoryFields, HistoryRecord, JhCounters } from './job-history-events.ts';

/** `mapreduce.jobhistory.jhist.format`. */
export type HistoryFormat = 'binary' | 'json';

const versionLine: Record<HistoryFormat, string> = { binary: 'Avro-Binary', json: 'Avro-Json' };

/** The two lines in front of the records. */
export function historyHeader(format: HistoryFormat): string {
  return `${versionLine[format]}\n${historySchemaLine}\n`;
}

/** Turns events into bytes that follow `historyHeader`. @throws AvroError when a member is missing or of another type. */
export function createEventEncoder(format: HistoryFormat): (event: HistoryEvent) => Buffer {
  if (format === 'json') return (event) => Buffer.from(`${JSON.stringify(toAvroJson(historySchema, toAvroEvent(event)))}\n`);
  const encoder = new BinaryEncoder();
  return (event) => {
    encoder.write(historySchema, toAvroEvent(event));
    return encoder.take();
  };
}

/** A history file being written. */
export interface HistoryWriter {
  readonly path: string;
  /** Adds an event; it reaches the file soon, in order. @throws at once when the event does not fit its record. */
  write(event: HistoryEvent): void;
  /** Resolves when every event so far is in the file. What the disk has no room for is tried again with each event and call. @throws the file system's error. */
  flush(): Promise<void>;
  /** Writes the rest, makes it durable and closes the file; a second call does nothing. */
  close(): Promise<void>;
}

/**
 * Creates a history file (mode 0660 unless told), replacing an older one, and writes its header.
 * Events are handed to the file in batches, so `write` never waits for the disk.
 */
export async function createHistoryWriter(
  path: string,
  options: { format?: HistoryFormat; mode?: number; openFile?: (path: string, mode: number) => Promise<HistoryFile> } = {},
): Promise<HistoryWriter> {
  const { format = 'binary', mode = 0o660, openFile = (name, rights) => open(name, 'w', rights) } = options;
  const encode = createEventEncoder(format);
  const file = await openFile(path, mode);
  await appendWhole(file, Buffer.from(historyHeader(format)));
  return new BatchingWriter(path, file, encode);
}

/** What a history is written to. */
export type HistoryFile = Pick<FileHandle, 'write' | 'sync' | 'close'>;

/** So much that a full disk does not take waits in memory; beyond it the history ends there. */
const longestWaiting = 64 * 1024 * 1024;

class BatchingWriter implements HistoryWriter {
  readonly path: string;
  readonly #file: HistoryFile;
  readonly #encode: (event: HistoryEvent) => Buffer;
  /** What is not in the file yet; the rest of what it took only in part comes first. */
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #isGivenUp = false;
  #writing: Promise<void> | undefined;
  #failure: unknown;
  #closed = false;

  constructor(path: string, file: HistoryFile, encode: (event: HistoryEvent) => Buffer) {
    this.path = path;
    this.#file = file;
    this.#encode = encode;
  }

  write(event: HistoryEvent): void {
    if (this.#closed) throw new Error(`${this.path} is closed`);
    const bytes = this.#encode(event);
    if (this.#isGivenUp) return;
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    this.#isGivenUp = this.#failure !== undefined && this.#pendingBytes > longestWaiting;
    if (this.#isGivenUp) this.#pending = [];
    this.#writing ??= this.#drain();
  }

  async #drain(): Promise<void> {
    await Promise.resolve();
    try {
      while (this.#pending.length > 0) {
        // Of what waits for a full disk no more than a piece is tried each time.
        const batch = Buffer.concat(this.#pending.splice(0, this.#failure === undefined ? this.#pending.length : 1));
        this.#pending.unshift(batch);
        await this.#writeFirst(batch);
        if (!this.#isGivenUp) this.#failure = undefined;
      }
    } catch (error) {
      this.#failure ??= withPlace(error, this.path);
    } finally {
      this.#writing = undefined;
    }
  }

  /** Writes what comes first; of what fails the rest stays, so that the file never has a hole. */
  async #writeFirst(batch: Buffer): Promise<void> {
    let at = 0;
    try {
      while (at < batch.length) at += (await this.#file.write(batch, at)).bytesWritten;
    } finally {
      this.#pendingBytes -= at;
      if (!this.#isGivenUp) this.#pending.splice(0, 1, ...(at < batch.length ? [batch.subarray(at)] : []));
    }
  }

  async flush(): Promise<void> {
    while (this.#writing) await this.#writing;
    if (this.#pending.length > 0) await (this.#writing = this.#drain());
    if (this.#failure) throw this.#failure;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    try {
      await this.flush();
      await this.#file.sync();
    } finally {
      await this.#file.close();
    }
  }
}

/** Thrown when the bytes are not a history file, or break in a way that makes the job unreadable. */
export class UnreadableHistory extends Error {
  override readonly name = 'UnreadableHistory';
}

/** Longest schema line, in bytes; Hadoop's has 31 KB. */
const longestSchema = 1024 * 1024;

function lineEnd(bytes: Buffer, from: number): number {
  const at = bytes.indexOf(0x0a, from);
  return at < 0 ? bytes.length : at;
}

/** How much of a history file is read. */
export interface HistoryReading<Unread extends HistoryFields = Record<never, never>> {
  /** The counters of events stay bytes until they are looked at, each time anew: the file's bytes are kept as long as the events. */
  readonly deferCounters?: boolean;
  /** Fields that nobody looks at: events do not have them, where they stand as in files of today. */
  readonly without?: Unread;
}

/**
 * The events of a file's bytes, in order. A file that ends in the middle of a record (a crash while it was written) ends there.
 * @throws UnreadableHistory for another version, a missing schema, or records that do not follow the schema.
 */
export function parseHistory<Unread extends HistoryFields = Record<never, never>>(
  bytes: Buffer,
  reading: HistoryReading<Unread> = {},
): Generator<HistoryEvent<Unread>> {
  return parseComingHistory({ bytes, isWhole: true }, reading) as Generator<HistoryEvent<Unread>>;
}

/** As `parseHistory`, of bytes that are still coming; undefined where no more can be read until there are more. */
export function* parseComingHistory<Unread extends HistoryFields = Record<never, never>>(
  source: ComingBytes,
  reading: HistoryReading<Unread> = {},
): Generator<HistoryEvent<Unread> | undefined> {
  let { bytes } = source;
  for (; !source.isWhole && bytes.length <= longestSchema && !hasHeader(bytes); { bytes } = source) yield undefined;
  const { format, schema, end } = readHeader(bytes);
  const isBinary = format === 'binary';
  const whole = isBinary ? recordsOfToday(schema) : new Set<string>();
  const values = isBinary ? binaryValues(bytes, end, schema, { reading, whole }) : jsonValues(bytes, end, schema);
  try {
    for (;;) {
      const value = values.next();
      if (value !== undefined) yield fromAvroEvent(value, whole) as HistoryEvent<Unread>;
      else {
        // A value that has only begun is tried again once twice as much of it is there: a long one is not read from its beginning with each piece.
        const enough = bytes.length + Math.max(1, bytes.length - values.at());
        while (!source.isWhole && source.bytes.length < enough) yield undefined;
        if (source.bytes.length === bytes.length) return;
        bytes = source.bytes;
        values.grow(bytes);
      }
    }
  } catch (error) {
    throw new UnreadableHistory(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

const hasHeader = (bytes: Buffer): boolean => lineEnd(bytes, lineEnd(bytes, 0) + 1) < bytes.length;

/** What stands before the records; `end`: where they begin. */
function readHeader(bytes: Buffer): { format: HistoryFormat; schema: AvroType; end: number } {
  const firstEnd = lineEnd(bytes, 0);
  const version = bytes.toString('latin1', 0, firstEnd).trimEnd();
  const format = (Object.keys(versionLine) as HistoryFormat[]).find((candidate) => versionLine[candidate] === version);
  if (!format) throw new UnreadableHistory(`Incompatible event log version: ${version.slice(0, 200)}`);
  const secondEnd = lineEnd(bytes, firstEnd + 1);
  if (firstEnd + 1 >= bytes.length) throw new UnreadableHistory('Event schema string not parsed since its null');
  if (secondEnd - firstEnd > longestSchema) throw new UnreadableHistory(`The schema line has more than ${longestSchema} bytes`);
  let schema: AvroType;
  try {
    schema = readSchema(JSON.parse(bytes.toString('latin1', firstEnd + 1, secondEnd)));
  } catch (error) {
    throw new UnreadableHistory('The schema line makes no sense', { cause: error });
  }
  const misfit = historyMisfit(schema);
  if (misfit !== undefined) throw new UnreadableHistory(`It is not the history of a job: ${misfit}`);
  return { format, schema, end: secondEnd + 1 };
}

/** Whose numbers are not rounded: counters have all 64 bits. */
const exactRecord = 'JhCounter';

/** Values one after the other. */
interface Values {
  /** Undefined behind the last, and where one has only begun: it is the next again. */
  next(): unknown;
  /** Where the next begins. */
  at(): number;
  /** More bytes came: those that there were, and more. */
  grow(bytes: Buffer): void;
}

function binaryValues(
  bytes: Buffer,
  from: number,
  schema: AvroType,
  { reading, whole }: { readonly reading: HistoryReading<HistoryFields>; readonly whole: ReadonlySet<string> },
): Values {
  const decoder = new BinaryDecoder(bytes, from, {
    deferred: reading.deferCounters ? 'JhCounters' : undefined,
    exact: exactRecord,
    without: new Map(Object.entries(reading.without ?? {}).filter(([name]) => whole.has(name))),
  });
  return {
    next() {
      if (decoder.ended) return undefined;
      try {
        return decoder.read(schema);
      } catch (error) {
        if (error instanceof AvroEnd) return undefined;
        throw error;
      }
    },
    at: () => decoder.at,
    grow: (more) => decoder.grow(more),
  };
}

function jsonValues(begun: Buffer, from: number, schema: AvroType): Values {
  let bytes = begun;
  let at = from;
  return {
    next() {
      while (at < bytes.length && bytes[at]! <= 0x20) at++;
      if (at >= bytes.length) return undefined;
      const end = jsonValueEnd(bytes, at);
      if (end === undefined) return undefined;
      const value = fromAvroJson(schema, parseExact(bytes.toString('utf8', at, end)), exactRecord);
      at = end;
      return value;
    },
    at: () => at,
    grow: (more) => (bytes = more),
  };
}

/** Where the JSON object that begins at `from` ends; undefined when the bytes end first. */
function jsonValueEnd(bytes: Buffer, from: number): number | undefined {
  if (bytes[from] !== 0x7b) throw new UnreadableHistory(`Unexpected character 0x${bytes[from]!.toString(16)} between records`);
  let depth = 0;
  let quoted = false;
  for (let at = from; at < bytes.length; at++) {
    if (at - from > longestText) throw new UnreadableHistory(`A record has more than ${longestText} bytes`);
    const byte = bytes[at]!;
    if (quoted) {
      if (byte === 0x5c) at++;
      else if (byte === 0x22) quoted = false;
    } else if (byte === 0x22) quoted = true;
    else if (byte === 0x7b) depth++;
    else if (byte === 0x7d && --depth === 0) return at + 1;
  }
  return undefined;
}

/** Longest history file that is read at once, in bytes. */
const maximumFileBytes = 1024 * 1024 * 1024;

/** Reads all events of a file. @throws UnreadableHistory as `parseHistory`; the file system's error when it cannot be opened. */
export async function readHistory<Unread extends HistoryFields = Record<never, never>>(
  path: string,
  reading: HistoryReading<Unread> = {},
): Promise<HistoryEvent<Unread>[]> {
  let bytes: Buffer;
  try {
    bytes = await readBounded(path, { mostBytes: maximumFileBytes });
  } catch (error) {
    throw error instanceof FileTooLong ? new UnreadableHistory(error.message) : error;
  }
  return [...parseHistory(bytes, reading)];
}
