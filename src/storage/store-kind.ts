// What a store of one kind holds: its schema, and what its rows must look like.
import { faultOf, type JsonShape } from '../lib/json-shape.ts';

/** One numbered step of a schema; `id` counts from 1 without gaps. */
export interface Migration {
  readonly id: number;
  readonly sql: string;
}

/** What a column may hold; whole numbers that are too large for a number never come. */
export type StoredValue = null | number | string | Uint8Array;
/** A row by its columns. */
export type StoredRow = Readonly<Record<string, StoredValue>>;

/** What is wrong with a row, beside columns of another type than the schema says. */
export interface RowCheck {
  readonly table: string;
  /** Looked at with each start, before anything is read; others when they are read, and by `heddle doctor`. */
  readonly atStart: boolean;
  /** The first fault; undefined: none. It tells no content: rows hold secrets. */
  readonly fault: (row: StoredRow) => string | undefined;
}

/** A column of what is kept ready-made beside what it is made of: where it is damaged it is emptied, and its row stays. */
export interface RemadeColumn {
  readonly table: string;
  /** May be empty. */
  readonly column: string;
  /** What is wrong with its value in a row; undefined: nothing. */
  readonly fault: (row: StoredRow) => string | undefined;
}

/** One kind of store. */
export interface StoreKind {
  /** As people are told: `the store of the timeline`. */
  readonly name: string;
  readonly migrations: readonly Migration[];
  readonly rows: readonly RowCheck[];
  readonly remade?: readonly RemadeColumn[];
}

/** What is wrong with a text that should be JSON of a shape. */
export function jsonFault(described: JsonShape<unknown>, written: StoredValue | undefined): string | undefined {
  if (typeof written !== 'string') return 'is no text';
  let value: unknown;
  try {
    value = JSON.parse(written);
  } catch {
    return 'is no JSON';
  }
  return faultOf(described, value);
}
