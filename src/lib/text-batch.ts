// Texts that become one piece of bytes: each is copied once, and none is joined to a longer text before.

/** Whether a text has no other characters than those of ASCII. */
export const isAscii = (text: string): boolean => Buffer.byteLength(text, 'utf8') === text.length;

/** Texts in their order. */
export class TextBatch {
  #texts: string[] = [];
  #isAscii = true;
  /** How many characters there are. */
  length = 0;

  /** `ascii`: what `isAscii` says of the text, where that is known. */
  add(text: string, ascii = isAscii(text)): void {
    this.#texts.push(text);
    this.#isAscii &&= ascii;
    this.length += text.length;
  }

  /** The bytes of all texts, in UTF-8; the batch is empty then. `lend` gives a buffer of the length that is needed. */
  take(lend: (bytes: number) => Buffer<ArrayBuffer> = Buffer.allocUnsafe): Buffer<ArrayBuffer> {
    const bytes = this.#isAscii ? this.#copied(lend(this.length)) : this.#encoded(lend);
    this.#texts = [];
    this.#isAscii = true;
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
