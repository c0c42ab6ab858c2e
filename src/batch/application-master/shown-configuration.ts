import { usualSensitiveKeys } from '../../lib/redaction.ts';
import { type ConfigurationProperty, redactJobConfiguration, sensitiveKeysName } from '../../wire/files/job-configuration.ts';
import type { StagedJob } from '../submission/staging.ts';

/** A job's configuration as its master shows it and leaves it beside its history: without secrets, by the names that the job itself says, too. */
export const shownConfiguration = ({ properties, settings }: Pick<StagedJob, 'properties' | 'settings'>): ConfigurationProperty[] =>
  redactJobConfiguration(properties, settings.text(sensitiveKeysName, usualSensitiveKeys));
