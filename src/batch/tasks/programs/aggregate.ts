// The reducer and combiner `aggregate` of streaming: keys are `<function>:<id>`, the function says what becomes of the values (Hadoop's
// org.apache.hadoop.mapred.lib.aggregate).
import { javaDouble } from './java-text.ts';

/** The class by which a job's settings name this reducer. */
export const aggregateReducer = 'org.apache.hadoop.mapred.lib.aggregate.ValueAggregatorReducer';

/** Takes the values of one key. */
interface Aggregator {
  add(value: string): void;
  /** What the combiner hands on. */
  partial(): Iterable<string>;
  /** What the reducer writes. */
  report(): string;
}

const longestNumber = 100;
/** What Double.parseDouble reads, hexadecimal numbers aside. */
const javaNumber = /^[+-]?(?:NaN|Infinity|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?[dDfF]?)$/;

function longOf(value: string): bigint {
  const text = value.trim();
  const number = text.length <= longestNumber && /^[+-]?\d+$/.test(text) ? BigInt(text.replace('+', '')) : undefined;
  if (number === undefined || number !== BigInt.asIntN(64, number))
    throw new Error(`aggregate: '${value.slice(0, 100)}' is no whole number of 64 bits`);
  return number;
}

function doubleOf(value: string): number {
  const text = value.trim();
  if (!javaNumber.test(text)) throw new Error(`aggregate: '${value.slice(0, 100)}' is no number`);
  return Number(text.replace(/[dDfF]$/, ''));
}

/** One value that takes in each next one. */
function single<Value>(
  read: (text: string) => Value,
  join: (kept: Value, next: Value) => Value,
  write: (value: Value) => string,
  first?: Value,
): Aggregator {
  let kept = first;
  const text = () => (kept === undefined ? '' : write(kept));
  return {
    add(value) {
      const next = read(value);
      kept = kept === undefined ? next : join(kept, next);
    },
    partial: () => [text()],
    report: text,
  };
}

function uniqueCount(limit: number): Aggregator {
  const seen = new Set<string>();
  return {
    add(value) {
      if (seen.size < limit) seen.add(value);
    },
    partial: () => seen,
    report: () => String(seen.size),
  };
}

/** How often values occur: their number, and least, middle, largest, mean and deviation of how often. */
function histogram(): Aggregator {
  const counts = new Map<string, bigint>();
  return {
    add(value) {
      const tab = value.lastIndexOf('\t');
      const [name, count] = tab < 0 ? [value, 1n] : [value.slice(0, tab), longOf(value.slice(tab + 1))];
      counts.set(name, (counts.get(name) ?? 0n) + count);
    },
    *partial() {
      for (const [name, count] of counts) yield `${name}\t${count}`;
    },
    report() {
      const sorted = [...counts.values()].map(Number).sort((a, b) => a - b);
      if (sorted.length === 0) return '0';
      const mean = sorted.reduce((sum, count) => sum + count, 0) / sorted.length;
      const deviation = Math.sqrt(sorted.reduce((sum, count) => sum + (count - mean) ** 2, 0) / sorted.length);
      const middle = sorted[Math.floor(sorted.length / 2)];
      return [sorted.length, sorted[0], middle, sorted.at(-1), javaDouble(mean), javaDouble(deviation)].join('\t');
    },
  };
}

const sum = (a: bigint, b: bigint) => BigInt.asIntN(64, a + b);
function larger<Value>(a: Value, b: Value): Value {
  if (b > a) return b;
  return a;
}
function smaller<Value>(a: Value, b: Value): Value {
  if (b < a) return b;
  return a;
}
const same = (text: string) => text;
const makers: Readonly<Record<string, (uniqueLimit: number) => Aggregator>> = {
  LongValueSum: () => single(longOf, sum, String, 0n),
  LongValueMax: () => single(longOf, larger, String),
  LongValueMin: () => single(longOf, smaller, String),
  DoubleValueSum: () => single(doubleOf, (a, b) => a + b, javaDouble, 0),
  StringValueMax: () => single(same, larger, same),
  StringValueMin: () => single(same, smaller, same),
  UniqValueCount: (limit) => uniqueCount(limit),
  ValueHistogram: () => histogram(),
};

/** The function and the id of a key, with what takes its values. @throws Error for a key of no function */
export function aggregatorOf(key: string, uniqueLimit = Number.MAX_SAFE_INTEGER): { readonly id: string; readonly aggregator: Aggregator } {
  const colon = key.indexOf(':');
  const name = key.slice(0, Math.max(0, colon));
  if (colon < 0 || !Object.hasOwn(makers, name))
    throw new Error(`aggregate: the key '${key.slice(0, 100)}' does not begin with one of ${Object.keys(makers).join(', ')} and a colon`);
  return { id: key.slice(colon + 1), aggregator: makers[name]!(uniqueLimit) };
}
