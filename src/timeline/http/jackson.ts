// Reads JSON bodies as Hadoop's timeline servers do: Jackson into Java beans, with its coercions (a number where text is due, digits in
// text where a number is due) and its refusals, which those servers answer as 404 with Jackson's exception.
import { failure } from '../../model/errors.ts';
import type { JsonValue } from '../../wire/timeline/entity.ts';
import { isRaw, parseExact, rawNumber } from '../../wire/timeline/exact-json.ts';

/** What a member is read as. */
export type JavaType =
  | { readonly kind: 'text' | 'long' | 'exactLong' | 'double' | 'boolean' | 'number' | 'any' }
  /** Keys are longs, times for example; they come out as JavaScript writes them. */
  | { readonly kind: 'longMap'; readonly element: JavaType; readonly name: string }
  | { readonly kind: 'list' | 'map'; readonly element: JavaType; readonly name?: string; readonly keepsNulls?: boolean }
  | { readonly kind: 'word'; readonly name: string; readonly words: readonly string[] }
  | { readonly kind: 'bean'; readonly name: string; readonly members: Readonly<Record<string, JavaType>> };

export const javaText: JavaType = { kind: 'text' };
export const javaLong: JavaType = { kind: 'long' };
/** A long of which every one is kept: those that a number does not hold as their digits. */
export const javaExactLong: JavaType = { kind: 'exactLong' };
export const javaAny: JavaType = { kind: 'any' };
export const javaList = (element: JavaType): JavaType => ({ kind: 'list', element, name: 'java.util.ArrayList<java.lang.Object>' });
export const javaSet = (element: JavaType): JavaType => ({ kind: 'list', element, name: 'java.util.HashSet<java.lang.Object>' });
export const javaMap = (element: JavaType): JavaType => ({
  kind: 'map',
  element,
  name: 'java.util.HashMap<java.lang.String,java.lang.Object>',
});

/** A map of which members that are null are kept: they take back what stood there before. */
export const javaMapWithNulls = (element: JavaType): JavaType => ({ ...javaMap(element), keepsNulls: true }) as JavaType;

/** Longs → numbers of any kind (`TreeMap<Long, Number>`). */
export const javaSeries: JavaType = {
  kind: 'longMap',
  element: { kind: 'number' },
  name: 'java.util.TreeMap<java.lang.Long,java.lang.Number>',
};

const longestOfJava = 2n ** 63n - 1n;
const typeNames = {
  text: 'java.lang.String',
  long: 'long',
  exactLong: 'long',
  double: 'double',
  boolean: 'boolean',
  number: 'java.lang.Number',
  any: 'java.lang.Object',
} as const;

/**
 * Parses and reads a body; an empty one is undefined. Members that are null come out as null.
 * @throws JSON_* failures of the catalogue.
 */
export function readBean<Value>(bytes: Uint8Array | string | undefined, type: JavaType): Value | undefined {
  const text =
    typeof bytes === 'string'
      ? bytes
      : bytes === undefined
        ? ''
        : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  if (text.trim() === '') return undefined;
  return read(parse(text), type) as Value;
}

function parse(text: string): JsonValue {
  try {
    return parseExact(text);
  } catch (error) {
    const detail = (error as Error).message.slice(0, 200);
    // Jackson reads one value; what follows it is ignored.
    const after = /after JSON at position (\d+)/.exec(detail)?.[1];
    if (after !== undefined) return parseExact(text.slice(0, Number(after)));
    const place = detail.includes('end of JSON input') ? text.length : Number(/at position (\d+)/.exec(detail)?.[1]);
    const ended = place >= text.length || detail.startsWith('Unterminated');
    // Jackson wraps what goes wrong inside a list or an object that is a member's value. Not every error says its place.
    const inside = Number.isNaN(place) ? /^\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*[[{]/.test(text) : depthAt(text, place) > 1;
    if (inside) throw failure('JSON_MAPPING', { detail: ended ? 'Unexpected end-of-input' : detail });
    throw ended ? failure('JSON_END', { detail: 'Unexpected end-of-input' }) : failure('JSON_SYNTAX', { detail });
  }
}

/** In how many lists and objects the place is, as far as the text before it can be read. */
function depthAt(text: string, place: number): number {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < place; at++) {
    const character = text[at];
    if (quoted && character === '\\') at++;
    else if (character === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') depth--;
  }
  return depth;
}

/** Members of objects that are null are never written again (Include.NON_NULL of YarnJacksonJaxbJsonProvider); elements of lists are. */
function withoutNullMembers(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null || isRaw(value)) return value;
  if (Array.isArray(value)) return value.map(withoutNullMembers);
  const kept = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutNullMembers(member)]));
}

