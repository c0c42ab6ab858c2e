// Hadoop's variable-length integers (org.apache.hadoop.io.WritableUtils) and what is written behind its length with them: Text, byte
// arrays. Tokens, credentials, map outputs and the shuffle consist of these. TFile has numbers of another form: `java-data.ts`.

/** Number of bytes WritableUtils.writeVLong needs for `value` (any safe integer). */
export function variableIntegerSize(value: number): number {
  if (value >= -112 && value <= 127) return 1;
  let rest = value < 0 ? -value - 1 : value;
  let bytes = 0;
  while (rest > 0) {
    rest = Math.floor(rest / 256);
    bytes++;
  }
  return bytes + 1;
}

/** Writes `value` as WritableUtils.writeVLong at `at`; answers the position behind it. */
export function writeVariableInteger(target: Buffer, at: number, value: number): number {
  if (value >= -112 && value <= 127) {
    target[at] = value & 0xff;
    return at + 1;
  }
  let rest = value < 0 ? -value - 1 : value;
  const bytes = variableIntegerSize(value) - 1;
  target[at] = ((value < 0 ? -120 : -112) - bytes) & 0xff;
  for (let i = bytes; i >= 1; i--) {
    target[at + i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return at + bytes + 1;
}

/** Size of a variable-length integer by its first byte. */
export function variableIntegerSizeAt(source: Buffer, at: number): number {
  const first = (source[at]! << 24) >> 24;
  if (first >= -112) return 1;
  return first < -120 ? -119 - first : -111 - first;
}

/** Reads a variable-length integer at `at`; all its bytes must be there. */
export function readVariableInteger(source: Buffer, at: number): number {
  const first = (source[at]! << 24) >> 24;
  if (first >= -112) return first;
  const negative = first < -120;
  const bytes = negative ? -120 - first : -112 - first;
  let value = 0;
  for (let i = 1; i <= bytes; i++) value = value * 256 + source[at + i]!;
  return negative ? -value - 1 : value;
}

/** `value` as WritableUtils.writeVLong writes it. */
export function variableInteger(value: number): Buffer {
  const bytes = Buffer.alloc(variableIntegerSize(value));
  writeVariableInteger(bytes, 0, value);
  return bytes;
}

/** The content (a text as UTF-8) behind its length: Text.writeString, or WritableUtils.writeVInt and the bytes. */
export function withLength(content: Buffer | string): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([variableInteger(bytes.length), bytes]);
}

/** Identifier, password, kind and service. */
const partsOfToken = 4;

/** Reads counts and contents one after the other from bytes of another process, which may be cut off or nonsense. */
export class WritableReader {
  readonly #source: Buffer;
  /** Where the next item begins. */
  position: number;

  constructor(source: Buffer, position = 0) {
    this.#source = source;
    this.position = position;
  }

  /** A number that is not negative: a count or a length. @throws RangeError where there is none */
  count(): number {
    const end = this.position + (this.position < this.#source.length ? variableIntegerSizeAt(this.#source, this.position) : 1);
    if (end > this.#source.length) throw new RangeError('the bytes end within a number');
    const value = readVariableInteger(this.#source, this.position);
    if (value < 0 || value > 0x7fffffff) throw new RangeError('a number is no count');
    this.position = end;
    return value;
  }

  /** The bytes behind their length; a view of the source. @throws RangeError where they are not there in full */
  content(): Buffer {
    const length = this.count();
    const start = this.position;
    if (start + length > this.#source.length) throw new RangeError('the bytes end within a content');
    this.position = start + length;
    return this.#source.subarray(start, this.position);
  }

  /** One token (org.apache.hadoop.security.token.Token.write), a view of the source. @throws RangeError where it is not there in full */
  token(): Buffer {
    const start = this.position;
    for (let part = 0; part < partsOfToken; part++) this.content();
    return this.#source.subarray(start, this.position);
  }
}
