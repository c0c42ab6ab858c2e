// Whether an XML document is well-formed, and if not, where and by which sentence Java's reader (Xerces) stops at it: clients see both. Bodies
// are read by a parser that is less strict and counts otherwise; it is given the document with its entities replaced.

import { foreign, qualifiedName } from './xml-characters.ts';
import { type DocumentType, readDocumentType } from './xml-document-type.ts';
import { Namespaces } from './xml-namespaces.ts';
import { invalidCharacter, Stopped, unfinished, type XmlFault, XmlReader } from './xml-reader.ts';

/** The first element. */
export interface RootElement {
  readonly name: string;
  readonly namespace: string;
}

const predefined: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);
/** Most characters that entities of a document are replaced by, all together, so that a small body stays small. */
const longestExpansion = 64 * 1024;

/** Expressions that look for the next one. */
const endOfText = new RegExp(`[<&]|]]>|${foreign}`, 'g');
const endOfValue = {
  '"': new RegExp(`["<&]|${foreign}`, 'g'),
  "'": new RegExp(`['<&]|${foreign}`, 'g'),
  '': new RegExp(`[<&]|${foreign}`, 'g'),
} as const;

/** What the reader of a document and those of its entities share. */
class Progress {
  readonly rootSeen: (root: RootElement) => void;
  readonly namespaces = new Namespaces();
  /** Names of the elements that are open. */
  readonly open: string[] = [];
  /** The prefixes that each of them declares. */
  readonly declared: (readonly string[])[] = [];
  /** The entities that are being read, the outermost first. */
  readonly within: string[] = [];
  type: DocumentType | undefined;
  expanded = 0;

  constructor(rootSeen: (root: RootElement) => void) {
    this.rootSeen = rootSeen;
  }
}

class Scanner extends XmlReader {
  readonly #progress: Progress;
  /** The text with its entities replaced, as far as `#copied`. */
  readonly #pieces: string[] = [];
  #copied = 0;

  constructor(text: string, progress: Progress, isEntity = false) {
    super(text, 0, isEntity);
    this.#progress = progress;
  }

  /** A whole document; gives it with its entities replaced. */
  scan(): string {
    if (/^<\?xml[ \t\r\n]/.test(this.text.slice(0, 6))) this.#declaration();
    this.#prolog();
    while (this.#progress.open.length > 0) this.#content();
    this.#trailing();
    return this.#expandedText();
  }

  #expandedText(): string {
    return this.#pieces.length === 0 ? this.text : this.#pieces.join('') + this.text.slice(this.#copied);
  }

