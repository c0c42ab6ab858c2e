// The order of texts in our databases, for lists that are put together in memory.

const firstSurrogate = 0xd800;

/** Compares as SQLite does: by bytes of UTF-8, which differs from JavaScript's order where characters take two units. */
export function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  const both = Math.min(left.length, right.length);
  let at = 0;
  while (at < both && left.charCodeAt(at) === right.charCodeAt(at)) at++;
  // Below the surrogates the two orders are the same.
  if (at < both && left.charCodeAt(at) >= firstSurrogate && right.charCodeAt(at) >= firstSurrogate)
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  return left < right ? -1 : 1;
}
