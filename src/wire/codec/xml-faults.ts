// Whether an XML document is well-formed, and if not, where and by which sentence Java's reader (Xerces) stops at it: clients see both. Bodies
// are read by a parser that is less strict and counts otherwise.

import { foreign, isCharacter, name, qualifiedName } from './xml-characters.ts';
import { Namespaces } from './xml-namespaces.ts';

/** A fault: where the reader stands when it meets it, and its sentence. */
export interface XmlFault {
  readonly offset: number;
  readonly sentence: string;
  /** Java's reader does not say where: it fails at what it did not expect. */
  readonly isWithoutPlace?: boolean;
}

/** The first element. */
export interface RootElement {
  readonly name: string;
  readonly namespace: string;
}

class Stopped extends Error {
  readonly fault: XmlFault;

  constructor(offset: number, sentence: string, isWithoutPlace = false) {
    super(sentence);
    this.fault = { offset, sentence, ...(isWithoutPlace ? { isWithoutPlace } : {}) };
  }
}

/** What is said where the text ends too early. */
export const unfinished = 'XML document structures must start and end within the same entity.';
const predefined: ReadonlySet<string> = new Set(['lt', 'gt', 'amp', 'quot', 'apos']);

/** Expressions that are tried at a place, and those that look for the next one. */
const blanks = /[ \t\r\n]*/y;
const hexadecimal = /[0-9A-Fa-f]*/y;
const decimal = /[0-9]*/y;
const endOfText = new RegExp(`[<&]|]]>|${foreign}`, 'g');
const endOfValue = { '"': new RegExp(`["<&]|${foreign}`, 'g'), "'": new RegExp(`['<&]|${foreign}`, 'g') } as const;
const strange = new RegExp(foreign);

const invalidCharacter = (code: number, where: string) =>
  `An invalid XML character (Unicode: 0x${code.toString(16)}) was found in ${where}.`;

class Scanner {
  readonly #text: string;
  readonly #rootSeen: (root: RootElement) => void;
  readonly #namespaces = new Namespaces();
  /** Names of the elements that are open. */
  readonly #open: string[] = [];
  /** The prefixes that each of them declares. */
  readonly #declared: (readonly string[])[] = [];
  #at = 0;

  constructor(text: string, rootSeen: (root: RootElement) => void) {
    this.#text = text;
    this.#rootSeen = rootSeen;
  }

