// A prepared statement whose rows are what their tables say: one with a column of another type is set aside as soon as it is read, and what
// fails with the file is told by its name.
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { type BrokenRow, faultOfValue, rowsWith } from './broken-rows.ts';
import { storeFault } from './store-faults.ts';

type Row = Record<string, SQLOutputValue>;

/** What a statement belongs to. */
export interface StatementPorts {
  readonly database: DatabaseSync;
  readonly path: string;
  /** Sets rows aside, at once where that is possible now; the answer tells whether it was. */
  readonly setAside: (broken: readonly BrokenRow[]) => boolean;
}

/** A column of the answer that is one of a table, and what its values have to be: an outer join leaves any of them out. */
interface OwnColumn {
  readonly name: string;
  readonly table: string;
  readonly column: string;
  readonly expected: { readonly type: string; readonly isNullable: true };
}

/** The code of node:sqlite for a whole number that is too large for a number. */
const outOfRange = 'ERR_OUT_OF_RANGE';

export class CheckedStatement {
  readonly #statement: StatementSync;
  readonly #ports: StatementPorts;
  #columns: readonly OwnColumn[] | undefined;

  /** @throws a Failure STORE_… where the file fails */
  constructor(sql: string, ports: StatementPorts) {
    this.#ports = ports;
    this.#statement = this.#named(() => ports.database.prepare(sql));
  }

  get(...parameters: SQLInputValue[]): ReturnType<StatementSync['get']> {
    return this.#named(() => {
      const read = (): Row[] => {
        const row = this.#statement.get(...parameters);
        return row === undefined ? [] : [row];
      };
      return this.#sound(read)[0];
    });
  }

  all(...parameters: SQLInputValue[]): ReturnType<StatementSync['all']> {
    return this.#named(() => this.#sound(() => this.#statement.all(...parameters)));
  }

  run(...parameters: SQLInputValue[]): ReturnType<StatementSync['run']> {
    // Of all the most often done: nothing is made for it.
    try {
      return this.#statement.run(...parameters);
    } catch (error) {
      throw storeFault(error, this.#ports.path);
    }
  }

  *iterate(...parameters: SQLInputValue[]): Generator<Row, undefined> {
    const rows = this.#named(() => this.#statement.iterate(...parameters));
    try {
      for (;;) {
        const { done, value } = this.#named(() => this.#exactly(() => rows.next()));
        if (done) return undefined;
        if (this.#isSound(value)) yield plain(value);
        else this.#ports.setAside(this.#broken([value]));
      }
    } finally {
      rows.return?.();
    }
  }

  /** What is read: again, until every row of it is as its tables say. Those that cannot be set aside now are left out. */
  #sound(read: () => Row[]): Row[] {
    for (;;) {
      const { rows, areExact } = this.#read(read);
      const sound = rows.filter((row) => this.#isSound(row));
      if (sound.length === rows.length) return areExact ? rows.map(plain) : rows;
      if (!this.#ports.setAside(this.#broken(rows))) return sound.map(plain);
    }
  }

  /** Rows with numbers; with whole numbers as bigint where one is too large. */
  #read(read: () => Row[]): { rows: Row[]; areExact: boolean } {
    try {
      return { rows: read(), areExact: false };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== outOfRange) throw error;
      return { rows: this.#exactly(read), areExact: true };
    }
  }

  #exactly<T>(read: () => T): T {
    this.#statement.setReadBigInts(true);
    try {
      return read();
    } finally {
      this.#statement.setReadBigInts(false);
    }
  }

  #isSound(row: Row): boolean {
    for (const { name, expected } of this.#ownColumns()) if (faultOfValue(row[name] ?? null, expected) !== undefined) return false;
    return true;
  }

  /** The rows of tables that are not what these say. */
  #broken(rows: readonly Row[]): BrokenRow[] {
    const columns = this.#ownColumns();
    return rows.flatMap((row) =>
      columns.flatMap(({ name, table, column, expected }) => {
        const fault = faultOfValue(row[name] ?? null, expected);
        if (fault === undefined) return [];
        const known = columns.filter((one) => one.table === table).map((one) => [one.column, row[one.name] ?? null] as const);
        return rowsWith(this.#ports.database, table, known).map((key) => ({ table, key, fault: `${column} ${fault}` }));
      }),
    );
  }

  #ownColumns(): readonly OwnColumn[] {
    this.#columns ??= this.#statement
      .columns()
      .flatMap(({ name, table, column, type }) =>
        name && table && column && type ? [{ name, table, column, expected: { type: type.toUpperCase(), isNullable: true } }] : [],
      );
    return this.#columns;
  }

  #named<T>(act: () => T): T {
    try {
      return act();
    } catch (error) {
      throw storeFault(error, this.#ports.path);
    }
  }
}

/** Whole numbers as numbers. */
function plain(row: Row): Row {
  for (const name in row) if (typeof row[name] === 'bigint') row[name] = Number(row[name]);
  return row;
}
