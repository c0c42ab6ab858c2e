// What is wrong with a setting of a configuration, with the place that says it.
import type { Configuration } from './load.ts';
import { ConfigurationError } from './table.ts';

/** A fault in the value of a key: file (or `defaults`), key, problem, remedy. */
export const settingFault = (configuration: Configuration, key: string, problem: string, remedy: string): ConfigurationError =>
  new ConfigurationError(configuration.origin(key)?.source ?? 'defaults', key, problem, remedy);
