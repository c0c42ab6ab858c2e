// The lines of a split of one piece or of several, one piece after the other.
import { longestRecordBytes } from '../container-memory.ts';
import { BadSetting, type JobConfiguration } from '../job-configuration.ts';
import { longestLineBytes } from '../programs/longest-line.ts';
import { commandOf } from '../programs/stream-commands.ts';
import { readerOf as remoteReaderOf } from '../remote/reader.ts';
import { inputFormatOf, recordInputOf, sequenceInputs } from './formats.ts';
import type { InputSplit } from './input-split.ts';
import { type LineConsumer, type LineOptions, LineReader, type LinesConsumer } from './line-reader.ts';
import { MarkedReader, type Marks } from './marked-reader.ts';
import { type SequenceOptions, SequenceReader } from './sequence-reader.ts';
import type { ReadElsewhere } from './split-source.ts';

/** How files of other machines are read, by a job's settings. */
export const elsewhereOf = (configuration: JobConfiguration): ReadElsewhere =>
  async function* (address, start) {
    const { readRemote } = await import('../remote/listing.ts');
    yield* readRemote(address, start, remoteReaderOf(configuration));
  };

/** How lines are read, by a job's settings. */
function lineOptions(configuration: JobConfiguration): LineOptions {
  const delimiter = configuration.get('textinputformat.record.delimiter');
  return {
    ...(delimiter === undefined || delimiter === '' ? {} : { delimiter: Buffer.from(delimiter) }),
    maximumLineBytes: configuration.integer('mapreduce.input.linerecordreader.line.maxlength', 0x7fffffff),
    longestLineBytes: longestLineBytes(configuration, 'MAP'),
    elsewhere: elsewhereOf(configuration),
    onSkipped: (position, length) => process.stderr.write(`Skipped line of size ${length} at pos ${position}\n`),
  };
}

/** The marks between which records lie, by a job's settings. @throws BadSetting */
export function marksOf(configuration: JobConfiguration): Marks {
  const mark = (name: string) => {
    const text = configuration.get(`stream.recordreader.${name}`);
    if (text === undefined || text === '') throw new BadSetting(`JobConf: missing required property: stream.recordreader.${name}`);
    return Buffer.from(text);
  };
  return {
    begin: mark('begin'),
    end: mark('end'),
    longestBytes: longestRecordBytes(configuration, 'MAP'),
    elsewhere: elsewhereOf(configuration),
  };
}

/** How sequence files are read, by a job's settings: commands read bytes as they are, files of text have what toString says. */
function sequenceOptions(configuration: JobConfiguration): SequenceOptions {
  const asTheyAre = sequenceInputs.includes(inputFormatOf(configuration)) && commandOf(configuration, 'map') !== undefined;
  return {
    bytes: asTheyAre ? 'as they are' : 'shown',
    longestBytes: longestRecordBytes(configuration, 'MAP'),
    elsewhere: elsewhereOf(configuration),
  };
}

type PieceReader = LineReader | MarkedReader | SequenceReader;

/** How a job reads a piece of a split. */
function readerOf(configuration: JobConfiguration): (piece: InputSplit) => PieceReader {
  if (recordInputOf(configuration) === 'marked') {
    const marks = marksOf(configuration);
    return (piece) => new MarkedReader(piece, marks);
  }
  if (recordInputOf(configuration) === 'sequence') {
    const options = sequenceOptions(configuration);
    return (piece) => new SequenceReader(piece, options);
  }
  const options = lineOptions(configuration);
  return (piece) => new LineReader(piece, options);
}

/** Reads a split's lines or other records, a chunk at a time. */
export class SplitReader {
  readonly #parts: readonly Omit<InputSplit, 'hosts' | 'parts'>[];
  readonly #length: number;
  readonly #read: (piece: InputSplit) => PieceReader;
  #next = 0;
  #reader: PieceReader | undefined;
  /** Of the pieces that are read to their end. */
  #readBytes = 0;
  #doneLength = 0;

  /** @throws BadSetting */
  constructor(split: InputSplit, configuration: JobConfiguration) {
    this.#parts = split.parts ?? [split];
    this.#length = split.length;
    this.#read = readerOf(configuration);
  }

  /** The file that is read now. */
  get path(): string | undefined {
    return this.#parts[Math.max(0, this.#next - 1)]?.path;
  }
  /** Bytes read from files so far (compressed bytes of compressed ones). */
  get bytesRead(): number {
    return this.#readBytes + (this.#reader?.bytesRead ?? 0);
  }
  /** 0 to 1. */
  get progress(): number {
    if (this.#reader === undefined) return this.#next === this.#parts.length ? 1 : 0;
    if (this.#parts.length === 1) return this.#reader.progress;
    const part = this.#parts[this.#next - 1]!;
    return this.#length === 0 ? 0 : Math.min(1, (this.#doneLength + this.#reader.progress * part.length) / this.#length);
  }

  /** As {@link LineReader.readChunk}; false when all pieces are read. @throws InputNotSeen, RecordTooLong */
  async readChunk(consume: LineConsumer, together?: LinesConsumer): Promise<boolean> {
    if (this.#reader === undefined) {
      if (this.#next === this.#parts.length) return false;
      this.#reader = this.#read({ ...this.#parts[this.#next++]!, hosts: [] });
    }
    if (await this.#reader.readChunk(consume, together)) return true;
    this.#readBytes += this.#reader.bytesRead;
    this.#doneLength += this.#parts[this.#next - 1]!.length;
    this.close();
    return this.#next < this.#parts.length;
  }

  close(): void {
    this.#reader?.close();
    this.#reader = undefined;
  }
}
