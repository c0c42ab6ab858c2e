// Bytes of protobuf messages from their descriptions, and back. Rules: the proto2 encoding, as Java's generated code keeps it: fields are
// written in the order of their numbers, unknown ones are skipped, a repeated single field counts as its last value (messages are merged).
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { Decoded, Encodable, Enumeration, Field, Kind, Message, Recursive, Scalar } from './message.ts';

/** Bytes that are not the message that was asked for; `message` is as Java's, for the client. */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage';
}

/** How deep messages may contain each other (CodedInputStream.DEFAULT_RECURSION_LIMIT). */
const deepest = 100;
const endedEarly =
  'While parsing a protocol message, the input ended unexpectedly in the middle of a field.  This could mean either that the input has been ' +
  'truncated or that an embedded message misreported its own length.';
const tooDeep =
  'Protocol message had too many levels of nesting.  May be malicious.  Use setRecursionLimit() to increase the recursion depth limit.';

/** How many fields a message may have in all, those of the messages in it, unknown ones and each value of a list included: each costs time and memory. */
export const mostFields = 300_000;

/** Reads what is bounded: every tag counts, also of what is skipped. */
class BoundedReader extends BinaryReader {
  readonly #most: number;
  #count = 0;

  constructor(bytes: Uint8Array, most: number) {
    super(bytes);
    this.#most = most;
  }

  override tag(): [number, WireType] {
    this.count();
    return super.tag();
  }

