// Changes of maps that count at once and are taken back when they could not be stored (docs/protocol.md, P1).
import { UnsavedValues } from './unsaved-values.ts';

/** A change that was made and is being stored; one of the two is called, once. */
export interface ReversibleChange {
  /** It is durable. */
  keep?(): void;
  /** Takes it back, as far as what it set is still there. */
  undo(): void;
}

const unsavedEntries = new WeakMap<object, UnsavedValues<unknown>>();

/** Keys of entries that a refused change may have reached all the same: a write that failed may have been made. */
const doubtfulEntries = new WeakMap<object, Set<unknown>>();

function doubtfulOf(map: object): Set<unknown> {
  const known = doubtfulEntries.get(map) ?? new Set<unknown>();
  doubtfulEntries.set(map, known);
  return known;
}

/** Whether what an entry is now is what is durable; else it is to be written before anybody is told that it is so. */
export const isDurable = (map: object, key: unknown): boolean => !unsavedOf(map).isPending(key) && !doubtfulOf(map).has(key);

function unsavedOf(map: object): UnsavedValues<unknown> {
  const known = unsavedEntries.get(map) ?? new UnsavedValues<unknown>();
  unsavedEntries.set(map, known);
  return known;
}

/** Sets an entry, or removes it for undefined; taken back it is what is durable, unless the entry is another one by then. */
export function changeEntry<K, V>(map: Map<K, V>, key: K, value: V | undefined): ReversibleChange {
  const put = (wanted: V | undefined) => {
    if (wanted === undefined) map.delete(key);
    else map.set(key, wanted);
  };
  const unsaved = unsavedOf(map).begin(key, map.get(key));
  put(value);
  return {
    keep() {
      doubtfulOf(map).delete(key);
      unsaved.kept(value);
    },
    undo() {
      doubtfulOf(map).add(key);
      unsaved.refused((kept) => {
        if (map.get(key) === value) put(kept);
      });
    },
  };
}

/** Waits for the writes of a change. Where one fails all of them are awaited, then the change is taken back, the last part first; `failed` makes the error. */
export async function storedOrUndone(
  writes: readonly Promise<void>[],
  changes: readonly ReversibleChange[],
  failed: (error: unknown) => Error,
): Promise<void> {
  const problem = (await Promise.allSettled(writes)).find((outcome) => outcome.status === 'rejected');
  if (!problem) {
    for (const change of changes) change.keep?.();
    return;
  }
  for (const change of changes.toReversed()) change.undo();
  throw failed(problem.reason);
}
