// Times as AppTimeoutInfo writes and reads them: `yyyy-MM-dd'T'HH:mm:ss.SSSZ`, offset without colon, in the machine's zone.
import { failure } from '../../model/errors.ts';

const two = (value: number) => String(value).padStart(2, '0');

/** `2036-01-01T00:00:00.000+0000` in the machine's zone. */
export function formatExpiry(ms: number): string {
  const offset = -new Date(ms).getTimezoneOffset();
  const local = new Date(ms + offset * 60_000).toISOString().slice(0, -1);
  return `${local}${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}${two(Math.abs(offset) % 60)}`;
}

/** The parts of the form with the text they need; the first that does not match is where parsing stops. */
const parts: readonly RegExp[] = [
  /^\d{4}/,
  /^-/,
  /^\d{2}/,
  /^-/,
  /^\d{2}/,
  /^T/,
  /^\d{2}/,
  /^:/,
  /^\d{2}/,
  /^:/,
  /^\d{2}/,
  /^\./,
  /^\d{3}/,
  /^[+-]\d{4}/,
];

/** ms since the epoch of an expiry text. @throws Failure TIMEOUT_NOT_PARSABLE naming where it stops making sense */
export function parseExpiry(text: string): number {
  let index = 0;
  for (const part of parts) {
    const match = part.exec(text.slice(index));
    if (!match) throw failure('TIMEOUT_NOT_PARSABLE', { text, index });
    index += match[0].length;
  }
  if (index < text.length) throw failure('TIMEOUT_NOT_PARSABLE', { text, index });
  const ms = Date.parse(`${text.slice(0, 26)}:${text.slice(26)}`);
  if (Number.isNaN(ms)) throw failure('TIMEOUT_NOT_PARSABLE', { text, index: 0 });
  return ms;
}