  /** Another field, or another value of one. */
  count(): void {
    if (++this.#count > this.#most) throw new MalformedMessage(`Protocol message had more than ${this.#most} fields.  May be malicious.`);
  }
}

type Values = Record<string, unknown>;

interface Plan {
  readonly fields: readonly PlannedField[];
  readonly byNumber: ReadonlyMap<number, PlannedField>;
  readonly required: readonly string[];
  /** What an empty message decodes to. */
  readonly blank: Values;
}

interface PlannedField {
  readonly name: string;
  readonly number: number;
  readonly wireType: WireType;
  readonly isRepeated: boolean;
  readonly scalar: Scalar | undefined;
  readonly enumeration: Enumeration | undefined;
  readonly message: (() => Message) | undefined;
}

const plans = new WeakMap<Message, Plan>();
const none: readonly never[] = Object.freeze([]);

function plan(description: Message): Plan {
  const known = plans.get(description);
  if (known) return known;
  const blank: Values = {};
  const entries = Object.entries(description.fields as Record<string, Field>);
  const fields = entries.map(([name, field]) => planField(name, field)).sort((a, b) => a.number - b.number);
  for (const [name, { presence, fallback }] of entries) blank[name] = presence === 'repeated' ? none : fallback;
  const made = {
    fields,
    byNumber: new Map(fields.map((field) => [field.number, field])),
    required: entries.filter(([, { presence }]) => presence === 'required').map(([name]) => name),
    blank,
  };
  plans.set(description, made);
  return made;
}

function planField(name: string, { number, kind, presence }: Field): PlannedField {
  const scalar = typeof kind === 'string' ? kind : undefined;
  const enumeration = isEnumeration(kind) ? kind : undefined;
  const message = scalar || enumeration ? undefined : messageOf(kind as Message | Recursive<unknown>);
  const wireType =
    message || scalar === 'string' || scalar === 'bytes' ? WireType.LengthDelimited : scalar === 'float' ? WireType.Bit32 : WireType.Varint;
  return { name, number, wireType, isRepeated: presence === 'repeated', scalar, enumeration, message };
}

const isEnumeration = (kind: Kind): kind is Enumeration => typeof kind === 'object' && 'numbers' in kind;
const messageOf = (kind: Message | Recursive<unknown>): (() => Message) => ('message' in kind ? kind.message : () => kind);

/**
 * Decodes a whole message.
 * @throws MalformedMessage where the bytes are none, a required field is missing, or there are more fields than `most`
 */
export function decode<M extends Message>(description: M, bytes: Uint8Array, most = mostFields): Decoded<M> {
  return guarded(() => decodeWithin(description, new BoundedReader(bytes, most), bytes.length)) as Decoded<M>;
}

/** Decodes a message that is written after its own length; `next` is where it ends. Errors as `decode`. */
export function decodeDelimited<M extends Message>(
  description: M,
  bytes: Uint8Array,
  from = 0,
  most = mostFields,
): { readonly value: Decoded<M>; readonly next: number } {
  return guarded(() => {
    const reader = new BoundedReader(bytes, most);
    reader.pos = from;
    const end = lengthWithin(reader, bytes.length);
    return { value: decodeWithin(description, reader, end) as Decoded<M>, next: end };
  });
}

/** The longest message whose room the next one writes into. */
const keptBytes = 1024 * 1024;
/** Keeps its room from one message to the next: to grow it again for each is a good part of what writing costs. Undefined while it writes. */
let spare: BinaryWriter | undefined;

/** What is written, in bytes of its own. */
function written(writeAll: (writer: BinaryWriter) => void): Uint8Array<ArrayBuffer> {
  const writer = spare ?? new BinaryWriter();
  // What fails leaves it in the midst of something.
  spare = undefined;
  writeAll(writer);
  const bytes = writer.finish();
  if (bytes.length <= keptBytes) spare = writer;
  return bytes;
}

/** Encodes a message. */
export const encode = <M extends Message>(description: M, value: Encodable<M>): Uint8Array<ArrayBuffer> =>
  written((writer) => write(writer, description, value as Values));

/** A message that is encoded already. */
class EncodedMessage {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

/**
 * Encodes a message ahead, for where it is wanted inside of another: an answer that is made in slices is written in slices, and holds bytes in place
 * of values meanwhile. What is given stands for the message there, and has none of its members.
 */
export const encodeAhead = <M extends Message>(description: M, value: Encodable<M>): Encodable<M> =>
  new EncodedMessage(encode(description, value)) as unknown as Encodable<M>;

/** How many bytes a message has that was encoded ahead. */
export const bytesAhead = (value: unknown): number => (value instanceof EncodedMessage ? value.bytes.length : 0);

/** Encodes messages one after the other, each after its own length. */
export function encodeDelimited(...parts: readonly EncodedPart[]): Uint8Array<ArrayBuffer> {
  return written((writer) => {
    for (const { description, value } of parts) {
      writer.fork();
      write(writer, description, value);
      writer.join();
    }
  });
}

/** A message with what it is described by. */
export interface EncodedPart {
  readonly description: Message;
  readonly value: Values;
}

/** Joins a value with its description, for `encodeDelimited`. */
export const part = <M extends Message>(description: M, value: Encodable<M>): EncodedPart => ({ description, value: value as Values });

function guarded<T>(read: () => T): T {
  try {
    return read();
  } catch (problem) {
    if (problem instanceof MalformedMessage) throw problem;
    if (problem instanceof RangeError) throw new MalformedMessage(endedEarly);
    throw new MalformedMessage(`Protocol message contained an invalid tag (${(problem as Error).message}).`);
  }
}

function lengthWithin(reader: BinaryReader, limit: number): number {
  const end = reader.uint32() + reader.pos;
  if (end > limit) throw new MalformedMessage(endedEarly);
  return end;
}

function decodeWithin(description: Message, reader: BoundedReader, end: number, depth = 0, into?: Values): Values {
  const { byNumber, required, blank } = plan(description);
  const values = into ?? { ...blank };
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    const field = byNumber.get(number);
    if (!field) reader.skip(wireType, number);
    else if (wireType === field.wireType) readField(values, field, reader, end, depth);
    else if (field.isRepeated && wireType === WireType.LengthDelimited) readPacked(values, field, reader, end);
    else reader.skip(wireType, number);
  }
  if (reader.pos > end) throw new MalformedMessage(endedEarly);
  const missing = required.filter((name) => values[name] === undefined);
  if (missing.length > 0) throw new MalformedMessage(`Message missing required fields: ${missing.join(', ')}`);
  return values;
}

function readField(values: Values, field: PlannedField, reader: BoundedReader, end: number, depth: number): void {
  const { name, message } = field;
  if (!message) {
    const value = readPlain(field, reader);
    // A number that the enumeration does not have is skipped, as an unknown field.
    if (value === undefined) return;
    if (field.isRepeated) append(values, name, value);
    else values[name] = value;
    return;
  }
  if (depth >= deepest) throw new MalformedMessage(tooDeep);
  const inner = lengthWithin(reader, end);
  if (field.isRepeated) append(values, name, decodeWithin(message(), reader, inner, depth + 1));
  else values[name] = decodeWithin(message(), reader, inner, depth + 1, values[name] as Values | undefined);
}

function readPacked(values: Values, field: PlannedField, reader: BoundedReader, end: number): void {
  const inner = lengthWithin(reader, end);
  while (reader.pos < inner) {
    reader.count();
    const value = readPlain(field, reader);
    if (value !== undefined) append(values, field.name, value);
  }
}

function append(values: Values, name: string, value: unknown): void {
  if (values[name] === none) values[name] = [value];
  else (values[name] as unknown[]).push(value);
}

function readPlain({ scalar, enumeration }: PlannedField, reader: BinaryReader): unknown {
  if (enumeration) return enumeration.names.get(reader.int32());
  switch (scalar) {
    case 'exact64':
      return BigInt(reader.int64());
    case 'int64':
      return Number(reader.int64());
    case 'uint64':
      return Number(reader.uint64());
    default:
      return reader[scalar!]();
  }
}

function write(writer: BinaryWriter, description: Message, values: Values): void {
  for (const field of plan(description).fields) {
    const value = values[field.name];
    if (value === undefined) continue;
    if (field.isRepeated) for (const each of value as readonly unknown[]) writeField(writer, field, each);
    else writeField(writer, field, value);
  }
}

const largestInt64 = 2n ** 63n - 1n;
/** A number as 64 bits; where a double is beyond the range, its nearest bound. */
const sixtyFour = (value: number): number | bigint => {
  if (Number.isSafeInteger(value)) return value;
  if (Number.isNaN(value)) return 0;
  if (value >= 2 ** 63) return largestInt64;
  return value <= -(2 ** 63) ? -largestInt64 - 1n : BigInt(Math.trunc(value));
};
/** A number as a whole one within bounds: sums of what callers ask for grow beyond them. */
const bounded = (value: number, smallest: number, largest: number): number =>
  Number.isNaN(value) ? 0 : Math.min(largest, Math.max(smallest, Math.trunc(value)));
const thirtyTwo = (value: number): number => ((value | 0) === value ? value : bounded(value, -(2 ** 31), 2 ** 31 - 1));

function writeField(writer: BinaryWriter, { number, wireType, scalar, enumeration, message }: PlannedField, value: unknown): void {
  writer.tag(number, wireType);
  if (value instanceof EncodedMessage) writer.bytes(value.bytes);
  else if (message) {
    writer.fork();
    write(writer, message(), value as Values);
    writer.join();
  } else if (enumeration) writer.int32(enumeration.numbers[value as string]!);
  else writeScalar(writer, scalar!, value);
}

function writeScalar(writer: BinaryWriter, scalar: Scalar, value: unknown): void {
  switch (scalar) {
    case 'bool':
      return void writer.bool(value as boolean);
    case 'bytes':
      return void writer.bytes(value as Uint8Array);
    case 'string':
      return void writer.string(value as string);
    case 'exact64':
      return void writer.int64(value as bigint);
    case 'int64':
      return void writer.int64(sixtyFour(value as number));
    case 'uint64':
      return void writer.uint64(sixtyFour(Math.max(0, value as number)));
    case 'uint32':
      return void writer.uint32(bounded(value as number, 0, 2 ** 32 - 1));
    case 'float':
      return void writer.float(Math.fround(value as number));
    default:
      return void writer[scalar](thirtyTwo(value as number));
  }
}
