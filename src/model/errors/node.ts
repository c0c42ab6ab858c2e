// Errors of the node interfaces.
import type { ErrorEntry } from './entry.ts';

export const nodeErrors = {} as const satisfies Record<string, ErrorEntry>;
