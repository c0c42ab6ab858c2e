// The text of a described value piece by piece, where one of its lists or maps is long: for values that nobody changes while they are written. The text
// is that of `writeJson` and `writeXml`.
import { hasMany, longList } from '../../lib/json-pieces.ts';
import type { JsonForm, RecordDescription, WireMember } from './describe.ts';
import { formOfValues, jsonOf, mapForm, pairsOf } from './json.ts';
import { xmlEntry, xmlOf, xmlRoot } from './xml.ts';

/** Long ones are looked for so deep below the root, lists not counted. */
const deepest = 3;

/** A long list whose items are made when they are asked for; what looks at it otherwise than from its beginning to its end fails. */
export function madeOnTheWay<From, To>(source: readonly From[], make: (item: From) => To): readonly To[] {
  const made = {
    length: source.length,
    *[Symbol.iterator](): Generator<To, undefined> {
      for (const item of source) yield make(item);
    },
  };
  return made as unknown as readonly To[];
}

/** Pieces of a record's JSON, with its root when the record is wrapped; undefined where nothing of it is long. */
export function jsonPieces<T>(record: RecordDescription<T>, value: T): Iterable<string> | undefined {
  if (!isLong(record.wire, value)) return undefined;
  const content = jsonFields(chosen(record.wire, value), record.json, value);
  return record.wrapped ? around(`{${JSON.stringify(record.root)}:`, content, '}') : content;
}

/** Pieces of a record's XML document; undefined where nothing of it is long. */
export function xmlPieces<T>(record: RecordDescription<T>, value: T): Iterable<string> | undefined {
  if (!isLong(record.wire, value) || record.wire.typeName !== undefined) return undefined;
  const { open, close } = xmlRoot(record as RecordDescription<never>);
  return around(open, xmlFields(record.wire, value), close);
}

/** Pieces of one element of XML, for fragments that are joined later. */
export function xmlElementPieces<T>(name: string, { wire }: { readonly wire: WireMember; readonly shape?: T }, value: T): Iterable<string> {
  return isLong(wire, value) ? xmlContent(name, wire, value) : [xmlOf(wire)(name, value as never, false)];
}

function* around(open: string, content: Iterable<string>, close: string): Generator<string, undefined> {
  yield open;
  yield* content;
  yield close;
}

const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null;
const chosen = (wire: WireMember, value: unknown): WireMember => (wire.choose ? chosen(wire.choose(value as never), value) : wire);

/** Whether a list or map of a value has many items. */
function isLong(wire: WireMember, value: unknown, depth = 0): boolean {
  if (isAbsent(value)) return false;
  const { kind, fields = [] } = chosen(wire, value);
  switch (kind) {
    case 'list':
      return (value as readonly unknown[]).length > longList;
    case 'map':
      return hasMany(value as object);
    case 'holder':
      return (value as readonly unknown[]).length > longList;
    case 'object':
      return depth < deepest && fields.some(({ name, member }) => isLong(member, (value as Record<string, unknown>)[name], depth + 1));
    default:
      return false;
  }
}

function* jsonContent(given: WireMember, form: JsonForm, value: unknown): Generator<string, undefined> {
  const wire = chosen(given, value);
  if (!isLong(wire, value)) return yield jsonOf(wire, form)(value as never);
  if (wire.kind === 'object' || wire.kind === 'holder') return yield* jsonFields(wire, form, value);
  const isList = wire.kind === 'list';
  const write = jsonOf(wire.element!.wire, isList ? form : formOfValues(form)) as (value: unknown) => string;
  const { open, close, item } = isList ? { open: '[', close: ']', item: write } : mapForm(form, write);
  let before = open;
  for (const one of isList ? (value as Iterable<unknown>) : pairsOf(value)) {
    yield before + item(one as never);
    before = ',';
  }
  yield close;
}

function* jsonFields(wire: WireMember, form: JsonForm, value: unknown): Generator<string, undefined> {
  let before = '{';
  if (wire.typeName !== undefined) {
    yield `{"type":${JSON.stringify(wire.typeName)}`;
    before = ',';
  }
  for (const { name, member } of wire.fields ?? []) {
    const item = wire.kind === 'holder' ? value : (value as Record<string, unknown>)[name];
    if (isAbsent(item) || (member.kind === 'list' && member.keepEmpty !== true && (item as readonly unknown[]).length === 0)) continue;
    yield `${before}${JSON.stringify(name)}:`;
    yield* jsonContent(member, form, item);
    before = ',';
  }
  yield '}';
}

function* xmlContent(name: string, given: WireMember, value: unknown): Generator<string, undefined> {
  const wire = chosen(given, value);
  // What has a type declares a prefix for what it holds.
  if (!isLong(wire, value) || wire.typeName !== undefined) return yield xmlOf(wire)(name, value as never, false);
  if (wire.kind === 'list') {
    const write = xmlOf(wire.element!.wire) as (name: string, value: unknown, isDeclared: boolean) => string;
    for (const item of value as Iterable<unknown>) yield write(name, item, false);
    return;
  }
  yield `<${name}>`;
  if (wire.kind === 'map') for (const pair of pairsOf(value)) yield xmlEntry(wire.element!.wire, pair, false);
  else yield* xmlFields(wire, value);
  yield `</${name}>`;
}

function* xmlFields(wire: WireMember, value: unknown): Generator<string, undefined> {
  for (const { name, member } of wire.fields ?? []) {
    const item = wire.kind === 'holder' ? value : (value as Record<string, unknown>)[name];
    if (!isAbsent(item)) yield* xmlContent(name, member, item);
  }
}
