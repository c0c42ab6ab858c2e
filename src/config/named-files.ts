// The files that settings name for their secrets, and those that servers execute.
import { existsSync } from 'node:fs';
import type { Configuration } from './load.ts';
import { readSslServerFile } from './ssl-files.ts';
import { ConfigurationError } from './table.ts';

/** Keys of settings whose value is the path of a secret. */
const secretPath = /keytab|keystore\.location|private-key|(?:secret|token)[.-]file|signature\.secret\.file|tls\.key-(?:passphrase-)?file/;
/** Those of secrets that are bytes by chance, and have no form of their own. */
const randomPath = /secret[.-]file|signature\.secret\.file/;
/** Keys of settings whose value is the path of a program. */
const programPath = /script\.path$|script\.file\.name$|health-checker\.(?:.*\.)?path$/;

/** Absolute paths of the keytabs, keystores and other secrets that are named, the files with their passwords among them; they need not exist. */
export const namedSecretFiles = (configuration: Configuration): string[] => [
  ...new Set([...named(configuration, secretPath), ...sslServerSecrets(configuration)]),
];

/** Those of them that hold bytes by chance, which can be weak. */
export const namedRandomSecrets = (configuration: Configuration): string[] => named(configuration, randomPath);

/** Absolute paths of the programs that are named; they need not exist. */
export const namedPrograms = (configuration: Configuration): string[] => named(configuration, programPath);

const named = (configuration: Configuration, keys: RegExp): string[] =>
  configuration
    .properties()
    .filter(({ key }) => keys.test(key))
    .map(({ value }) => configuration.expand(value).replace(/^file:\/\//, ''))
    .filter((path) => path.startsWith('/'));

/** The keystore of ssl-server.xml, and that file where it has passwords. */
function sslServerSecrets(configuration: Configuration): string[] {
  try {
    const { path, keystore, hasPassword } = readSslServerFile(configuration);
    return [...(hasPassword ? [path] : []), ...(keystore?.startsWith('/') ? [keystore] : [])].filter((file) => existsSync(file));
  } catch (error) {
    // Who needs the file says what is wrong with it.
    if (error instanceof ConfigurationError) return [];
    throw error;
  }
}
