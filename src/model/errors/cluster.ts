// Errors of the cluster interfaces.
import type { ErrorEntry } from './entry.ts';

export const clusterErrors = {} as const satisfies Record<string, ErrorEntry>;
