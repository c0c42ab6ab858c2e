// How far the clock of a browser is from that of the server: times that a page shows are the server's.

/** The header has whole seconds. */
const secondMs = 1000;
/** Less does not show, ms. */
const leastMs = 3000;
/** What was found before stays until it is off by so much: ages do not jump to and fro. */
const jitterMs = 2000;

/**
 * What has to be added to the browser's clock, ms. `dateMs`: when the server answered, by its own clock, in whole seconds; the request left and its answer
 * came at two moments of the browser's. Within them the server's clock may stand for what it likes.
 */
export function clockOffset(known: number, askedMs: number, answeredMs: number, dateMs: number): number {
  const earliest = dateMs - answeredMs;
  const latest = dateMs + secondMs - askedMs;
  if (latest < earliest || Number.isNaN(dateMs)) return known;
  if (known !== 0 && known >= earliest - jitterMs && known <= latest + jitterMs) return known;
  const offset = Math.round((earliest + latest) / 2);
  return earliest <= leastMs && latest >= -leastMs ? 0 : offset;
}
