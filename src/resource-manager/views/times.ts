// Times as AppTimeoutInfo writes them: `yyyy-MM-dd'T'HH:mm:ss.SSSZ`, offset without colon, in the machine's zone.
import { lastMs } from '../../lib/iso-time.ts';

const two = (value: number) => String(value).padStart(2, '0');

/** `2036-01-01T00:00:00.000+0000` in the machine's zone; the last date there is for what lies beyond it. */
export function formatExpiry(ms: number): string {
  const at = Math.min(ms, lastMs);
  const offset = -new Date(at).getTimezoneOffset();
  const local = new Date(Math.min(at + offset * 60_000, lastMs)).toISOString().slice(0, -1);
  return `${local}${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}${two(Math.abs(offset) % 60)}`;
}
