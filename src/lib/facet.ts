// What there is to choose from of one kind, with how many things each choice has.

/** A choice with how many things the list would have. */
export interface Choice {
  readonly name: string;
  readonly count: number;
}
/** The choices of a kind, the largest first; `more`: how many are left out. */
export interface Facet {
  readonly values: readonly Choice[];
  readonly more: number;
}

/** The `most` largest of what was counted, and what is chosen in any case; `chosen` undefined: nothing is. */
export function facetOf(tally: ReadonlyMap<string, number>, chosen: ReadonlySet<string> | undefined, most: number): Facet {
  const sorted = [...tally].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
  const values = sorted.slice(0, most);
  const left = [...(chosen ?? [])].filter((name) => !values.some((value) => value.name === name));
  return {
    values: [...values, ...left.map((name) => ({ name, count: tally.get(name) ?? 0 }))],
    more: Math.max(0, sorted.length - most - left.filter((name) => tally.has(name)).length),
  };
}
