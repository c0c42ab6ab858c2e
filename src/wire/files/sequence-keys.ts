// The keys of a sequence file of texts without block compression: the form of partition files (SequenceFile of Hadoop, version 6).
import { readVariableInteger, variableIntegerSizeAt } from './writables.ts';

const textClass = 'org.apache.hadoop.io.Text';
const bytesClass = 'org.apache.hadoop.io.BytesWritable';
const syncBytes = 16;

/** Raised for bytes that are no such file; the message says what they are. */
export class NotSequenceFile extends Error {
  override readonly name = 'NotSequenceFile';
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
    if (!(length >= 0 && this.at + length <= this.#bytes.length))
      throw new NotSequenceFile('it ends too early, or a length in it is wrong');
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

/** The keys of the file's records, in order. @throws NotSequenceFile */
export function sequenceKeys(bytes: Buffer): Buffer[] {
  const walk = new Walk(bytes);
  const [magic, version] = [walk.take(3).toString('latin1'), walk.take(1)[0]];
  if (magic !== 'SEQ' || version !== 6) throw new NotSequenceFile('it is no sequence file of version 6');
  const keyClass = walk.text().toString();
  walk.text();
  if (keyClass !== textClass && keyClass !== bytesClass)
    throw new NotSequenceFile(`its keys are ${keyClass.slice(0, 200)}, not ${textClass}`);
  const [isCompressed, isBlock] = [walk.take(1)[0] !== 0, walk.take(1)[0] !== 0];
  if (isBlock) throw new NotSequenceFile('it is compressed by blocks: write it with io.seqfile.compression.type=RECORD or NONE');
  if (isCompressed) walk.text();
  for (let pairs = 2 * walk.integer(); pairs > 0; pairs--) walk.text();
  walk.take(syncBytes);
  const keys: Buffer[] = [];
  while (!walk.isOver) {
    const length = walk.integer();
    if (length === -1) {
      walk.take(syncBytes);
      continue;
    }
    const keyLength = walk.integer();
    if (keyLength > length) throw new NotSequenceFile('a key in it is longer than its record');
    const key = new Walk(walk.take(keyLength));
    keys.push(keyClass === textClass ? key.text() : key.take(key.integer()));
    walk.take(length - keyLength);
  }
  return keys;
}
