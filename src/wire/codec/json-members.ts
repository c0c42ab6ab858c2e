// The members of the outermost object of a JSON text as they stand there, repeated ones and their order included, which JSON.parse does not keep.

/** A member; offsets are of characters in the text. */
export interface JsonMember {
  readonly name: string;
  /** Where its value begins. */
  readonly from: number;
  /** Where its value has ended. */
  readonly to: number;
}

const stringAt = /"(?:[^"\\]|\\.)*"/y;
const scalarAt = /[^\s,{}[\]":]+/y;
const blanksAt = /[\s:,]*/y;

/** Where a token that begins at `at` has ended. */
function end(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at + 1;
}

/** Where the value that begins at `at` has ended. */
function valueEnd(text: string, at: number): number {
  let depth = 0;
  for (let place = at; ; ) {
    const character = text[place];
    if (character === undefined) return place;
    if (character === '"') place = end(stringAt, text, place);
    else if (character === '{' || character === '[') {
      depth++;
      place++;
    } else if (character === '}' || character === ']') {
      depth--;
      place++;
    } else place = end(depth > 0 && /[\s:,]/.test(character) ? blanksAt : scalarAt, text, place);
    if (depth === 0) return place;
  }
}

/** The members of an object; `text` is known to be JSON, of an object. */
export function jsonMembers(text: string): JsonMember[] {
  const members: JsonMember[] = [];
  let place = end(blanksAt, text, text.indexOf('{') + 1);
  while (text[place] === '"') {
    const named = end(stringAt, text, place);
    const from = end(blanksAt, text, named);
    const to = valueEnd(text, from);
    members.push({ name: JSON.parse(text.slice(place, named)) as string, from, to });
    place = end(blanksAt, text, to);
  }
  return members;
}
