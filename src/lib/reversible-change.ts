// Changes of maps that are taken back when they could not be stored.

/** Takes a change back, as far as what it set is still there. */
export type Undo = () => void;

/** Sets an entry, or removes it for undefined; the answer puts back what was there before, unless the entry is another one by then. */
export function changeEntry<K, V>(map: Map<K, V>, key: K, value: V | undefined): Undo {
  const put = (wanted: V | undefined) => {
    if (wanted === undefined) map.delete(key);
    else map.set(key, wanted);
  };
  const before = map.get(key);
  put(value);
  return () => {
    if (map.get(key) === value) put(before);
  };
}

/** Waits for the writes of a change. Where one fails all of them are awaited, then the change is taken back, the last part first; `failed` makes the error. */
export async function storedOrUndone(
  writes: readonly Promise<void>[],
  undos: readonly Undo[],
  failed: (error: unknown) => Error,
): Promise<void> {
  const problem = (await Promise.allSettled(writes)).find((outcome) => outcome.status === 'rejected');
  if (!problem) return;
  for (const undo of undos.toReversed()) undo();
  throw failed(problem.reason);
}
