// What two checkouts measured, side by side.
import { median } from './load.ts';
import type { BenchReport } from './performance-page.ts';

/** One measure of both; `ratio`: ours by theirs, empty where theirs is nothing. */
export interface Compared {
  readonly name: string;
  readonly unit: string;
  readonly ours: string;
  readonly theirs: string;
  readonly ratio: string;
}

/** The middle of the rounds of each measure that both have. */
export function compared(bench: string, ours: readonly BenchReport[], theirs: readonly BenchReport[]): Compared[] {
  const valuesOf = (reports: readonly BenchReport[], name: string): number[] =>
    reports.flatMap(({ results }) => results[bench]?.filter((measure) => measure.name === name) ?? []).map(({ value }) => value);
  return (ours[0]?.results[bench] ?? []).flatMap(({ name, unit }) => {
    const [own, other] = [valuesOf(ours, name), valuesOf(theirs, name)];
    if (other.length === 0) return [];
    const [here, there] = [median(own), median(other)];
    return [{ name, unit, ours: shown(here), theirs: shown(there), ratio: there === 0 ? '' : (here / there).toFixed(2) }];
  });
}

const shown = (value: number): string => (Math.abs(value) >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3))));
