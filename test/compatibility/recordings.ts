// The recordings in this folder, and how their bodies are taken apart for comparison: strictly, by the description of their record, so
// that a member which the description does not name is a fault.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { XMLParser } from 'fast-xml-parser';
import type { RecordDescription, WireMember } from '../../src/wire/codec/describe.ts';

/** One recorded answer of Apache Hadoop. */
export interface RecordedAnswer {
  /** Where it comes from: the story that was played, and the name of the request in it. */
  readonly id: string;
  /** Root name of the record that the body is. */
  readonly record: string;
  /** Method and path with query. */
  readonly request: string;
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** One request of a story that is told again, and what Hadoop answered. Names in braces stand for ids of the run. */
export interface Story {
  readonly id: string;
  /** Members whose value is compared by its type only. */
  readonly loose?: readonly string[];
  /** Members that are lists without an order. */
  readonly unordered?: readonly string[];
  /** Whether even members that usually vary are the same in every run. */
  readonly exact?: boolean;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly accept?: string;
    readonly headers?: Readonly<Record<string, string>>;
    /** A text is sent as it is, anything else as JSON. */
    readonly body?: unknown;
  };
  readonly response: { readonly status: number; readonly headers: Readonly<Record<string, string | undefined>>; readonly body: string };
}

/** The lines of a text, each a JSON value. */
function linesOf<Line>(text: string): Line[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

/** The recorded answers of one interface, `resource-manager`, without the members whose value was not kept (`?`). */
export function recordedAnswers(api: string): RecordedAnswer[] {
  const lines = linesOf<RecordedAnswer>(readFileSync(join(import.meta.dirname, 'answers', `${api}.jsonl`), 'utf8'));
  return lines.map((line) => ({ ...line, body: line.body.replace(/"\w+":"\?",|<(\w+)>\?<\/\1>/g, '') }));
}

/** The requests of a story, in their order; `names` replaces what stands in braces. */
export function recordedStory(name: string, names: Readonly<Record<string, string>>): Story[] {
  const path = join(import.meta.dirname, 'stories', `${name}.jsonl`);
  const text = readFileSync(path, 'utf8').replace(/\{([A-Za-z][A-Za-z0-9.]*)\}/g, (whole, key: string) => names[key] ?? whole);
  return linesOf<Story>(text);
}

/** Values of one name that follow each other in an object: what JSON.parse would forget. */
class Repeated {
  readonly values: unknown[];

  constructor(values: unknown[]) {
    this.values = values;
  }
}

/** Parses JSON; members that an object repeats (Hadoop's maps: `"entry":…,"entry":…`) become one array. @throws SyntaxError */
export function parseRepeating(text: string): unknown {
  let at = 0;
  const blank = () => {
    while (/\s/.test(text[at] ?? '')) at++;
  };
  const take = (character: string): void => {
    blank();
    if (text[at] !== character) throw new SyntaxError(`${character} expected at ${at}`);
    at++;
  };
  const scalar = (): unknown => {
    const found = /^(?:"(?:[^"\\]|\\.)*"|true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/s.exec(text.slice(at, at + 100_000));
    if (!found) throw new SyntaxError(`a value expected at ${at}`);
    at += found[0].length;
    return JSON.parse(found[0]);
  };
  const list = (end: string, item: () => void): void => {
    blank();
    if (text[at] === end) return void at++;
    for (;;) {
      item();
      blank();
      const next = text[at++];
      if (next === end) return;
      if (next !== ',') throw new SyntaxError(`, or ${end} expected at ${at - 1}`);
    }
  };
  const value = (): unknown => {
    blank();
    if (text[at] === '[') {
      at++;
      const items: unknown[] = [];
      list(']', () => items.push(value()));
      return items;
    }
    if (text[at] !== '{') return scalar();
    at++;
    const members: Record<string, unknown> = {};
    list('}', () => {
      blank();
      const name = scalar() as string;
      take(':');
      const one = value();
      const before = members[name];
      if (before instanceof Repeated) before.values.push(one);
      else members[name] = Object.hasOwn(members, name) ? new Repeated([before, one]) : one;
    });
    return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, member instanceof Repeated ? member.values : member]));
  };
  const result = value();
  blank();
  if (at !== text.length) throw new SyntaxError(`nothing more expected at ${at}`);
  return result;
}

