// JSON files as Hadoop's tools read them: one object after the other without commas, or an array of them.

import { isObject } from '../lib/json-shape.ts';
import { BadInput } from './faults.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

const repair = 'Repair the JSON there.';

/** All objects of a text. @throws BadInput with line and column */
export function readJsonObjects(text: string, file: string): JsonObject[] {
  const objects: JsonObject[] = [];
  let at = skip(text, 0);
  if (text[at] === '[') {
    const list: unknown = parse(text, 0, text.length, file);
    if (!Array.isArray(list) || list.some((item) => !isObject(item))) throw new BadInput(file, undefined, 'is no list of objects', repair);
    return list as JsonObject[];
  }
  while (at < text.length) {
    if (text[at] !== '{') throw new BadInput(file, positionOf(text, at), `an object was expected, not ${JSON.stringify(text[at])}`, repair);
    const end = endOfObject(text, at);
    if (end < 0) throw new BadInput(file, positionOf(text, at), 'the object that begins here does not end', repair);
    objects.push(parse(text, at, end, file) as JsonObject);
    at = skip(text, end);
  }
  return objects;
}

function skip(text: string, from: number): number {
  let at = from;
  while (at < text.length && /[\s,\uFEFF]/.test(text[at]!)) at++;
  return at;
}

/** Just behind the closing brace, or -1. */
function endOfObject(text: string, from: number): number {
  let depth = 0;
  let inText = false;
  for (let at = from; at < text.length; at++) {
    const character = text[at]!;
    if (inText) {
      if (character === '\\') at++;
      else if (character === '"') inText = false;
    } else if (character === '"') inText = true;
    else if (character === '{') depth++;
    else if (character === '}' && --depth === 0) return at + 1;
  }
  return -1;
}

function parse(text: string, from: number, to: number, file: string): unknown {
  try {
    return JSON.parse(text.slice(from, to));
  } catch (error) {
    const problem = (error as Error).message.replace(/ in JSON at position.*$/s, '').replace(/, (\.\.\.)?".*$/s, '');
    throw new BadInput(file, positionOf(text, from + faultOf(text.slice(from, to))), `the JSON is broken (${problem})`, repair);
  }
}

/** Offset of the first character that no continuation could mend: messages of the engine do not always tell it. */
function faultOf(text: string): number {
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isHopeless(text.slice(0, middle + 1))) high = middle;
    else low = middle + 1;
  }
  return low;
}

function isHopeless(beginning: string): boolean {
  try {
    JSON.parse(beginning);
    return false;
  } catch (error) {
    const { message } = error as Error;
    if (/end of JSON input|Unterminated/.test(message)) return false;
    const offset = /at position (\d+)/.exec(message)?.[1];
    return offset === undefined || Number(offset) < beginning.length;
  }
}

const positionOf = (text: string, offset: number): string => {
  const before = text.slice(0, offset).split('\n');
  return `line ${before.length}, column ${before.at(-1)!.length + 1}`;
};

/** Members of an object, checked. `where` names it in messages. */
export class Members {
  readonly #object: JsonObject;
  readonly #file: string;
  readonly #where: string;

  constructor(value: unknown, file: string, where: string) {
    if (!isObject(value)) throw new BadInput(file, where, 'is no object', 'Write an object there.');
    this.#object = value;
    this.#file = file;
    this.#where = where;
  }

  has(name: string): boolean {
    return this.#object[name] !== undefined && this.#object[name] !== null;
  }

  raw(name: string): unknown {
    return this.#object[name];
  }

  /** A number, also as text, within bounds. */
  number(name: string, otherwise: number | undefined, minimum = 0, maximum = Number.MAX_SAFE_INTEGER): number {
    if (!this.has(name)) {
      if (otherwise !== undefined) return otherwise;
      throw this.fault(name, 'is missing', `Give ${name}.`);
    }
    const value = this.#object[name];
    const number = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '') ? Number(value) : Number.NaN;
    if (!(number >= minimum && number <= maximum))
      throw this.fault(
        name,
        `${JSON.stringify(value)} is no number from ${minimum}${maximum === Number.MAX_SAFE_INTEGER ? '' : ` to ${maximum}`}`,
        'Give a number.',
      );
    return number;
  }

  text(name: string): string | undefined {
    return this.has(name) ? String(this.#object[name]) : undefined;
  }

  list(name: string): readonly unknown[] {
    const value = this.#object[name];
    if (Array.isArray(value)) return value;
    throw this.fault(name, value === undefined ? 'is missing' : 'is no list', `Give ${name} as a list.`);
  }

  fault(name: string, problem: string, remedy: string): BadInput {
    return new BadInput(this.#file, this.#where, `${name} ${problem}`, remedy);
  }
}
