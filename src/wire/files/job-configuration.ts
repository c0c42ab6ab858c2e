// A job's configuration as it lies beside its history (`<job id>_conf.xml`) and in staging (`job.xml`):
// the form that Hadoop's Configuration.writeXml gives and Configuration reads.
import { createRequire } from 'node:module';
import type { XMLParser } from 'fast-xml-parser';
import { Redaction, usualSensitiveKeys } from '../../lib/redaction.ts';

/** One property: its raw value (`${…}` not expanded) and where it came from, oldest source first. */
export interface ConfigurationProperty {
  readonly name: string;
  readonly value: string;
  readonly final?: boolean;
  readonly sources?: readonly string[];
}

/** What stands for a redacted value. */
export const redactedValue = '*********(redacted)';
/** The property whose value lists, comma separated, the names to redact. */
export const redactedPropertiesName = 'mapreduce.job.redacted-properties';

/** Its value names what is secret, and is none. */
export const sensitiveKeysName = 'hadoop.security.sensitive-config-keys';

const escaped: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' };
const escapeXml = (text: string): string =>
  // XML 1.0 has no way to write most control characters: they become U+FFFD rather than a file that no parser reads.
  text
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>\r]/g, (character) => escaped[character]!);

/** The XML of a configuration. */
export function writeJobConfiguration(properties: Iterable<ConfigurationProperty>): string {
  const lines: string[] = ['<?xml version="1.0" encoding="UTF-8" standalone="no"?><configuration>'];
  for (const { name, value, final = false, sources = [] } of properties) {
    const origins = sources.map((source) => `<source>${escapeXml(source)}</source>`).join('');
    lines.push(`<property><name>${escapeXml(name)}</name><value>${escapeXml(value)}</value><final>${final}</final>${origins}</property>`);
  }
  lines.push('</configuration>');
  return `${lines.join('\n')}\n`;
}

/**
 * A configuration whose secret properties are hidden: each name listed in `mapreduce.job.redacted-properties`, also one that
 * does not exist, gets the redacted value with source `programmatically` (JobHistoryUtils, MRWebAppUtil of Hadoop 3.4). Beyond Hadoop, values that `patterns`
 * (`hadoop.security.sensitive-config-keys`) or their names make secrets are hidden, too, wherever they stand.
 */
export function redactJobConfiguration(
  given: readonly ConfigurationProperty[],
  patterns: string = usualSensitiveKeys,
): ConfigurationProperty[] {
  const redaction = new Redaction(patterns).learn(given.map(({ name, value }) => [name, value]));
  const properties = given.map((property) => {
    if (property.value === '' || property.name === sensitiveKeysName) return property;
    const value = redaction.shown(property.name, property.value, redactedValue);
    return value === property.value ? property : { ...property, value };
  });
  const listed = properties.findLast((property) => property.name === redactedPropertiesName)?.value ?? '';
  const secret = new Set(
    listed
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  );
  if (secret.size === 0) return [...properties];
  const kept = properties.map((property) => {
    if (!secret.delete(property.name)) return property;
    return { ...property, value: redactedValue, sources: ['programmatically'] };
  });
  for (const name of secret) kept.push({ name, value: redactedValue, final: false, sources: ['programmatically'] });
  return kept;
}

/** Thrown when a configuration is not the XML it should be. */
export class UnreadableConfiguration extends Error {
  override readonly name = 'UnreadableConfiguration';
}

const require = createRequire(import.meta.url);
let parser: XMLParser | undefined;

/** The parser, loaded when there is a file to read: a server that starts does not wait for it. */
function xmlParser(): XMLParser {
  const { XMLParser: Parser } = require('fast-xml-parser') as typeof import('fast-xml-parser');
  parser ??= new Parser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    parseTagValue: false,
    parseAttributeValue: false,
    trimValues: false,
    processEntities: true,
    htmlEntities: true,
    isArray: (_name, path) => path === 'configuration.property' || path === 'configuration.property.source',
  });
  return parser;
}

const textOf = (part: unknown): string | undefined => {
  if (typeof part === 'string') return part;
  if (Array.isArray(part)) return textOf(part.at(-1));
  if (part !== null && typeof part === 'object') return textOf((part as Record<string, unknown>)['#text']) ?? '';
  return undefined;
};

/** Most markup of one configuration (tags, comments, references), of which a property with one source has ten. */
const mostMarkup = 500_000;

/** Why a text is not read at all: who wrote it decides what reading it costs. */
function faultOf(xml: string): string | undefined {
  // Hadoop writes none, and refuses what one would bring in.
  if (/<!(?:DOCTYPE|ENTITY)/i.test(xml)) return 'The configuration has a document type';
  let count = 0;
  for (let at = 0; at < xml.length; at++) {
    const code = xml.charCodeAt(at);
    if ((code === 0x3c || code === 0x26) && ++count > mostMarkup) return `The configuration has more than ${mostMarkup} pieces of markup`;
  }
  return undefined;
}

/** Reads a configuration's XML; a name given twice keeps its last value at its first place. @throws UnreadableConfiguration */
export function readJobConfiguration(xml: string): ConfigurationProperty[] {
  const fault = faultOf(xml);
  if (fault !== undefined) throw new UnreadableConfiguration(fault);
  let document: unknown;
  try {
    document = xmlParser().parse(xml, true);
  } catch (error) {
    throw new UnreadableConfiguration('The configuration is no XML', { cause: error });
  }
  const root = (document as { configuration?: unknown } | undefined)?.configuration;
  if (root === undefined) throw new UnreadableConfiguration('The root element is not configuration');
  const found = new Map<string, ConfigurationProperty>();
  const elements = root !== null && typeof root === 'object' ? ((root as { property?: unknown }).property as unknown[] | undefined) : [];
  for (const element of elements ?? []) {
    if (element === null || typeof element !== 'object') continue;
    const members = element as Record<string, unknown>;
    const name = textOf(members['name'] ?? members['@name'])?.trim();
    const value = textOf(members['value'] ?? members['@value']);
    if (!name || value === undefined) continue;
    const final = (textOf(members['final'] ?? members['@final']) ?? 'false').trim() === 'true';
    const sources = ((members['source'] as unknown[] | undefined) ?? []).map((source) => textOf(source) ?? '');
    found.set(name, { name, value, final, sources });
  }
  return [...found.values()];
}
