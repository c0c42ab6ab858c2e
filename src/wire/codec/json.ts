// JSON of a described value. Writers are compiled once per member and form and only append text.
import type { JsonForm, Member, RecordDescription, WireMember } from './describe.ts';
import { doubleText, floatText, longText } from './numbers.ts';

type Writer = (value: never) => string;

const compiled: Record<JsonForm, WeakMap<WireMember, Writer>> = { natural: new WeakMap(), mapped: new WeakMap(), plain: new WeakMap() };
const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** The JSON text of a record's value, with its root when the record is wrapped. */
export function writeJson<T>(record: RecordDescription<T>, value: T): string {
  const body = jsonOf(record.wire, record.json)(value as never);
  return record.wrapped ? `{${JSON.stringify(record.root)}:${body}}` : body;
}

/** The JSON text of a member's value alone, for fragments that are joined later. */
export function writeJsonMember<T>(member: Member<T>, form: JsonForm, value: T): string {
  return jsonOf(member.wire, form)(value as never);
}

/** What writes values of a member. */
export function jsonOf(member: WireMember, form: JsonForm): Writer {
  const known = compiled[form].get(member);
  if (known) return known;
  const writer = compile(member, form);
  compiled[form].set(member, writer);
  return writer;
}

const quoted = (text: string) => `"${text}"`;

function compile(member: WireMember, form: JsonForm): Writer {
  const asText = form === 'mapped';
  switch (member.kind) {
    case 'text':
      return (value: unknown) => JSON.stringify(String(value));
    case 'int':
    case 'long':
      return asText ? (value: number | bigint) => quoted(longText(value)) : longText;
    case 'float':
      return asText ? (value: number) => quoted(floatText(value)) : floatText;
    case 'double':
      return asText ? (value: number) => quoted(doubleText(value)) : doubleText;
    case 'boolean':
      return asText ? (value: boolean) => (value ? '"true"' : '"false"') : (value: boolean) => (value ? 'true' : 'false');
    case 'list':
      return compileList(member, form);
    case 'map':
      return compileMap(member, form);
    case 'any':
      return (value: unknown) => JSON.stringify(value) ?? 'null';
    case 'holder':
    case 'object':
      return compileObject(member, form);
  }
}

function compileList(member: WireMember, form: JsonForm): Writer {
  const element = member.element!.wire;
  return (values: readonly unknown[]) => {
    const write = jsonOf(element, form) as (value: unknown) => string;
    if (form === 'mapped' && values.length === 1) return write(values[0]);
    let text = '';
    for (const value of values) text += text === '' ? write(value) : `,${write(value)}`;
    return `[${text}]`;
  };
}

/** The pairs of a map value, whichever way it was given. */
export function pairsOf(value: unknown): readonly (readonly [string, unknown])[] {
  if (Array.isArray(value)) return value;
  return value instanceof Map ? [...value] : Object.entries(value as object);
}

/** How the pairs of a map stand in its text. */
export interface MapForm {
  readonly open: string;
  readonly close: string;
  readonly item: (pair: readonly [string, unknown]) => string;
}

/** The form of a map of more than one pair; `write` writes its values. */
export function mapForm(form: JsonForm, write: (value: unknown) => string): MapForm {
  if (form === 'plain') return { open: '{', close: '}', item: ([key, value]) => `${JSON.stringify(key)}:${write(value)}` };
  const entry = ([key, value]: readonly [string, unknown]) => {
    const written = isAbsent(value) ? undefined : write(value);
    // An element without content is a null there.
    return `{"key":${JSON.stringify(key)}${written === undefined ? '' : `,"value":${written === '{}' ? 'null' : written}`}}`;
  };
  if (form === 'natural') return { open: '{', close: '}', item: (pair) => `"entry":${entry(pair)}` };
  return { open: '{"entry":[', close: ']}', item: entry };
}

/** In which form the values of a map stand. */
export const formOfValues = (form: JsonForm): JsonForm => (form === 'plain' ? 'plain' : 'mapped');

function compileMap(member: WireMember, form: JsonForm): Writer {
  const write = jsonOf(member.element!.wire, formOfValues(form)) as (value: unknown) => string;
  const { open, close, item } = mapForm(form, write);
  if (form !== 'mapped') return (value: unknown) => open + pairsOf(value).map(item) + close;
  return (value: unknown) => {
    const pairs = pairsOf(value);
    if (pairs.length === 0) return 'null';
    return pairs.length === 1 ? `{"entry":${item(pairs[0]!)}}` : open + pairs.map(item) + close;
  };
}

function compileObject(member: WireMember, form: JsonForm): Writer {
  if (member.choose) {
    const choose = member.choose;
    return (value) => jsonOf(choose(value), form)(value);
  }
  const holds = member.kind === 'holder';
  const first = member.typeName === undefined ? '' : `"type":${JSON.stringify(member.typeName)}`;
  const fields = (member.fields ?? []).map(({ name, member: inner }) => ({
    name,
    inner,
    key: `${JSON.stringify(name)}:`,
    isList: inner.kind === 'list',
    keepEmpty: inner.keepEmpty === true,
  }));
  let writers: ((value: unknown) => string)[] | undefined;
  return (value: unknown) => {
    writers ??= fields.map(({ inner }) => jsonOf(inner, form) as (value: unknown) => string);
    let text = first;
    for (let i = 0; i < fields.length; i++) {
      const field = fields[i]!;
      const item = holds ? value : (value as Record<string, unknown>)[field.name];
      if (isAbsent(item) || (field.isList && !field.keepEmpty && (item as readonly unknown[]).length === 0)) continue;
      const written = field.key + writers[i]!(item);
      text += text === '' ? written : `,${written}`;
    }
    return `{${text}}`;
  };
}
