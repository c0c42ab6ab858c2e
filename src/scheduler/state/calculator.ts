// How two amounts of several resources are compared: by memory alone (Hadoop's DefaultResourceCalculator) or by the dominant share
// (DominantResourceCalculator). All comparisons are relative to a total; nothing here allocates unless it returns a vector.

import type { Resource } from '../../model/resource.ts';

/** Java's float: what Hadoop keeps of a share. */
export const float = Math.fround;

/** Compares, divides and rounds amounts; vectors may be longer than two. */
export interface Calculator {
  readonly kind: 'default' | 'dominant';
  /** Negative, 0 or positive: a against b as shares of the total. */
  compare(total: Resource, a: Resource, b: Resource): number;
  /** a / b as shares of the total, float32. */
  divide(total: Resource, a: Resource, b: Resource): number;
  /** The largest share of a in b, float32. */
  ratio(a: Resource, b: Resource): number;
  /** Whether the total cannot serve as a divisor. */
  empty(total: Resource): boolean;
  /** Whether the amount is within the room, in every type that counts. */
  fits(amount: Resource, room: Resource): boolean;
  /** Makes a worked-out amount one of this calculator, in place; `by` is multiplied to a whole number upwards. */
  made(amount: number[]): number[];
  ceiling(value: number, by: number): number;
}

const at = (vector: Resource, index: number): number => vector[index] ?? 0;

class DefaultCalculator implements Calculator {
  readonly kind = 'default';
  compare(_total: Resource, a: Resource, b: Resource): number {
    return at(a, 0) - at(b, 0);
  }
  divide(_total: Resource, a: Resource, b: Resource): number {
    return this.ratio(a, b);
  }
  ratio(a: Resource, b: Resource): number {
    return float(at(a, 0) / at(b, 0));
  }
  empty(total: Resource): boolean {
    return at(total, 0) === 0;
  }
  fits(amount: Resource, room: Resource): boolean {
    return at(amount, 0) <= at(room, 0);
  }
  /** Memory with one vcore, which does not count. */
  made(amount: number[]): number[] {
    for (let i = 1; i < amount.length; i++) amount[i] = i === 1 && amount[0]! > 0 ? 1 : 0;
    return amount;
  }
  ceiling(value: number, by: number): number {
    return Math.trunc(value * by + 0.5);
  }
}

class DominantCalculator implements Calculator {
  readonly kind = 'dominant';

  compare(total: Resource, a: Resource, b: Resource): number {
    const m = at(total, 0);
    const v = at(total, 1);
    if (total.length > 2) return this.#compareMany(total, a, b);
    if (m <= 0 && v <= 0) return this.#compareWithoutTotal(a, b);
    const am = share(at(a, 0), m);
    const av = share(at(a, 1), v);
    const bm = share(at(b, 0), m);
    const bv = share(at(b, 1), v);
    const byLargest = Math.max(am, av) - Math.max(bm, bv);
    return byLargest !== 0 ? byLargest : Math.min(am, av) - Math.min(bm, bv);
  }

  /** Shares from the largest down; the first that differs decides. */
  #compareMany(total: Resource, a: Resource, b: Resource): number {
    if (this.empty(total)) return this.#compareWithoutTotal(a, b);
    const sharesOfA = total.map((whole, i) => share(at(a, i), whole)).sort((x, y) => y - x);
    const sharesOfB = total.map((whole, i) => share(at(b, i), whole)).sort((x, y) => y - x);
    for (let i = 0; i < sharesOfA.length; i++) {
      const difference = sharesOfA[i]! - sharesOfB[i]!;
      if (difference !== 0) return difference;
    }
    return 0;
  }

  /** Without a total: larger only when larger or equal in all, equal when they disagree. */
  #compareWithoutTotal(a: Resource, b: Resource): number {
    let larger = false;
    let smaller = false;
    const length = Math.max(a.length, b.length);
    for (let i = 0; i < length; i++) {
      if (at(a, i) > at(b, i)) larger = true;
      else if (at(a, i) < at(b, i)) smaller = true;
    }
    if (larger && smaller) return 0;
    return larger ? 1 : smaller ? -1 : 0;
  }

  divide(total: Resource, a: Resource, b: Resource): number {
    let ofA = 0;
    let ofB = 0;
    for (let i = 0; i < total.length; i++) {
      const shareOfA = share(at(a, i), total[i]!);
      const shareOfB = share(at(b, i), total[i]!);
      if (shareOfA > ofA) ofA = shareOfA;
      if (shareOfB > ofB) ofB = shareOfB;
    }
    return float(float(ofA) / float(ofB));
  }

  ratio(a: Resource, b: Resource): number {
    let largest = 0;
    const length = Math.max(a.length, b.length);
    for (let i = 0; i < length; i++) {
      const part = at(a, i) === 0 ? 0 : float(at(a, i) / at(b, i));
      if (part > largest) largest = part;
    }
    return largest;
  }

  fits(amount: Resource, room: Resource): boolean {
    for (let i = 0; i < amount.length; i++) if (amount[i]! > at(room, i)) return false;
    return true;
  }

  made(amount: number[]): number[] {
    return amount;
  }

  ceiling(value: number, by: number): number {
    return Math.ceil(float(value * by));
  }

  empty(total: Resource): boolean {
    for (let i = 0; i < total.length; i++) if (total[i]! > 0) return false;
    return true;
  }
}

