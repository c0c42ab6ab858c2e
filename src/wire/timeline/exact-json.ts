// JSON whose numbers survive a round trip: what a JavaScript number would change (64-bit integers, `1.0`) stays as its own text.
// Hadoop's timeline keeps Java's types; filters compare them (`5` is not `5.0` and not `"5"`).
import { endOfText, parseJson } from '../../lib/json-text.ts';
import type { JsonValue } from './entity.ts';

interface RawJson {
  readonly rawJSON: string;
}
const json = JSON as typeof JSON & { rawJSON(text: string): RawJson; isRawJSON(value: unknown): value is RawJson };

/** Longest number that is kept as its text, in characters: Jackson's bound (StreamReadConstraints). */
const longestNumber = 1000;

/** Parses JSON; numbers that would lose digits or their fraction become raw values that `JSON.stringify` writes as they were. `most`: as for `parseJson`. @throws SyntaxError */
export function parseExact(text: string, most?: number): JsonValue {
  if (!mayHoldRaw(text)) return parseJson(text, undefined, most) as JsonValue;
  return parseJson(
    text,
    (_key, value: unknown, context?: { source?: string }) => {
      if (typeof value !== 'number' || context?.source === undefined || context.source === String(value)) return value;
      if (context.source.length > longestNumber) throw new SyntaxError(`a number of more than ${longestNumber} characters`);
      return json.rawJSON(context.source);
    },
    most,
  ) as JsonValue;
}

const [quote, minus, point, zero, nine, upperE, lowerE] = [0x22, 0x2d, 0x2e, 0x30, 0x39, 0x45, 0x65];
/** Integers of fewer digits always survive; of fractions with so few none is written with an exponent. */
const safeDigits = { integer: 16, fraction: 8 };

/**
 * Whether some number outside of texts might not survive: long ones, with a zero behind the point, with an exponent, `-0`. Says yes too often
 * rather than too rarely.
 */
function mayHoldRaw(text: string): boolean {
  let digits = 0;
  let isFraction = false;
  let last = 0;
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : 0;
    if (code >= zero && code <= nine) {
      if (++digits >= (isFraction ? safeDigits.fraction : safeDigits.integer) || (code === zero && last === minus)) return true;
    } else if (digits > 0) {
      if (code === upperE || code === lowerE || (isFraction && last === zero)) return true;
      isFraction = code === point;
      if (!isFraction) digits = 0;
    } else isFraction = false;
    if (code === quote) at = endOfText(text, at);
    last = code;
  }
  return false;
}

/** Whether a value is a number kept as text. */
export const isRaw = (value: unknown): value is RawJson => typeof value === 'object' && json.isRawJSON(value);

/** A 64-bit integer given as text, to be written as a JSON number. */
export const rawNumber = (digits: string): JsonValue => json.rawJSON(digits) as unknown as JsonValue;

/** A text that is equal for values that Java's timeline takes for equal: integers, floating numbers, strings and booleans never mix. */
export function valueKey(value: JsonValue): string {
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : `d${value}`;
  if (isRaw(value)) {
    const text = value.rawJSON;
    return /^-?\d+$/.test(text) ? BigInt(text).toString() : `d${Number(text)}`;
  }
  if (typeof value === 'object' && value !== null) return `o${canonical(value)}`;
  return JSON.stringify(value);
}

/** JSON with the members of objects in the order of their names. */
function canonical(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null || isRaw(value)) return JSON.stringify(value);
  const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}

/** A filter's value as a query spells it: one JSON value, else the text itself (TimelineWebServices.parsePairStr). */
export function parseFilterValue(text: string): JsonValue {
  try {
    return parseExact(text);
  } catch {
    return text;
  }
}
