// Errors of the timeline interfaces.
import type { ErrorEntry } from './entry.ts';

export const timelineErrors = {} as const satisfies Record<string, ErrorEntry>;
