// Texts to typed values: one reader a setting type, used for every table.
import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigurationError, type DurationUnit, type SettingEntry, type SettingType } from './table.ts';

const unitMs: Record<DurationUnit, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const sizeFactors: Record<string, number> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40, p: 2 ** 50 };

/** A host and a port; the port is 0 where any free one will do. */
export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

/** Reads `host:port`, `[ipv6]:port` or `host` (then `defaultPort`). Returns undefined for anything else. */
export function parseAddress(text: string, defaultPort?: number): HostAndPort | undefined {
  const found = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:/[\]]+))(?::(\d{1,5}))?$/.exec(text.trim());
  if (!found) return undefined;
  const port = found[3] === undefined ? defaultPort : Number(found[3]);
  const host = found[1] ?? found[2];
  if (port === undefined || port > 65_535 || host === undefined) return undefined;
  return { host, port };
}

/** Splits at commas, trims, and leaves out empty parts, as Hadoop's `getTrimmedStrings` does. */
export function splitList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Milliseconds of `30s`, `5m`, `1000` (in `unit`); undefined when it is no duration. Hadoop's `getTimeDuration` suffixes. */
export function parseDuration(text: string, unit: DurationUnit = 'ms'): number | undefined {
  const found = /^(-?\d+(?:\.\d+)?)\s*(ns|us|ms|s|m|h|d)?$/.exec(text.trim().toLowerCase());
  if (!found) return undefined;
  const amount = Number(found[1]);
  const suffix = found[2] ?? unit;
  if (suffix === 'ns') return amount / 1e6;
  if (suffix === 'us') return amount / 1e3;
  return amount * unitMs[suffix as DurationUnit];
}

/** Bytes of `64k`, `1g`, `1048576`; undefined when it is no size. */
export function parseBytes(text: string): number | undefined {
  const found = /^(-?\d+)([kmgtp]?)b?$/.exec(text.trim().toLowerCase());
  return found ? Number(found[1]) * (sizeFactors[found[2] ?? ''] ?? 1) : undefined;
}

/** An absolute path of a path or `file:` URI; relative ones lie in `dataDir`. Undefined for URIs of other schemes. */
export function parsePath(text: string, dataDir: string): string | undefined {
  const trimmed = text.trim();
  if (/^file:/i.test(trimmed)) {
    try {
      return fileURLToPath(`file://${trimmed.slice(5).replace(/^\/*/, '/')}`);
    } catch {
      return undefined;
    }
  }
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(trimmed)) return undefined;
  return isAbsolute(trimmed) ? trimmed : resolve(dataDir, trimmed);
}

/** Java's largest long, which Hadoop's files have where nothing is to be limited; a little more is read as it. */
const largest = 2 ** 63;

const expected: Record<SettingType, string> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  address: 'host:port',
  path: 'a folder or file path, or a file: URI',
  place: 'a folder path, a file: URI or s3a://bucket/prefix',
  paths: 'folder paths separated by commas',
  list: 'texts separated by commas',
  durationMs: 'a time such as 500, 30s or 5m',
  bytes: 'a size such as 65536, 64k or 1g',
  family: 'texts',
};

function parse(entry: SettingEntry, text: string, dataDir: string): unknown {
  const trimmed = text.trim();
  switch (entry.type) {
    case 'string':
    case 'family':
      return entry.oneOf && !entry.oneOf.includes(trimmed) ? undefined : text;
    case 'integer':
      return /^[+-]?\d+$/.test(trimmed) ? Number(trimmed) : /^0x[0-9a-f]+$/i.test(trimmed) ? Number.parseInt(trimmed, 16) : undefined;
    case 'number':
      return trimmed !== '' && Number.isFinite(Number(trimmed.replace(/[fd]$/i, ''))) ? Number(trimmed.replace(/[fd]$/i, '')) : undefined;
    case 'boolean':
      return /^true$/i.test(trimmed) ? true : /^false$/i.test(trimmed) ? false : undefined;
    case 'address':
      return parseAddress(trimmed, 0) ? trimmed : undefined;
    case 'path':
      return parsePath(trimmed, dataDir);
    case 'place':
      return /^s3[an]?:\/\/[^/]+/.test(trimmed) ? trimmed : parsePath(trimmed, dataDir);
    case 'list':
      return splitList(text);
    case 'paths': {
      const paths = splitList(text).map((part) => parsePath(part, dataDir));
      return paths.includes(undefined) ? undefined : paths;
    }
    case 'durationMs':
      return parseDuration(trimmed, entry.unit);
    case 'bytes':
      return parseBytes(trimmed);
  }
}

/**
 * The typed value of a setting's text. An empty text of a type that has no empty value counts as unset.
 * @throws ConfigurationError naming source, key and remedy.
 */
export function readValue(entry: SettingEntry, text: string | undefined, source: string, dataDir: string): unknown {
  const empty = text === undefined || text.trim() === '';
  if (empty && (entry.type === 'list' || entry.type === 'paths')) return [];
  if (empty && (text === undefined || entry.type !== 'string')) return undefined;
  const value = parse(entry, text ?? '', dataDir);
  const wanted = entry.oneOf ? `one of ${entry.oneOf.join(', ')}` : expected[entry.type];
  if (value === undefined)
    throw new ConfigurationError(source, entry.key, `'${text}' is not ${wanted}`, `Give ${wanted}${remedyDefault(entry)}.`);
  if (typeof value === 'number') {
    const { minimum, maximum } = entry;
    if (Math.abs(value) > largest)
      throw new ConfigurationError(source, entry.key, `${text} is too large a number`, `Give a smaller one${remedyDefault(entry)}.`);
    if (minimum !== undefined && value < minimum)
      throw new ConfigurationError(source, entry.key, `${text} is below ${minimum}`, `Give at least ${minimum}.`);
    if (maximum !== undefined && value > maximum)
      throw new ConfigurationError(source, entry.key, `${text} is above ${maximum}`, `Give at most ${maximum}.`);
  }
  return value;
}

function remedyDefault(entry: SettingEntry): string {
  return entry.default === undefined || entry.default === '' ? '' : `, or remove it for the default ${String(entry.default)}`;
}

/** The address to listen on: that of the settings, on the bind host where one is set. */
export function boundAddress(address: string, bindHost: string | undefined): string {
  if (!bindHost) return address;
  return `${bindHost.includes(':') ? `[${bindHost}]` : bindHost}${address.slice(address.lastIndexOf(':'))}`;
}
