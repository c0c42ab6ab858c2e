// What headers of answers may hold: values of input end up in them, above all in addresses.
import type { Headers } from './answers.ts';

/** Whether a header may hold the value: no control characters, and nothing beyond one byte a character. */
const isHeaderValue = (value: string): boolean => !/[^\t\x20-\x7e\x80-\xff]/.test(value);

/** The name of a header that cannot be sent; undefined where all can. */
export function unsendableHeader(headers: Headers | undefined): string | undefined {
  for (const [name, value] of Object.entries(headers ?? {})) if (![value].flat().every(isHeaderValue)) return name;
  return undefined;
}

/** An address with every character escaped that is more than ASCII. Control characters stay: who put them there is refused. */
export const asciiAddress = (url: string): string => url.toWellFormed().replace(/[^\p{ASCII}]+/gu, encodeURIComponent);
