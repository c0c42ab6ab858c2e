// Content negotiation as the Jersey 1 line does it: quality first, then what is more precise, then the client's order; JSON where nothing is asked for.
import { parseAccept } from './media-types.ts';

/** The formats of described objects. */
export type Format = 'json' | 'xml';

/**
 * The format to answer in, or undefined where none of `produced` is accepted.
 * A range with quality 0 is taken as the last choice rather than refused, as Hadoop does.
 */
export function negotiate(accept: string | undefined, produced: readonly Format[]): Format | undefined {
  if (accept === undefined || accept === '*/*' || accept === 'application/json' || accept.trim() === '') return produced[0];
  const types = produced.map((format) => `application/${format}`);
  const type = bestType(accept, types);
  return type === undefined ? undefined : produced[types.indexOf(type)];
}

/** The best of the types below `application/` that `accept` names, or undefined where it names none of them, or cannot be read. */
export function bestType(accept: string, types: readonly string[]): string | undefined {
  for (const { type, subtype } of parseAccept(accept) ?? []) {
    if (type === '*' || (type === 'application' && subtype === '*')) return types[0];
    const named = `${type}/${subtype}`;
    if (types.includes(named)) return named;
  }
  return undefined;
}

/** Whether bare text, or bytes, are an answer to this `Accept`. */
export const acceptsText = (accept: string | undefined): boolean =>
  accept === undefined ||
  accept.trim() === '' ||
  /(^|[,\s])(\*\/\*|text\/\*|text\/plain|application\/octet-stream|application\/\*)/i.test(accept);
