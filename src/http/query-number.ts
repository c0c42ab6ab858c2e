// How many of something a caller of the own interface wants.
import { failure } from '../model/errors.ts';
import type { Query } from './query.ts';

/** A count that a parameter says, from 1 to `most`; `usual` where it is absent or empty. @throws Failure BAD_REQUEST */
export function readCount(query: Query, name: string, { usual, most }: { readonly usual: number; readonly most: number }): number {
  const text = query.first(name);
  if (text === undefined || text === '') return usual;
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > most) throw failure('BAD_REQUEST', { reason: `${name} must be a number from 1 to ${most}` });
  return count;
}
