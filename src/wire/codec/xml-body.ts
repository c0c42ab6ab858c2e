// XML request bodies into plain objects. fast-xml-parser reads; document types are refused (no entity expansion).
import { createRequire } from 'node:module';
import type { XMLParser, XMLValidator } from 'fast-xml-parser';
import { failure } from '../../model/errors.ts';
import { faultOfReferences } from './xml-references.ts';

const require = createRequire(import.meta.url);
let reader: { parser: XMLParser; validator: typeof XMLValidator } | undefined;

/** The parser; loaded with the first XML body, because every server starts with this file. */
function xmlReader(): { parser: XMLParser; validator: typeof XMLValidator } {
  if (!reader) {
    const xml = require('fast-xml-parser') as typeof import('fast-xml-parser');
    const parser = new xml.XMLParser({
      ignoreAttributes: true,
      parseTagValue: false,
      trimValues: false,
      processEntities: true,
      // Numeric references (`&#233;`) are decoded with these only.
      htmlEntities: true,
      ignoreDeclaration: true,
      ignorePiTags: true,
      removeNSPrefix: false,
    });
    reader = { parser, validator: xml.XMLValidator };
  }
  return reader;
}

const fault = (line: number, column: number, sentence: string) =>
  failure('BODY_NOT_PARSABLE', {
    detail: `\n - with linked exception:\n[org.xml.sax.SAXParseException; lineNumber: ${line}; columnNumber: ${column}; ${sentence}]`,
  });

const unfinished = 'XML document structures must start and end within the same entity.';

/** Line and column (from 1) of a place in the text. */
function placeOf(text: string, offset: number): [line: number, column: number] {
  let line = 1;
  let start = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', start)) {
    line++;
    start = at + 1;
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

/**
 * The content of the root element as an object: elements are members, repeated ones arrays, texts strings.
 * @throws Failure BODY_NOT_PARSABLE with the sentences of Java's reader.
 */
export function parseXmlBody(text: string, root: string, otherRoots: readonly string[] = []): Record<string, unknown> {
  const trimmed = text.trimStart();
  if (trimmed === '') throw fault(1, 1, 'Premature end of file.');
  if (!trimmed.startsWith('<')) throw fault(1, 1, 'Content is not allowed in prolog.');
  if (text.length > mostMarkup && hasTooMuchMarkup(text)) throw fault(1, 1, `The document has more than ${mostMarkup} pieces of markup.`);
  if (/<!DOCTYPE/i.test(text)) text = withoutDocumentType(text);
  const opened = openingTag(trimmed);
  if (opened && opened.name !== root && !otherRoots.includes(opened.name)) throw unexpectedRoot(opened, root, otherRoots);
  const foreign = faultOfReferences(text);
  if (foreign) throw fault(...placeOf(text, foreign.offset), foreign.sentence);
  const valid = xmlReader().validator.validate(text);
  if (valid !== true) {
    const crossed = crossedTags(text);
    if (crossed) throw crossed;
    throw faultAtEnd(text, unfinished);
  }
  const { name, namespace } = rootElement(text);
  if (name !== root && namespace === '' && otherRoots.includes(name)) {
    throw failure('ILLEGAL_ARGUMENT', { reason: `java.lang.ClassCastException: <${name}> where <${root}> is expected` });
  }
  if (name !== root || namespace !== '') throw unexpectedRoot({ name, namespace }, root, otherRoots);
  const document = parsedDocument(text);
  const parsed = document[root];
  if (Array.isArray(parsed) || Object.keys(document).some((key) => key !== root && key !== '#text')) {
    throw faultAtEnd(text, 'The markup in the document following the root element must be well-formed.');
  }
  return withoutBlankText(parsed) as Record<string, unknown>;
}

/** Java's reader stops at a root that nobody expects, whatever comes behind it. */
function unexpectedRoot({ name, namespace }: RootElement, root: string, otherRoots: readonly string[]): Error {
  const expected = [...new Set([root, ...otherRoots])].sort().map((known) => `<{}${known}>`);
  return failure('BODY_NOT_PARSABLE', {
    detail: `: unexpected element (uri:"${namespace}", local:"${name}"). Expected elements are ${expected}`,
  });
}

interface RootElement {
  readonly name: string;
  readonly namespace: string;
}

/** The root where it opens well and without attributes, behind the XML declaration. */
function openingTag(text: string): RootElement | undefined {
  const from = text.startsWith('<?xml ') ? text.indexOf('?>') + 2 : 0;
  const start = text.slice(from, from + longestRoot).trimStart();
  const name = /^<([A-Za-z_][\w.-]*)>/.exec(start)?.[1];
  return name === undefined ? undefined : { name, namespace: '' };
}

/** Characters in which the root has to open to be looked at before the rest. */
const longestRoot = 1000;

/** The whole document. What the validator lets through may still be too deep, unfinished or named as no member can be. @throws Failure */
function parsedDocument(text: string): Record<string, unknown> {
  try {
    return xmlReader().parser.parse(text) as Record<string, unknown>;
  } catch {
    throw faultAtEnd(text, unfinished);
  }
}

/** Name and default namespace of the first element. */
function rootElement(text: string): RootElement {
  const found = /<([A-Za-z_][^\s/>]*)/.exec(text);
  const [, name = ''] = found ?? [];
  const from = (found?.index ?? 0) + 1 + name.length;
  const end = text.indexOf('>', from);
  return { name, namespace: /\sxmlns="([^"]*)"/.exec(text.slice(from, end < 0 ? text.length : end))?.[1] ?? '' };
}

const beginsName = /[A-Za-z_]/;
const endsName = /[\s/>]/g;

/** The fault of the first end-tag that does not match what is open. Each character is looked at once: the next tag begins behind this one. */
function crossedTags(text: string): Error | undefined {
  const open: string[] = [];
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at)) {
    const tag = at;
    const closes = text[++at] === '/';
    if (closes) at++;
    if (!beginsName.test(text[at] ?? '')) continue;
    endsName.lastIndex = at;
    const nameEnd = endsName.exec(text)?.index ?? text.length;
    const end = text.indexOf('>', nameEnd);
    if (end < 0) return undefined;
    const name = text.slice(at, nameEnd);
    at = end + 1;
    if (!closes) {
      if (text[end - 1] !== '/') open.push(name);
      continue;
    }
    const expected = open.pop();
    if (expected === undefined || expected === name) continue;
    return fault(...placeOf(text, tag + 2), `The element type "${expected}" must be terminated by the matching end-tag "</${expected}>".`);
  }
  return undefined;
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
  return (text.slice(0, at) + text.slice(form.lastIndex)).replace(/&([A-Za-z_][\w.-]*);/g, (whole, name: string) => {
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
