// Which records of a task's input are left out: runs of them, by their numbers (SortedRanges of Hadoop). Groups of a reduce are numbered likewise.
import { fields, type JsonOf, many, truth, whole } from '../../../lib/json-shape.ts';

/** So many records from number `first` on; the first of a task's input is 0. */
export const recordRange = fields({ first: whole({ minimum: 0 }), count: whole({ minimum: 0 }) });
export type RecordRange = JsonOf<typeof recordRange>;

/** What an attempt leaves out. A trial works on part of what is suspected, to see whether the record that fails the task is there. */
export const skippingPlan = fields({ leftOut: many(recordRange), isTrial: truth() });
export type SkippingPlan = JsonOf<typeof skippingPlan>;

/** Behind all numbers of records. */
const endless = Number.MAX_SAFE_INTEGER;

/** The number behind the last one of a range. */
export const endOf = ({ first, count }: RecordRange): number => first + count;

/** All records from a number on. */
export const allFrom = (first: number): RecordRange => ({ first, count: endless - first });

/** What two ranges have in common; undefined: nothing. */
export function commonRange(one: RecordRange, other: RecordRange): RecordRange | undefined {
  const first = Math.max(one.first, other.first);
  const count = Math.min(endOf(one), endOf(other)) - first;
  return count > 0 ? { first, count } : undefined;
}

/** The ranges with one more among them: in order, with records between each two. */
export function withRange(ranges: readonly RecordRange[], added: RecordRange): readonly RecordRange[] {
  if (added.count === 0) return ranges;
  let { first } = added;
  let end = endOf(added);
  const apart: RecordRange[] = [];
  for (const range of ranges) {
    if (endOf(range) < first || range.first > end) apart.push(range);
    else {
      first = Math.min(first, range.first);
      end = Math.max(end, endOf(range));
    }
  }
  return [...apart, { first, count: end - first }].sort((a, b) => a.first - b.first);
}

/** The first number from `from` on that is in none of the ranges; undefined where none is. */
export function nextKept(ranges: readonly RecordRange[], from: number): number | undefined {
  for (const range of ranges) if (range.first <= from && endOf(range) > from) from = endOf(range);
  return from < endless ? from : undefined;
}
