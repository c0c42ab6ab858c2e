// Settings that tables of code name, where what counts is both what one says and what it is called.
import type { Configuration } from './load.ts';
import type { SettingsOf, SettingsTable } from './table.ts';

/** A setting whose value is a text, read from a configuration. @throws ConfigurationError for a text that its type cannot read. */
export type TextSetting = (configuration: Configuration) => { readonly key: string; readonly value: string | undefined };

/** The names of a table whose values are texts. */
type TextNames<Table extends SettingsTable> = {
  [Name in keyof Table & string]: SettingsOf<Table>[Name] extends string | undefined ? Name : never;
}[keyof Table & string];

/** The setting of that name. */
export const textSetting =
  <const Table extends SettingsTable>(table: Table, name: TextNames<Table>): TextSetting =>
  (configuration) => ({ key: table[name]!.key, value: configuration.values(table)[name] as string | undefined });
