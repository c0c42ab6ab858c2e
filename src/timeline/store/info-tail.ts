// Keys of the youngest entities, in memory: put in at any place, read from any place on, taken out in their order.
/** Digits of a key by which the keys are kept apart, so that they can be sorted some at a time. */
const partDigits = 2;
const parts = 16 ** partDigits;

export class InfoTail {
  /** By the first digits, then by value; the ends of the keys behind it, the last first: most are younger than those before. */
  readonly #parts: (Map<string, string[]> | undefined)[] = [];
  #size = 0;

  /** How many keys there are. */
  get size(): number {
    return this.#size;
  }

  /** Whether it was not there. */
  add(value: string, position: string): boolean {
    const part = (this.#parts[partOf(value)] ??= new Map());
    const ends = part.get(value);
    if (!ends) part.set(value, [position]);
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
  remove(value: string, position: string): boolean {
    const part = this.#parts[partOf(value)];
    const ends = part?.get(value);
    if (!part || !ends) return false;
    const at = firstNotAbove(ends, position);
    if (ends[at] !== position) return false;
    if (ends.length === 1) part.delete(value);
    else ends.splice(at, 1);
    this.#size -= 1;
    return true;
  }

  /** The ends of the keys of a value, in their order, from a place on (or behind it), at most `most`. */
  from(value: string, position: string, isInclusive: boolean, most: number): string[] {
    const ends = this.#parts[partOf(value)]?.get(value);
    if (!ends) return [];
    const equal = firstNotAbove(ends, position);
    let at = isInclusive && ends[equal] === position ? equal : equal - 1;
    const found: string[] = [];
    for (; at >= 0 && found.length < most; at--) found.push(ends[at]!);
    return found;
  }

  /** All keys in their order; they may change meanwhile. */
  *keys(): Generator<string, undefined> {
    for (let part = 0; part < parts; part++) {
      const keys: string[] = [];
      for (const [value, ends] of this.#parts[part] ?? []) for (const end of ends) keys.push(value + end);
      yield* keys.sort();
    }
  }
}

const partOf = (value: string): number => Number.parseInt(value.slice(0, partDigits), 16);

/** Where the first text stands that is not above another, in a list whose last come first. */
function firstNotAbove(ends: readonly string[], position: string): number {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ends[middle]! > position) low = middle + 1;
    else high = middle;
  }
  return low;
}
