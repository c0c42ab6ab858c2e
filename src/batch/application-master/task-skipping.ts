// Which records of a task's input its attempts leave out. Each failed attempt in skipping mode says where it was; a range that is too large to be given
// up is halved by trials, attempts that work on one half alone and count as failed whatever comes of them (TaskInProgress.FailedRanges of Hadoop 1).
import { fields, type JsonOf, many, optional, whole } from '../../lib/json-shape.ts';
import {
  allFrom,
  commonRange,
  endOf,
  type RecordRange,
  recordRange,
  type SkippingPlan,
  withRange,
} from '../tasks/skipping/record-ranges.ts';

/** What is known of a task's records. */
export const skippingState = fields({
  /** Attempts that failed, under all masters. */
  failures: whole({ minimum: 0 }),
  leftOut: many(recordRange),
  /** Holds a record that fails attempts, and is too large to be left out. */
  suspected: optional(recordRange),
});
export type SkippingState = JsonOf<typeof skippingState>;

/** The rules of a kind of tasks. */
export interface SkippingRules {
  /** How many records may be left out around one that fails. */
  readonly most: number;
  /** After so many failed attempts records are told of, and left out. */
  readonly startAfterFailures: number;
}

/** How an attempt of the task failed. */
export interface FailedAttempt {
  /** What it was told to leave out; undefined: it ran without skipping. */
  readonly skipping: SkippingPlan | undefined;
  /** What was at work when it ended; undefined: it had not begun. */
  readonly nextRecords: RecordRange | undefined;
  readonly trialPassed: boolean;
}

/** The first half of a range: that on which a trial works. */
const firstHalf = ({ first, count }: RecordRange): RecordRange => ({ first, count: Math.floor(count / 2) });
function secondHalf(range: RecordRange): RecordRange {
  const first = endOf(firstHalf(range));
  return { first, count: endOf(range) - first };
}

/** Skipping in one task, from its first attempt to its last. */
export class TaskSkipping {
  readonly #rules: SkippingRules;
  #state: SkippingState;
  /** Made anew when what is known changes, so that an attempt can be asked whether it ran by it. */
  #plan: SkippingPlan | undefined;

  constructor(rules: SkippingRules, state: SkippingState = { failures: 0, leftOut: [] }) {
    this.#rules = rules;
    this.#state = state;
    this.#plan = this.#planOf();
  }

  get state(): SkippingState {
    return this.#state;
  }
  /** What the next attempt leaves out; undefined: skipping has not begun. */
  get plan(): SkippingPlan | undefined {
    return this.#plan;
  }

  #planOf(): SkippingPlan | undefined {
    const { failures, leftOut, suspected } = this.#state;
    if (failures < this.#rules.startAfterFailures) return undefined;
    if (suspected === undefined) return { leftOut, isTrial: false };
    const tried = firstHalf(suspected);
    const others = [{ first: 0, count: tried.first }, allFrom(endOf(tried))];
    return { leftOut: others.reduce(withRange, leftOut), isTrial: true };
  }

  /** Takes in that an attempt failed. Of one that ran by an older plan nothing is learnt about records. */
  failed({ skipping, nextRecords, trialPassed }: FailedAttempt): void {
    const failures = this.#state.failures + 1;
    const bad = skipping === undefined || skipping !== this.#plan ? undefined : this.#badRange(nextRecords, trialPassed);
    this.#state = { ...this.#state, failures };
    if (bad !== undefined) this.#suspect(bad);
    if (bad !== undefined || this.#plan === undefined) this.#plan = this.#planOf();
  }

  /** Where a record that fails attempts must be; undefined: the attempt ended before it had to do with records. */
  #badRange(nextRecords: RecordRange | undefined, trialPassed: boolean): RecordRange | undefined {
    const { suspected } = this.#state;
    if (suspected === undefined) return nextRecords;
    if (trialPassed) return secondHalf(suspected);
    return nextRecords && (commonRange(nextRecords, firstHalf(suspected)) ?? firstHalf(suspected));
  }

  #suspect(bad: RecordRange): void {
    const { failures, leftOut } = this.#state;
    this.#state = bad.count <= this.#rules.most ? { failures, leftOut: withRange(leftOut, bad) } : { failures, leftOut, suspected: bad };
  }
}
