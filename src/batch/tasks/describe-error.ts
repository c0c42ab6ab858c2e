// Why an attempt failed, in the words of its diagnostics.
import { hostname } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const ownFolder = `${pathToFileURL(join(import.meta.dirname, '../..')).href}/`;
const longestStack = 12;
const deepestCause = 10;

/** An error that has more to say than its message. */
export interface DetailedError extends Error {
  /** Lines that follow the message. */
  readonly details?: string;
}

/** Whether an error comes from Heddle's own code alone. */
export function isOwnFault(error: unknown): boolean {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  return stack.includes(ownFolder) && places(error as Error) === '';
}

/** Places in the user's own code; where in Heddle an error was met explains nothing. */
export function places(error: Error): string {
  return (error.stack ?? '')
    .split('\n')
    .filter((line) => line.startsWith('    at ') && !line.includes(ownFolder) && !line.includes('node:') && line.includes('file:'))
    .slice(0, longestStack)
    .map((line) => `\n\t${line.trim()}`)
    .join('');
}

/** What a full disk or a quota means, on a line of its own. */
export function hintOf({ code, path }: NodeJS.ErrnoException): string {
  if (code === 'ENOSPC') return `\nThe disk of ${path ?? 'the task’s folders'} on ${hostname()} is full.`;
  if (code === 'EDQUOT') return `\nThe quota for ${path ?? 'the task’s folders'} on ${hostname()} is used up.`;
  return '';
}

/** An error with its details and its causes. */
export function describeError(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return String(error);
  const { details } = error as DetailedError;
  const own = `${error.name === 'Error' ? 'java.lang.RuntimeException' : error.name}: ${error.message}`;
  const cause = error.cause === undefined || depth >= deepestCause ? '' : `\nCaused by: ${describeError(error.cause, depth + 1)}`;
  return `${own}${details === undefined || details === '' ? '' : `\n${details}`}${hintOf(error)}${places(error)}${cause}`;
}
