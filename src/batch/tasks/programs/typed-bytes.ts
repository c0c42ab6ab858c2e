// Typed bytes (org.apache.hadoop.typedbytes): a byte that names the type, then the value; numbers are big-endian.
import { javaDouble, javaFloat } from './java-text.ts';

/** The byte that names the type. Those from `firstOwn` to `lastOwn` are left to programs: a length and bytes follow. */
const code = {
  bytes: 0,
  byte: 1,
  boolean: 2,
  int: 3,
  long: 4,
  float: 5,
  double: 6,
  string: 7,
  vector: 8,
  list: 9,
  map: 10,
  marker: 255,
} as const;
const firstOwn = 50;
const lastOwn = 200;

/** Codes before text, before bytes, before a whole number of 64 bits and before an object of a Java class, as Hadoop writes them. */
export const typeCodes = { string: code.string, bytes: code.bytes, long: code.long, writable: firstOwn } as const;

/** Bytes behind the code of a type whose values all have the same size. */
const sizes: Readonly<Record<number, number>> = {
  [code.byte]: 1,
  [code.boolean]: 1,
  [code.int]: 4,
  [code.long]: 8,
  [code.float]: 4,
  [code.double]: 8,
};
const lengthBytes = 4;
/** Vectors, lists and maps one inside the other. */
const deepest = 500;
/** Stands for "until the marker". */
const untilMarker = Number.POSITIVE_INFINITY;

/** Thrown for bytes that are none of this format. */
export class BadTypedBytes extends Error {
  override readonly name = 'java.io.IOException';
}

const isCounted = (type: number) => type === code.bytes || type === code.string || (type >= firstOwn && type <= lastOwn);

function lengthAt(buffer: Buffer, at: number): number {
  const length = buffer.readInt32BE(at);
  if (length < 0) throw new BadTypedBytes(`typed bytes: a length of ${length}`);
  return length;
}

/** Finds where values end that arrive in pieces. What it has looked at it does not look at again. */
export class TypedBytesScanner {
  /** For each vector, list and map under way: how many values are still to begin. */
  readonly #open: number[] = [];
  #done = 0;

  /** Length of the value that begins at `start`; undefined where more has to come: then it goes on from there. @throws BadTypedBytes */
  lengthOf(buffer: Buffer, start: number, end: number): number | undefined {
    const open = this.#open;
    do {
      const next = this.#item(buffer, start + this.#done, end);
      if (next === undefined) return undefined;
      this.#done = next - start;
      while (open.at(-1) === 0) open.pop();
    } while (open.length > 0);
    const length = this.#done;
    this.#done = 0;
    return length;
  }

  /** Steps over one value, or over the head of one that has others inside. */
  #item(buffer: Buffer, at: number, end: number): number | undefined {
    if (at >= end) return undefined;
    const type = buffer[at]!;
    const open = this.#open;
    const isList = open.at(-1) === untilMarker;
    if (type === code.marker) {
      if (!isList) throw new BadTypedBytes('typed bytes: the end of a list where there is none');
      open[open.length - 1] = 0;
      return at + 1;
    }
    const isNested = type === code.vector || type === code.map;
    const hasLength = isNested || isCounted(type);
    if (hasLength && end - at - 1 < lengthBytes) return undefined;
    const length = hasLength ? lengthAt(buffer, at + 1) : 0;
    const payload = sizes[type] ?? (type === code.list ? 0 : undefined);
    if (payload === undefined && !hasLength) throw new BadTypedBytes(`typed bytes: unknown type ${type}`);
    const next = at + 1 + (hasLength ? lengthBytes + (isNested ? 0 : length) : payload!);
    if (next > end) return undefined;
    if (open.length > 0 && !isList) open[open.length - 1]!--;
    if (isNested || type === code.list) {
      if (open.length === deepest) throw new BadTypedBytes(`typed bytes: more than ${deepest} values one inside the other`);
      open.push(type === code.list ? untilMarker : type === code.map ? length * 2 : length);
    }
    return next;
  }
}

/** A value as keys of maps are compared. */
type Comparable = number | bigint | boolean | string | Buffer;

interface Read {
  readonly text: string;
  readonly next: number;
  /** The type with its value; undefined of those that Java cannot compare. */
  readonly key: readonly [type: string, value: Comparable] | undefined;
}

