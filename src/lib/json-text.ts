// JSON from callers, parsed within bounds: how deep it may nest is known before anything is built from it.

/** Deepest nesting that is read. Jackson takes 1,000 levels, Jettison 500; what comes after the parser may go down level by level. */
export const deepestJson = 500;

/** JSON that nests deeper than `deepestJson`. */
export class JsonTooDeep extends SyntaxError {
  override readonly name = 'JsonTooDeep';

  constructor() {
    super(`the JSON nests deeper than ${deepestJson} levels`);
  }
}

const [quote, backslash, openList, closeList, openObject, closeObject] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

/** Whether brackets outside of texts nest deeper than `deepestJson`; one pass, whether the text is JSON or not. */
export function nestsTooDeep(text: string): boolean {
  if (text.length <= deepestJson) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        for (at++; at < text.length; at++) {
          const code = text.charCodeAt(at);
          if (code === backslash) at++;
          else if (code === quote) break;
        }
        break;
      case openList:
      case openObject:
        if (++depth > deepestJson) return true;
        break;
      case closeList:
      case closeObject:
        depth--;
    }
  }
  return false;
}

/** JSON with a member whose name has a meaning of its own to JavaScript: no program means it. */
export class JsonPrototype extends SyntaxError {
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

/** `JSON.parse` of what others sent. @throws SyntaxError; JsonTooDeep, before anything is parsed */
export function parseJson(text: string, reviver?: Parameters<typeof JSON.parse>[1]): unknown {
  if (nestsTooDeep(text)) throw new JsonTooDeep();
  return JSON.parse(text, reviver);
}
