// Numbers as Java prints them (Long.toString, Float.toString, Double.toString).
import { withoutTrailing } from '../../lib/trailing.ts';

const longMaximumText = '9223372036854775807';

/** A 64-bit integer; values from 2^63 on become Long.MAX_VALUE, fractions are cut. */
export function longText(value: number | bigint): string {
  if (typeof value === 'bigint') return value.toString();
  if (value >= 2 ** 63) return longMaximumText;
  if (value < -(2 ** 63)) return '-9223372036854775808';
  return Number.isSafeInteger(value) ? String(value) : Number.isNaN(value) ? '0' : BigInt(Math.trunc(value)).toString();
}

/** Digits and exponent of a positive number in Java's form: plain from 10^-3 to 10^7, else `d.dddE±n`. */
function javaForm(text: string): string {
  const [mantissa = '', exponentText] = text.split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  let digits = whole + fraction;
  let point = whole.length + (exponentText ? Number(exponentText) : 0);
  const leading = /^0*/.exec(digits)![0].length;
  digits = withoutTrailing(digits.slice(leading), '0');
  point -= leading;
  if (digits === '') return '0.0';
  if (point > -3 && point <= 7) {
    if (point <= 0) return `0.${'0'.repeat(-point)}${digits}`;
    return digits.length <= point ? `${digits}${'0'.repeat(point - digits.length)}.0` : `${digits.slice(0, point)}.${digits.slice(point)}`;
  }
  return `${digits[0]}.${digits.slice(1) || '0'}E${point - 1}`;
}

function special(value: number): string | undefined {
  if (Number.isNaN(value)) return 'NaN';
  if (value === Number.POSITIVE_INFINITY) return 'Infinity';
  if (value === Number.NEGATIVE_INFINITY) return '-Infinity';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  return undefined;
}

/** The digits of a positive number: the fewest that give it again, but where one is enough the nearest two (`4.9E-324`). */
function shortest(value: number): string {
  const text = String(value);
  const two = value.toPrecision(2);
  return /^\d(?:e|$)/.test(text) && Number(two) === value ? two : text;
}

/** A 64-bit float as Double.toString prints it. */
export function doubleText(value: number): string {
  const known = special(value);
  if (known) return known;
  return value < 0 ? `-${javaForm(shortest(-value))}` : javaForm(shortest(value));
}

/** A 32-bit float as Float.toString prints it: the fewest digits, from two on, that give the same float again. */
export function floatText(value: number): string {
  const single = Math.fround(value);
  const known = special(single);
  if (known) return known;
  if (Number.isInteger(single) && Math.abs(single) < 10_000_000) return `${single}.0`;
  const positive = Math.abs(single);
  for (let precision = 2; precision <= 9; precision++) {
    const text = positive.toPrecision(precision);
    if (Math.fround(Number(text)) === positive) return single < 0 ? `-${javaForm(text)}` : javaForm(text);
  }
  return doubleText(single);
}
