// Keys of the youngest entities, in memory: put in at any place, read from any place on, taken out in their order.
import { type ValueHash, valueDigits } from './info-key.ts';

/** Bits of a hash by which values are kept apart, so that they can be sorted some at a time. */
const partBits = 8;
const halfBits = 28;
const restBits = halfBits - partBits;
const halfSize = 2 ** halfBits;

export class InfoTail {
  /** By the first bits of the hash, then by the others; the ends of the keys behind it, the last first: most are younger than those before. */
  readonly #parts: (Map<number, string[]> | undefined)[] = Array.from({ length: 2 ** partBits });
  #size = 0;

  /** How many keys there are. */
  get size(): number {
    return this.#size;
  }

  /** Whether it was not there. */
  add(value: ValueHash, position: string): boolean {
    const part = (this.#parts[partOf(value)] ??= new Map());
    const rest = restOf(value);
    const ends = part.get(rest);
    if (!ends) part.set(rest, [position]);
    else if (position < ends.at(-1)!) ends.push(position);
    else {
      const at = firstNotAbove(ends, position);
      if (ends[at] === position) return false;
      ends.splice(at, 0, position);
    }
    this.#size += 1;
    return true;
  }

  /** Whether it was there. */
  remove(value: ValueHash, position: string): boolean {
    const part = this.#parts[partOf(value)];
    const rest = restOf(value);
    const ends = part?.get(rest);
    if (!part || !ends) return false;
    const at = firstNotAbove(ends, position);
    if (ends[at] !== position) return false;
    if (ends.length === 1) part.delete(rest);
    else ends.splice(at, 1);
    this.#size -= 1;
    return true;
  }

  /** The ends of the keys of a value, in their order, from a place on (or behind it), at most `most`. */
  from(value: ValueHash, position: string, isInclusive: boolean, most: number): string[] {
    const ends = this.#parts[partOf(value)]?.get(restOf(value));
    if (!ends) return [];
    const equal = firstNotAbove(ends, position);
    let at = isInclusive && ends[equal] === position ? equal : equal - 1;
    const found: string[] = [];
    for (; at >= 0 && found.length < most; at--) found.push(ends[at]!);
    return found;
  }

  /** All keys in their order; they may change meanwhile. */
  *keys(): Generator<string, undefined> {
    for (const [first, part] of this.#parts.entries()) {
      if (!part) continue;
      const keys: string[] = [];
      for (const rest of Float64Array.from(part.keys()).sort()) {
        const value = valueDigits({ high: (first << restBits) | Math.floor(rest / halfSize), low: rest % halfSize });
        const ends = part.get(rest)!;
        for (let at = ends.length - 1; at >= 0; at--) keys.push(value + ends[at]!);
      }
      yield* keys;
    }
  }
}

const partOf = ({ high }: ValueHash): number => high >>> restBits;
const restOf = ({ high, low }: ValueHash): number => (high & ((1 << restBits) - 1)) * halfSize + low;

/** Where the first text stands that is not above another, in a list whose last come first; sooner found, the nearer it is to the end. */
function firstNotAbove(ends: readonly string[], position: string): number {
  let high = ends.length;
  let low = high - 1;
  for (let step = 1; low >= 0 && ends[low]! <= position; step *= 2) {
    high = low;
    low -= step;
  }
  low = Math.max(0, low + 1);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ends[middle]! > position) low = middle + 1;
    else high = middle;
  }
  return low;
}
