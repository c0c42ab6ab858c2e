// Reads sequence files (SequenceFile of Hadoop, version 6): the head of any, and small ones without block compression as a whole: partition
// files, and records that jobs left out.
import { readVariableInteger, variableIntegerSizeAt } from './writables.ts';

const textClass = 'org.apache.hadoop.io.Text';
const bytesClass = 'org.apache.hadoop.io.BytesWritable';
/** Bytes of the mark by which a reader that begins anywhere finds the next record. */
export const markBytes = 16;

/** Raised for bytes that are no such file; the message says what they are. */
export class NotSequenceFile extends Error {
  override readonly name = 'NotSequenceFile';
}

/** Raised where bytes end before what was begun does. */
export class EndsTooEarly extends NotSequenceFile {
  constructor() {
    super('it ends too early, or a length in it is wrong');
  }
}

/** Walks bytes; whoever asks for more than there are is told so. */
class Walk {
  readonly #bytes: Buffer;
  at = 0;
  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }
  get isOver(): boolean {
    return this.at >= this.#bytes.length;
  }
  take(length: number): Buffer {
    if (!(length >= 0 && this.at + length <= this.#bytes.length)) throw new EndsTooEarly();
    const taken = this.#bytes.subarray(this.at, this.at + length);
    this.at += length;
    return taken;
  }
  integer(): number {
    return this.take(4).readInt32BE();
  }
  text(): Buffer {
    const head = this.take(1);
    this.at--;
    const size = variableIntegerSizeAt(head, 0);
    return this.take(readVariableInteger(this.take(size), 0));
  }
}

/** What a sequence file says about itself, before its records. */
export interface SequenceHead {
  readonly keyClass: string;
  readonly valueClass: string;
  /** What is compressed: nothing, each value, or keys and values of many records together. */
  readonly compression: 'none' | 'record' | 'block';
  /** The class of the codec, where something is. */
  readonly codec: string | undefined;
  readonly mark: Buffer;
  /** Bytes. */
  readonly length: number;
}

/** The head of the file that begins with these bytes. @throws EndsTooEarly, NotSequenceFile */
export function sequenceHead(bytes: Buffer): SequenceHead {
  const walk = new Walk(bytes);
  const [magic, version] = [walk.take(3).toString('latin1'), walk.take(1)[0]];
  if (magic !== 'SEQ' || version !== 6) throw new NotSequenceFile('it is no sequence file of version 6');
  const [keyClass, valueClass] = [walk.text().toString(), walk.text().toString()];
  const [isCompressed, isBlock] = [walk.take(1)[0] !== 0, walk.take(1)[0] !== 0];
  const codec = isCompressed ? walk.text().toString() : undefined;
  for (let pairs = 2 * walk.integer(); pairs > 0; pairs--) walk.text();
  const mark = Buffer.from(walk.take(markBytes));
  return { keyClass, valueClass, compression: isBlock ? 'block' : isCompressed ? 'record' : 'none', codec, mark, length: walk.at };
}

/** A sequence file's records as their classes wrote them; values are compressed where it says so. */
export interface SequenceContent {
  readonly keyClass: string;
  readonly valueClass: string;
  readonly isCompressed: boolean;
  readonly records: readonly { readonly key: Buffer; readonly value: Buffer }[];
}

/** The file's records, in order. @throws NotSequenceFile */
export function readSequence(bytes: Buffer): SequenceContent {
  const { keyClass, valueClass, compression, length: headBytes } = sequenceHead(bytes);
  if (compression === 'block')
    throw new NotSequenceFile('it is compressed by blocks: write it with io.seqfile.compression.type=RECORD or NONE');
  const walk = new Walk(bytes);
  walk.take(headBytes);
  const records: { key: Buffer; value: Buffer }[] = [];
  while (!walk.isOver) {
    const length = walk.integer();
    if (length === -1) {
      walk.take(markBytes);
      continue;
    }
    const keyLength = walk.integer();
    if (keyLength > length) throw new NotSequenceFile('a key in it is longer than its record');
    records.push({ key: walk.take(keyLength), value: walk.take(length - keyLength) });
  }
  return { keyClass, valueClass, isCompressed: compression === 'record', records };
}

/** The keys of a file whose keys are texts or bytes, in order. @throws NotSequenceFile */
export function sequenceKeys(bytes: Buffer): Buffer[] {
  const { keyClass, records } = readSequence(bytes);
  if (keyClass !== textClass && keyClass !== bytesClass)
    throw new NotSequenceFile(`its keys are ${keyClass.slice(0, 200)}, not ${textClass}`);
  return records.map(({ key }) => {
    const walk = new Walk(key);
    return keyClass === textClass ? walk.text() : walk.take(walk.integer());
  });
}
