// Reads Hadoop's configuration files: <configuration><property><name/><value/><final/></property>….
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemErrorText } from '../lib/system-error.ts';
import { ConfigurationError } from './table.ts';

/** One property as it stands in a file. */
export interface FileProperty {
  readonly key: string;
  readonly value: string;
  readonly final: boolean;
  /** Name of the file that it was included from, where it does not stand in the document itself. */
  readonly included?: string;
}

/** An element with `preserveOrder`: its children below its name, its attributes below `:@`. */
type Element = Record<string, unknown>;
const require = createRequire(import.meta.url);
/** Includes inside includes, at most. */
const deepestInclude = 16;

const nameOf = (element: Element): string => Object.keys(element).find((key) => key !== ':@') ?? '';
const localNameOf = (element: Element): string => nameOf(element).replace(/^.*:/, '');
const childrenOf = (element: Element): Element[] => (element[nameOf(element)] as Element[] | undefined) ?? [];
const attributesOf = (element: Element): Record<string, string> => (element[':@'] as Record<string, string> | undefined) ?? {};

const textOf = (element: Element): string =>
  childrenOf(element)
    .map((child) => ('#text' in child ? String(child['#text']) : textOf(child)))
    .join('');

/** A member of a property, as an attribute or an element; the last one counts. */
function member(property: Element, name: string): string | undefined {
  const elements = childrenOf(property).filter((child) => nameOf(child) === name);
  const last = elements.at(-1);
  return last === undefined ? attributesOf(property)[name] : textOf(last);
}

/** A fault as the library says it, in words where those are its own. */
function faultText(message: string): string {
  const names = /^Invalid '(\[.*\])' found/s.exec(message)?.[1]?.match(/[^\s",[\]]+/g);
  if (names) return `${names.map((name) => `<${name}>`).join(', ')} ${names.length === 1 ? 'has' : 'have'} no end`;
  const [, unclosed] = /^Unclosed tag '(.+)'\.$/.exec(message) ?? [];
  if (unclosed !== undefined) return `<${unclosed}> has no end`;
  return message.replace(/^char '(.)' is not expected\.$/, "'$1' stands where an element is to begin").replace(/\.$/, '');
}

function readElements(text: string, source: string): Element[] {
  // Loaded only when there is a file to read: starting without settings stays quick.
  const { XMLParser, XMLValidator } = require('fast-xml-parser') as typeof import('fast-xml-parser');
  const checked = XMLValidator.validate(text);
  if (checked !== true) {
    throw new ConfigurationError(source, `line ${checked.err.line}`, faultText(checked.err.msg), 'Repair the XML.');
  }
  const parser = new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: '',
    parseTagValue: false,
    parseAttributeValue: false,
    trimValues: false,
    processEntities: true,
    // Numeric references (`&#233;`) are decoded with these only.
    htmlEntities: true,
  });
  let document: Element[];
  try {
    document = parser.parse(text) as Element[];
  } catch (error) {
    // External entities, and entities that explode, are refused by the parser.
    const reason = error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
    throw new ConfigurationError(source, 'document', `cannot be read: ${reason}`, 'Remove the document type and its entities.');
  }
  const root = document.find((element) => nameOf(element) === 'configuration');
  if (root === undefined)
    throw new ConfigurationError(source, 'root element', 'is not <configuration>', 'Put the properties into <configuration>.');
  return childrenOf(root);
}

/**
 * The properties of a Hadoop configuration document, in order. Attributes (`<property name= value= final=/>`) count as elements do.
 * `<xi:include href="other.xml">` is followed where `path` says where the document lies; its `<xi:fallback>` counts where that file is absent.
 * @throws ConfigurationError for a document that is not well formed or has another root, and for an include that cannot be read.
 */
export function parseHadoopXml(text: string, source: string, path?: string): FileProperty[] {
  return propertiesOf(readElements(text, source), { source, included: undefined, path: path === undefined ? [] : [path] });
}

interface Place {
  readonly source: string;
  /** Name of the included file; undefined in the document itself. */
  readonly included: string | undefined;
  /** The document and those that include it, innermost last; none where includes cannot be followed. */
  readonly path: readonly string[];
}

function propertiesOf(elements: readonly Element[], place: Place): FileProperty[] {
  return elements.flatMap((element) => {
    switch (localNameOf(element)) {
      case 'property':
        return propertyOf(element, place);
      case 'include':
        return includedBy(element, place);
      case 'configuration':
        return propertiesOf(childrenOf(element), place);
      default:
        return [];
    }
  });
}

function propertyOf(element: Element, { included }: Place): FileProperty[] {
  const key = member(element, 'name')?.trim();
  const value = member(element, 'value');
  // A property without <value> is unset, as in Hadoop.
  if (!key || value === undefined) return [];
  const final = member(element, 'final')?.trim() === 'true';
  return [{ key, value, final, ...(included === undefined ? {} : { included }) }];
}

/** What an include brings in (Hadoop's Configuration.Parser). */
function includedBy(element: Element, place: Place): FileProperty[] {
  const href = attributesOf(element)['href'] ?? '';
  const refuse = (problem: string, remedy: string) => new ConfigurationError(place.source, `include of '${href}'`, problem, remedy);
  const from = place.path.at(-1);
  if (from === undefined) throw refuse('is not possible here', 'Put the properties into the file itself.');
  if (/^[a-z][a-z0-9+.-]+:/i.test(href) && !href.startsWith('file:')) throw refuse('is not a file of this machine', 'Include files only.');
  if (href === '') throw refuse('has no href', 'Name the file: <xi:include href="other.xml"/>.');
  const path = href.startsWith('file:') ? fileURLToPath(href) : resolve(dirname(from), href);
  if (place.path.includes(path) || place.path.length > deepestInclude) throw refuse('leads back to itself', 'Remove one of the includes.');
  const text = readOptionalFile(path);
  const included = basename(path);
  if (text !== undefined) return propertiesOf(readElements(text, path), { ...place, included, path: [...place.path, path] });
  const fallback = childrenOf(element).find((child) => localNameOf(child) === 'fallback');
  if (fallback === undefined) throw refuse('does not exist', 'Create the file, or give the include an <xi:fallback/>.');
  return propertiesOf(childrenOf(fallback), place);
}

/** The text of a file, or undefined where there is none. @throws ConfigurationError when it cannot be read. */
export function readOptionalFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new ConfigurationError(
      path,
      '',
      `cannot be read: ${systemErrorText(error, '')}`,
      'Let the user of this process read it, or remove it.',
    );
  }
}
