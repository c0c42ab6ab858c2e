// Values of Avro's binary encoding, one after the other. History files of large jobs have hundreds of megabytes, nearly all of them counters:
// texts that come again are made once, and records can be left as bytes until they are looked at.
import { type Long, longOf } from '../../lib/java-long.ts';
import { AvroEnd, AvroError, type AvroType, nameOf } from './avro.ts';

/** Places of texts that were read (a power of two), and the longest one that is looked for there. */
const keptTexts = 1 << 13;
const longestKeptText = 100;

const recordAt = Symbol('place of a record in the bytes');
/** Values of one record at most, those inside others counted: the schema stands in the file, too, and may make many of few bytes. */
const mostValues = 1_000_000;
/** Values of all records for each byte, which the empty branch of a union (two values) comes nearest to; and how many more. */
const valuesPerByte = 4;
const freeValues = 100_000;
const tooManyValues = 'It has more values than its bytes can tell';
/** Longest text, in bytes. */
export const longestText = 16 * 1024 * 1024;

/** A record whose fields are read when they are asked for; those of one type have a class of their own. */
class Deferred {
  readonly [recordAt]: number;

  constructor(at: number) {
    this[recordAt] = at;
  }
}

type RecordType = Extract<AvroType, { kind: 'record' }>;

interface ReadField {
  readonly name: string;
  readonly type: AvroType;
  readonly isRead: boolean;
}

/** What is read otherwise than as it stands. */
export interface DecoderOptions {
  /** The name of records that are checked for their end alone; their fields are read when they are looked at. */
  readonly deferred?: string | undefined;
  /** The name of records whose numbers are bigints where they would be rounded; all others are the nearest number. */
  readonly exact?: string | undefined;
  /** Fields that are stepped over, by the name of their record: values do not have them. */
  readonly without?: ReadonlyMap<string, readonly string[]> | undefined;
}

/** Reads values of the binary encoding. */
export class BinaryDecoder {
  #bytes: Buffer;
  readonly #deferred: string | undefined;
  readonly #exact: string | undefined;
  readonly #without: ReadonlyMap<string, readonly string[]>;
  /** Of each record that was met which fields are read. */
  readonly #fields = new Map<RecordType, readonly ReadField[]>();
  readonly #classes = new Map<AvroType, typeof Deferred>();
  /** Of records that were stepped over in arrays: which of their fields are texts, where all are texts and whole numbers. */
  readonly #plain = new Map<RecordType, readonly boolean[] | undefined>();
  /** By their hash: the last text with it, and where it was first seen. */
  readonly #texts: (string | undefined)[] = new Array<string | undefined>(keptTexts).fill(undefined);
  readonly #textStarts = new Float64Array(keptTexts);
  readonly #textLengths = new Int32Array(keptTexts);
  #at: number;
  /** The last number of more than 49 bits, exactly. */
  #widest: Long = 0;
  /** How many values the record that is read, and all, may still have. */
  #left = mostValues;
  #leftOfAll: number;

  constructor(bytes: Buffer, at = 0, { deferred, exact, without = new Map() }: DecoderOptions = {}) {
    this.#exact = exact;
    this.#bytes = bytes;
    this.#at = at;
    this.#deferred = deferred;
    this.#without = without;
    this.#leftOfAll = (bytes.length - at) * valuesPerByte + freeValues;
  }

  /** Where the next value begins. */
  get at(): number {
    return this.#at;
  }

  /** More bytes came: `bytes` begin with those that there were. */
  grow(bytes: Buffer): void {
    this.#leftOfAll += (bytes.length - this.#bytes.length) * valuesPerByte;
    this.#bytes = bytes;
  }

  /** Whether nothing is left. */
  get ended(): boolean {
    return this.#at >= this.#bytes.length;
  }

