// The commands of a streaming job.
import type { JobConfiguration } from '../job-configuration.ts';

/** `heddle.batch.program`: which kind of job this is. */
export const programSetting = 'heddle.batch.program';

/** The command of one side; undefined = records are passed through. */
export function commandOf(configuration: JobConfiguration, side: 'map' | 'reduce' | 'combine'): string | undefined {
  const encoded = configuration.raw(`stream.${side}.streamprocessor`);
  return encoded === undefined || encoded === '' ? undefined : decodeURIComponent(encoded.replaceAll('+', ' '));
}