/** Kinds for which empty text, blanks and the word null count as null (CoercionConfigs, _checkTextualNull). */
const emptyIsNull: ReadonlySet<JavaType['kind']> = new Set(['long', 'exactLong', 'double', 'boolean', 'number']);

/** Kinds that no text can be and of which Jackson says so in other words where the text is empty or blank; of maps it says the same of any text. */
const neverBlank: ReadonlySet<JavaType['kind']> = new Set(['list', 'bean']);

/** Blanks alone are no whole number, as empty text is none. */
const wholeNumbers: ReadonlySet<JavaType['kind']> = new Set(['long', 'exactLong']);

/** Nothing or the word null, with blanks around it. */
const nullText = /^\s*(?:null\s*)?$/;
const [blank, lowerN, lastAscii] = [0x20, 0x6e, 0x7f];

/** Of most texts the first character tells that they are not. */
function mayBeNull(text: string): boolean {
  const first = text.charCodeAt(0);
  return (first <= blank || first === lowerN || first > lastAscii || text === '') && nullText.test(text);
}

function read(value: JsonValue, type: JavaType): unknown {
  if (value === null) return null;
  if (typeof value === 'string' && mayBeNull(value)) {
    const isBlank = value.trim() === '';
    if (isBlank && (neverBlank.has(type.kind) || (value !== '' && wholeNumbers.has(type.kind))))
      throw failure('JSON_INVALID_FORMAT', { type: nameOf(type), value: value.slice(0, 100) });
    if (emptyIsNull.has(type.kind)) return null;
  }
  switch (type.kind) {
    case 'any':
      return withoutNullMembers(value);
    case 'text':
      if (typeof value === 'string') return value;
      if (isRaw(value)) return value.rawJSON;
      if (typeof value === 'object') throw mismatch(value, type);
      return String(value);
    case 'exactLong':
      return exactLong(value);
    case 'long':
    case 'double':
      return readNumber(value, type.kind);
    case 'boolean':
      if (typeof value === 'boolean') return value;
      if (value === 'true' || value === 'false') return value === 'true';
      throw typeof value === 'string' ? failure('JSON_INVALID_FORMAT', { type: 'boolean', value }) : mismatch(value, type);
    case 'word':
      if (typeof value === 'string' && type.words.includes(value)) return value;
      throw typeof value === 'string' ? failure('JSON_INVALID_FORMAT', { type: type.name, value }) : mismatch(value, type);
    case 'list':
      if (!Array.isArray(value)) throw mismatch(value, type);
      return value.map((element) => read(element, type.element));
    case 'map':
      if (typeof value !== 'object' || Array.isArray(value) || isRaw(value)) throw mismatch(value, type);
      return Object.fromEntries(membersOf(value, type).map(([name, member]) => [name, read(member, type.element)]));
    case 'number':
      return anyNumber(value);
    case 'longMap':
      if (typeof value !== 'object' || Array.isArray(value) || isRaw(value)) throw mismatch(value, type);
      return Object.fromEntries(Object.entries(value).map(([key, member]) => [String(longKey(key)), read(member, type.element)]));
    case 'bean':
      return readMembers(value, type);
  }
}

/** Members of a map; where any value may stand, those that are null are never written again, unless the map keeps them. */
function membersOf(
  value: Record<string, JsonValue>,
  { element, keepsNulls }: JavaType & { kind: 'map' | 'list' },
): [name: string, member: JsonValue][] {
  const members = Object.entries(value);
  return element.kind === 'any' && !keepsNulls ? members.filter(([, member]) => member !== null) : members;
}

function readMembers(value: Exclude<JsonValue, null>, type: JavaType & { kind: 'bean' }): Record<string, unknown> {
  if (typeof value !== 'object' || Array.isArray(value) || isRaw(value)) throw mismatch(value, type);
  const bean: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const memberType = Object.hasOwn(type.members, name) ? type.members[name] : undefined;
    if (!memberType) {
      const names = Object.keys(type.members).map((known) => `"${known}"`);
      const known = names.length === 1 ? `one known property: ${names[0]}]` : `${names.length} known properties: ${names.join(', ')}]`;
      throw failure('JSON_UNKNOWN_MEMBER', { member: name.slice(0, 100), class: type.name, known });
    }
    bean[name] = read(value[name]!, memberType);
  }
  return bean;
}