  #long(): number {
    const first = this.#bytes[this.#at];
    if (first !== undefined && first < 0x80) {
      this.#at++;
      return (first >>> 1) ^ -(first & 1);
    }
    return this.#longerLong();
  }

  /** One of more than a byte, or none that is left. */
  #longerLong(): number {
    let low = 0;
    let shift = 0;
    for (; shift < 28; shift += 7) {
      const byte = this.#byte();
      low |= (byte & 0x7f) << shift;
      if (byte < 0x80) return (low >>> 1) ^ -(low & 1);
    }
    // Up to 49 bits in a double, what is larger exactly.
    let wide = low;
    for (let factor = 2 ** 28; shift < 49; shift += 7, factor *= 128) {
      const byte = this.#byte();
      wide += (byte & 0x7f) * factor;
      if (byte < 0x80) return wide % 2 === 0 ? wide / 2 : -(wide + 1) / 2;
    }
    let widest = BigInt(wide);
    for (; shift < 70; shift += 7) {
      const byte = this.#byte();
      widest |= BigInt(byte & 0x7f) << BigInt(shift);
      if (byte < 0x80) {
        this.#widest = longOf((widest >> 1n) ^ -(widest & 1n));
        return Number(this.#widest);
      }
    }
    throw new AvroError('Invalid long encoding');
  }

  #byte(): number {
    if (this.#at >= this.#bytes.length) throw new AvroEnd('end of file');
    return this.#bytes[this.#at++]!;
  }

  /** Steps over bytes; answers where they began. */
  #span(length: number): number {
    if (length < 0) throw new AvroError(`Malformed data. Length is negative: ${length}`);
    if (this.#at + length > this.#bytes.length) throw new AvroEnd('end of file');
    this.#at += length;
    return this.#at - length;
  }

  #text(): string {
    const length = this.#long();
    if (length > longestText) throw new AvroError(`A text of ${length} bytes is longer than ${longestText}`);
    const start = this.#span(length);
    const bytes = this.#bytes;
    if (length > longestKeptText) return bytes.toString('utf8', start, start + length);
    let hash = length;
    let bits = 0;
    for (let i = start; i < start + length; i++) {
      const byte = bytes[i]!;
      bits |= byte;
      hash = (Math.imul(hash, 31) + byte) | 0;
    }
    const slot = (hash ^ (hash >>> 15)) & (keptTexts - 1);
    const known = this.#texts[slot];
    if (known !== undefined && this.#textLengths[slot] === length) {
      const before = this.#textStarts[slot]!;
      let same = 0;
      while (same < length && bytes[before + same] === bytes[start + same]) same++;
      if (same === length) return known;
    }
    // ASCII is Latin-1, which is cheaper to read.
    const text = bytes.toString(bits < 0x80 ? 'latin1' : 'utf8', start, start + length);
    this.#texts[slot] = text;
    this.#textStarts[slot] = start;
    this.#textLengths[slot] = length;
    return text;
  }

  /** Items of the next block of an array or map; 0 at its end. */
  #block(): number {
    let count = this.#long();
    if (count < 0) {
      count = -count;
      this.#long();
    }
    // A count larger than the bytes left can only be damage; items of no bytes do not occur here.
    if (count > this.#bytes.length - this.#at) throw new AvroEnd('end of file');
    return count;
  }

  /**
   * Reads one value. @throws AvroEnd at the end of the bytes (it can be read again, once there are more), AvroError when they make no sense, or more
   * than their number could tell.
   */
  read(type: AvroType): unknown {
    const begin = this.#at;
    this.#left = Math.min(mostValues, this.#leftOfAll);
    const before = this.#left;
    try {
      const value = this.#value(type);
      this.#leftOfAll -= before - this.#left;
      return value;
    } catch (error) {
      this.#at = begin;
      throw error;
    }
  }

  #count(): void {
    if (--this.#left < 0) throw new AvroError(tooManyValues);
  }

  #value(type: AvroType): unknown {
    this.#count();
    switch (type.kind) {
      case 'null':
        return null;
      case 'boolean':
        return this.#byte() === 1;
      case 'int':
      case 'long':
        return this.#long();
      case 'float':
        return this.#bytes.readFloatLE(this.#span(4));
      case 'double':
        return this.#bytes.readDoubleLE(this.#span(8));
      case 'string':
        return this.#text();
      case 'bytes': {
        const length = this.#long();
        const start = this.#span(length);
        return this.#bytes.subarray(start, start + length);
      }
      case 'enum': {
        const symbol = type.symbols[this.#long()];
        if (symbol === undefined) throw new AvroError(`Enumeration out of range of ${type.name}`);
        return symbol;
      }
      case 'record':
        return type.name === this.#deferred ? this.#defer(type) : this.#record(type);
      case 'array': {
        const items: unknown[] = [];
        for (let count = this.#block(); count > 0; count = this.#block()) for (; count > 0; count--) items.push(this.#value(type.items));
        return items;
      }
      case 'map': {
        const entries: [string, unknown][] = [];
        for (let count = this.#block(); count > 0; count = this.#block())
          for (; count > 0; count--) {
            const key = this.#text();
            entries.push([key, this.#value(type.items)]);
          }
        // Not by assignment: a key may be `__proto__`.
        return Object.fromEntries(entries);
      }
      case 'union': {
        const branch = type.branches[this.#long()];
        if (!branch) throw new AvroError('Union branch out of range');
        const value = this.#value(branch);
        return type.tagged && branch.kind !== 'null' ? { branch: nameOf(branch), value } : value;
      }
    }
  }

  #record(type: RecordType): Record<string, unknown> {
    const value: Record<string, unknown> = {};
    const isExact = type.name === this.#exact;
    for (const field of this.#fieldsOf(type)) {
      if (!field.isRead) {
        this.#skip(field.type);
        continue;
      }
      const read = this.#value(field.type);
      value[field.name] = isExact && typeof read === 'number' && Math.abs(read) > Number.MAX_SAFE_INTEGER ? this.#widest : read;
    }
    return value;
  }

  #fieldsOf(type: RecordType): readonly ReadField[] {
    const known = this.#fields.get(type);
    if (known) return known;
    const without = this.#without.get(type.name);
    const fields = type.fields.map(({ name, type: of }) => ({ name, type: of, isRead: !without?.includes(name) }));
    this.#fields.set(type, fields);
    return fields;
  }

  /** A record whose fields are read each time that they are asked for. */
  #defer(type: RecordType): object {
    let kind = this.#classes.get(type);
    if (kind === undefined) {
      const fieldOf = (at: number, name: string) => this.#recordAt(type, at)[name];
      kind = class extends Deferred {};
      for (const { name } of type.fields)
        Object.defineProperty(kind.prototype, name, {
          enumerable: true,
          get(this: Deferred) {
            return fieldOf(this[recordAt], name);
          },
        });
      this.#classes.set(type, kind);
    }
    const value = new kind(this.#at);
    this.#skip(type);
    return value;
  }

  #recordAt(type: RecordType, at: number): Record<string, unknown> {
    const before = this.#at;
    const left = this.#left;
    this.#at = at;
    this.#left = mostValues;
    try {
      return this.#record(type);
    } finally {
      this.#at = before;
      this.#left = left;
    }
  }

  /** Steps over one value. */
  #skip(type: AvroType): void {
    this.#count();
    switch (type.kind) {
      case 'int':
      case 'long':
      case 'enum':
        this.#long();
        return;
      case 'string':
      case 'bytes':
        this.#span(this.#long());
        return;
      case 'record':
        for (const field of type.fields) this.#skip(field.type);
        return;
      case 'array':
        for (let count = this.#block(); count > 0; count = this.#block()) this.#skipItems(type.items, count);
        return;
      case 'union': {
        const branch = type.branches[this.#long()];
        if (!branch) throw new AvroError('Union branch out of range');
        this.#skip(branch);
        return;
      }
      default:
        this.#value(type);
    }
  }

  #skipItems(type: AvroType, count: number): void {
    const plain = type.kind === 'record' ? this.#plainFieldsOf(type) : undefined;
    if (plain) this.#skipPlain(plain, count);
    else for (let left = count; left > 0; left--) this.#skip(type);
  }

  #plainFieldsOf(type: RecordType): readonly boolean[] | undefined {
    if (this.#plain.has(type)) return this.#plain.get(type);
    const isPlain = type.fields.every(({ type: { kind } }) => kind === 'string' || kind === 'int' || kind === 'long');
    const plain = isPlain && type.fields.length > 0 ? type.fields.map((field) => field.type.kind === 'string') : undefined;
    this.#plain.set(type, plain);
    return plain;
  }

  /** Steps over records of texts and whole numbers: nearly all of a history file are counters. */
  #skipPlain(areTexts: readonly boolean[], count: number): void {
    this.#left -= count * (1 + areTexts.length);
    if (this.#left < 0) throw new AvroError(tooManyValues);
    const bytes = this.#bytes;
    let at = this.#at;
    for (let left = count; left > 0; left--)
      for (const isText of areTexts) {
        const first = bytes[at];
        // A byte that ends its number; of a text its even ones are lengths.
        if (first !== undefined && first < 0x80 && !(isText && first & 1)) {
          at += isText ? 1 + (first >>> 1) : 1;
          continue;
        }
        this.#at = at;
        const number = this.#long();
        if (isText) this.#span(number);
        at = this.#at;
      }
    this.#at = at;
  }
}
