// The keys by which entities are found that have a value of other info: those of one value stand together, newest start first, equal ones by id.
// They are texts whose order is the same in JavaScript and in the database.

/** Where an entity stands among those of its type. */
export interface Position {
  readonly startMs: number;
  readonly id: string;
}

const hashDigits = 7;
/** How long the part of a key is that all of one value share, in characters. */
export const valueLength = 2 * hashDigits;
const startLength = 15;
const ascii = /^[\0-\x7f]*$/;

/** 56 bits of the hash of a value, in halves. Others may share it: what is found by it is looked at. */
export interface ValueHash {
  readonly high: number;
  readonly low: number;
}

/** The hash of a value of other info; where an `expression` of the value is written down (valueKey), it is that of the value. */
export function valueHash(type: string, name: string, expression: string): ValueHash {
  const lanes: Lanes = [0x811c9dc5, 0x9e3779b9];
  mix(lanes, type);
  mix(lanes, name);
  mix(lanes, expression);
  return { high: avalanche(lanes[0]) >>> 4, low: avalanche(lanes[1]) >>> 4 };
}

/** What the keys of a value begin with. */
export const valueDigits = ({ high, low }: ValueHash): string => halfDigits(high) + halfDigits(low);

const halfDigits = (half: number): string => half.toString(16).padStart(hashDigits, '0');

/** The rest of a key. Start times are whole numbers that JavaScript holds exactly. */
export function positionDigits({ startMs, id }: Position): string {
  const [sign, size] = startMs >= 0 ? ['0', Number.MAX_SAFE_INTEGER - startMs] : ['1', Math.min(-startMs, Number.MAX_SAFE_INTEGER)];
  return `${sign}${size.toString(16).padStart(startLength - 1, '0')}${bytesOf(id)}`;
}

/** The place that a key, or the end of one behind its value, tells of. */
export function positionOf(digits: string): Position {
  const size = Number.parseInt(digits.slice(1, startLength), 16);
  const id = digits.slice(startLength);
  return {
    startMs: digits.startsWith('0') ? Number.MAX_SAFE_INTEGER - size : -size,
    id: ascii.test(id) ? id : Buffer.from(id, 'latin1').toString(),
  };
}

/** A text with a character for each byte, so that it is ordered by them as the database orders. */
const bytesOf = (id: string): string => (ascii.test(id) ? id : Buffer.from(id).toString('latin1'));

type Lanes = [first: number, second: number];

/** FNV-1a in two lanes of 32 bits; a part ends with what no character of it can be. */
function mix(lanes: Lanes, part: string): void {
  let [first, second] = lanes;
  for (let at = 0; at < part.length; at++) {
    const code = part.charCodeAt(at);
    first = Math.imul(first ^ code, 0x01000193);
    second = Math.imul(second ^ code, 0x85ebca6b);
  }
  lanes[0] = Math.imul(first ^ 0x10000, 0x01000193);
  lanes[1] = Math.imul(second ^ 0x10000, 0x85ebca6b);
}

/** Spreads each bit over all (the last step of MurmurHash3). */
function avalanche(lane: number): number {
  let mixed = lane ^ (lane >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
