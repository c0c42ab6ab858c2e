/** Dates end here, ms since 1970 (ECMAScript: a hundred million days). */
export const lastMs = 8.64e15;

/** A time in ms since 1970 as ISO 8601 writes it; its digits where no date is so far away. */
export const isoTime = (ms: number | bigint): string => {
  const at = Number(ms);
  return Math.abs(at) <= lastMs ? new Date(at).toISOString() : String(ms);
};
