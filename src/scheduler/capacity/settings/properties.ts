// capacity-scheduler.xml by key: typed reading with Hadoop's defaults and complaints.

import { ConfigurationRefused, under } from '../../policy.ts';
import { float } from '../../state/calculator.ts';
import { parseFloat32, parseInteger } from './capacity-value.ts';

export const prefix = 'yarn.scheduler.capacity.';

/** Reads keys relative to a queue (`root.a`) or global ones; an empty value counts as absent for texts. */
export class CapacityProperties {
  readonly all: ReadonlyMap<string, string>;
  /** Keys of automatic queues' templates, laid over the file: full keys. */
  readonly #overlay: ReadonlyMap<string, string> | undefined;

  constructor(all: ReadonlyMap<string, string>, overlay?: ReadonlyMap<string, string>) {
    this.all = all;
    this.#overlay = overlay;
  }

  global(key: string): string | undefined {
    return this.#value(prefix + key);
  }

  queue(path: string, key: string): string | undefined {
    return this.#value(`${prefix}${path}.${key}`);
  }

  queueFloat(path: string, key: string, otherwise: number): number {
    const text = this.queue(path, key);
    return text === undefined ? float(otherwise) : numberUnder(`${prefix}${path}.${key}`, text, parseFloat32);
  }

  queueInteger(path: string, key: string, otherwise: number): number {
    const text = this.queue(path, key);
    return text === undefined ? otherwise : numberUnder(`${prefix}${path}.${key}`, text, parseInteger);
  }

  queueBoolean(path: string, key: string, otherwise: boolean): boolean {
    return flag(this.queue(path, key), otherwise);
  }

  globalFloat(key: string, otherwise: number): number {
    const text = this.global(key);
    return text === undefined ? float(otherwise) : numberUnder(prefix + key, text, parseFloat32);
  }

  globalInteger(key: string, otherwise: number): number {
    const text = this.global(key);
    return text === undefined ? otherwise : numberUnder(prefix + key, text, parseInteger);
  }

  globalBoolean(key: string, otherwise: boolean): boolean {
    return flag(this.global(key), otherwise);
  }

  /** `queues` of a parent, in their order; undefined for a leaf. */
  childNames(path: string): string[] | undefined {
    const text = this.queue(path, 'queues');
    if (text === undefined || text.trim() === '') return undefined;
    return list(text);
  }

  /** Pairs whose key starts with `{path}.{start}`, without that beginning. */
  under(path: string, start: string): [string, string][] {
    const beginning = `${prefix}${path}.${start}`;
    const found: [string, string][] = [];
    for (const source of this.#overlay ? [this.all, this.#overlay] : [this.all]) {
      const keys = sortedKeys(source);
      for (let place = firstFrom(keys, beginning); keys[place]?.startsWith(beginning); place++) {
        found.push([keys[place]!.slice(beginning.length), source.get(keys[place]!)!]);
      }
    }
    return found;
  }

  #value(key: string): string | undefined {
    const value = this.#overlay?.get(key) ?? this.all.get(key);
    return value === undefined ? undefined : value.trim() === '' && value !== ' ' ? value.trim() : value;
  }
}

/** Reads a number; what it refuses is the key's. */
function numberUnder(key: string, text: string, read: (text: string) => number): number {
  return under({ key, remedy: 'Give it a number.' }, () => read(text));
}

const sorted = new WeakMap<ReadonlyMap<string, string>, string[]>();

/** Sorted once per map, which is not changed afterwards. */
function sortedKeys(map: ReadonlyMap<string, string>): string[] {
  let keys = sorted.get(map);
  if (!keys) {
    keys = [...map.keys()].sort();
    sorted.set(map, keys);
  }
  return keys;
}

function firstFrom(keys: readonly string[], beginning: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle]! < beginning) low = middle + 1;
    else high = middle;
  }
  return low;
}

export const list = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

function flag(text: string | undefined, otherwise: boolean): boolean {
  const word = text?.trim().toLowerCase();
  return word === 'true' ? true : word === 'false' ? false : otherwise;
}

/** A queue state by its configured word. */
export function parseState(text: string | undefined): 'RUNNING' | 'STOPPED' | undefined {
  if (text === undefined || text === '') return undefined;
  if (text === 'RUNNING' || text === 'STOPPED') return text;
  if (text.toUpperCase() === 'RUNNING' || text.toUpperCase() === 'STOPPED') return text.toUpperCase() as 'RUNNING' | 'STOPPED';
  throw new ConfigurationRefused(`No enum constant org.apache.hadoop.yarn.api.records.QueueState.${text.toUpperCase()}`, {
    remedy: 'A queue is RUNNING or STOPPED.',
  });
}
