// How high a chart is. Pure.

/** A line as far as it counts for the scale. */
export interface ScaledLine {
  readonly values: readonly (number | null)[];
  /** What there is of it. */
  readonly isBound?: boolean;
}

const highest = (lines: readonly ScaledLine[]): number =>
  lines.reduce((most, { values }) => values.reduce<number>((top, value) => Math.max(top, value ?? 0), most), 0);

/**
 * Where the axis ends for lines of which the highest value is `high`: a little above it, but at about twice of what there is, so that hundreds of
 * times as much that is asked for do not press everything else flat.
 */
export function topOf(lines: readonly ScaledLine[], high: number): number {
  const bound = highest(lines.filter(({ isBound }) => isBound));
  return Math.max(1, (bound > 0 ? Math.min(high, 2 * bound) : high) * 1.08);
}
