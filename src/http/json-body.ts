// Bodies of our own interfaces, which shapes describe; what Hadoop's interfaces take is read by `wire/codec`.
import { checked, type JsonShape } from '../lib/json-shape.ts';
import { parseJsonRecord, RefusedJson } from '../lib/json-text.ts';
import { failure } from '../model/errors.ts';

/** The body as its shape describes it; an empty one counts as `empty` where that is given. @throws Failure BAD_REQUEST with the path of the first fault */
export function jsonBody<T>(described: JsonShape<T>, body: Buffer, empty?: T): T {
  if (body.length === 0 && empty !== undefined) return empty;
  let parsed: unknown;
  try {
    parsed = parseJsonRecord(body.toString('utf8'));
  } catch (error) {
    throw failure('BAD_REQUEST', { reason: error instanceof RefusedJson ? error.message : 'the body is not JSON' });
  }
  const { value, fault } = checked(described, parsed);
  if (fault !== undefined) throw failure('BAD_REQUEST', { reason: fault });
  return value;
}
