// Of which scheduler a queue file is: capacity-scheduler.xml and fair-scheduler.xml have outermost elements of their own.

/** What may stand before the outermost element; an unclosed comment is none of it. */
const before = /\s+|<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!DOCTYPE[^[>]*>/y;
const element = /<([a-z]+)[\s/>]/y;
const kinds: ReadonlyMap<string | undefined, 'capacity' | 'fair'> = new Map([
  ['configuration', 'capacity'],
  ['allocations', 'fair'],
]);

/** Whose queues the text of a file describes; undefined where it is no queue file. It may be any text, and be broken behind its beginning. */
export function queueFileKind(text: string): 'capacity' | 'fair' | undefined {
  before.lastIndex = 0;
  let at = 0;
  while (before.test(text)) at = before.lastIndex;
  element.lastIndex = at;
  return kinds.get(element.exec(text)?.[1]);
}