/** Parses XML: elements as members, repeated ones as arrays, texts as they stand, attributes left out. */
export function parseElements(text: string): Record<string, unknown> {
  const parser = new XMLParser({ ignoreAttributes: true, parseTagValue: false, trimValues: false, ignoreDeclaration: true });
  return parser.parse(text) as Record<string, unknown>;
}

const several = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** The value that a record's writers take for what was parsed. @throws Error naming a member that the description does not have. */
export function readValueOf(record: RecordDescription, parsed: unknown, form: 'json' | 'xml'): unknown {
  const inside = record.wrapped || form === 'xml' ? (parsed as Record<string, unknown>)[record.root] : parsed;
  return read(record.wire, inside, record.root, form);
}

function read(member: WireMember, value: unknown, path: string, form: 'json' | 'xml'): unknown {
  switch (member.kind) {
    case 'text':
      if (typeof value === 'object') throw new Error(`${path} is ${JSON.stringify(value)}, not a text`);
      return String(value);
    case 'int':
    case 'long':
    case 'float':
    case 'double':
      if (Number.isNaN(Number(value)) && value !== 'NaN') throw new Error(`${path} is ${JSON.stringify(value)}, not a number`);
      return Number(value);
    case 'boolean':
      return String(value) === 'true';
    case 'any':
      return value;
    case 'list':
      if (value === '' && member.element!.wire.kind !== 'text') return [];
      return several(value).map((item, index) => read(member.element!.wire, item, `${path}[${index}]`, form));
    case 'map':
      return readMap(member, value, path, form);
    case 'holder': {
      const { name, member: inner } = member.fields![0]!;
      if (value === '' || value === null || Object.keys(value as object).length === 0) return [];
      for (const other of Object.keys(value as object)) if (other !== name) throw new Error(`${path}.${other} is not described`);
      return read(inner, (value as Record<string, unknown>)[name], `${path}.${name}`, form);
    }
    case 'object':
      return member.choose ? readChosen(member, value, path, form) : readObject(member, value, path, form);
  }
}

/** Of which kind a polymorphic object is is asked of what was parsed: the members that tell have the same names there. */
function readChosen(member: WireMember, value: unknown, path: string, form: 'json' | 'xml'): unknown {
  if (value === null || value === '') return [];
  // What is asked is whether a member is there; empty elements are.
  const present = Object.fromEntries(Object.entries(value as object).map(([name, item]) => [name, item === '' ? [] : item]));
  return read(member.choose!(present as never), value, path, form);
}

function readMap(member: WireMember, value: unknown, path: string, form: 'json' | 'xml'): unknown {
  if (value === null || value === '' || value === undefined) return [];
  const element = member.element!.wire;
  const entries = (value as Record<string, unknown>)['entry'];
  const isPlain = Object.keys(value as object).length > 0 && entries === undefined;
  if (isPlain) return Object.entries(value as object).map(([key, item]) => [key, read(element, item, `${path}.${key}`, form)]);
  if (entries === undefined) return [];
  return (several(entries) as { key: unknown; value?: unknown }[]).map((entry) => [
    String(entry.key),
    entry.value === undefined ? undefined : read(element, entry.value, `${path}.${String(entry.key)}`, form),
  ]);
}

function readObject(member: WireMember, value: unknown, path: string, form: 'json' | 'xml'): unknown {
  if (value === '' || value === null) return {};
  const fields = new Map((member.fields ?? []).map((field) => [field.name, field.member]));
  const result: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value as object)) {
    if (name === 'type' && member.typeName === item) continue;
    const field = fields.get(name);
    if (!field) throw new Error(`${path}.${name} is not described`);
    result[name] = read(field, item, `${path}.${name}`, form);
  }
  return result;
}
