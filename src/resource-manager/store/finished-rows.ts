// Rows of ended applications, and what is asked of them.

/** Filters that the database applies; the rest is the caller's. Every part absent: everything. */
export interface FinishedFilter {
  readonly states?: readonly string[];
  readonly users?: readonly string[];
  readonly types?: readonly string[];
  readonly queues?: readonly string[];
  /** In lower case, of ASCII; one of them. Rows that a slice gives may have none of them. */
  readonly tags?: readonly string[];
  readonly name?: string;
  readonly finalStatus?: string;
  readonly startedFromMs?: number;
  readonly startedToMs?: number;
  readonly finishedFromMs?: number;
  readonly finishedToMs?: number;
}

/** One finished application as stored. */
export interface FinishedRow {
  /** Grows with the order of ending. */
  readonly number: number;
  readonly id: string;
  readonly user: string;
  readonly name: string;
  readonly queue: string;
  readonly type: string;
  /** Comma-joined. */
  readonly tags: string;
  readonly state: string;
  readonly final_status: string;
  readonly started_ms: number;
  readonly finished_ms: number;
  readonly priority: number;
  readonly document: string;
}

/** A row without its document; `text` is what is kept of the answer asked for, for callers who may view it: null where it is not there or damaged. */
export interface FinishedBrief extends Omit<FinishedRow, 'document'> {
  readonly text: string | null;
}

/** What the store orders pages by: a column, then the id. Each has an index, which every end of an application pays for. */
export type FinishedColumn = 'id' | 'started_ms' | 'finished_ms';

export interface FinishedOrder {
  readonly column: FinishedColumn;
  readonly descending: boolean;
}

/** A row's place in an order: its value in the column, and its id. */
export type FinishedPlace = readonly [value: string | number, id: string];
