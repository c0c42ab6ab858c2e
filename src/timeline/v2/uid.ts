// UIDs and FROM_IDs of timeline v2: parts joined with `!`; `!` and `*` inside a part are escaped with `*` (TimelineReaderUtils).

/** Joins parts. */
export const joinParts = (parts: readonly (string | number)[]): string =>
  parts.map((part) => String(part).replace(/[*!]/g, '*$&')).join('!');

/** What is wrong with the escapes of a text that {@link splitParts} cannot take apart, in Hadoop's words. */
export const brokenEscape = (text: string): string =>
  text.replace(/\*[*!]/g, '').indexOf('*') === text.replace(/\*[*!]/g, '').length - 1
    ? 'Escape char not properly escaped.'
    : 'Escape char or delimiter char not properly escaped.';

/** Takes a text apart; undefined when an escape is broken. */
export function splitParts(text: string): string[] | undefined {
  const parts: string[] = [];
  let part = '';
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    if (character === '!') {
      parts.push(part);
      part = '';
    } else if (character === '*') {
      const next = text[++at];
      if (next !== '*' && next !== '!') return undefined;
      part += next;
    } else part += character;
  }
  parts.push(part);
  return parts;
}