  scan(): void {
    if (this.#text.startsWith('\ufeff')) this.#at++;
    if (/^<\?xml[ \t\r\n]/.test(this.#text.slice(this.#at, this.#at + 6))) this.#declaration();
    this.#prolog();
    while (this.#open.length > 0) this.#content();
    this.#trailing();
  }

  #stop(sentence: string, offset = this.#at): never {
    throw new Stopped(Math.min(offset, this.#text.length), sentence);
  }

  /** At the end of the text nothing else is said. */
  #stopUnlessEnded(sentence: string, offset = this.#at): never {
    return this.#at >= this.#text.length ? this.#stop(unfinished) : this.#stop(sentence, offset);
  }

  #next(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    return expression.exec(this.#text) ?? undefined;
  }

  #take(expression: RegExp): string {
    const [taken = ''] = this.#next(expression) ?? [];
    this.#at += taken.length;
    return taken;
  }

  #takes(piece: string): boolean {
    if (!this.#text.startsWith(piece, this.#at)) return false;
    this.#at += piece.length;
    return true;
  }

  #declaration(): void {
    this.#at += '<?xml'.length;
    const seen = new Set<string>();
    for (;;) {
      this.#take(blanks);
      if (this.#takes('?>')) break;
      const [, word] = /^(version|encoding|standalone)/.exec(this.#text.slice(this.#at, this.#at + 10)) ?? [];
      if (word === undefined) {
        const isCut = this.#text[this.#at] === '?' && this.#at + 1 === this.#text.length;
        this.#stopUnlessEnded(isCut ? unfinished : 'A pseudo attribute name is expected.', isCut ? this.#text.length : this.#at);
      }
      this.#at += word.length;
      this.#take(blanks);
      if (!this.#takes('=')) this.#stopUnlessEnded(`The ' = ' character must follow "${word}" in the XML declaration.`);
      this.#take(blanks);
      const quote = this.#text[this.#at];
      if (quote !== '"' && quote !== "'")
        this.#stopUnlessEnded(`The value following "${word}" in the XML declaration must be a quoted string.`);
      const end = this.#text.indexOf(quote, this.#at + 1);
      if (end < 0) this.#stop(unfinished, this.#text.length);
      const value = this.#text.slice(this.#at + 1, end);
      this.#at = end + 1;
      seen.add(word);
      if (!seen.has('version')) this.#stop('The version is required in the XML declaration.');
      if (word === 'standalone' && value !== 'yes' && value !== 'no')
        this.#stop(`The standalone document declaration value must be "yes" or "no", not "${value}".`);
    }
    if (!seen.has('version')) this.#stop('The version is required in the XML declaration.');
  }

  #prolog(): void {
    for (;;) {
      this.#take(blanks);
      if (this.#at >= this.#text.length) this.#stop('Premature end of file.');
      if (this.#takes('&')) this.#stop('Reference is not allowed in prolog.');
      if (!this.#takes('<')) this.#stop('Content is not allowed in prolog.');
      if (this.#takes('?')) this.#instruction();
      else if (this.#takes('!')) {
        if (!this.#takes('--')) this.#stopUnlessEnded('The markup in the document preceding the root element must be well-formed.');
        this.#comment();
      } else return this.#element('The markup in the document preceding the root element must be well-formed.');
    }
  }

  #trailing(): void {
    for (;;) {
      this.#take(blanks);
      if (this.#at >= this.#text.length) return;
      if (!this.#takes('<')) this.#stop('Content is not allowed in trailing section.');
      if (this.#takes('?')) this.#instruction();
      else if (this.#takes('!')) {
        if (!this.#takes('--')) this.#stopUnlessEnded('Comment must start with "<!--".');
        this.#comment();
      } else {
        this.#takes('/');
        this.#stopUnlessEnded('The markup in the document following the root element must be well-formed.');
      }
    }
  }

  /** Text up to the next markup, and that. */
  #content(): void {
    const found = this.#next(endOfText);
    if (found === undefined) this.#stop(unfinished, this.#text.length);
    this.#at = found.index;
    if (this.#takes(']]>'))
      this.#stop('The character sequence "]]>" must not appear in content unless used to mark the end of a CDATA section.');
    if (this.#text[this.#at] === '&') return this.#reference();
    if (!this.#takes('<')) this.#stop(invalidCharacter(this.#text.charCodeAt(this.#at), 'the element content of the document'));
    const unformed = 'The content of elements must consist of well-formed character data or markup.';
    if (this.#takes('/')) this.#endTag();
    else if (this.#takes('?')) this.#instruction();
    else if (this.#takes('![CDATA[')) this.#until(']]>', 'the CDATA section');
    else if (this.#takes('!-')) {
      if (!this.#takes('-')) this.#stopUnlessEnded('Comment must start with "<!--".');
      this.#comment();
    } else if (this.#takes('!DOCTYPE')) throw new Stopped(this.#at, 'Scanner State 24 not Recognized ', true);
    else if (this.#takes('!')) this.#stopUnlessEnded(unformed);
    else this.#element(unformed);
  }

  /** Up to behind the end of a part whose characters all count as they stand. */
  #until(end: string, where: string): void {
    const found = this.#text.indexOf(end, this.#at);
    const part = this.#text.slice(this.#at, found < 0 ? this.#text.length : found);
    const character = part.search(strange);
    if (character >= 0) this.#stop(invalidCharacter(part.charCodeAt(character), where), this.#at + character);
    if (found < 0) this.#stop(unfinished, this.#text.length);
    this.#at = found + end.length;
  }

  #comment(): void {
    this.#until('--', 'the comment');
    if (!this.#takes('>')) this.#stopUnlessEnded('The string "--" is not permitted within comments.');
  }

  #instruction(): void {
    const target = this.#take(name);
    if (target === '') this.#stopUnlessEnded('The processing instruction must begin with the name of the target.');
    if (target.toLowerCase() === 'xml') this.#stop('The processing instruction target matching "[xX][mM][lL]" is not allowed.');
    if (this.#takes('?>')) return;
    if (this.#take(blanks) === '') this.#stopUnlessEnded('White space is required between the processing instruction target and data.');
    this.#until('?>', 'the processing instruction');
  }

  #qualifiedName(): string {
    const [whole = '', , colon, local] = this.#next(qualifiedName) ?? [];
    this.#at += whole.length;
    if (colon !== undefined && local === undefined)
      this.#stopUnlessEnded(`Element or attribute "${whole}" do not match QName production: QName::=(NCName:)?NCName.`);
    return whole;
  }

  /** An element behind its `<`, up to behind its start tag. `otherwise`: what is said where no name follows. */
  #element(otherwise: string): void {
    const element = this.#qualifiedName();
    if (element === '') this.#stopUnlessEnded(otherwise);
    const unterminated = `Element type "${element}" must be followed by either attribute specifications, ">" or "/>".`;
    const declared = this.#namespaces.begin();
    const attributes: string[] = [];
    for (;;) {
      const blank = this.#take(blanks);
      if (this.#takes('>')) break;
      if (this.#takes('/')) {
        if (!this.#takes('>')) this.#stopUnlessEnded(unterminated);
        this.#named(element, attributes);
        return this.#namespaces.end(declared);
      }
      const attribute = blank === '' ? '' : this.#qualifiedName();
      if (attribute === '') this.#stopUnlessEnded(unterminated);
      const value = this.#attributeValue(attribute, element);
      const fault = this.#namespaces.declare(attribute, value);
      if (fault !== undefined) this.#stop(fault);
      attributes.push(attribute);
    }
    this.#named(element, attributes);
    this.#open.push(element);
    this.#declared.push(declared);
  }

  /** What is told behind a start tag: names without a namespace, attributes that come twice, and the root. */
  #named(element: string, attributes: readonly string[]): void {
    const fault = this.#namespaces.faultOf(element, attributes);
    if (fault !== undefined) this.#stop(fault);
    if (this.#open.length === 0) this.#rootSeen(this.#namespaces.nameOf(element));
  }

  #attributeValue(attribute: string, element: string): string {
    const of = `"${attribute}" associated with an`;
    this.#take(blanks);
    if (!this.#takes('=')) this.#stopUnlessEnded(`Attribute name ${of} element type "${element}" must be followed by the ' = ' character.`);
    this.#take(blanks);
    const quote = this.#text[this.#at];
    if (quote !== '"' && quote !== "'") this.#stopUnlessEnded(`Open quote is expected for attribute ${of}  element type  "${element}".`);
    const start = ++this.#at;
    for (;;) {
      const found = this.#next(endOfValue[quote]);
      if (found === undefined) this.#stop(unfinished, this.#text.length);
      this.#at = found.index;
      if (this.#takes(quote)) return this.#text.slice(start, this.#at - 1);
      if (found[0] === '<') this.#stop(`The value of attribute ${of} element type "${element}" must not contain the '<' character.`);
      if (found[0] !== '&')
        this.#stop(invalidCharacter(found[0].charCodeAt(0), `the value of attribute "${attribute}" and element is "${element}"`));
      this.#reference();
    }
  }

  #endTag(): void {
    const element = this.#open.at(-1) ?? '';
    if (!this.#takes(element)) this.#stop(`The element type "${element}" must be terminated by the matching end-tag "</${element}>".`);
    this.#take(blanks);
    if (!this.#takes('>')) this.#stopUnlessEnded(`The end-tag for element type "${element}" must end with a '>' delimiter.`);
    this.#open.pop();
    this.#namespaces.end(this.#declared.pop() ?? []);
  }

  #reference(): void {
    const start = this.#at++;
    if (!this.#takes('#')) return this.#entity();
    const isHexadecimal = this.#takes('x');
    const digits = this.#take(isHexadecimal ? hexadecimal : decimal);
    if (digits === '')
      this.#stopUnlessEnded(
        isHexadecimal
          ? 'A hexadecimal representation must immediately follow the "&#x" in a character reference.'
          : 'A decimal representation must immediately follow the "&#" in a character reference.',
      );
    const reference = this.#text.slice(start, this.#at);
    if (!this.#takes(';')) this.#stopUnlessEnded("The character reference must end with the ';' delimiter.");
    if (!isCharacter(Number.parseInt(digits, isHexadecimal ? 16 : 10)))
      this.#stop(`Character reference "${reference}" is an invalid XML character.`);
  }

  #entity(): void {
    const entity = this.#take(name);
    if (entity === '') this.#stopUnlessEnded("The entity name must immediately follow the '&' in the entity reference.");
    if (!this.#takes(';')) this.#stopUnlessEnded(`The reference to entity "${entity}" must end with the ';' delimiter.`);
    if (!predefined.has(entity)) this.#stop(`The entity "${entity}" was referenced, but not declared.`);
  }
}

/**
 * The first fault of a document without a document type; undefined where it is well-formed. `rootSeen` hears of the first element before what
 * follows it is looked at. @throws what `rootSeen` throws
 */
export function faultOfDocument(text: string, rootSeen: (root: RootElement) => void): XmlFault | undefined {
  try {
    new Scanner(text, rootSeen).scan();
    return undefined;
  } catch (error) {
    if (error instanceof Stopped) return error.fault;
    throw error;
  }
}
