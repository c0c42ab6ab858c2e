// What Jackson (the JSON reader of Hadoop 3.4) says of text that is not JSON, for the cases clients meet.

const valid = "(JSON String, Number, Array, Object or token 'null', 'true' or 'false')";
const comment = "maybe a (non-standard) comment? (not recognized as one since Feature 'ALLOW_COMMENTS' not enabled for parser)";

const blanks: ReadonlySet<number> = new Set([...' \t\r\n'].map((blank) => blank.charCodeAt(0)));
const numberAt = /-?\d+(\.\d+)?([eE][+-]?\d+)?/y;
const hexDigit = /[0-9A-Fa-f]/;
/** What JavaScript’s reader knows as numbers, and JSON does not. */
const notFinite = /(?:NaN|-?Infinity)(?![\p{L}\p{N}_$])/uy;
const wordAt = /[\p{L}\p{N}_$]+/uy;
/** How much of a word that is none is told (ErrorReportConfiguration of Jackson). */
const longestToken = 256;

type Expected = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'comma' | 'document';

interface Opened {
  readonly kind: 'Object' | 'Array';
  readonly offset: number;
}

/** Line and column of a place, as Jackson counts them: from 1. */
export function lineAndColumn(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

/** Where in the text, as Jackson writes it. */
function source(text: string, offset: number, further = 0): string {
  const { line, column } = lineAndColumn(text, offset);
  return `[Source: (BufferedReader); line: ${line}, column: ${column + further}]`;
}

/** What Hadoop's reader says of a token behind the end of what it reads. */
export const furtherToken = (token: string): string => `java.lang.RuntimeException: Unexpected token: ${token}`;

const parseFault = (sentence: string, where: string) => `com.fasterxml.jackson.core.JsonParseException: ${sentence}\n at ${where}`;
const eofFault = (what: string, where: string) =>
  `com.fasterxml.jackson.core.io.JsonEOFException: Unexpected end-of-input${what}\n at ${where}`;

/** A character as Jackson names it. */
function shown(character: string): string {
  const code = character.charCodeAt(0);
  return code < 32 ? `(CTRL-CHAR, code ${code})` : `'${character}' (code ${code}${code > 255 ? ` / 0x${code.toString(16)}` : ''})`;
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
    if (this.#expected === 'document') return this.#further(character);
    const after = this.#opened.length > 0 ? 'comma' : 'document';
    if (character === '"') return this.#string(after);
    if (character === '{' || character === '[') {
      this.#opened.push({ kind: character === '{' ? 'Object' : 'Array', offset: this.#at });
      return this.#take(character === '{' ? 'name or end' : 'value or end');
    }
    const isFirst = this.#opened.length === 0 || this.#expected === 'value or end';
    if (isFirst && (character === ']' || character === '}')) return this.#close(character);
    if (character === '}') return this.#refuse('expected a value');
    const strange = this.#read(notFinite);
    if (strange !== undefined)
      return parseFault(
        `Non-standard token '${strange}': enable JsonParser.Feature.ALLOW_NON_NUMERIC_NUMBERS to allow`,
        this.#source(this.#at + strange.length),
      );
    if (/[-+\d]/.test(character)) return this.#number(character, after);
    if (!/[\p{L}_$]/u.test(character)) return this.#refuse(`expected a valid value ${valid}`);
    const word = this.#read(wordAt) ?? character;
    if (['true', 'false', 'null'].includes(word)) return this.#take(after, word.length);
    const told = word.length > longestToken ? `${word.slice(0, longestToken)}...` : word;
    return parseFault(`Unrecognized token '${told}': was expecting ${valid}`, this.#source(this.#at + word.length));
  }

  /** A second value: that it is there is the fault, unless it is none. */
  #further(character: string): string | undefined {
    if (character === '{' || character === '[') return furtherToken(character);
    const from = this.#at;
    this.#expected = 'value';
    const fault = this.#value(character);
    if (fault !== undefined) return fault;
    const token = this.#text.slice(from, this.#at);
    return furtherToken(character === '"' ? (JSON.parse(token) as string) : token);
  }

  #number(character: string, after: Expected): string | undefined {
    const digits = character === '-' || character === '+' ? this.#at + 1 : this.#at;
    const first = this.#text[digits];
    if (first === undefined) return eofFault('No digit following minus sign', this.#source(digits));
    if (character === '+' || !/\d/.test(first))
      return this.#unexpected(digits, ' in numeric value: expected digit (0-9) to follow minus sign, for valid numeric value');
    if (first === '0' && /\d/.test(this.#text[digits + 1] ?? ''))
      return parseFault('Invalid numeric value: Leading zeroes not allowed', this.#source(digits + 1));
    const number = this.#read(numberAt) ?? first;
    const isWhole = /^-?\d+$/.test(number);
    this.#at += number.length;
    const [next, afterNext] = [this.#text[this.#at] ?? '', this.#at + 1];
    if (afterNext < this.#text.length) {
      if (next === '.' && isWhole)
        return this.#unexpected(afterNext, ' in numeric value: Decimal point not followed by a digit', afterNext);
      if (/[eE]/.test(next) && !/[eE]/.test(number)) {
        const isSigned = /[-+]/.test(this.#text[afterNext] ?? '') && afterNext + 1 < this.#text.length;
        return this.#unexpected(
          isSigned ? afterNext + 1 : afterNext,
          ' in numeric value: Exponent indicator not followed by a digit',
          afterNext,
        );
      }
    }
    return this.#take(after, 0);
  }

  /** A string, whose end is behind its first character; as Jackson reads it, one character after the other. */
  #string(after: Expected): string | undefined {
    const isName = after === 'colon';
    for (let at = this.#at + 1; at < this.#text.length; at++) {
      const character = this.#text[at]!;
      const code = character.charCodeAt(0);
      if (character === '"') return this.#take(after, at + 1 - this.#at);
      if (code < 32)
        return parseFault(
          `Illegal unquoted character ((CTRL-CHAR, code ${code})): has to be escaped using backslash to be included in ${isName ? 'name' : 'string value'}`,
          // A line feed, too, is a character of the line.
          source(this.#text, at, 1),
        );
      if (character !== '\\') continue;
      const fault = this.#escape(++at);
      if (fault !== undefined) return fault;
      if (this.#text[at] === 'u') at += 4;
    }
    const what = isName ? ' in field name' : ': was expecting closing quote for a string value';
    return eofFault(what, this.#source(this.#text.length));
  }

  /** What stands behind a backslash; a sentence if it is no escape. */
  #escape(at: number): string | undefined {
    const character = this.#text[at];
    const last = character === 'u' ? at + 4 : at;
    for (let digit = at + 1; digit <= last && digit < this.#text.length; digit++)
      if (!hexDigit.test(this.#text[digit]!)) return this.#unexpected(digit, ': expected a hex-digit for character escape sequence');
    if (character === undefined || last >= this.#text.length)
      return eofFault(' in character escape sequence', this.#source(this.#text.length));
    if ('"\\/bfnrtu'.includes(character)) return undefined;
    return parseFault(`Unrecognized character escape ${shown(character)}`, this.#source(at + 1));
  }

  /** What a pattern finds at the place of reading. */
  #read(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text)?.[0];
  }

  #close(character: string): string | undefined {
    const opened = this.#opened.pop();
    if (opened && (opened.kind === 'Object') === (character === '}')) return this.#take(this.#opened.length > 0 ? 'comma' : 'document');
    const wanted = character === ']' ? '}' : ']';
    const start = opened ? this.#source(opened.offset) : '[Source: (BufferedReader); line: 1, column: 0]';
    return parseFault(
      `Unexpected close marker '${character}': expected '${wanted}' (for ${opened?.kind ?? 'root'} starting at ${start})`,
      this.#source(this.#at + 1),
    );
  }

  #take(expected: Expected, length = 1): undefined {
    this.#at += length;
    this.#expected = expected;
  }

  #refuse(reason: string, kind = 'Unexpected'): string {
    return parseFault(`${kind} character (${shown(this.#text[this.#at]!)}): ${reason}`, this.#source(this.#at + 1));
  }

  /** A character in the midst of a token that it does not belong to; Jackson stands behind it, but for parts of numbers. */
  #unexpected(at: number, reason: string, standsAt = at + 1): string {
    return parseFault(`Unexpected character (${shown(this.#text[at]!)})${reason}`, this.#source(standsAt));
  }

  #source(offset: number): string {
    return source(this.#text, offset);
  }

  #atEnd(): string {
    const open = this.#opened.at(-1);
    const where = this.#source(this.#text.length);
    if (!open) return parseFault('Unexpected character', where);
    if (this.#expected === 'value' || this.#expected === 'colon' || this.#expected === 'name')
      return eofFault(` within/between ${open.kind} entries`, where);
    return eofFault(`: expected close marker for ${open.kind} (start marker at ${this.#source(open.offset)})`, where);
  }
}
