// Values of entities as they were stored: one that cannot be read is set aside, and what it belongs to is shown without it.
import type { RowKey } from '../../storage/broken-rows.ts';
import type { Database } from '../../storage/sqlite.ts';
import type { JsonValue } from '../../wire/timeline/entity.ts';
import { parseExact } from '../../wire/timeline/exact-json.ts';

/** Reads values of one database. */
export class StoredValues {
  readonly #database: Pick<Database, 'reject'>;

  constructor(database: Pick<Database, 'reject'>) {
    this.#database = database;
  }

  /** The value of a text; undefined where it is none. `key` tells the row of `table` that it stands in. */
  read(written: string, table: string, key: RowKey): JsonValue | undefined {
    try {
      return parseExact(written, Number.POSITIVE_INFINITY);
    } catch {
      this.#database.reject({ table, key, fault: 'is no JSON' });
      return undefined;
    }
  }

  /** Named values of a text each; those that cannot be read are left out. */
  named<Row extends { readonly name: string; readonly value: string }>(
    rows: readonly Row[],
    table: string,
    keyOf: (row: Row) => RowKey,
  ): (readonly [name: string, value: JsonValue])[] {
    return rows.flatMap((row) => {
      const value = this.read(row.value, table, keyOf(row));
      return value === undefined ? [] : [[row.name, value] as const];
    });
  }

  /** An object of a text; empty where it is none. */
  object(written: string, table: string, key: RowKey): Record<string, JsonValue> {
    const value = this.read(written, table, key);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, JsonValue>) : {};
  }
}
