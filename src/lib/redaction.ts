// What of settings is hidden where settings are shown: values under the names of secrets, what other values take over from them, and passwords
// inside addresses.
import { BoundedMap } from './bounded-map.ts';

/** What stands for a hidden value in `/conf` (ConfigRedactor). */
export const redactedText = '<redacted>';

/** The default of `hadoop.security.sensitive-config-keys` (core-default.xml of Hadoop 3.4). */
export const usualSensitiveKeys = [
  ...['secret$', 'password$', 'ssl.keystore.pass$', 'fs.s3a.server-side-encryption.key', 'fs.s3a.*.server-side-encryption.key'],
  ...['fs.s3a.encryption.algorithm', 'fs.s3a.encryption.key', 'fs.s3a.secret.key', 'fs.s3a.*.secret.key', 'fs.s3a.session.key'],
  ...['fs.s3a.*.session.key', 'fs.s3a.session.token', 'fs.s3a.*.session.token', 'fs.azure.account.key.*', 'fs.azure.oauth2.*'],
  ...['fs.adl.oauth2.*', 'fs.gs.encryption.*', 'fs.gs.proxy.*', 'fs.gs.auth.*', 'credential$', 'oauth.*secret', 'oauth.*password'],
  ...['oauth.*token', 'hadoop.security.sensitive-config-keys'],
].join(',');

/** Words that make a name that of a secret, wherever they stand in it; and pairs that do. */
const secretWords = new Set([
  'password',
  'passwords',
  'passwd',
  'pwd',
  'passphrase',
  'secret',
  'secrets',
  'credential',
  'credentials',
  'apikey',
  'privatekey',
  'secretkey',
]);
const secretPairs = new Set([
  'api key',
  'private key',
  'secret key',
  'account key',
  'encryption key',
  'session key',
  'signing key',
  'shared key',
  'keystore pass',
  'truststore pass',
]);
/** A name that ends in one of these says where a secret lies, or how it is used, and not what it is. */
const harmlessEnds = new Set([
  'file',
  'files',
  'path',
  'paths',
  'provider',
  'providers',
  'class',
  'enabled',
  'length',
  'interval',
  'type',
  'validity',
  'domain',
]);
const longestKey = 1000;

/** The words of a name: `fs.s3a.secretKey` → fs, s3a, secret, key. */
const wordsOf = (key: string): string[] =>
  key
    .replace(/([a-z])(?=[A-Z])/g, '$1.')
    .toLowerCase()
    .split(/[^a-z0-9]/)
    .filter((word) => word !== '');

/** The same names are asked for with every page of settings; others choose some of them. */
const mostKnown = 4096;
const known = new BoundedMap<string, boolean>(mostKnown);

function namesSecret(key: string): boolean {
  const before = known.get(key);
  if (before !== undefined) return before;
  const isSecret = wordsNameSecret(key);
  known.set(key, isSecret);
  return isSecret;
}

function wordsNameSecret(key: string): boolean {
  const words = wordsOf(key);
  const last = words.at(-1) ?? '';
  if (harmlessEnds.has(last)) return false;
  return (
    last === 'token' ||
    words.some(
      (word, index) => secretWords.has(word) || /(?:password|passwd|secret)$/.test(word) || secretPairs.has(`${words[index - 1]} ${word}`),
    )
  );
}

/** Shorter values are too common to be looked for in others. */
const fewestTellingLetters = 8;
/** With more secrets than this every value is hidden: each is looked for in each value, and users decide how many there are. */
const mostSecrets = 300;

/** Hides secrets of one set of properties. */
export class Redaction {
  readonly #patterns: readonly RegExp[];
  #secrets: readonly string[] = [];
  #hidesAll = false;

  /** `patterns`: regular expressions that are looked for in names, separated by commas or blanks; one that is no expression counts as the text it is. */
  constructor(patterns: string = usualSensitiveKeys) {
    this.#patterns = patterns
      .split(/[,\s]/)
      .filter((text) => text !== '')
      .map((text) => {
        try {
          return new RegExp(text);
        } catch {
          return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
        }
      });
  }

  /** Whether the value under a name is hidden. Names that are longer than any setting's are not looked through, and count as secret. */
  hides(key: string): boolean {
    return key.length > longestKey || namesSecret(key) || this.#patterns.some((pattern) => pattern.test(key));
  }

  /** Tells of all properties, so that what others hold of their secrets is hidden, too. */
  learn(properties: Iterable<readonly [key: string, value: string]>): this {
    const secrets = new Set<string>();
    for (const [key, value] of properties) if (value.trim().length >= fewestTellingLetters && this.hides(key)) secrets.add(value.trim());
    // The list of names is itself one, and in no other value by chance.
    this.#secrets = [...secrets];
    this.#hidesAll = secrets.size > mostSecrets;
    return this;
  }

  /** A value as it is shown; `hidden` stands for what is not. */
  shown(key: string, value: string, hidden: string = redactedText): string {
    if (this.#hidesAll || this.hides(key)) return hidden;
    let text = value;
    for (const secret of this.#secrets) if (text.includes(secret)) text = text.replaceAll(secret, hidden);
    return withoutPasswords(text, hidden);
  }
}

const passwordParameter = /((?:^|[?&;,\s])(?:password|passwd|pwd|passphrase|secret|token|access_token|api_?key|sig|signature)=)[^&;,\s]+/gi;

/** The text without passwords in addresses: `scheme://user:password@host`, `…?password=…`. */
export function withoutPasswords(text: string, hidden: string = redactedText): string {
  if (!text.includes('://') && !text.includes('=')) return text;
  const [first = '', ...rest] = text.split('://');
  const pieces = rest.map((piece) => {
    const authority = /^[^/?#\s,]*/.exec(piece)![0];
    const at = authority.lastIndexOf('@');
    const colon = authority.indexOf(':');
    return colon < 0 || at < colon ? piece : `${authority.slice(0, colon + 1)}${hidden}${piece.slice(at)}`;
  });
  return [first, ...pieces].join('://').replace(passwordParameter, (_all, name: string) => name + hidden);
}
