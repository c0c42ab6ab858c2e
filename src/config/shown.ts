// Settings as they are shown, without secrets.
import { Redaction, redactedText, usualSensitiveKeys } from '../lib/redaction.ts';
import type { Configuration } from './load.ts';
import { commonSettings } from './settings/common.ts';

/** What hides the secrets of a configuration: under their names, in values that refer to them, and where their text stands in others. */
export function redactionOf(configuration: Configuration): Redaction {
  const given = configuration.properties().filter(({ source }) => source !== 'defaults');
  return new Redaction(configuration.get(commonSettings.sensitiveKeys.key) ?? usualSensitiveKeys).learn(
    given.map(({ key, value }) => [key, configuration.expand(value)]),
  );
}

/** A property's value (as written) as it may be shown, expanded; `hidden` stands for what is not shown. */
export function shownValue(configuration: Configuration, redaction: Redaction, key: string, value: string, hidden = redactedText): string {
  if (redaction.hides(key)) return hidden;
  return redaction.shown(
    key,
    configuration.expand(value, (name) => (redaction.hides(name) ? hidden : undefined)),
    hidden,
  );
}
