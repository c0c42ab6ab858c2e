// The part of Avro that job history files use: schemas of records, enums, unions, arrays, maps, strings, numbers and booleans,
// in their binary and JSON encodings. A schema is read once and turned into a tree of types whose names are resolved.
import { type Long, parseLongExactly } from '../../lib/java-long.ts';
import { isRaw, rawNumber } from '../timeline/exact-json.ts';

/** A schema as it stands in a file's JSON line. */
export type AvroSchema =
  | string
  | readonly AvroSchema[]
  | { readonly type: 'record'; readonly name: string; readonly namespace?: string; readonly fields: readonly AvroField[] }
  | { readonly type: 'enum'; readonly name: string; readonly symbols: readonly string[] }
  | { readonly type: 'array'; readonly items: AvroSchema }
  | { readonly type: 'map'; readonly values: AvroSchema };

/** A field of a record's schema. */
export interface AvroField {
  readonly name: string;
  readonly type: AvroSchema;
  readonly default?: unknown;
}

/** A schema with its names resolved. */
export type AvroType =
  | { readonly kind: 'null' | 'boolean' | 'int' | 'long' | 'float' | 'double' | 'string' | 'bytes' }
  | { readonly kind: 'record'; readonly name: string; readonly fullName: string; readonly fields: { name: string; type: AvroType }[] }
  | { readonly kind: 'enum'; readonly name: string; readonly fullName: string; readonly symbols: readonly string[] }
  | { readonly kind: 'array' | 'map'; readonly items: AvroType }
  | {
      readonly kind: 'union';
      readonly branches: readonly AvroType[];
      /** Whether values are told apart by their branch's name (more than one branch besides null). */
      readonly tagged: boolean;
    };

/** What a union with more than one branch besides null holds. */
export interface AvroBranch {
  readonly branch: string;
  readonly value: unknown;
}

/** Thrown when a schema or a value does not fit. */
export class AvroError extends Error {
  override readonly name = 'AvroError';
}

/** Thrown when the bytes end inside a value. */
export class AvroEnd extends AvroError {}

const primitives = new Set(['null', 'boolean', 'int', 'long', 'float', 'double', 'string', 'bytes']);

/** Resolves the names of a schema. @throws AvroError when it is none, or names a type before its definition. */
export function readSchema(schema: AvroSchema): AvroType {
  const named = new Map<string, AvroType>();
  const read = (part: AvroSchema, namespace: string): AvroType => {
    if (typeof part === 'string') {
      if (primitives.has(part)) return { kind: part as 'null' };
      const found = named.get(part) ?? named.get(`${namespace}.${part}`);
      if (!found) throw new AvroError(`Undefined name: "${part}"`);
      return found;
    }
    if (Array.isArray(part)) {
      const branches = part.map((branch) => read(branch, namespace));
      return { kind: 'union', branches, tagged: branches.filter((branch) => branch.kind !== 'null').length > 1 };
    }
    if (part === null || typeof part !== 'object') throw new AvroError('Schema not yet supported');
    const node = part as Exclude<AvroSchema, string | readonly AvroSchema[]>;
    switch (node.type) {
      case 'array':
        return { kind: 'array', items: read(node.items, namespace) };
      case 'map':
        return { kind: 'map', items: read(node.values, namespace) };
      case 'enum': {
        const type: AvroType = { kind: 'enum', name: node.name, fullName: `${namespace}.${node.name}`, symbols: node.symbols };
        named.set(node.name, type);
        named.set(type.fullName, type);
        return type;
      }
      case 'record': {
        const inside = node.namespace ?? namespace;
        const type = {
          kind: 'record' as const,
          name: node.name,
          fullName: `${inside}.${node.name}`,
          fields: [] as { name: string; type: AvroType }[],
        };
        named.set(type.name, type);
        named.set(type.fullName, type);
        for (const field of node.fields) type.fields.push({ name: field.name, type: read(field.type, inside) });
        return type;
      }
      default: {
        const simple = (node as { type?: unknown }).type;
        if (typeof simple === 'string' && primitives.has(simple)) return { kind: simple as 'null' };
        throw new AvroError(`No type: ${JSON.stringify(simple)}`);
      }
    }
  };
  return read(schema, '');
}

/** The name by which a union's values are told apart. */
export const nameOf = (type: AvroType): string => (type.kind === 'record' || type.kind === 'enum' ? type.fullName : type.kind);

function branchOf({ branches, tagged }: Extract<AvroType, { kind: 'union' }>, value: unknown): { index: number; inner: unknown } {
  if (tagged && value !== null) {
    const { branch, value: inner } = value as AvroBranch;
    const index = branches.findIndex((type) => nameOf(type) === branch || ('name' in type && type.name === branch));
    if (index < 0) throw new AvroError(`Unknown union branch ${branch}`);
    return { index, inner };
  }
  const index = branches.findIndex((type) => (type.kind === 'null') === (value === null || value === undefined));
  if (index < 0) throw new AvroError('null of a union without null');
  return { index, inner: value };
}

/** Writes values in the binary encoding into a growing buffer. */
export class BinaryEncoder {
  #bytes = Buffer.allocUnsafe(512);
  #length = 0;

