// Letters that are no letters: they move the cursor of a terminal, colour it, or turn the order of what stands beside them.

/** C0 and C1 controls, DEL, the ends of lines and paragraphs, marks of writing direction, halves of surrogate pairs, tags. */
const unprintable = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}\p{Cs}]/u;
const everyUnprintable = new RegExp(unprintable, 'gu');

/** Whether a text has such letters. */
export const hasUnprintable = (text: string): boolean => unprintable.test(text);

/** The text with U+FFFD for each of them; of ends of lines and tabs only where `keepsLines` does not say that they stay. */
export const printable = (text: string, keepsLines = false): string =>
  unprintable.test(text)
    ? text.replace(everyUnprintable, (letter) => (keepsLines && (letter === '\n' || letter === '\t') ? letter : '\ufffd'))
    : text;
