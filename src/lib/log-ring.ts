// The last lines of a log, kept in memory for who looks at a server's log from afar. Taking a line is an entry into an array and a sum, for it
// stands between every line and its being written.

/** A line as it was written, JSON with its end of line, and its number among all lines of the process. */
export interface KeptLine {
  readonly number: number;
  readonly line: string;
}

/** Lines that are kept, and how many characters of them. */
const mostLines = 2000;
const mostCharacters = 1024 * 1024;

/** The lines. */
export class LogRing {
  readonly #lines: (string | undefined)[] = new Array<string | undefined>(mostLines).fill(undefined);
  #first = 1;
  #next = 1;
  #characters = 0;
  #waiting: (() => void)[] = [];

  /** The number of the first line that is kept, and of the line that comes next. */
  get first(): number {
    return this.#first;
  }
  get next(): number {
    return this.#next;
  }

  add(line: string): void {
    const at = this.#next % mostLines;
    if (this.#next - this.#first === mostLines) this.#drop();
    this.#lines[at] = line;
    this.#characters += line.length;
    this.#next++;
    while (this.#characters > mostCharacters && this.#next - this.#first > 1) this.#drop();
    if (this.#waiting.length > 0) for (const wake of this.#waiting.splice(0)) wake();
  }

  #drop(): void {
    const at = this.#first % mostLines;
    this.#characters -= this.#lines[at]!.length;
    this.#lines[at] = undefined;
    this.#first++;
  }

  /** Kept lines from a number on, oldest first. */
  *from(number: number): Generator<KeptLine> {
    for (let at = Math.max(number, this.#first); at < this.#next; at++) {
      const line = this.#lines[at % mostLines];
      if (line !== undefined) yield { number: at, line };
    }
  }

  /** Calls once, when the next line has come. Gives what takes that back. */
  onNext(wake: () => void): () => void {
    this.#waiting.push(wake);
    return () => {
      this.#waiting = this.#waiting.filter((each) => each !== wake);
    };
  }
}
