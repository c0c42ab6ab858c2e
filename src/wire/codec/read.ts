// Request bodies, JSON and XML, into described values, with the leniency of Hadoop 3.4's readers: numbers and booleans may be
// texts, what does not parse as a number is 0, a single value stands for a list of one, unknown members are ignored.
import { parseJsonRecord, RefusedJson } from '../../lib/json-text.ts';
import { failure } from '../../model/errors.ts';
import type { RecordDescription, WireMember } from './describe.ts';
import { describeJsonFault, furtherToken, lineAndColumn } from './json-fault.ts';
import { type JsonMember, jsonMembers } from './json-members.ts';
import { strictly } from './strict.ts';
import { parseXmlBody } from './xml-body.ts';
import { xmlTextOf } from './xml-encoding.ts';

/** The media types bodies may have, by the word used for them here. */
export type BodyFormat = 'json' | 'xml';

/** The format of a Content-Type header, or undefined where it is neither JSON nor XML. `anyName`: both under any of their names (`text/xml`, `image/svg+xml`, `text/json`, `application/vnd.api+json`). */
export function bodyFormat(contentType: string | undefined, anyName = false): BodyFormat | undefined {
  const given = contentType?.split(';')[0]?.trim();
  const type = given?.toLowerCase();
  if (type === 'application/json') return 'json';
  if (type === 'application/xml') return 'xml';
  if (!anyName || given === undefined) return undefined;
  if (type === 'text/xml' || /^[^/]+\/[^/]*\+xml$/.test(given)) return 'xml';
  return /^[^/]+\/(?:[^/]*\+json|json|(?:x-)?javascript|x-json)$/i.test(given) ? 'json' : undefined;
}

/**
 * Reads a body as the given record. `roots` are the roots the same reader knows besides the record's own, for its error text.
 * @throws Failure BODY_NOT_PARSABLE
 */
export function readBody<T>(record: RecordDescription<T>, bytes: Buffer, format: BodyFormat, roots: readonly string[] = []): T {
  if (format === 'xml') return coerceObject(record.wire, parseXmlBody(xmlTextOf(bytes), record.root, roots)) as T;
  const text = bytes.toString('utf8');
  if (!record.wrapped && text !== '' && text.trim() === '') return {} as T;
  const value = parseJsonBody(text);
  // Timeline servers have another reader (Jackson), which takes them.
  if (record.json !== 'plain' && holdsListInList(value)) throw noName();
  if (record.wrapped) return coerceObject(record.wire, unwrapped(value, text, record.root, roots)) as T;
  if (value === null || Array.isArray(value)) throw noName();
  return (typeof value === 'object' ? coerceObject(record.wire, value) : {}) as T;
}

/** Reads a JSON body of Heddle's own interface, in which nothing is forgiven. @throws Failure BODY_NOT_PARSABLE, BAD_REQUEST */
export function readStrictBody<T>(record: RecordDescription<T>, bytes: Buffer): T {
  return coerceObject(record.wire, strictly(record as RecordDescription, parseJsonBody(bytes.toString('utf8')))) as T;
}

/** JSON.parse with the texts of Hadoop's reader for what is wrong. @throws Failure BODY_NOT_PARSABLE */
function parseJsonBody(text: string): unknown {
  if (text.trim() === '') {
    throw failure('BODY_NOT_PARSABLE', {
      detail:
        ': Error creating JSON-based XMLStreamReader\n - with linked exception:\n[javax.xml.stream.XMLStreamException: JSON expression can not be empty!]',
    });
  }
  let value: unknown;
  try {
    value = parseJsonRecord(text);
  } catch (error) {
    if (error instanceof RefusedJson) throw failure('BODY_NOT_PARSABLE', { detail: `: ${error.message}` });
    throw failure('BODY_NOT_PARSABLE', {
      detail: `\n - with linked exception:\n[javax.xml.stream.XMLStreamException: ${describeJsonFault(text)}]`,
    });
  }
  return value;
}

/**
 * What a body holds under the record's name: its first member that is neither null nor an empty list has to have that name, and where it is an object no
 * other may follow. @throws Failure BODY_NOT_PARSABLE with what Hadoop's reader trips over
 */
function unwrapped(value: unknown, text: string, root: string, roots: readonly string[]): unknown {
  const trips = (over: string) =>
    failure('BODY_NOT_PARSABLE', {
      detail: `: Error creating JSON-based XMLStreamReader\n - with linked exception:\n[javax.xml.stream.XMLStreamException: javax.xml.stream.XMLStreamException: ${over}]`,
    });
  if (Array.isArray(value)) throw trips('java.util.EmptyStackException');
  if (typeof value !== 'object' || value === null)
    throw trips('java.lang.NullPointerException: Cannot read field "isFirstElement" because "pi" is null');
  const members = jsonMembers(text);
  const at = members.findIndex(({ from, to }) => !/^(?:null|\[\s*\])$/.test(text.slice(from, to)));
  const first = members[at];
  if (!first) throw noName();
  if (first.name !== root) throw unexpectedElement(first, text, [root, ...roots]);
  if (text[first.from] === '[') throw noName();
  if (text[first.from] !== '{') return undefined;
  const next = members[at + 1];
  if (next)
    throw failure('BODY_NOT_PARSABLE', {
      detail: `\n - with linked exception:\n[javax.xml.stream.XMLStreamException: ${furtherToken(next.name)}]`,
    });
  return (value as Record<string, unknown>)[root];
}

