// What Jackson (the JSON reader of Hadoop 3.4) says of text that is not JSON, for the cases clients meet.

const valid = "(JSON String, Number, Array, Object or token 'null', 'true' or 'false')";
const comment = "maybe a (non-standard) comment? (not recognized as one since Feature 'ALLOW_COMMENTS' not enabled for parser)";

const blanks: ReadonlySet<number> = new Set([...' \t\r\n'].map((blank) => blank.charCodeAt(0)));
const numberAt = /-?\d+(\.\d+)?([eE][+-]?\d+)?/y;
const wordAt = /[\p{L}\p{N}_$]+/uy;
/** How much of a word that is none is told (ErrorReportConfiguration of Jackson). */
const longestToken = 256;

type Expected = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'comma' | 'document';

interface Opened {
  readonly kind: 'Object' | 'Array';
  readonly offset: number;
}

/** Where in the text, as Jackson writes it; lines and columns count from 1. */
function source(text: string, offset: number): string {
  const before = text.slice(0, offset);
  return `[Source: (BufferedReader); line: ${before.split('\n').length}, column: ${offset - before.lastIndexOf('\n')}]`;
}

/** Jackson's sentence for the first fault of `text`, which is known not to be JSON. */
export function describeJsonFault(text: string): string {
  return new Scanner(text).fault();
}

class Scanner {
  readonly #text: string;
  readonly #opened: Opened[] = [];
  #at = 0;
  #expected: Expected = 'value';

  constructor(text: string) {
    this.#text = text;
  }

  fault(): string {
    for (;;) {
      while (blanks.has(this.#text.charCodeAt(this.#at))) this.#at++;
      if (this.#at >= this.#text.length) return this.#atEnd();
      const fault = this.#token(this.#text[this.#at]!);
      if (fault !== undefined) return fault;
    }
  }

  /** Takes one token; a sentence if it must not stand here. */
  #token(character: string): string | undefined {
    if (character.charCodeAt(0) < 32) return this.#refuse('only regular white space (\\r, \\n, \\t) is allowed between tokens', 'Illegal');
    if (character === '/') return this.#refuse(comment);
    const inside = this.#opened.at(-1);
    switch (this.#expected) {
      case 'colon':
        if (character !== ':') return this.#refuse('was expecting a colon to separate field name and value');
        return this.#take('value');
      case 'comma':
        if (character === '}' || character === ']') return this.#close(character);
        if (character !== ',') return this.#refuse(`was expecting comma to separate ${inside?.kind} entries`);
        return this.#take(inside?.kind === 'Object' ? 'name' : 'value');
      case 'name':
      case 'name or end':
        if (character === '"') return this.#string('colon');
        if (character === '}' && this.#expected === 'name or end') return this.#close(character);
        return this.#refuse('was expecting double-quote to start field name');
      default:
        return this.#value(character);
    }
  }

  #value(character: string): string | undefined {
    const after = this.#opened.length > 0 ? 'comma' : 'document';
    if (character === '"') return this.#string(after);
    if (character === '{' || character === '[') {
      this.#opened.push({ kind: character === '{' ? 'Object' : 'Array', offset: this.#at });
      return this.#take(character === '{' ? 'name or end' : 'value or end');
    }
    if (character === ']' && this.#expected === 'value or end') return this.#close(character);
    const number = this.#read(numberAt);
    if (number !== undefined) return this.#take(after, number.length);
    if (!/[\p{L}_$]/u.test(character)) return this.#refuse(`expected a valid value ${valid}`);
    const word = this.#read(wordAt) ?? character;
    if (['true', 'false', 'null'].includes(word)) return this.#take(after, word.length);
    const place = source(this.#text, this.#at + word.length);
    return `com.fasterxml.jackson.core.JsonParseException: Unrecognized token '${word.length > longestToken ? `${word.slice(0, longestToken)}...` : word}': was expecting ${valid}\n at ${place}`;
  }

  #string(after: Expected): string | undefined {
    for (let at = this.#at + 1; at < this.#text.length; at++) {
      const character = this.#text[at];
      if (character === '\\') at++;
      else if (character === '"') return this.#take(after, at + 1 - this.#at);
    }
    const what = after === 'colon' ? 'field name' : 'VALUE_STRING';
    const where = source(this.#text, this.#text.length + (after === 'colon' ? 0 : 1));
    return `com.fasterxml.jackson.core.io.JsonEOFException: Unexpected end-of-input in ${what}\n at ${where}`;
  }

  /** What a pattern finds at the place of reading. */
  #read(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text)?.[0];
  }

  #close(character: string): string | undefined {
    const opened = this.#opened.pop();
    if (opened && (opened.kind === 'Object') === (character === '}')) return this.#take(this.#opened.length > 0 ? 'comma' : 'document');
    const wanted = opened?.kind === 'Object' ? '}' : ']';
    const start = opened ? ` (for ${opened.kind} starting at ${source(this.#text, opened.offset)})` : '';
    const where = source(this.#text, this.#at + 1);
    return `com.fasterxml.jackson.core.JsonParseException: Unexpected close marker '${character}': expected '${wanted}'${start}\n at ${where}`;
  }

  #take(expected: Expected, length = 1): undefined {
    this.#at += length;
    this.#expected = expected;
  }

  #refuse(reason: string, kind = 'Unexpected'): string {
    const code = this.#text.charCodeAt(this.#at);
    const shown =
      code < 32 ? `(CTRL-CHAR, code ${code})` : `'${this.#text[this.#at]}' (code ${code}${code > 255 ? ` / 0x${code.toString(16)}` : ''})`;
    return `com.fasterxml.jackson.core.JsonParseException: ${kind} character (${shown}): ${reason}\n at ${source(this.#text, this.#at + 1)}`;
  }

  #atEnd(): string {
    const open = this.#opened.at(-1);
    const where = source(this.#text, this.#text.length);
    if (!open) return `com.fasterxml.jackson.core.JsonParseException: Unexpected character\n at ${where}`;
    const eof = 'com.fasterxml.jackson.core.io.JsonEOFException: Unexpected end-of-input';
    if (this.#expected === 'value' || this.#expected === 'colon') return `${eof} within/between ${open.kind} entries\n at ${where}`;
    return `${eof}: expected close marker for ${open.kind} (start marker at ${source(this.#text, open.offset)})\n at ${where}`;
  }
}
