// What a program writes to a terminal, as lines of text with the place of the cursor: carriage returns, backspaces, and the sequences with which
// shells edit a line and clear the screen. Colours are left out. Programs that draw a whole screen are for a real terminal. Pure.

const begin = '\u001b';
/** The beginning of a sequence that may end in the next piece. */
const unfinished = new RegExp(`${begin}(?:[\\[][\\d;?>=!]*|\\][^\\u0007${begin}]*(?:${begin})?|[()#]?)?$`);
/** Controls: sequences of one kind each, or one letter. */
const control = new RegExp(
  `${begin}\\[([?>=!]?[\\d;]*)[ -/]*([@-~])|${begin}\\][^\\u0007${begin}]*(?:\\u0007|${begin}\\\\)|${begin}[()#].|${begin}[^\\[\\]()#]|[\\u0000-\\u001f\\u007f]`,
  'g',
);
const tabWidth = 8;
/** A sequence that does not end is no sequence. */
const longestSequence = 4096;

/** Lines that a program wrote. */
export class TerminalText {
  readonly #mostLines: number;
  #lines: string[][] = [[]];
  #row = 0;
  #column = 0;
  #rest = '';

  constructor(mostLines: number) {
    this.#mostLines = mostLines;
  }

  /** The lines up to the last one that was written to or holds the cursor. */
  get lines(): readonly string[] {
    return this.#lines.map((line) => line.join(''));
  }

  /** Where the cursor is: the number of the line, and how many characters stand before it. */
  get cursor(): { readonly row: number; readonly column: number } {
    return { row: this.#row, column: this.#column };
  }

  /** Takes what was written next. */
  write(piece: string): void {
    let text = this.#rest + piece;
    this.#rest = '';
    const open = unfinished.exec(text);
    if (open && open[0].length > 0 && open[0].length < longestSequence) {
      this.#rest = open[0];
      text = text.slice(0, open.index);
    }
    let at = 0;
    for (const match of text.matchAll(control)) {
      this.#put(text.slice(at, match.index));
      at = match.index + match[0].length;
      if (match[2] !== undefined) this.#sequence(match[2], match[1] ?? '');
      else if (match[0].length === 1) this.#control(match[0]);
    }
    this.#put(text.slice(at));
  }

  #put(text: string): void {
    if (text === '') return;
    const line = this.#lines[this.#row]!;
    while (line.length < this.#column) line.push(' ');
    for (const character of text) line[this.#column++] = character;
  }

  #control(character: string): void {
    if (character === '\r') this.#column = 0;
    else if (character === '\n' || character === '\u000b' || character === '\u000c') this.#down();
    else if (character === '\b') this.#column = Math.max(0, this.#column - 1);
    else if (character === '\t') this.#column = (Math.floor(this.#column / tabWidth) + 1) * tabWidth;
  }

  #down(): void {
    this.#row++;
    if (this.#row === this.#lines.length) this.#lines.push([]);
    if (this.#lines.length > this.#mostLines) {
      this.#lines.shift();
      this.#row--;
    }
  }

  #sequence(letter: string, parameters: string): void {
    const [first = 0] = parameters.split(';').map((part) => Math.min(Number(part) || 0, 9999));
    const times = Math.max(1, first);
    const line = this.#lines[this.#row]!;
    if (letter === 'K') this.#erase(first);
    else if (letter === 'C') this.#column += times;
    else if (letter === 'D') this.#column = Math.max(0, this.#column - times);
    else if (letter === 'G') this.#column = times - 1;
    else if (letter === 'A') this.#row = Math.max(0, this.#row - times);
    else if (letter === 'B') this.#row = Math.min(this.#lines.length - 1, this.#row + times);
    else if (letter === 'P') line.splice(this.#column, times);
    else if (letter === '@') line.splice(this.#column, 0, ...Array<string>(times).fill(' '));
    else if (letter === 'J' && first === 0) {
      this.#erase(0);
      this.#lines.length = this.#row + 1;
    } else if (letter === 'J') this.#clear();
    // What is on the screen is not known here: home is where the last clearing began.
    else if (letter === 'H' || letter === 'f') this.#column = 0;
  }

  #erase(which: number): void {
    const line = this.#lines[this.#row]!;
    if (which === 0) line.length = Math.min(line.length, this.#column);
    else if (which === 1) line.fill(' ', 0, Math.min(line.length, this.#column + 1));
    else line.length = 0;
  }

  #clear(): void {
    this.#lines = [[]];
    this.#row = 0;
    this.#column = 0;
  }
}

/** What a key sends; undefined: it writes a text, or is the browser's. `control`: Ctrl is held. */
export function keySequence({ key, control: isHeld }: { readonly key: string; readonly control: boolean }): string | undefined {
  if (!isHeld) return keys[key];
  if (key === ' ' || key === '@') return '\0';
  if (!/^[a-z[\\\]^_]$/i.test(key)) return undefined;
  return String.fromCharCode(key.toUpperCase().charCodeAt(0) & 0x1f);
}

const keys: Readonly<Record<string, string>> = {
  Enter: '\r',
  Backspace: '\u007f',
  Tab: '\t',
  Escape: begin,
  ArrowUp: `${begin}[A`,
  ArrowDown: `${begin}[B`,
  ArrowRight: `${begin}[C`,
  ArrowLeft: `${begin}[D`,
  Home: `${begin}[H`,
  End: `${begin}[F`,
  Delete: `${begin}[3~`,
};
