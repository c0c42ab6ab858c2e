// XML request bodies into plain objects. fast-xml-parser reads what is well-formed, once entities are replaced; nothing outside is fetched.
import { createRequire } from 'node:module';
import type { XMLParser } from 'fast-xml-parser';
import { failure } from '../../model/errors.ts';
import { type RootElement, readDocument } from './xml-faults.ts';
import { unfinished, type XmlFault } from './xml-reader.ts';

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

/** A fault as Java's reader tells it. */
function faultOf({ offset, sentence, entity, isWithoutPlace }: XmlFault, text: string): Error {
  if (isWithoutPlace)
    return failure('BODY_NOT_PARSABLE', { detail: `\n - with linked exception:\n[org.xml.sax.SAXException: ${sentence}]` });
  return fault(...placeOf(entity ?? text, offset), sentence);
}

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

/**
 * The content of the root element as an object: elements are members, repeated ones arrays, texts strings.
 * @throws Failure BODY_NOT_PARSABLE with the sentences of Java's reader.
 */
export function parseXmlBody(text: string, root: string, otherRoots: readonly string[] = []): Record<string, unknown> {
  // Its mark is no character of the document.
  if (text.startsWith('\ufeff')) text = text.slice(1);
  if (text.trim() === '') throw faultAtEnd(text, 'Premature end of file.');
  if (text.length > mostMarkup && hasTooMuchMarkup(text)) throw fault(1, 1, `The document has more than ${mostMarkup} pieces of markup.`);
  let found = root;
  const read = readDocument(text, ({ name, namespace }) => {
    if (namespace !== '' || (name !== root && !otherRoots.includes(name))) throw unexpectedRoot({ name, namespace }, root, otherRoots);
    found = name;
  });
  if (typeof read !== 'string') throw faultOf(read, text);
  if (found !== root) throw failure('ILLEGAL_ARGUMENT', { reason: `java.lang.ClassCastException: <${found}> where <${root}> is expected` });
  return withoutBlankText(parsedDocument(read)[root]) as Record<string, unknown>;
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
