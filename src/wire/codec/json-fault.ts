// What Jackson (the JSON reader of Hadoop 3.4) says of text that is not JSON, for the cases clients meet.

const source = (column: number, line = 1) => `[Source: (BufferedReader); line: ${line}, column: ${column}]`;

/** Line and column (from 1) of an offset. */
function place(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const lastBreak = before.lastIndexOf('\n');
  return { line: before.split('\n').length, column: offset - lastBreak };
}

/** Jackson's sentence for the first fault of `text`, which is known not to be JSON. */
export function describeJsonFault(text: string): string {
  const end = place(text, text.length);
  const opened: { character: string; offset: number }[] = [];
  let inString = false;
  let expectsValue = true;
  for (let i = 0; i < text.length; i++) {
    const character = text[i]!;
    if (inString) {
      if (character === '\\') i++;
      else if (character === '"') inString = false;
      continue;
    }
    if (character === '"') {
      inString = true;
      expectsValue = false;
    } else if (character === '{' || character === '[') {
      opened.push({ character, offset: i });
      expectsValue = character === '[';
    } else if (character === '}' || character === ']') opened.pop();
    else if (character === ':') expectsValue = true;
    else if (character === ',') expectsValue = opened.at(-1)?.character === '[';
    else if (/[A-Za-z_$]/.test(character)) {
      const word = /^[\w$]+/.exec(text.slice(i))![0];
      if (!['true', 'false', 'null'].includes(word)) {
        const at = place(text, i + word.length);
        if (!expectsValue) {
          return `com.fasterxml.jackson.core.JsonParseException: Unexpected character ('${character}' (code ${character.charCodeAt(0)})): was expecting double-quote to start field name\n at ${source(place(text, i + 1).column + 1, at.line)}`;
        }
        return `com.fasterxml.jackson.core.JsonParseException: Unrecognized token '${word}': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')\n at ${source(at.column, at.line)}`;
      }
      i += word.length - 1;
      expectsValue = false;
    }
  }
  const open = opened.at(-1);
  if (inString)
    return `com.fasterxml.jackson.core.io.JsonEOFException: Unexpected end-of-input in VALUE_STRING\n at ${source(end.column + 1, end.line)}`;
  if (open && expectsValue)
    return `com.fasterxml.jackson.core.io.JsonEOFException: Unexpected end-of-input within/between ${open.character === '{' ? 'Object' : 'Array'} entries\n at ${source(end.column, end.line)}`;
  if (open) {
    const start = place(text, open.offset);
    return `com.fasterxml.jackson.core.io.JsonEOFException: Unexpected end-of-input: expected close marker for ${open.character === '{' ? 'Object' : 'Array'} (start marker at ${source(start.column, start.line)})\n at ${source(end.column, end.line)}`;
  }
  return `com.fasterxml.jackson.core.JsonParseException: Unexpected character\n at ${source(end.column, end.line)}`;
}
