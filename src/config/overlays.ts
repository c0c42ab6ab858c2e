// The layers over Hadoop's files: heddle.yaml, the environment, and --set.
import { createRequire } from 'node:module';
import { ConfigurationError } from './table.ts';

const require = createRequire(import.meta.url);

/**
 * Properties of a heddle.yaml document. Nested maps are joined with dots (`heddle: { log: { level: debug } }` is `heddle.log.level`),
 * lists with commas.
 * @throws ConfigurationError for a document that is not a map.
 */
export function parseYaml(text: string, source: string): Map<string, string> {
  const { parseDocument } = require('yaml') as typeof import('yaml');
  const document = parseDocument(text, { maxAliasCount: 0 } as object);
  const problem = document.errors[0];
  if (problem)
    throw new ConfigurationError(
      source,
      `line ${problem.linePos?.[0].line ?? '?'}`,
      problem.message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? 'not YAML',
      'Repair the YAML.',
    );
  const properties = new Map<string, string>();
  const walk = (value: unknown, key: string): void => {
    if (value === null || value === undefined) return;
    if (Array.isArray(value)) {
      if (value.some((item) => typeof item === 'object'))
        throw new ConfigurationError(source, key, 'is a list of maps', 'Give texts or numbers.');
      properties.set(key, value.join(','));
    } else if (typeof value === 'object') {
      for (const [name, inner] of Object.entries(value)) walk(inner, key === '' ? name : `${key}.${name}`);
    } else {
      properties.set(key, String(value));
    }
  };
  let content: unknown;
  try {
    content = document.toJS({ maxAliasCount: 0 });
  } catch {
    throw new ConfigurationError(source, 'document', 'repeats parts by alias (&name, *name)', 'Write every setting out.');
  }
  if (content !== null && (typeof content !== 'object' || Array.isArray(content))) {
    throw new ConfigurationError(source, 'document', 'is not a map of settings', 'Write lines such as "heddle.log.level: debug".');
  }
  walk(content, '');
  return properties;
}

/**
 * The environment variable that sets a key: `HEDDLE_` and the key in capitals, every other character as `_`; the `heddle.` of our own
 * keys is not repeated (`heddle.log.level` is `HEDDLE_LOG_LEVEL`, `yarn.acl.enable` is `HEDDLE_YARN_ACL_ENABLE`).
 */
export function environmentName(key: string): string {
  return `HEDDLE_${key
    .replace(/^heddle\./, '')
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '_')}`;
}

/** Properties set by the environment: a variable for a known key, and `HEDDLE_SET` with `key=value` lines for any key. */
export function readEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  knownKeys: Iterable<string>,
): Map<string, { value: string; source: string }> {
  const properties = new Map<string, { value: string; source: string }>();
  if (!Object.keys(environment).some((name) => name.startsWith('HEDDLE_'))) return properties;
  for (const line of (environment['HEDDLE_SET'] ?? '').split('\n')) {
    if (line.trim() === '') continue;
    const [key, value] = splitAssignment(line.trim(), 'environment HEDDLE_SET');
    properties.set(key, { value, source: 'environment HEDDLE_SET' });
  }
  for (const key of knownKeys) {
    const name = environmentName(key);
    const value = environment[name];
    if (value !== undefined) properties.set(key, { value, source: `environment ${name}` });
  }
  return properties;
}

/** Splits `key=value`. @throws ConfigurationError without a key or `=`. */
export function splitAssignment(text: string, source: string): [key: string, value: string] {
  const at = text.indexOf('=');
  if (at <= 0) throw new ConfigurationError(source, `'${text}'`, 'is not key=value', 'Write for example yarn.acl.enable=true.');
  return [text.slice(0, at).trim(), text.slice(at + 1)];
}