const share = (part: number, whole: number): number => (whole === 0 ? (part === 0 ? 0 : Number.POSITIVE_INFINITY) : part / whole);

export const defaultCalculator: Calculator = new DefaultCalculator();
export const dominantCalculator: Calculator = new DominantCalculator();

/** The calculator a class name of `yarn.scheduler.capacity.resource-calculator` asks for; Hadoop's default is the memory one. */
export function calculatorFor(className: string | undefined): Calculator {
  return className?.endsWith('DominantResourceCalculator') ? dominantCalculator : defaultCalculator;
}

/** The smaller (larger) of two whole vectors, by share. */
export function smaller(calculator: Calculator, total: Resource, a: Resource, b: Resource): Resource {
  return calculator.compare(total, a, b) <= 0 ? a : b;
}
export function larger(calculator: Calculator, total: Resource, a: Resource, b: Resource): Resource {
  return calculator.compare(total, a, b) >= 0 ? a : b;
}

/** Below 0 as Java's whole numbers divide: (value + step - 1) / step, cut towards 0 (ResourceCalculator.divideAndCeil). */
const roundUpTo = (value: number, step: number): number => {
  if (step <= 0) return value;
  return (value > 0 ? Math.ceil(value / step) : Math.trunc((value + step - 1) / step)) * step + 0;
};
const roundDownTo = (value: number, step: number): number => (step > 0 ? Math.floor(value / step) * step : value);

/** Each amount times `by`, rounded up to whole numbers and then to multiples of `step`; into a vector of the same length where one is given. */
export function multiplyRoundedUp(calculator: Calculator, amount: Resource, by: number, step: Resource, into = [...amount]): number[] {
  for (let i = 0; i < amount.length; i++) into[i] = roundUpTo(calculator.ceiling(amount[i]!, by), at(step, i));
  return calculator.made(into);
}

/** Each amount times `by`, rounded down to multiples of `step`. */
export function multiplyRoundedDown(calculator: Calculator, amount: Resource, by: number, step: Resource): number[] {
  return calculator.made(amount.map((value, i) => roundDownTo(Math.trunc(value * by), at(step, i))));
}

/** Each amount times `by`, truncated; into a vector of the same length where one is given. */
export function multiplyTruncated(amount: Resource, by: number, into = [...amount]): number[] {
  for (let i = 0; i < amount.length; i++) into[i] = Math.trunc(amount[i]! * by);
  return into;
}

/** Multiples of `step`, upwards or downwards. */
export function roundUp(calculator: Calculator, amount: Resource, step: Resource): number[] {
  const result = [...amount];
  for (let i = 0; i < result.length; i++) result[i] = roundUpTo(result[i]!, at(step, i));
  return calculator.made(result);
}
export function roundDown(calculator: Calculator, amount: Resource, step: Resource): number[] {
  return calculator.made(amount.map((value, i) => roundDownTo(value, at(step, i))));
}

/** The size a request gets: at least the minimum, at most the maximum, in multiples of the step (Hadoop's normalize). */
export function normalizeRequest(amount: Resource, minimum: Resource, maximum: Resource, step: Resource, count: number): number[] {
  const result: number[] = [];
  for (let i = 0; i < count; i++) {
    const stepped = roundUpTo(Math.max(at(amount, i), at(minimum, i)), at(step, i));
    // Rounding goes no further than the maximum; what was asked for is never cut: less than that serves no request.
    result.push(Math.max(at(amount, i), Math.min(stepped, maximum[i] ?? Number.POSITIVE_INFINITY)));
  }
  return result;
}

/** The smaller amount of each type. */
export function componentwiseMin(a: Resource, b: Resource): number[] {
  return a.map((value, i) => Math.min(value, at(b, i)));
}

/** Whether nothing of anything is left. */
export function isNothing(amount: Resource): boolean {
  for (let i = 0; i < amount.length; i++) if (amount[i]! > 0) return false;
  return true;
}
