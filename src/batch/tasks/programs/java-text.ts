// Numbers as Java writes them.

/** `number` in decimal or scientific notation, by the digits that JavaScript's notation of it has. */
function javaDigits(number: number, plain: string, scientific: string): string {
  if (!Number.isFinite(number)) return Number.isNaN(number) ? 'NaN' : number > 0 ? 'Infinity' : '-Infinity';
  if (number === 0) return Object.is(number, -0) ? '-0.0' : '0.0';
  const size = Math.abs(number);
  const text = size >= 1e-3 && size < 1e7 ? plain : scientific.replace('e+', 'E').replace('e', 'E');
  const [digits, exponent] = text.split('E');
  return `${digits!.includes('.') ? digits : `${digits}.0`}${exponent === undefined ? '' : `E${exponent}`}`;
}

/** A double as Java 19 and later write it (Double.toString): the fewest digits, at least two, that tell it from its neighbours. */
export function javaDouble(number: number): string {
  const twoDigits = number.toExponential(1);
  return javaDigits(number, String(number), Number(twoDigits) === number ? twoDigits : number.toExponential());
}

/** Digits after the first that tell any float of 32 bits from its neighbours. */
const floatDigits = 8;

/** A float of 32 bits as Java writes it (Float.toString), likewise. */
export function javaFloat(number: number): string {
  let digits = 1;
  while (digits < floatDigits && Math.fround(Number(number.toExponential(digits))) !== number) digits++;
  const scientific = number.toExponential(digits);
  return javaDigits(number, String(Number(scientific)), scientific);
}
