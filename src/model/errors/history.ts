// Errors of the history interfaces.
import type { ErrorEntry } from './entry.ts';

export const historyErrors = {} as const satisfies Record<string, ErrorEntry>;
