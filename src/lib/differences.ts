// Where two maps of texts differ.

/** One key that is, or would be, another; undefined: not there. */
export interface Difference {
  readonly key: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** Keys that differ, by name. */
export function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): Difference[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .sort()
    .map((key) => ({ key, from: before.get(key), to: after.get(key) }))
    .filter(({ from, to }) => from !== to);
}
