// The error catalogue: every failure a caller can see has a code here. `http/` writes it in the caller's format.
import { batchErrors } from './errors/batch.ts';
import { clusterErrors } from './errors/cluster.ts';
import { commonErrors } from './errors/common.ts';
import type { ErrorEntry } from './errors/entry.ts';
import { historyErrors } from './errors/history.ts';
import { nodeErrors } from './errors/node.ts';
import { timelineErrors } from './errors/timeline.ts';

export type { ErrorEntry } from './errors/entry.ts';

/** Every error, by code. Retired codes stay listed and are never used again. */
export const errorCatalogue = {
  ...commonErrors,
  ...clusterErrors,
  ...nodeErrors,
  ...timelineErrors,
  ...batchErrors,
  ...historyErrors,
} as const;

/** The code of an error. */
export type ErrorCode = keyof typeof errorCatalogue;

/** A failure with its catalogue entry; `message` is the entry's sentence with its parameters filled in. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: ErrorCode;
  readonly entry: ErrorEntry;
  readonly parameters: Readonly<Record<string, string | number>>;

  constructor(code: ErrorCode, parameters: Readonly<Record<string, string | number>> = {}) {
    const entry: ErrorEntry = errorCatalogue[code];
    super(
      entry.message.replace(/\{(\w+)\}/g, (whole, name: string) => (Object.hasOwn(parameters, name) ? String(parameters[name]) : whole)),
    );
    this.code = code;
    this.entry = entry;
    this.parameters = parameters;
  }
}

/** A failure of the catalogue, to be thrown. */
export function failure(code: ErrorCode, parameters: Readonly<Record<string, string | number>> = {}): Failure {
  return new Failure(code, parameters);
}
