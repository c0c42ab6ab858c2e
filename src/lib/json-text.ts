// JSON from callers, parsed within bounds: how deep it may nest is known before anything is built from it.

/** Deepest nesting that is read. Jackson takes 1,000 levels, Jettison 500; what comes after the parser may go down level by level. */
export const deepestJson = 500;

/** Most values that are read, lists and objects included: each costs time and memory, however short it is written. */
export const mostJsonValues = 200_000;

/** JSON that nobody means who means well; `message` says what is wrong with it. */
export class RefusedJson extends SyntaxError {
  override readonly name: string = 'RefusedJson';
}

/** JSON that nests deeper than `deepestJson`. */
export class JsonTooDeep extends RefusedJson {
  override readonly name = 'JsonTooDeep';

  constructor() {
    super(`the JSON nests deeper than ${deepestJson} levels`);
  }
}

/** JSON with more values than are read. */
export class JsonTooLong extends RefusedJson {
  override readonly name = 'JsonTooLong';

  constructor(most: number) {
    super(`the JSON has more than ${most} values`);
  }
}

const [backslash, openList, closeList, openObject, closeObject, comma] = [0x5c, 0x5b, 0x5d, 0x7b, 0x7d, 0x2c];
const quote = 0x22;

/** Where the text of JSON that begins with the quote at `from` ends: its last quote, or the end of all. */
export function endOfText(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (text.charCodeAt(before - 1) === backslash) before--;
    // A quote behind an odd number of backslashes belongs to the text.
    if ((at - before) % 2 === 0) return at;
  }
  return text.length;
}

/** What is beyond the bounds: brackets outside of texts that nest too deep, too many values; one pass, whether the text is JSON or not. */
export function beyondBounds(text: string, most = mostJsonValues): RefusedJson | undefined {
  if (text.length <= deepestJson) return undefined;
  let depth = 0;
  // Each value but the first follows a bracket or a comma.
  let count = 1;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfText(text, at);
        break;
      case openList:
      case openObject:
        if (++depth > deepestJson) return new JsonTooDeep();
        if (++count > most) return new JsonTooLong(most);
        break;
      case comma:
        if (++count > most) return new JsonTooLong(most);
        break;
      case closeList:
      case closeObject:
        depth--;
    }
  }
  return undefined;
}

/** JSON with a member whose name has a meaning of its own to JavaScript: no program means it. */
export class JsonPrototype extends RefusedJson {
  override readonly name = 'JsonPrototype';

  constructor() {
    super('a member of the JSON is called __proto__');
  }
}

/** Whether such a member may stand there, also with its name escaped. */
const mayHavePrototype = /__proto__|\\u00/;

/** As `parseJson`, for bodies whose members have names of ours. @throws JsonPrototype */
export function parseJsonRecord(text: string): unknown {
  if (!mayHavePrototype.test(text)) return parseJson(text);
  return parseJson(text, (key, value: unknown) => {
    if (key === '__proto__') throw new JsonPrototype();
    return value;
  });
}

/**
 * `JSON.parse` of what others sent, of `most` values at most.
 * @throws SyntaxError; JsonTooDeep or JsonTooLong, before anything is parsed
 */
export function parseJson(text: string, reviver?: Parameters<typeof JSON.parse>[1], most = mostJsonValues): unknown {
  const refused = beyondBounds(text, most);
  if (refused) throw refused;
  return JSON.parse(text, reviver);
}
