// Java's long: a whole number of 64 bits that begins again at its other end when it becomes too large.
import { parseExactLong } from './java-number.ts';

/** A number as far as those are exact, else a bigint. */
export type Long = number | bigint;

/** The value in 64 bits. */
export function longOf(value: bigint): Long {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : BigInt.asIntN(64, value);
}

const exact = (value: Long): bigint => (typeof value === 'number' ? BigInt(Math.trunc(value)) : value);

/** The sum, as Java adds; what no Java has, parts of one, adds as it is. */
export function addLongs(left: Long, right: Long): Long {
  if (typeof left === 'number' && typeof right === 'number') {
    const sum = left + right;
    if (Number.isSafeInteger(sum) || !Number.isInteger(left) || !Number.isInteger(right)) return sum;
  }
  return longOf(exact(left) + exact(right));
}

/** The larger one. */
export const largerLong = (left: Long, right: Long): Long => (left < right ? right : left);

/** What Long.parseLong reads; undefined for what it refuses. */
export function parseLongExactly(text: string): Long | undefined {
  const value = parseExactLong(text);
  return value === undefined ? undefined : longOf(value);
}

/** As JSON has it: decimal digits where a number would be rounded. */
export const longAsJson = (value: Long): number | string => (typeof value === 'number' ? value : String(value));

/** The value of what {@link longAsJson} made. @throws SyntaxError for a text that is no whole number */
export const longFromJson = (value: number | string): Long => (typeof value === 'number' ? value : longOf(BigInt(value)));