/** Hadoop's reader stands behind a number or word, and behind the first character of anything else. */
function unexpectedElement({ name, from, to }: JsonMember, text: string, roots: readonly string[]) {
  const { line, column } = lineAndColumn(text, /["{[]/.test(text[from]!) ? from + 1 : to);
  const expected = [...new Set(roots)].sort().map((root) => `<{}${root}>`);
  return failure('BODY_NOT_PARSABLE', {
    detail: `\n - with linked exception:\n[com.sun.istack.SAXParseException2; lineNumber: ${line}; columnNumber: ${column}; unexpected element (uri:"", local:"${name}"). Expected elements are ${expected}]`,
  });
}

const noName = () =>
  failure('BODY_NOT_PARSABLE', {
    detail:
      '\n - with linked exception:\n[javax.xml.stream.XMLStreamException: java.lang.NullPointerException: Cannot read field "name" because "pi" is null]',
  });

/** Neither an object nor an empty list has a text. */
const asText = (value: unknown): string => (typeof value === 'object' ? '' : String(value));

/** An empty list is no element at all. */
const isNothing = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** Of several of what there is one of, the last counts. */
const lastOf = (value: unknown): unknown => (Array.isArray(value) && !isNothing(value) ? value.at(-1) : value);

/** Whether a list is an element of a list anywhere: Hadoop's reader loses its place there. */
function holdsListInList(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((item) => (Array.isArray(value) && Array.isArray(item)) || holdsListInList(item));
}

/** Kinds of which there is one. */
const singles: readonly WireMember['kind'][] = ['text', 'int', 'long', 'float', 'double', 'boolean', 'map', 'holder', 'object'];

function coerce(member: WireMember, given: unknown): unknown {
  const value = singles.includes(member.kind) ? lastOf(given) : given;
  switch (member.kind) {
    case 'text':
      return asText(value);
    case 'int':
      return wrapped(digitsOf(value));
    case 'long':
      return withinLong(wholeNumber(value));
    case 'float':
    case 'double': {
      const text = trimmed(asText(value));
      return /\s|^$/.test(text) ? 0 : Number(text) || 0;
    }
    case 'boolean':
      return ['true', '1'].includes(trimmed(asText(value)));
    case 'list': {
      const items = Array.isArray(value) ? value : [value];
      const element = member.element!.wire;
      // A null is an element without content: an empty text, an object without members.
      const known = element.kind === 'text' ? items.map((item) => item ?? '') : items;
      const isObject = element.kind === 'object';
      return known.filter((item) => isObject || (item !== null && item !== undefined)).map((item) => coerce(element, item));
    }
    case 'map':
      return coerceMap(member, value);
    case 'any':
      return value;
    case 'holder': {
      const inner = member.fields![0]!;
      const held = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[inner.name] : undefined;
      return held === undefined || held === null ? [] : coerce(inner.member, held);
    }
    case 'object':
      return coerceObject(member, value);
  }
}

/** A text without the blanks of XML around it; others belong to it (WhiteSpaceProcessor of JAXB). */
function trimmed(text: string): string {
  const inner = text.trim();
  const start = text.indexOf(inner);
  const around = text.slice(0, start) + text.slice(start + inner.length);
  return /[^ \t\r\n]/.test(around) ? text : inner;
}

/** A whole number as JAXB reads an int: signs and blanks may stand between its digits. 0 for what is none. */
function digitsOf(value: unknown): number {
  if (typeof value === 'number') return Number.isInteger(value) ? value : 0;
  const text = asText(value);
  if (!/^[\d+\- \t\r\n]*$/.test(text)) return 0;
  const number = Number(text.replace(/\D/g, ''));
  return text.includes('-') && number > 0 ? -number : number;
}

/** A whole number, or 0 for what is none. */
function wholeNumber(value: unknown): number {
  if (typeof value === 'number') return Number.isInteger(value) ? value : 0;
  const text = trimmed(asText(value));
  return /^[+-]?\d+$/.test(text) ? Number(text) : 0;
}

/** A number as Java's int holds it: what is larger begins again at the other end (DatatypeConverterImpl._parseInt of JAXB). */
function wrapped(value: number): number {
  if (Math.abs(value) < 2 ** 31) return value;
  return Number.isFinite(value) ? Number(BigInt.asIntN(32, BigInt(value))) : 0;
}

/** A number as Java's long holds it: one that it cannot hold is none (Long.parseLong). 2^63 itself is how the largest is read here. */
const withinLong = (value: number): number => (Math.abs(value) > 2 ** 63 ? 0 : value);

function coerceMap(member: WireMember, value: unknown): [string, unknown][] {
  const held = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)['entry'] : undefined;
  if (held === undefined || held === null) return [];
  const entries = Array.isArray(held) ? held : [held];
  const keyed = entries.filter(
    (entry): entry is Record<string, unknown> => typeof entry === 'object' && entry !== null && 'key' in entry && !isNothing(entry['key']),
  );
  if (member.needsKeys && keyed.length < entries.length) throw failure('BAD_REQUEST', { reason: 'An entry has no key.' });
  return keyed.map((entry) => [
    asText(lastOf(entry['key'])),
    entry['value'] === undefined || entry['value'] === null ? undefined : coerce(member.element!.wire, entry['value']),
  ]);
}

function coerceObject(member: WireMember, value: unknown): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return result;
  for (const { name, member: inner } of member.fields ?? []) {
    const item = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
    if (item === undefined || item === null || (isNothing(item) && singles.includes(inner.kind))) continue;
    result[name] = coerce(inner, item);
  }
  return result;
}
