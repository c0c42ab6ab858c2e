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
  const wanted = ranges(accept);
  const sorted = [...wanted].sort((a, b) => b.quality - a.quality);
  for (const { type } of sorted) {
    for (const format of produced) if (type === `application/${format}`) return format;
    if (type === '*/*' || type === 'application/*') return produced[0];
  }
  return undefined;
}

/** Whether bare text, or bytes, are an answer to this `Accept`. */
export const acceptsText = (accept: string | undefined): boolean =>
  accept === undefined ||
  accept.trim() === '' ||
  /(^|[,\s])(\*\/\*|text\/\*|text\/plain|application\/octet-stream|application\/\*)/i.test(accept);
