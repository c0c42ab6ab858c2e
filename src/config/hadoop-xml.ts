// Reads Hadoop's configuration files: <configuration><property><name/><value/><final/></property>….
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { ConfigurationError } from './table.ts';

/** One property as it stands in a file. */
export interface FileProperty {
  readonly key: string;
  readonly value: string;
  readonly final: boolean;
}

type Node = Record<string, unknown>;
const require = createRequire(import.meta.url);

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'object') return textOf((value as Node)['#text']) ?? '';
  return String(value);
}

function asList(value: unknown): Node[] {
  if (value === undefined || value === null || value === '') return [];
  return (Array.isArray(value) ? value : [value]).filter((item): item is Node => typeof item === 'object' && item !== null);
}

/**
 * The properties of a Hadoop configuration document, in order. Attributes (`<property name= value= final=/>`) count as elements do.
 * @throws ConfigurationError for a document that is not well formed or has another root.
 */
export function parseHadoopXml(text: string, source: string): FileProperty[] {
  // Loaded only when there is a file to read: starting without settings stays quick.
  const { XMLParser, XMLValidator } = require('fast-xml-parser') as typeof import('fast-xml-parser');
  const checked = XMLValidator.validate(text);
  if (checked !== true) {
    throw new ConfigurationError(source, `line ${checked.err.line}`, checked.err.msg.replace(/\.$/, ''), 'Repair the XML.');
  }
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '',
    parseTagValue: false,
    parseAttributeValue: false,
    trimValues: false,
    processEntities: true,
  });
  const root = (parser.parse(text) as Node)['configuration'];
  if (root === undefined)
    throw new ConfigurationError(source, 'root element', 'is not <configuration>', 'Put the properties into <configuration>.');
  if (typeof root !== 'object' || root === null) return [];
  const properties: FileProperty[] = [];
  for (const property of asList((root as Node)['property'])) {
    const key = textOf(property['name'])?.trim();
    if (!key) continue;
    // A property without <value> is unset, as in Hadoop.
    const value = textOf(property['value']);
    if (value === undefined) continue;
    properties.push({ key, value, final: textOf(property['final'])?.trim() === 'true' });
  }
  return properties;
}

/** The text of a file, or undefined where there is none. @throws ConfigurationError when it cannot be read. */
export function readOptionalFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new ConfigurationError(path, 'file', `cannot be read (${code})`, 'Make it readable or remove it.');
  }
}
