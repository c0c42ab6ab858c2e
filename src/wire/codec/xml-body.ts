// XML request bodies into plain objects. fast-xml-parser reads what is well-formed; document types are refused (no entity expansion).
import { createRequire } from 'node:module';
import type { XMLParser } from 'fast-xml-parser';
import { failure } from '../../model/errors.ts';
import { faultOfDocument, type RootElement, unfinished } from './xml-faults.ts';

const require = createRequire(import.meta.url);
let reader: XMLParser | undefined;

/** The parser; loaded with the first XML body, because every server starts with this file. */
function xmlParser(): XMLParser {
  if (!reader) {
    const xml = require('fast-xml-parser') as typeof import('fast-xml-parser');
    reader = new xml.XMLParser({
      // Of an element in a namespace nobody knows anything; that of a prefix stands in the name.
      ignoreAttributes: (name) => name !== 'xmlns',
      attributeNamePrefix: '',
      updateTag(name, _path, attributes) {
        const namespace = attributes?.['xmlns'] ?? '';
        delete attributes?.['xmlns'];
        return namespace === '' ? name : false;
      },
      parseTagValue: false,
      trimValues: false,
      processEntities: true,
      // Numeric references (`&#233;`) are decoded with these only.
      htmlEntities: true,
      ignoreDeclaration: true,
      ignorePiTags: true,
      removeNSPrefix: false,
    });
  }
  return reader;
}

const fault = (line: number, column: number, sentence: string) =>
  failure('BODY_NOT_PARSABLE', {
    detail: `\n - with linked exception:\n[org.xml.sax.SAXParseException; lineNumber: ${line}; columnNumber: ${column}; ${sentence}]`,
  });

/** Line and column (from 1) of a place in the text. */
function placeOf(text: string, offset: number): [line: number, column: number] {
  let line = 1;
  let start = 0;
  for (const { index, 0: end } of text.slice(0, offset).matchAll(/\r\n?|\n/g)) {
    line++;
    start = index + end.length;
  }
  return [line, offset - start + 1];
}

/** A fault that Java's reader meets behind the last character. */
const faultAtEnd = (text: string, sentence: string): Error => fault(...placeOf(text, text.length), sentence);

/** Most markup of one document (tags, attributes, comments, references), so that reading one takes a fraction of a second. */
const mostMarkup = 100_000;

function hasTooMuchMarkup(text: string): boolean {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // `<`, `&`, and `=`, which attributes have.
    if ((code === 0x3c || code === 0x26 || code === 0x3d) && ++count > mostMarkup) return true;
  }
  return false;
}

/** Whether a document type stands where one may; elsewhere it is a fault of the document. */
function hasTypeBeforeRoot(text: string): boolean {
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at)) {
    const end = text.startsWith('<!--', at) ? '-->' : text.startsWith('<?', at) ? '?>' : undefined;
    if (end === undefined) return /^<!DOCTYPE/i.test(text.slice(at, at + '<!DOCTYPE'.length));
    at = text.indexOf(end, at);
    if (at < 0) return false;
  }
  return false;
}

/**
 * The content of the root element as an object: elements are members, repeated ones arrays, texts strings.
 * @throws Failure BODY_NOT_PARSABLE with the sentences of Java's reader.
 */
export function parseXmlBody(text: string, root: string, otherRoots: readonly string[] = []): Record<string, unknown> {
  if (text.trim() === '') throw faultAtEnd(text, 'Premature end of file.');
  if (text.length > mostMarkup && hasTooMuchMarkup(text)) throw fault(1, 1, `The document has more than ${mostMarkup} pieces of markup.`);
  if (hasTypeBeforeRoot(text)) text = withoutDocumentType(text);
  let found = root;
  const wrong = faultOfDocument(text, ({ name, namespace }) => {
    if (namespace !== '' || (name !== root && !otherRoots.includes(name))) throw unexpectedRoot({ name, namespace }, root, otherRoots);
    found = name;
  });
  if (wrong?.isWithoutPlace)
    throw failure('BODY_NOT_PARSABLE', { detail: `\n - with linked exception:\n[org.xml.sax.SAXException: ${wrong.sentence}]` });
  if (wrong) throw fault(...placeOf(text, wrong.offset), wrong.sentence);
  if (found !== root) throw failure('ILLEGAL_ARGUMENT', { reason: `java.lang.ClassCastException: <${found}> where <${root}> is expected` });
  return withoutBlankText(parsedDocument(text)[root]) as Record<string, unknown>;
}

/** Java's reader stops at a root that nobody expects, whatever comes behind it. */
function unexpectedRoot({ name, namespace }: RootElement, root: string, otherRoots: readonly string[]): Error {
  const expected = [...new Set([root, ...otherRoots])].sort().map((known) => `<{}${known}>`);
  return failure('BODY_NOT_PARSABLE', {
    detail: `: unexpected element (uri:"${namespace}", local:"${name}"). Expected elements are ${expected}`,
  });
}

/** The whole document. What is well-formed may still be too deep, or named as no member can be. @throws Failure */
function parsedDocument(text: string): Record<string, unknown> {
  try {
    return xmlParser().parse(text) as Record<string, unknown>;
  } catch {
    throw faultAtEnd(text, unfinished);
  }
}

const mostEntities = 32;
const longestExpansion = 64 * 1024;

/**
 * The document without its type declaration, its plain internal entities replaced once. Nothing outside is ever fetched, entities
 * do not nest, and the result is bounded, so that a small body stays small.
 * @throws Failure BODY_NOT_PARSABLE
 */
function withoutDocumentType(text: string): string {
  const at = text.indexOf('<!DOCTYPE');
  const form = /<!DOCTYPE\s+[^\s[>]+\s*(?:\[([^\]]*)\]\s*)?>/y;
  form.lastIndex = Math.max(0, at);
  const declaration = form.exec(text);
  if (!declaration) throw fault(1, 10, 'External entities are disallowed.');
  const entities = new Map<string, string>();
  const rest = (declaration[1] ?? '').replace(
    /<!ENTITY\s+([A-Za-z_][\w.-]*)\s+(?:"([^"&%<]*)"|'([^'&%<]*)')\s*>/g,
    (_all, name: string, double?: string, single?: string) => {
      entities.set(name, double ?? single ?? '');
      return '';
    },
  );
  if (rest.trim() !== '' || entities.size > mostEntities) throw fault(1, 10, 'DOCTYPE is disallowed.');
  let grown = 0;
  // Blanks in its stead: what follows keeps its place.
  const blank = declaration[0].replace(/[^\r\n]/g, ' ');
  return (text.slice(0, at) + blank + text.slice(form.lastIndex)).replace(/&([A-Za-z_][\w.-]*);/g, (whole, name: string) => {
    const value = entities.get(name);
    if (value === undefined) return whole;
    grown += value.length;
    if (grown > longestExpansion) throw fault(1, 10, 'The document expands to too much.');
    return value;
  });
}

/** Drops the text between elements; an element without elements is its text. */
function withoutBlankText(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutBlankText);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== '#text')
      .map(([key, inner]) => [key, withoutBlankText(inner)]),
  );
}
