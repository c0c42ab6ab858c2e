// Numbers as Java reads them: what YARN's servers take as a number in paths, queries and texts.

const form = /^[+-]?\d+$/;
/** What Double.parseDouble and Float.parseFloat read of decimal numbers, without blanks around them. */
export const decimalForm = /^[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?[fFdD]?$/;
const digitsOfLong = 19;
/** A text of no more characters is a number that no rounding changes. */
const exactCharacters = 15;

/** Java's Long.parseLong, exactly; undefined for what it refuses: no digits, other characters, blanks, beyond 64 bits. */
export function parseExactLong(text: string): bigint | undefined {
  if (!form.test(text)) return undefined;
  const digits = text.replace(/^[+-]?0*/, '');
  if (digits.length > digitsOfLong) return undefined;
  const value = text.startsWith('-') ? -BigInt(digits) : BigInt(digits);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** The same as a number: beyond 2^53 the nearest one. */
export function parseLong(text: string): number | undefined {
  // + 0: no zero has a sign.
  if (text.length <= exactCharacters) return form.test(text) ? Number(text) + 0 : undefined;
  const value = parseExactLong(text);
  return value === undefined ? undefined : Number(value);
}

/** Java's Integer.parseInt: as above, within 32 bits. */
export function parseInteger(text: string): number | undefined {
  const value = parseLong(text);
  return value === undefined || value !== (value | 0) ? undefined : value;
}