/** A buffer as Hadoop writes it out (org.apache.hadoop.record.Buffer). */
function bytesAt(buffer: Buffer, at: number, length: number): Read {
  const bytes = buffer.subarray(at, at + length);
  return { text: bytes.toString('hex'), next: at + length, key: ['bytes', bytes] };
}

function compareKeys(left: Comparable, right: Comparable): number {
  if (Buffer.isBuffer(left) && Buffer.isBuffer(right)) return Buffer.compare(left, right);
  if (left === right) return Object.is(left, right) ? 0 : Object.is(left, -0) ? -1 : 1;
  if (Number.isNaN(left) || Number.isNaN(right)) return Number.isNaN(left) ? (Number.isNaN(right) ? 0 : 1) : -1;
  return left < right ? -1 : 1;
}

/** A map in the order of its keys; of equal keys the first stays, with the last value (java.util.TreeMap). */
function mapText(pairs: readonly (readonly [Read, Read])[]): string {
  const type = pairs[0]?.[0].key?.[0];
  for (const [{ key }] of pairs)
    if (key === undefined || key[0] !== type) throw new BadTypedBytes('typed bytes: keys of a map that cannot be compared');
  const sorted = pairs.toSorted(([left], [right]) => compareKeys(left.key![1], right.key![1]));
  const kept: [Read, Read][] = [];
  for (const [key, value] of sorted) {
    const last = kept.at(-1);
    if (last !== undefined && compareKeys(last[0].key![1], key.key![1]) === 0) last[1] = value;
    else kept.push([key, value]);
  }
  return `{${kept.map(([key, value]) => `${key.text}=${value.text}`).join(', ')}}`;
}

function readValues(buffer: Buffer, at: number, count: number): { values: Read[]; next: number } {
  const values: Read[] = [];
  for (; values.length < count && !(count === untilMarker && buffer[at] === code.marker); at = values.at(-1)!.next)
    values.push(readValue(buffer, at));
  return { values, next: at };
}

/** Reads a value whose end {@link TypedBytesScanner} has found. */
function readValue(buffer: Buffer, start: number): Read {
  const type = buffer[start]!;
  const at = start + 1;
  const scalar = (name: string, value: Comparable, size: number, text = String(value)): Read => ({
    text,
    next: at + size,
    key: [name, value],
  });
  switch (type) {
    case code.byte:
      return scalar('byte', buffer.readInt8(at), 1);
    case code.boolean:
      return scalar('boolean', buffer[at] !== 0, 1);
    case code.int:
      return scalar('int', buffer.readInt32BE(at), 4);
    case code.long:
      return scalar('long', buffer.readBigInt64BE(at), 8);
    case code.float:
      return scalar('float', buffer.readFloatBE(at), 4, javaFloat(buffer.readFloatBE(at)));
    case code.double:
      return scalar('double', buffer.readDoubleBE(at), 8, javaDouble(buffer.readDoubleBE(at)));
    case code.string: {
      const length = lengthAt(buffer, at);
      const text = buffer.toString('utf8', at + lengthBytes, at + lengthBytes + length);
      return { text, next: at + lengthBytes + length, key: ['string', text] };
    }
    case code.list: {
      const { values, next } = readValues(buffer, at, untilMarker);
      return { text: `[${values.map(({ text }) => text).join(', ')}]`, next: next + 1, key: undefined };
    }
    case code.vector: {
      const { values, next } = readValues(buffer, at + lengthBytes, lengthAt(buffer, at));
      return { text: `[${values.map(({ text }) => text).join(', ')}]`, next, key: undefined };
    }
    case code.map: {
      const { values, next } = readValues(buffer, at + lengthBytes, lengthAt(buffer, at) * 2);
      const pairs = values.flatMap((key, i) => (i % 2 === 0 ? [[key, values[i + 1]!] as const] : []));
      return { text: mapText(pairs), next, key: undefined };
    }
    default:
      return bytesAt(buffer, at + lengthBytes, lengthAt(buffer, at));
  }
}

/** A value as text output shows it (TypedBytesWritable.toString). @throws BadTypedBytes for a map whose keys cannot be compared */
export const typedBytesText = (buffer: Buffer, start: number): string => readValue(buffer, start).text;
