// Two jobs beside each other. Pure.

/** What one thing is in the first and in the second. */
export interface Pair<T> {
  readonly name: string;
  readonly a: T;
  readonly b: T;
}

interface Group {
  readonly name: string;
  readonly counters: readonly { readonly name: string; readonly total: number }[];
}

/** Every counter of either; 0 where one did not count it. In the order of the first, then what the second alone has. */
export function comparedCounters(a: readonly Group[], b: readonly Group[]): (Pair<number> & { readonly group: string })[] {
  const found = new Map<string, { group: string; name: string; a: number; b: number }>();
  const enter = (groups: readonly Group[], side: 'a' | 'b') => {
    for (const group of groups)
      for (const { name, total } of group.counters) {
        const key = `${group.name}\n${name}`;
        const pair = found.get(key) ?? { group: group.name, name, a: 0, b: 0 };
        pair[side] = total;
        found.set(key, pair);
      }
  };
  enter(a, 'a');
  enter(b, 'b');
  return [...found.values()];
}

interface Setting {
  readonly name: string;
  readonly value?: string;
}

/** Settings whose values differ, by name; undefined where one has none. */
export function comparedSettings(a: readonly Setting[], b: readonly Setting[]): Pair<string | undefined>[] {
  const [first, second] = [a, b].map((settings) => new Map(settings.map(({ name, value = '' }) => [name, value])));
  return [...new Set([...first!.keys(), ...second!.keys()])]
    .filter((name) => first!.get(name) !== second!.get(name))
    .toSorted()
    .map((name) => ({ name, a: first!.get(name), b: second!.get(name) }));
}
