// What was told of the keys of the youngest entities, in memory: a list that only grows at its end, so that a put costs little and what a failed change
// told is cut off again. It is read from any place on, and taken out in the order of the keys.
import { type ValueHash, valueDigits } from './info-key.ts';

/** Bits of a hash by which keys are sorted first, so that the rest can be done some at a time. */
const partBits = 8;
const halfBits = 28;
const parts = 1 << partBits;
/** How many chains there are; about as many as keys, of which most are alone then. */
const chainBits = 16;
const firstCapacity = 1 << 10;
const none = -1;

export class InfoTail {
  /** Where the last telling of each chain stands, and which came before each in its chain. */
  readonly #lastOf = new Int32Array(1 << chainBits).fill(none);
  #before = new Int32Array(firstCapacity);
  #high = new Int32Array(firstCapacity);
  #low = new Int32Array(firstCapacity);
  /** 1: the key is there no more. */
  #isGone = new Uint8Array(firstCapacity);
  /** The ends of keys, behind their values. */
  #positions: string[] = [];

  /** How much was told: keys that are there, or are no more. */
  get length(): number {
    return this.#positions.length;
  }

  /** A key is there. */
  add(value: ValueHash, position: string): void {
    this.#tell(value, position, 0);
  }

  /** A key is there no more. */
  remove(value: ValueHash, position: string): void {
    this.#tell(value, position, 1);
  }

  #tell({ high, low }: ValueHash, position: string, isGone: 0 | 1): void {
    const at = this.#positions.length;
    if (at === this.#high.length) this.#grow();
    const chain = chainOf(high);
    this.#before[at] = this.#lastOf[chain]!;
    this.#lastOf[chain] = at;
    this.#high[at] = high;
    this.#low[at] = low;
    this.#isGone[at] = isGone;
    this.#positions.push(position);
  }

  #grow(): void {
    const grown = <Numbers extends Int32Array | Uint8Array>(list: Numbers, longer: Numbers): Numbers => {
      longer.set(list);
      return longer;
    };
    const capacity = 2 * this.#high.length;
    this.#before = grown(this.#before, new Int32Array(capacity));
    this.#high = grown(this.#high, new Int32Array(capacity));
    this.#low = grown(this.#low, new Int32Array(capacity));
    this.#isGone = grown(this.#isGone, new Uint8Array(capacity));
  }

  /** Forgets what was told last, down to a length that there was. */
  cut(length: number): void {
    for (let at = this.#positions.length - 1; at >= length; at--) this.#lastOf[chainOf(this.#high[at]!)] = this.#before[at]!;
    this.#positions.length = Math.min(length, this.#positions.length);
  }

  /** The ends of the keys of a value, in their order, from a place on (or behind it), at most `most`. */
  from({ high, low }: ValueHash, position: string, isInclusive: boolean, most: number): string[] {
    let found = new Set<string>();
    const gone = new Set<string>();
    let bound: string | undefined;
    // What was told last of a key counts.
    for (let at = this.#lastOf[chainOf(high)]!; at !== none; at = this.#before[at]!) {
      if (this.#low[at] !== low || this.#high[at] !== high) continue;
      const end = this.#positions[at]!;
      if (end < position || (bound !== undefined && end > bound) || (end === position && !isInclusive)) continue;
      if (this.#isGone[at] === 0) {
        if (!gone.has(end)) found.add(end);
      } else if (!found.has(end)) gone.add(end);
      if (found.size < 2 * most) continue;
      const first = firstOf(found, most);
      bound = first.at(-1);
      found = new Set(first);
    }
    return firstOf(found, most);
  }

  /** All keys in their order; more may be told meanwhile. */
  *keys(): Generator<string, undefined> {
    const { order, ends } = this.#byParts();
    for (let part = 0, begin = 0; part < parts; part++) {
      const end = ends[part]!;
      yield* this.#keysOf(order.subarray(begin, end));
      begin = end;
    }
  }

  /** All tellings, those whose values begin with the same bits together; `ends`: where those of each part end. */
  #byParts(): { order: Int32Array; ends: Int32Array } {
    const count = this.length;
    const ends = new Int32Array(parts);
    for (let at = 0; at < count; at++) ends[partOf(this.#high[at]!)]!++;
    for (let part = 1; part < parts; part++) ends[part]! += ends[part - 1]!;
    const order = new Int32Array(count);
    const next = ends.slice();
    for (let at = count - 1; at >= 0; at--) order[--next[partOf(this.#high[at]!)]!] = at;
    return { order, ends };
  }

  /** The keys that some tellings leave, in their order. */
  #keysOf(tellings: Int32Array): string[] {
    const [high, low, positions] = [this.#high, this.#low, this.#positions];
    const isSameKey = (left: number, right: number) =>
      high[left] === high[right] && low[left] === low[right] && positions[left] === positions[right];
    tellings.sort((left, right) => {
      const byValue = high[left]! - high[right]! || low[left]! - low[right]!;
      if (byValue !== 0) return byValue;
      const [first, second] = [positions[left]!, positions[right]!];
      return first < second ? -1 : first > second ? 1 : left - right;
    });
    const keys: string[] = [];
    for (const [place, at] of tellings.entries()) {
      const isLast = place + 1 === tellings.length || !isSameKey(at, tellings[place + 1]!);
      if (isLast && this.#isGone[at] === 0) keys.push(valueDigits({ high: high[at]!, low: low[at]! }) + positions[at]!);
    }
    return keys;
  }
}

const chainOf = (high: number): number => high & ((1 << chainBits) - 1);
const partOf = (high: number): number => high >>> (halfBits - partBits);

const firstOf = (found: Iterable<string>, most: number): string[] => [...found].sort().slice(0, most);
