// Texts that become one piece of bytes: each is copied once, and none is joined to a longer text before.

/** Whether a text has no other characters than those of ASCII. */
export const isAscii = (text: string): boolean => Buffer.byteLength(text, 'utf8') === text.length;

/** Where in the bytes of a batch stands how long ago something was, in ms. */
export interface ElapsedPlace {
  readonly at: number;
  readonly sinceMs: number;
  readonly digits: number;
}

/** Texts in their order. */
export class TextBatch {
  #texts: string[] = [];
  #isAscii = true;
  /** Undefined where nobody asked for them, or a text has been added that the next moment may change. */
  #places: ElapsedPlace[] | undefined;
  readonly #notesPlaces: boolean;
  /** How many characters there are. */
  length = 0;

  /** `notesPlaces`: whether somebody will ask for the places of elapsed times. */
  constructor(notesPlaces = false) {
    this.#notesPlaces = notesPlaces;
    if (notesPlaces) this.#places = [];
  }

  /** `ascii`: what `isAscii` says of the text, where that is known. */
  add(text: string, ascii = isAscii(text)): void {
    this.#texts.push(text);
    this.#isAscii &&= ascii;
    this.length += text.length;
  }

  /** Adds how long ago something was, in ms; -1 where that is still to come. */
  addElapsed(sinceMs: number, nowMs: number): void {
    const text = String(Math.max(-1, nowMs - sinceMs));
    if (nowMs < sinceMs) this.#places = undefined;
    else this.#places?.push({ at: this.length, sinceMs, digits: text.length });
    this.add(text, true);
  }

  /** Adds a text that may be another one at the next moment. */
  addPassing(text: string): void {
    this.#places = undefined;
    this.add(text);
  }

  /** The elapsed times in what `take` will give; undefined where the next moment could give other bytes for another reason. */
  get places(): readonly ElapsedPlace[] | undefined {
    return this.#isAscii ? this.#places : undefined;
  }

  /** The bytes of all texts, in UTF-8; the batch is empty then. `lend` gives a buffer of the length that is needed. */
  take(lend: (bytes: number) => Buffer<ArrayBuffer> = Buffer.allocUnsafe): Buffer<ArrayBuffer> {
    const bytes = this.#isAscii ? this.#copied(lend(this.length)) : this.#encoded(lend);
    this.#texts = [];
    this.#isAscii = true;
    this.#places = this.#notesPlaces ? [] : undefined;
    this.length = 0;
    return bytes;
  }

  #copied(bytes: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
    let at = 0;
    for (const text of this.#texts) at += bytes.write(text, at, 'latin1');
    return bytes;
  }

  #encoded(lend: (bytes: number) => Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
    const text = this.#texts.join('');
    const bytes = lend(Buffer.byteLength(text, 'utf8'));
    bytes.write(text, 'utf8');
    return bytes;
  }
}
