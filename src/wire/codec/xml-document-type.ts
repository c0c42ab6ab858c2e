// The document type at the head of an XML document: the entities that it declares. Nothing outside is ever fetched: what lies there counts as empty.

import { foreign, name } from './xml-characters.ts';
import { invalidCharacter, XmlReader } from './xml-reader.ts';

/** What a document type declares. */
export interface DocumentType {
  /** Where the document goes on behind it. */
  readonly end: number;
  /** Replacement texts by name, the first declaration of each; undefined is an entity outside. */
  readonly entities: ReadonlyMap<string, string | undefined>;
  /** Parts of it were not read: entities that nobody declared are passed over. */
  readonly isPartial: boolean;
}

const outsideQuotes = /(?:[^"'>]|"[^"]*"|'[^']*')*/y;
const publicIdentifier = /[^'"\n]*/y;
const unformed = 'The markup declarations contained or pointed to by the document type declaration must be well-formed.';
const cut = 'Premature end of file.';

class DocumentTypeReader extends XmlReader {
  readonly #entities = new Map<string, string | undefined>();
  #isPartial = false;

  /** Behind `<!DOCTYPE`. */
  read(): DocumentType {
    if (this.takeBlanks() === '') this.stop('White space is required after "<!DOCTYPE" in the document type declaration.');
    const root = this.take(name);
    if (root === '') this.stop('The root element type must appear after "<!DOCTYPE" in the document type declaration.');
    if (this.takeBlanks() !== '' && this.#isOutside()) {
      this.#isPartial = true;
      this.takeBlanks();
    }
    if (this.takes('[')) {
      while (!this.takes(']')) this.#declaration();
      this.takeBlanks();
    }
    if (!this.takes('>')) this.stop(`The document type declaration for root element type "${root}" must end with '>'.`);
    return { end: this.at, entities: this.#entities, isPartial: this.#isPartial };
  }

  /** Whether a place outside is named, which is read over. */
  #isOutside(): boolean {
    if (this.takes('SYSTEM')) {
      if (this.takeBlanks() === '') this.stop('White space is required after keyword SYSTEM.');
    } else if (this.takes('PUBLIC')) {
      if (this.takeBlanks() === '') this.stop('White space is required after keyword PUBLIC.');
      this.#quoted('The public identifier must begin with either a single or double quote character.', publicIdentifier);
      if (this.takeBlanks() === '') this.stop('White spaces are required between publicId and systemId.');
    } else return false;
    this.#quoted('The system identifier must begin with either a single or double quote character.');
    return true;
  }

  /** What stands between quotes. */
  #quoted(otherwise: string, expression?: RegExp): string {
    const quote = this.text[this.at];
    if (quote !== '"' && quote !== "'") this.stop(otherwise);
    const start = ++this.at;
    if (expression) this.take(expression);
    const end = this.text.indexOf(quote, start);
    if (end < 0) this.stop(cut, this.text.length);
    this.at = end + 1;
    return this.text.slice(start, end);
  }

  #declaration(): void {
    if (this.takeBlanks() !== '') return;
    if (this.takes('<!--')) return this.comment();
    if (this.takes('<?')) return this.instruction();
    if (this.takes('<!ENTITY')) return this.#entity();
    if (this.takes('<!ELEMENT') || this.takes('<!ATTLIST') || this.takes('<!NOTATION')) {
      // They say what is valid, which nobody asks here.
      this.take(outsideQuotes);
      if (!this.takes('>')) this.stop(unformed);
      return;
    }
    if (this.takes('%')) {
      // Replacing them could make anything of the declarations behind them.
      if (this.take(name) !== '' && this.takes(';')) this.stop('Parameter entities are not replaced.');
      this.stop("The entity name must immediately follow the '%' in the parameter entity reference.");
    }
    this.stop(unformed);
  }

  /** Behind `<!ENTITY`. */
  #entity(): void {
    if (this.takeBlanks() === '') this.stop('White space is required after "<!ENTITY" in the entity declaration.');
    const isParameter = this.takes('%');
    if (isParameter && this.takeBlanks() === '') this.stop(unformed);
    const entity = this.take(name);
    if (entity === '') this.stop('The name of the entity is required in the entity declaration.');
    if (this.takeBlanks() === '')
      this.stop(`White space is required between the entity name "${entity}" and the definition in the entity declaration.`);
    let text: string | undefined;
    if (this.#isOutside()) {
      this.takeBlanks();
      if (!isParameter && this.takes('NDATA') && (this.takeBlanks() === '' || this.take(name) === '')) this.stop(unformed);
    } else text = this.#value();
    this.takeBlanks();
    if (!this.takes('>')) this.stop(`The declaration for the entity "${entity}" must end with '>'.`);
    if (!isParameter && !this.#entities.has(entity)) this.#entities.set(entity, text);
  }

  /** The replacement of an entity: characters are put in place of their references, other references stay. */
  #value(): string {
    const quote = this.text[this.at];
    if (quote !== '"' && quote !== "'") this.stop('The entity value must begin with a single or double quote character.');
    this.at++;
    const special = new RegExp(`[${quote}&%]|${foreign}`, 'g');
    let value = '';
    for (;;) {
      const found = this.next(special);
      if (found === undefined) this.stop(cut, this.text.length);
      value += this.text.slice(this.at, found.index);
      this.at = found.index;
      if (this.takes(quote)) return value;
      if (this.takes('&#')) value += this.character();
      else if (this.takes('&')) value += `&${this.entityName()};`;
      else if (this.takes('%')) {
        const entity = this.take(name);
        if (entity === '') this.stop("The entity name must immediately follow the '%' in the parameter entity reference.");
        if (!this.takes(';')) this.stop(`The parameter entity reference "%${entity}" must end with the ';' delimiter.`);
        this.stop(`The parameter entity reference "%${entity};" cannot occur within markup in the internal subset of the DTD.`);
      } else this.stop(invalidCharacter(found[0].charCodeAt(0), 'the literal entity value'));
    }
  }
}

/** Reads a document type from behind its `<!DOCTYPE`. @throws Stopped */
export const readDocumentType = (text: string, at: number): DocumentType => new DocumentTypeReader(text, at).read();
