// Errors of the batch interfaces.
import type { ErrorEntry } from './entry.ts';

export const batchErrors = {} as const satisfies Record<string, ErrorEntry>;
