// Filters kept under names in the browser, a list of them for each list that is filtered.

/** A filter: the parameters of the address that it is made of. */
export interface KeptFilter {
  readonly name: string;
  readonly filter: Readonly<Record<string, string>>;
}

/** Where they are kept; a browser that keeps nothing throws, for some when it is looked for. */
type Keeper = () => Pick<Storage, 'getItem' | 'setItem'>;

/** A list has at most so many; the oldest go. */
const mostFilters = 12;
const keyOf = (list: string): string => `heddle.filters.${list}`;

const isKept = (value: unknown): value is KeptFilter => {
  const { name, filter } = (value ?? {}) as Partial<KeptFilter>;
  return (
    typeof name === 'string' &&
    typeof filter === 'object' &&
    filter !== null &&
    Object.values(filter).every((each) => typeof each === 'string')
  );
};

/** Those of a list; what others wrote there is left out. */
export function keptFilters(keeper: Keeper, list: string): readonly KeptFilter[] {
  try {
    const kept: unknown = JSON.parse(keeper().getItem(keyOf(list)) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isKept) : [];
  } catch {
    return [];
  }
}

function write(keeper: Keeper, list: string, kept: readonly KeptFilter[]): readonly KeptFilter[] {
  try {
    keeper().setItem(keyOf(list), JSON.stringify(kept));
  } catch {
    // They hold until the page is left.
  }
  return kept;
}

/** Keeps one, in place of the one of its name. */
export const keepFilter = (keeper: Keeper, list: string, added: KeptFilter): readonly KeptFilter[] =>
  write(keeper, list, [...keptFilters(keeper, list).filter(({ name }) => name !== added.name), added].slice(-mostFilters));

export const removeFilter = (keeper: Keeper, list: string, name: string): readonly KeptFilter[] =>
  write(
    keeper,
    list,
    keptFilters(keeper, list).filter((each) => each.name !== name),
  );
