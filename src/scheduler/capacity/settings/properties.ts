// The keys of capacity-scheduler.xml as values: each option is read as its row of the table says, with Hadoop's complaints.

import { ConfigurationRefused, under } from '../../policy.ts';
import { float } from '../../state/calculator.ts';
import { parseConfiguredInteger, parseConfiguredLong, parseFloat32 } from './capacity-value.ts';
import { type KeyNames, keyOf, type OptionTable, type OptionValue, type OptionValues, prefix, type QueueOption } from './option.ts';
import { joinedOptions } from './queue-options.ts';

/** Reads options of queues and of the cluster; an empty text counts as absent. */
export class CapacityProperties {
  readonly all: ReadonlyMap<string, string>;
  /** Keys of automatic queues' templates, laid over the file: full keys. */
  readonly #overlay: ReadonlyMap<string, string> | undefined;

  constructor(all: ReadonlyMap<string, string>, overlay?: ReadonlyMap<string, string>) {
    this.all = all;
    this.#overlay = overlay;
  }

  /**
   * The value of an option, of the queue that `names` has or of the cluster. Without the key: `otherwise`, else the cluster's key where
   * queues inherit that, else the table's default. @throws ConfigurationRefused for what is no number
   */
  read<Option extends QueueOption>(option: Option, names?: KeyNames, otherwise?: OptionValue<Option>): OptionValue<Option> {
    const key = keyOf(option, names);
    const found = this.#value(key);
    if (found !== undefined) {
      const value = parse(option, key, found);
      if (value !== undefined) return value as OptionValue<Option>;
    }
    if (otherwise !== undefined) return otherwise;
    if (names?.queue !== undefined && option.inherits === 'cluster') return this.read(option);
    return (option.type === 'float' ? float(Number(option.default)) : option.default) as OptionValue<Option>;
  }

  /** All options of a table, of one queue. @throws ConfigurationRefused */
  readAll<Table extends OptionTable>(table: Table, names: KeyNames): OptionValues<Table> {
    return Object.fromEntries(Object.entries(table).map(([name, option]) => [name, this.read(option, names)])) as OptionValues<Table>;
  }

  /** The text of an option as it stands in the file, without its default. */
  text(option: QueueOption, names?: KeyNames): string | undefined {
    return this.#value(keyOf(option, names));
  }

  /** `queues` of a parent, in their order; undefined for a leaf. */
  childNames(path: string): string[] | undefined {
    const text = this.text(joinedOptions.queues, { queue: path });
    return text === undefined || text.trim() === '' ? undefined : list(text);
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

/** The value of a text; undefined where it says nothing (a boolean that is neither true nor false). What is no number is the key's fault. */
function parse(option: QueueOption, key: string, text: string): string | number | boolean | undefined {
  switch (option.type) {
    case 'boolean': {
      const word = text.trim().toLowerCase();
      return word === 'true' ? true : word === 'false' ? false : undefined;
    }
    case 'integer':
    case 'float':
      return under({ key, remedy: 'Give it a number.' }, () => numberParser(option)(text));
    default:
      return text;
  }
}

/** Times are Java longs, all else that is whole an int. */
export const numberParser = ({ type, unit }: QueueOption): ((text: string) => number) =>
  type === 'float' ? parseFloat32 : unit === 'seconds' || unit === 'ms' ? parseConfiguredLong : parseConfiguredInteger;

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

/** A queue state by its configured word. */
export function parseState(text: string | undefined): 'RUNNING' | 'STOPPED' | undefined {
  if (text === undefined || text === '') return undefined;
  if (text === 'RUNNING' || text === 'STOPPED') return text;
  if (text.toUpperCase() === 'RUNNING' || text.toUpperCase() === 'STOPPED') return text.toUpperCase() as 'RUNNING' | 'STOPPED';
  throw new ConfigurationRefused(
    text.toUpperCase() === 'DRAINING'
      ? 'Invalid queue state configuration. We can only use RUNNING or STOPPED.'
      : `No enum constant org.apache.hadoop.yarn.api.records.QueueState.${text.toUpperCase()}`,
    {
      remedy: 'A queue is RUNNING or STOPPED.',
    },
  );
}
