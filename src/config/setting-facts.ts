// Settings in words, for those who look at them: what each means, what it is, where that comes from.
import type { Configuration } from './load.ts';
import { environmentName } from './overlays.ts';
import { allSettings, familyOf, settingsTables } from './settings/all.ts';
import { redactionOf, shownValue } from './shown.ts';
import type { SettingEntry } from './table.ts';

/** A setting as it stands. */
export interface SettingFacts {
  readonly key: string;
  /** What it does, in a sentence. */
  readonly about: string;
  /** The table it is in, such as `resource-manager`; absent where Heddle does not implement it. */
  readonly component?: string;
  /** What its text is read as. */
  readonly type?: string;
  readonly default?: string;
  /** Absent where nothing sets it, and where all of it is hidden. */
  readonly value?: string;
  /** It is a secret, or nothing but one of another setting. */
  readonly isHidden: boolean;
  /** A file, `heddle.yaml`, `environment NAME`, `command line`, `defaults`; `not set` where it has no value. */
  readonly source: string;
  /** Later files cannot change it. */
  readonly isFinal: boolean;
  readonly isReloadable: boolean;
  /** The variable that sets it; absent for members of a family and what Heddle does not implement. */
  readonly environment?: string;
}

/** Types of settings in words, as in docs/reference/settings.md. */
const typeWords: Readonly<Record<string, string>> = { durationMs: 'time', bytes: 'size', string: 'text' };
/** What stands for what is hidden of a value. */
const hiddenPart = '(hidden)';

/** What an entry's text is read as, in words. */
export function typeInWords(entry: SettingEntry): string {
  if (entry.type === 'family') return 'any text';
  if (entry.oneOf) return `one of ${entry.oneOf.join(', ')}`;
  return `${typeWords[entry.type] ?? entry.type}${entry.unit ? ` (plain numbers in ${entry.unit})` : ''}`;
}

/** What an entry means, and why it changes nothing where it does not. */
export const aboutInWords = ({ about, inert }: SettingEntry): string =>
  inert === undefined ? about : `${about} It changes nothing here: ${inert}.`;

/** The entry of a key, or of the family that it is a member of. */
export function entryOf(key: string): SettingEntry | undefined {
  const family = familyOf(key);
  return allSettings().get(key) ?? (family === undefined ? undefined : allSettings().get(family));
}

/** The tables by entry: the first one's name where two share a key. */
function componentsByKey(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [name, table] of Object.entries(settingsTables))
    for (const { key } of Object.values(table)) if (!found.has(key)) found.set(key, name);
  return found;
}

/** Every setting that there is and every property that is set, by key; values of secrets are left out. */
export function settingFacts(configuration: Configuration): SettingFacts[] {
  const redaction = redactionOf(configuration);
  const components = componentsByKey();
  const shown = (key: string, value: string) => shownValue(configuration, redaction, key, value, hiddenPart);
  const single = [...allSettings().values()].filter(({ type }) => type !== 'family').map(({ key }) => key);
  const keys = new Set([...single, ...configuration.properties().map(({ key }) => key)]);
  return [...keys]
    .sort((left, right) => left.localeCompare(right, 'en'))
    .map((key): SettingFacts => {
      const entry = entryOf(key);
      const origin = configuration.origin(key);
      const isMember = entry?.type === 'family';
      const fallback = entry?.default === undefined || isMember ? undefined : String(entry.default);
      const given = origin?.value ?? fallback;
      const value = given === undefined ? undefined : shown(key, given);
      const standard = fallback === undefined ? undefined : shown(key, fallback);
      const isHidden = value === hiddenPart;
      const component = entry && components.get(entry.key);
      return {
        key,
        about: entry ? aboutInWords(entry) : `Heddle does not implement it; other settings can refer to it as \${${key}}.`,
        ...(component !== undefined && { component }),
        ...(entry && { type: typeInWords(entry) }),
        ...(standard !== undefined && standard !== hiddenPart && { default: standard }),
        ...(value !== undefined && !isHidden && { value }),
        isHidden,
        source: origin?.source ?? (given === undefined ? 'not set' : 'defaults'),
        isFinal: origin?.final ?? false,
        isReloadable: entry?.reloadable ?? false,
        ...(entry && !isMember && { environment: environmentName(key) }),
      };
    });
}
