// The form of a settings table: one entry says key, type, default and a sentence; everything else derives from it.

/** What a setting's text is read as. `place` is a path or a bucket (`s3a://…`). `durationMs` and `bytes` accept Hadoop's suffixes (`30s`, `5m`, `64k`, `1g`). */
export type SettingType =
  | 'string'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'address'
  | 'path'
  | 'place'
  | 'paths'
  | 'list'
  | 'durationMs'
  | 'bytes'
  | 'family';

/** The unit a plain number of a `durationMs` setting has. */
export type DurationUnit = 'ms' | 's' | 'm' | 'h' | 'd';

/** One setting. Without `default` (or with an empty one for numbers and paths) its value may be `undefined`. */
export interface SettingEntry {
  /** Full name, as in Hadoop's files. A `family` ends in `.` and stands for all keys that begin with it. */
  readonly key: string;
  readonly type: SettingType;
  /** Text of the default, as it would stand in a file; `${…}` is expanded. */
  readonly default?: string | number | boolean;
  /** One sentence for the reference page. */
  readonly about: string;
  /** Why it is understood but changes nothing here; absent where it counts. */
  readonly inert?: string;
  /** Whether a change takes effect without a restart. */
  readonly reloadable?: boolean;
  /** Unit of a plain number in a `durationMs` setting (default `ms`). */
  readonly unit?: DurationUnit;
  /** Allowed texts of a `string` setting. */
  readonly oneOf?: readonly string[];
  /** Bounds of a number, inclusive. */
  readonly minimum?: number;
  readonly maximum?: number;
}

/** A table of settings by the name that code uses. */
export type SettingsTable = Readonly<Record<string, SettingEntry>>;

type ValueOf<Type extends SettingType> = Type extends 'integer' | 'number' | 'durationMs' | 'bytes'
  ? number
  : Type extends 'boolean'
    ? boolean
    : Type extends 'list' | 'paths'
      ? readonly string[]
      : Type extends 'family'
        ? ReadonlyMap<string, string>
        : string;

type EntryValue<Entry extends SettingEntry> = Entry['type'] extends 'list' | 'paths' | 'family'
  ? ValueOf<Entry['type']>
  : Entry extends { readonly default: string | number | boolean }
    ? ValueOf<Entry['type']>
    : ValueOf<Entry['type']> | undefined;

/** The typed values of a table. */
export type SettingsOf<Table extends SettingsTable> = { readonly [Name in keyof Table]: EntryValue<Table[Name]> };

/** Declares a table; the identity, so that keys and defaults keep their literal types. */
export function defineSettings<const Table extends SettingsTable>(table: Table): Table {
  return table;
}

/** What is wrong with a setting, with the place it came from and what to do. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly source: string;
  /** '' where it is about the source itself. */
  readonly key: string;
  readonly remedy: string;

  constructor(source: string, key: string, problem: string, remedy: string) {
    super(`${source}: ${key === '' ? '' : `${key}: `}${problem}. ${remedy}`);
    this.source = source;
    this.key = key;
    this.remedy = remedy;
  }
}
