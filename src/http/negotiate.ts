// Content negotiation as the Jersey 1 line does it: quality first, then the client's order; JSON where nothing is asked for.

/** The formats of described objects. */
export type Format = 'json' | 'xml';

interface Range {
  readonly type: string;
  readonly quality: number;
}

function ranges(accept: string): Range[] {
  return accept.split(',').flatMap((part) => {
    const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    if (!/^[^/\s]+\/[^/\s]+$/.test(type)) return [];
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    return [{ type, quality: quality === undefined ? 1 : Number(quality.slice(2)) || 0 }];
  });
}

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

/** The best of the types below `application/` that `accept` names, or undefined where it names none of them. */
export function bestType(accept: string, types: readonly string[]): string | undefined {
  const sorted = ranges(accept).sort((a, b) => b.quality - a.quality);
  for (const { type } of sorted) {
    if (types.includes(type)) return type;
    if (type === '*/*' || type === 'application/*') return types[0];
  }
  return undefined;
}

/** Whether bare text, or bytes, are an answer to this `Accept`. */
export const acceptsText = (accept: string | undefined): boolean =>
  accept === undefined ||
  accept.trim() === '' ||
  /(^|[,\s])(\*\/\*|text\/\*|text\/plain|application\/octet-stream|application\/\*)/i.test(accept);
