// Times as AppTimeoutInfo writes them: `yyyy-MM-dd'T'HH:mm:ss.SSSZ`, offset without colon, in the machine's zone.
const two = (value: number) => String(value).padStart(2, '0');

/** `2036-01-01T00:00:00.000+0000` in the machine's zone. */
export function formatExpiry(ms: number): string {
  const offset = -new Date(ms).getTimezoneOffset();
  const local = new Date(ms + offset * 60_000).toISOString().slice(0, -1);
  return `${local}${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}${two(Math.abs(offset) % 60)}`;
}
