// What a caller of the own interface wants or not.
import { failure } from '../model/errors.ts';
import type { Query } from './query.ts';

/** A parameter that is `true` or `false`; absent: false. @throws Failure BAD_REQUEST */
export function readFlag(query: Query, name: string): boolean {
  const text = query.first(name);
  if (text !== undefined && text !== 'true' && text !== 'false') throw failure('BAD_REQUEST', { reason: `${name} must be true or false` });
  return text === 'true';
}
