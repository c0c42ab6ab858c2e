// How high a chart is. Pure.

/** A line as far as it counts for the scale. */
export interface ScaledLine {
  readonly values: readonly (number | null)[];
  /** What there is of it. */
  readonly isBound?: boolean;
}

/** Steps between lines of amounts that come in powers of two, in MiB, and of counts; parts of 1 where those are amounts, too. */
const memorySteps = [1, 2, 5, 10, 20, 50, 100, ...Array.from({ length: 24 }, (_, power) => 256 * 2 ** power)];
const countSteps = Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();
const parts = [0.1, 0.2, 0.5];

/** What a chart measures; `fine`: counts of which parts are amounts, too. */
export type Measured = 'memory' | 'count' | 'fine';

/** How far lines of the axis may stand from each other. */
export const stepsOf = (measured: Measured): readonly number[] =>
  measured === 'memory' ? memorySteps : measured === 'count' ? countSteps : [...parts, ...countSteps];

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

/** Samples that a page of keys goes over. */
const samplesPerPage = 10;

/** Which of `count` samples a key leads to from the one that is pointed at, or from now: `now` is none of them; undefined: the key leads nowhere. */
export function movedTo(key: string, pointed: number | undefined, count: number): number | 'now' | undefined {
  const at = pointed ?? count;
  const to = (sample: number) => Math.max(0, Math.min(count - 1, sample));
  if (key === 'ArrowLeft' || key === 'ArrowDown') return to(at - 1);
  if (key === 'ArrowRight' || key === 'ArrowUp') return to(at + 1);
  if (key === 'PageDown') return to(at - samplesPerPage);
  if (key === 'PageUp') return to(at + samplesPerPage);
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  return key === 'Escape' && pointed !== undefined ? 'now' : undefined;
}
