// What reads XML from its beginning to its end, and stops at the first fault as Java's reader (Xerces) does: where it stands, and its sentence.

import { foreign, isCharacter, name } from './xml-characters.ts';

/** A fault: where the reader stands when it meets it, and its sentence. */
export interface XmlFault {
  readonly offset: number;
  readonly sentence: string;
  /** The text in which `offset` counts, where it is that of an entity. */
  readonly entity?: string;
  /** Java's reader does not say where: it fails at what it did not expect. */
  readonly isWithoutPlace?: boolean;
}

export class Stopped extends Error {
  readonly fault: XmlFault;

  constructor(fault: XmlFault) {
    super(fault.sentence);
    this.fault = fault;
  }
}

/** What is said where the text ends too early. */
export const unfinished = 'XML document structures must start and end within the same entity.';

const blanks = /[ \t\r\n]*/y;
const hexadecimal = /[0-9A-Fa-f]*/y;
const decimal = /[0-9]*/y;
const strange = new RegExp(foreign);

export const invalidCharacter = (code: number, where: string): string =>
  `An invalid XML character (Unicode: 0x${code.toString(16)}) was found in ${where}.`;

/** A text and a place in it. */
export class XmlReader {
  protected readonly text: string;
  /** The text is the replacement of an entity, not the document. */
  protected readonly isEntity: boolean;
  protected at: number;

  constructor(text: string, at = 0, isEntity = false) {
    this.text = text;
    this.at = at;
    this.isEntity = isEntity;
  }

  protected stop(sentence: string, offset = this.at): never {
    throw new Stopped({ offset: Math.min(offset, this.text.length), sentence, ...(this.isEntity ? { entity: this.text } : {}) });
  }

  protected get hasEnded(): boolean {
    return this.at >= this.text.length;
  }

  /** At the end of the text nothing else is said. */
  protected stopUnlessEnded(sentence: string, offset = this.at): never {
    return this.hasEnded ? this.stop(unfinished) : this.stop(sentence, offset);
  }

  protected next(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.at;
    return expression.exec(this.text) ?? undefined;
  }

  protected take(expression: RegExp): string {
    const [taken = ''] = this.next(expression) ?? [];
    this.at += taken.length;
    return taken;
  }

  protected takes(piece: string): boolean {
    if (!this.text.startsWith(piece, this.at)) return false;
    this.at += piece.length;
    return true;
  }

  protected takeBlanks(): string {
    return this.take(blanks);
  }

  /** Up to behind the end of a part whose characters all count as they stand. */
  protected until(end: string, where: string): void {
    const found = this.text.indexOf(end, this.at);
    const part = this.text.slice(this.at, found < 0 ? this.text.length : found);
    const character = part.search(strange);
    if (character >= 0) this.stop(invalidCharacter(part.charCodeAt(character), where), this.at + character);
    if (found < 0) this.stop(unfinished, this.text.length);
    this.at = found + end.length;
  }

  /** Behind its `<!--`. */
  protected comment(): void {
    this.until('--', 'the comment');
    if (!this.takes('>')) this.stopUnlessEnded('The string "--" is not permitted within comments.');
  }

  /** A processing instruction, behind its `<?`. */
  protected instruction(): void {
    const target = this.take(name);
    if (target === '') this.stopUnlessEnded('The processing instruction must begin with the name of the target.');
    if (target.toLowerCase() === 'xml') this.stop('The processing instruction target matching "[xX][mM][lL]" is not allowed.');
    if (this.takes('?>')) return;
    if (this.takeBlanks() === '') this.stopUnlessEnded('White space is required between the processing instruction target and data.');
    this.until('?>', 'the processing instruction');
  }

  /** A reference to a character, behind its `&#`; gives the character. */
  protected character(): string {
    const start = this.at - 2;
    const isHexadecimal = this.takes('x');
    const digits = this.take(isHexadecimal ? hexadecimal : decimal);
    if (digits === '')
      this.stopUnlessEnded(
        isHexadecimal
          ? 'A hexadecimal representation must immediately follow the "&#x" in a character reference.'
          : 'A decimal representation must immediately follow the "&#" in a character reference.',
      );
    const reference = this.text.slice(start, this.at);
    if (!this.takes(';')) this.stopUnlessEnded("The character reference must end with the ';' delimiter.");
    const code = Number.parseInt(digits, isHexadecimal ? 16 : 10);
    if (!isCharacter(code)) this.stop(`Character reference "${reference}" is an invalid XML character.`);
    return String.fromCodePoint(code);
  }

  /** The name of an entity, behind its `&`, up to behind its `;`. */
  protected entityName(): string {
    const entity = this.take(name);
    if (entity === '') this.stopUnlessEnded("The entity name must immediately follow the '&' in the entity reference.");
    if (!this.takes(';')) this.stopUnlessEnded(`The reference to entity "${entity}" must end with the ';' delimiter.`);
    return entity;
  }
}
