// Settings of a server: which are looked for, and where their values come from, in words. Pure.

/** One of `/ui/settings.json`. */
export interface Setting {
  readonly key: string;
  readonly about: string;
  readonly component?: string;
  readonly type?: string;
  readonly default?: string;
  readonly value?: string;
  readonly isHidden: boolean;
  readonly source: string;
  readonly isFinal: boolean;
  readonly isReloadable: boolean;
  readonly environment?: string;
}

/** Kinds of places that values come from. */
export type Origin = 'file' | 'environment' | 'command' | 'default';

/** Where a value comes from; what nothing sets has its default, which may be to have none. */
export function originOf({ source }: Pick<Setting, 'source'>): Origin {
  if (source === 'defaults' || source === 'not set') return 'default';
  if (source === 'command line') return 'command';
  return source.startsWith('environment ') ? 'environment' : 'file';
}

/** Those that have all words of a search, and come from a place. */
export function filterSettings(
  settings: readonly Setting[],
  { search = '', from }: { readonly search?: string | undefined; readonly from?: string | undefined },
): Setting[] {
  const words = search.toLowerCase().split(/\s+/);
  return settings.filter((setting) => {
    if (from !== undefined && originOf(setting) !== from) return false;
    const { key, about, value = '', source, component = '', environment = '' } = setting;
    const text = `${key} ${about} ${value} ${source} ${component} ${environment}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** What somebody set, first; then the others by the part that reads them, in the order of the alphabet. */
export function bySection(settings: readonly Setting[]): { readonly set: readonly Setting[]; readonly others: [string, Setting[]][] } {
  const others = Map.groupBy(
    settings.filter((setting) => originOf(setting) === 'default'),
    ({ component = '' }) => component,
  );
  return {
    set: settings.filter((setting) => originOf(setting) !== 'default'),
    others: [...others].sort(([one], [other]) => one.localeCompare(other, 'en')),
  };
}