  /** The bytes since the last `take`. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
    return taken;
  }

  #room(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + count));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }

  #long(value: Long): void {
    this.#room(10);
    if (typeof value === 'number' && value >= -0x20000000 && value < 0x20000000) {
      let small = ((value << 1) ^ (value >> 31)) >>> 0;
      for (; small > 0x7f; small >>>= 7) this.#bytes[this.#length++] = (small & 0x7f) | 0x80;
      this.#bytes[this.#length++] = small;
      return;
    }
    let zigzag = typeof value === 'bigint' ? value : BigInt(Math.trunc(value));
    zigzag = BigInt.asUintN(64, (zigzag << 1n) ^ (zigzag >> 63n));
    while (zigzag > 0x7fn) {
      this.#bytes[this.#length++] = Number(zigzag & 0x7fn) | 0x80;
      zigzag >>= 7n;
    }
    this.#bytes[this.#length++] = Number(zigzag);
  }

  #text(value: string): void {
    const length = Buffer.byteLength(value);
    this.#long(length);
    this.#room(length);
    this.#length += this.#bytes.write(value, this.#length);
  }

  /** Adds one value. @throws AvroError when it does not fit its type. */
  write(type: AvroType, value: unknown): void {
    switch (type.kind) {
      case 'null':
        return;
      case 'boolean':
        this.#room(1);
        this.#bytes[this.#length++] = value ? 1 : 0;
        return;
      case 'int':
      case 'long':
        if (typeof value !== 'bigint' && (typeof value !== 'number' || !Number.isFinite(value)))
          throw new AvroError(`Not a number: ${String(value)}`);
        this.#long(value);
        return;
      case 'string':
        if (typeof value !== 'string') throw new AvroError(`Not a text: ${String(value)}`);
        this.#text(value);
        return;
      case 'enum': {
        const index = type.symbols.indexOf(value as string);
        if (index < 0) throw new AvroError(`Unknown symbol in enum ${value}`);
        this.#long(index);
        return;
      }
      case 'record':
        for (const field of type.fields) this.write(field.type, (value as Record<string, unknown>)[field.name]);
        return;
      case 'array': {
        const items = value as readonly unknown[];
        if (items.length > 0) this.#long(items.length);
        for (const item of items) this.write(type.items, item);
        this.#long(0);
        return;
      }
      case 'map': {
        const entries = Object.entries(value as Record<string, unknown>);
        if (entries.length > 0) this.#long(entries.length);
        for (const [key, item] of entries) {
          this.#text(key);
          this.write(type.items, item);
        }
        this.#long(0);
        return;
      }
      case 'union': {
        const { index, inner } = branchOf(type, value);
        this.#long(index);
        this.write(type.branches[index]!, inner);
        return;
      }
      default:
        throw new AvroError(`Cannot write ${type.kind}`);
    }
  }
}

/** A value as Avro's JSON encoding writes it. */
export function toAvroJson(type: AvroType, value: unknown): unknown {
  switch (type.kind) {
    case 'record':
      return Object.fromEntries(
        type.fields.map((field) => [field.name, toAvroJson(field.type, (value as Record<string, unknown>)[field.name])]),
      );
    case 'array':
      return (value as unknown[]).map((item) => toAvroJson(type.items, item));
    case 'map':
      return Object.fromEntries(Object.entries(value as Record<string, unknown>).map(([key, item]) => [key, toAvroJson(type.items, item)]));
    case 'union': {
      const { index, inner } = branchOf(type, value);
      const branch = type.branches[index]!;
      return branch.kind === 'null' ? null : { [nameOf(branch)]: toAvroJson(branch, inner) };
    }
    default:
      if (value === undefined) throw new AvroError(`A ${type.kind} is missing`);
      return typeof value === 'bigint' ? rawNumber(String(value)) : value;
  }
}

/**
 * The value of Avro's JSON encoding, as `parseExact` gives it. `exact`: the name of records whose numbers are bigints where they would be rounded;
 * all others are the nearest number. @throws AvroError when it does not fit its type.
 */
export function fromAvroJson(type: AvroType, json: unknown, exact?: string): unknown {
  const refuse = (): never => {
    throw new AvroError(`Expected ${type.kind}, got ${JSON.stringify(json)?.slice(0, 80)}`);
  };
  const asObject = (): Record<string, unknown> =>
    json !== null && typeof json === 'object' && !Array.isArray(json) ? (json as Record<string, unknown>) : refuse();
  switch (type.kind) {
    case 'null':
      return json === null ? null : refuse();
    case 'boolean':
      return typeof json === 'boolean' ? json : refuse();
    case 'int':
    case 'long':
    case 'float':
    case 'double':
      if (isRaw(json)) return Number(json.rawJSON);
      return typeof json === 'number' ? json : refuse();
    case 'string':
    case 'bytes':
      return typeof json === 'string' ? json : refuse();
    case 'enum':
      return typeof json === 'string' && type.symbols.includes(json) ? json : refuse();
    case 'record': {
      const members = asObject();
      const isExact = type.name === exact;
      const memberOf = (field: AvroType, member: unknown) =>
        (isExact && field.kind === 'long' && isRaw(member) ? parseLongExactly(member.rawJSON) : undefined) ??
        fromAvroJson(field, member, exact);
      return Object.fromEntries(type.fields.map((field) => [field.name, memberOf(field.type, members[field.name])]));
    }
    case 'array':
      return Array.isArray(json) ? json.map((item) => fromAvroJson(type.items, item, exact)) : refuse();
    case 'map':
      return Object.fromEntries(Object.entries(asObject()).map(([key, item]) => [key, fromAvroJson(type.items, item, exact)]));
    case 'union': {
      if (json === null || json === undefined) return type.branches.some((branch) => branch.kind === 'null') ? null : refuse();
      const [entry, ...others] = Object.entries(asObject());
      if (!entry || others.length > 0) return refuse();
      const branch = type.branches.find((candidate) => nameOf(candidate) === entry[0]);
      if (!branch) return refuse();
      const value = fromAvroJson(branch, entry[1], exact);
      return type.tagged ? { branch: nameOf(branch), value } : value;
    }
  }
}