  /** What stands from `start` up to here is replaced. */
  #replace(start: number, text: string): void {
    this.#pieces.push(this.text.slice(this.#copied, start), text);
    this.#copied = this.at;
  }

  #declaration(): void {
    this.at += '<?xml'.length;
    const seen = new Set<string>();
    for (;;) {
      this.takeBlanks();
      if (this.takes('?>')) break;
      const [, word] = /^(version|encoding|standalone)/.exec(this.text.slice(this.at, this.at + 10)) ?? [];
      if (word === undefined) {
        const isCut = this.text[this.at] === '?' && this.at + 1 === this.text.length;
        this.stopUnlessEnded(isCut ? unfinished : 'A pseudo attribute name is expected.', isCut ? this.text.length : this.at);
      }
      this.at += word.length;
      this.takeBlanks();
      if (!this.takes('=')) this.stopUnlessEnded(`The ' = ' character must follow "${word}" in the XML declaration.`);
      this.takeBlanks();
      const quote = this.text[this.at];
      if (quote !== '"' && quote !== "'")
        this.stopUnlessEnded(`The value following "${word}" in the XML declaration must be a quoted string.`);
      const end = this.text.indexOf(quote, this.at + 1);
      if (end < 0) this.stop(unfinished, this.text.length);
      const value = this.text.slice(this.at + 1, end);
      this.at = end + 1;
      seen.add(word);
      if (!seen.has('version')) this.stop('The version is required in the XML declaration.');
      if (word === 'standalone' && value !== 'yes' && value !== 'no')
        this.stop(`The standalone document declaration value must be "yes" or "no", not "${value}".`);
    }
    if (!seen.has('version')) this.stop('The version is required in the XML declaration.');
  }

  #prolog(): void {
    for (;;) {
      this.takeBlanks();
      if (this.at >= this.text.length) this.stop('Premature end of file.');
      if (this.takes('&')) this.stop('Reference is not allowed in prolog.');
      if (!this.takes('<')) this.stop('Content is not allowed in prolog.');
      if (this.takes('?')) this.instruction();
      else if (this.takes('!')) {
        if (this.takes('--')) this.comment();
        else if (this.takes('DOCTYPE')) this.#documentType();
        else this.stopUnlessEnded('The markup in the document preceding the root element must be well-formed.');
      } else return this.#element('The markup in the document preceding the root element must be well-formed.');
    }
  }

  #documentType(): void {
    if (this.#progress.type) this.stop('Already seen doctype.');
    const start = this.at - '<!DOCTYPE'.length;
    this.#progress.type = readDocumentType(this.text, this.at);
    this.at = this.#progress.type.end;
    this.#replace(start, '');
  }

  #trailing(): void {
    for (;;) {
      this.takeBlanks();
      if (this.at >= this.text.length) return;
      if (!this.takes('<')) this.stop('Content is not allowed in trailing section.');
      if (this.takes('?')) this.instruction();
      else if (this.takes('!')) {
        if (!this.takes('--')) this.stopUnlessEnded('Comment must start with "<!--".');
        this.comment();
      } else {
        this.takes('/');
        this.stopUnlessEnded('The markup in the document following the root element must be well-formed.');
      }
    }
  }

  /** Text up to the next markup, and that. */
  #content(): void {
    const found = this.next(endOfText);
    if (found === undefined) {
      if (!this.isEntity) this.stop(unfinished, this.text.length);
      this.at = this.text.length;
      return;
    }
    this.at = found.index;
    if (this.takes(']]>'))
      this.stop('The character sequence "]]>" must not appear in content unless used to mark the end of a CDATA section.');
    if (this.takes('&#')) {
      this.character();
      return;
    }
    if (this.takes('&')) return this.#entity();
    if (!this.takes('<')) this.stop(invalidCharacter(this.text.charCodeAt(this.at), 'the element content of the document'));
    const unformed = 'The content of elements must consist of well-formed character data or markup.';
    if (this.takes('/')) this.#endTag();
    else if (this.takes('?')) this.instruction();
    else if (this.takes('![CDATA[')) this.until(']]>', 'the CDATA section');
    else if (this.takes('!-')) {
      if (!this.takes('-')) this.stopUnlessEnded('Comment must start with "<!--".');
      this.comment();
    } else if (this.takes('!DOCTYPE'))
      throw new Stopped({ offset: this.at, sentence: 'Scanner State 24 not Recognized ', isWithoutPlace: true });
    else if (this.takes('!')) this.stopUnlessEnded(unformed);
    else this.#element(unformed);
  }

  #qualifiedName(): string {
    const [whole = '', , colon, local] = this.next(qualifiedName) ?? [];
    this.at += whole.length;
    if (colon !== undefined && local === undefined)
      this.stopUnlessEnded(`Element or attribute "${whole}" do not match QName production: QName::=(NCName:)?NCName.`);
    return whole;
  }

  /** An element behind its `<`, up to behind its start tag. `otherwise`: what is said where no name follows. */
  #element(otherwise: string): void {
    const element = this.#qualifiedName();
    if (element === '') this.stopUnlessEnded(otherwise);
    const unterminated = `Element type "${element}" must be followed by either attribute specifications, ">" or "/>".`;
    const declared = this.#progress.namespaces.begin();
    const attributes: string[] = [];
    for (;;) {
      const blank = this.takeBlanks();
      if (this.takes('>')) break;
      if (this.takes('/')) {
        if (!this.takes('>')) this.stopUnlessEnded(unterminated);
        this.#named(element, attributes);
        return this.#progress.namespaces.end(declared);
      }
      const attribute = blank === '' ? '' : this.#qualifiedName();
      if (attribute === '') this.stopUnlessEnded(unterminated);
      const value = this.#attributeValue(attribute, element);
      const fault = this.#progress.namespaces.declare(attribute, value);
      if (fault !== undefined) this.stop(fault);
      attributes.push(attribute);
    }
    this.#named(element, attributes);
    this.#progress.open.push(element);
    this.#progress.declared.push(declared);
  }

  /** What is told behind a start tag: names without a namespace, attributes that come twice, and the root. */
  #named(element: string, attributes: readonly string[]): void {
    const fault = this.#progress.namespaces.faultOf(element, attributes);
    if (fault !== undefined) this.stop(fault);
    if (this.#progress.open.length === 0) this.#progress.rootSeen(this.#progress.namespaces.nameOf(element));
  }

  #attributeValue(attribute: string, element: string): string {
    const of = `"${attribute}" associated with an`;
    this.takeBlanks();
    if (!this.takes('=')) this.stopUnlessEnded(`Attribute name ${of} element type "${element}" must be followed by the ' = ' character.`);
    this.takeBlanks();
    const quote = this.text[this.at];
    if (quote !== '"' && quote !== "'") this.stopUnlessEnded(`Open quote is expected for attribute ${of}  element type  "${element}".`);
    this.at++;
    return this.#valueUpTo(quote, attribute, element);
  }

  /** A value of an attribute up to behind its quote, or all of the text of an entity (`quote` empty), with its references replaced. */
  #valueUpTo(quote: '"' | "'" | '', attribute: string, element: string): string {
    let value = '';
    for (;;) {
      const found = this.next(endOfValue[quote]);
      if (found === undefined && quote !== '') this.stop(unfinished, this.text.length);
      value += this.text.slice(this.at, found?.index).replace(/[\t\r\n]/g, ' ');
      if (found === undefined) return value;
      this.at = found.index;
      if (quote !== '' && this.takes(quote)) return value;
      if (found[0] === '<')
        this.stop(`The value of attribute "${attribute}" associated with an element type "${element}" must not contain the '<' character.`);
      if (found[0] !== '&')
        this.stop(invalidCharacter(found[0].charCodeAt(0), `the value of attribute "${attribute}" and element is "${element}"`));
      value += this.#referenceInValue(attribute, element);
    }
  }

  #referenceInValue(attribute: string, element: string): string {
    if (this.takes('&#')) return this.character();
    this.at++;
    const entity = this.entityName();
    const character = predefined.get(entity);
    if (character !== undefined) return character;
    if (!this.#isDeclared(entity)) return '';
    const text = this.#progress.type?.entities.get(entity);
    if (text === undefined) this.stop(`The external entity reference "&${entity};" is not permitted in an attribute value.`);
    return this.#inside(entity, text, (scanner) => scanner.#valueUpTo('', attribute, element));
  }

  #endTag(): void {
    const element = this.#progress.open.at(-1) ?? '';
    if (!this.takes(element)) this.stop(`The element type "${element}" must be terminated by the matching end-tag "</${element}>".`);
    this.takeBlanks();
    if (!this.takes('>')) this.stopUnlessEnded(`The end-tag for element type "${element}" must end with a '>' delimiter.`);
    this.#progress.open.pop();
    this.#progress.namespaces.end(this.#progress.declared.pop() ?? []);
  }

  /** A reference to an entity in the content of an element, behind its `&`: what it stands for is read in its place. */
  #entity(): void {
    const start = this.at - 1;
    const entity = this.entityName();
    if (predefined.has(entity)) return;
    const text = this.#isDeclared(entity) ? this.#progress.type?.entities.get(entity) : undefined;
    this.#replace(start, text === undefined ? '' : this.#inside(entity, text, (scanner) => scanner.#wholeContent()));
  }

  /** Whether it is declared; where declarations were left out, those that are not count as empty. */
  #isDeclared(entity: string): boolean {
    const { type } = this.#progress;
    if (type?.entities.has(entity)) return true;
    if (!type?.isPartial) this.stop(`The entity "${entity}" was referenced, but not declared.`);
    return false;
  }

  /** Reads the replacement of an entity. */
  #inside(entity: string, text: string, read: (scanner: Scanner) => string): string {
    const { within } = this.#progress;
    const already = within.indexOf(entity);
    if (already >= 0) {
      const path = [entity, ...within.slice(already), entity].join(' -> ');
      this.stop(`Recursive entity reference "${entity}". (Reference path: ${path}),`);
    }
    this.#progress.expanded += text.length + 1;
    if (this.#progress.expanded > longestExpansion) this.stop('The document expands to too much.');
    within.push(entity);
    const value = read(new Scanner(text, this.#progress, true));
    within.pop();
    return value;
  }

  /** All of an entity's text as content of the element that is open. */
  #wholeContent(): string {
    const depth = this.#progress.open.length;
    while (!this.hasEnded && this.#progress.open.length >= depth) this.#content();
    if (this.#progress.open.length !== depth) this.stop(unfinished);
    return this.#expandedText();
  }
}

/**
 * The first fault of a document, or where it is well-formed its text with entities of its document type replaced. `rootSeen` hears of the
 * first element before what follows it is looked at. @throws what `rootSeen` throws
 */
export function readDocument(text: string, rootSeen: (root: RootElement) => void): XmlFault | string {
  try {
    return new Scanner(text, new Progress(rootSeen)).scan();
  } catch (error) {
    if (error instanceof Stopped) return error.fault;
    throw error;
  }
}
