// The files that settings name for their secrets, and those that servers execute.
import type { Configuration } from './load.ts';

/** Keys of settings whose value is the path of a secret. */
const secretPath = /keytab|keystore\.location|private-key|secret[.-]file|signature\.secret\.file|tls\.key-file/;
/** Keys of settings whose value is the path of a program. */
const programPath = /script\.path$|script\.file\.name$|health-checker\.(?:.*\.)?path$/;

/** Absolute paths of the keytabs, keystores and other secrets that are named; they need not exist. */
export const namedSecretFiles = (configuration: Configuration): string[] => named(configuration, secretPath);

/** Absolute paths of the programs that are named; they need not exist. */
export const namedPrograms = (configuration: Configuration): string[] => named(configuration, programPath);

const named = (configuration: Configuration, keys: RegExp): string[] =>
  configuration
    .properties()
    .filter(({ key }) => keys.test(key))
    .map(({ value }) => configuration.expand(value).replace(/^file:\/\//, ''))
    .filter((path) => path.startsWith('/'));
