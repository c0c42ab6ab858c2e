// What a module says of its keys: their order, their groups, their reduces.
import type { JobModule } from '../../index.ts';
import type { KeyComparator } from '../record-sort.ts';
import { textOf } from './module-values.ts';

/** The first comparisons, and then each of so many, are asked the other way round, too. */
const firstChecked = 512;
const checkedOf = 64;
const shownCharacters = 60;

/** What a function answered that is not waited for. @throws TypeError where it is a promise */
export function answered<Value>(name: string, value: Value): Value {
  if (typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function')
    throw new TypeError(`${name} answered a promise, and is not waited for: map, reduce, setup and cleanup alone may be asynchronous`);
  return value;
}

/** Whether `group` puts keys together. @throws TypeError where it answers as a comparison does: 0, which is false, would mean the same key */
export function isOneGroup(group: NonNullable<JobModule['group']>, left: string, right: string): boolean {
  const same: unknown = answered('group', group(left, right));
  if (typeof same === 'number') throw new TypeError(`group answered ${same}: it says by true or false whether two keys belong together`);
  return Boolean(same);
}

/** The reduce that `partition` chooses. @throws TypeError where it is no whole number */
export function chosenPartition(partition: NonNullable<JobModule['partition']>, key: string, reduces: number): number {
  const chosen = answered('partition', partition(key, reduces));
  if (!Number.isInteger(chosen)) throw new TypeError(`partition answered ${String(chosen)}, which is no whole number`);
  return chosen;
}

/** A comparison of strings as one of bytes. */
export function comparator(compare: (left: string, right: string) => number): KeyComparator {
  return (left, leftStart, leftEnd, right, rightStart, rightEnd) => {
    const order = compare(textOf(left, leftStart, leftEnd), textOf(right, rightStart, rightEnd));
    if (typeof order !== 'number' || Number.isNaN(order)) throw new TypeError(`compare answered ${String(order)}, which is no number`);
    return order;
  };
}

/** A key in a sentence. */
export const shownKey = (key: string): string => JSON.stringify(key.length > shownCharacters ? `${key.slice(0, shownCharacters)}…` : key);

/**
 * The order of a module, of which some answers are asked the other way round. @throws TypeError where both do not fit: records would come in
 * any order, and keys that differ, or parts of one, would be groups
 */
export function consistent(compare: (left: string, right: string) => number): (left: string, right: string) => number {
  let calls = 0;
  return (left, right) => {
    const order = compare(left, right);
    if ((calls++ < firstChecked || calls % checkedOf === 0) && typeof order === 'number' && !Number.isNaN(order)) {
      const back = compare(right, left);
      if (Math.sign(order) + Math.sign(back) !== 0)
        throw new TypeError(
          `compare contradicts itself: it answered ${String(order)} for ${shownKey(left)} and ${shownKey(right)}, and ${String(back)} the other way round (below 0: the left key comes first; 0: they are equal)`,
        );
    }
    return order;
  };
}