/** A key that is a long (StdKeyDeserializer); of two that are the same number the last counts. */
function longKey(key: string): number {
  if (!/^[+-]?\d+$/.test(key)) throw failure('JSON_MAP_KEY', { value: key.slice(0, 100) });
  const number = Number(key);
  if (Math.abs(number) <= Number.MAX_SAFE_INTEGER) return number;
  const exact = BigInt(key.replace('+', ''));
  if (exact > longestOfJava || exact < -longestOfJava - 1n) throw failure('JSON_MAP_KEY', { value: key.slice(0, 100) });
  return longBeyond(key, key);
}

/** A number of any kind, as it is written; digits in text count (NumberDeserializer). */
function anyNumber(value: Exclude<JsonValue, null>): JsonValue {
  if (typeof value === 'number' || isRaw(value)) return value;
  if (typeof value !== 'string') throw mismatch(value, { kind: 'number' });
  const text = value.trim();
  if (!/^[+-]?\d+(\.\d*)?([eE][+-]?\d+)?$/.test(text))
    throw failure('JSON_INVALID_FORMAT', { type: 'java.lang.Number', value: value.slice(0, 100) });
  const number = Number(text);
  // Integers that a number does not hold keep their digits.
  if (/^[+-]?\d+$/.test(text) && !Number.isSafeInteger(number)) return rawNumber(BigInt(text.replace('+', '')).toString());
  if (Number.isFinite(number)) return number;
  throw failure('JSON_INVALID_FORMAT', { type: 'java.lang.Number', value: value.slice(0, 100) });
}

function readNumber(value: Exclude<JsonValue, null>, type: 'long' | 'double'): number {
  const text = isRaw(value) ? value.rawJSON : value;
  if (typeof text === 'boolean' || typeof text === 'object') throw mismatch(value, { kind: type });
  // What is no text is cut off behind the point; of a text it makes no number.
  const digits = type === 'long' && typeof value === 'string' ? /^\s*[+-]?\d+\s*$/ : /^\s*[+-]?\d+(\.\d*)?([eE][+-]?\d+)?\s*$/;
  if (typeof text === 'string' && !digits.test(text)) {
    throw failure('JSON_INVALID_FORMAT', { type, value: text.slice(0, 100) });
  }
  const number = Number(text);
  if (type === 'double') return number;
  if (Math.abs(number) <= Number.MAX_SAFE_INTEGER) return Math.trunc(number);
  return longBeyond(value, String(text).trim());
}

function exactLong(value: Exclude<JsonValue, null>): JsonValue {
  const text = isRaw(value) ? value.rawJSON : String(value);
  const exact = /^\s*[+-]?\d{1,19}\s*$/.test(text) ? BigInt(text.trim().replace('+', '')) : undefined;
  if (exact === undefined || exact > longestOfJava || exact < -longestOfJava - 1n) return readNumber(value, 'long');
  return Number.isSafeInteger(Number(exact)) ? Number(exact) : rawNumber(exact.toString());
}

/** A long that a number does not hold: Java's largest and smallest have their places, of all others none is made another in silence. */
function longBeyond(value: string | object | number | boolean, text: string): number {
  const exact = /^[+-]?\d{1,19}$/.test(text) ? BigInt(text) : undefined;
  if (exact === longestOfJava) return Number.MAX_SAFE_INTEGER;
  if (exact === -longestOfJava - 1n) return Number.MIN_SAFE_INTEGER;
  const isLong = exact !== undefined && exact < longestOfJava && exact >= -longestOfJava;
  if (isLong) throw failure('JSON_LONG_NOT_KEPT', { value: text });
  if (typeof value === 'string') throw failure('JSON_INVALID_FORMAT', { type: 'long', value: text.slice(0, 100) });
  const detail = `Numeric value (${text.slice(0, 100)}) out of range of long (${-longestOfJava - 1n} - ${longestOfJava})`;
  throw failure('JSON_MAPPING', { detail });
}

function mismatch(value: JsonValue, type: JavaType) {
  const given = Array.isArray(value)
    ? 'Array value (token `JsonToken.START_ARRAY`)'
    : typeof value === 'object' && !isRaw(value)
      ? 'Object value (token `JsonToken.START_OBJECT`)'
      : typeof value === 'string'
        ? 'String value (token `JsonToken.VALUE_STRING`)'
        : typeof value === 'boolean'
          ? `Boolean value (token \`JsonToken.VALUE_${String(value).toUpperCase()}\`)`
          : 'Integer value (token `JsonToken.VALUE_NUMBER_INT`)';
  return failure('JSON_MISMATCH', { type: nameOf(type), given });
}

const nameOf = (type: JavaType): string =>
  'name' in type && type.name !== undefined ? type.name : typeNames[type.kind as keyof typeof typeNames];

/** The members that are not null: Jackson sets those to null, which counts as absent. */
export function withoutNulls<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], null> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null)) as { [K in keyof T]: Exclude<T[K], null> };
}
