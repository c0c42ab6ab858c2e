// Settings of a server: which are looked for, and where their values come from, in words. Pure.
import type { SettingFacts } from '../../wire/cluster/setting-facts.ts';

/** Kinds of places that values come from. */
export type Origin = 'file' | 'environment' | 'command' | 'default';

/** Where a value comes from; what nothing sets has its default, which may be to have none. */
export function originOf({ source }: Pick<SettingFacts, 'source'>): Origin {
  if (source === 'defaults' || source === 'not set') return 'default';
  if (source === 'command line') return 'command';
  return source.startsWith('environment ') ? 'environment' : 'file';
}

/** Those that have all words of a search, and come from a place. */
export function filterSettings(
  settings: readonly SettingFacts[],
  { search = '', from }: { readonly search?: string | undefined; readonly from?: string | undefined },
): SettingFacts[] {
  const words = search.toLowerCase().split(/\s+/);
  return settings.filter((setting) => {
    if (from !== undefined && originOf(setting) !== from) return false;
    const { key, about, value = '', source, component = '', environment = '' } = setting;
    const text = `${key} ${about} ${value} ${source} ${component} ${environment}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** What was set, first; then the others by the part that reads them, in the order of the alphabet. */
export function bySection(settings: readonly SettingFacts[]): {
  readonly set: readonly SettingFacts[];
  readonly others: [string, SettingFacts[]][];
} {
  const others = Map.groupBy(
    settings.filter((setting) => originOf(setting) === 'default'),
    ({ component = '' }) => component,
  );
  return {
    set: settings.filter((setting) => originOf(setting) !== 'default'),
    others: [...others].sort(([one], [other]) => one.localeCompare(other, 'en')),
  };
}
