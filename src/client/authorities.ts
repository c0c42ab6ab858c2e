// Whom connections of this thread believe: the authorities of Node.js, and those of the settings.
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { followFiles } from '../auth/followed-files.ts';
import { readAuthorities } from '../auth/tls-files.ts';
import type { Configuration } from '../config/load.ts';
import { tlsSettings } from '../config/settings/tls.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';

let builtIn: readonly string[] | undefined;

function believe(certificates: readonly string[]): void {
  builtIn ??= getCACertificates('default');
  setDefaultCACertificates([...builtIn, ...certificates]);
}

/**
 * Believes the authorities of the settings from now on, or those in the file `otherwise`, in every TLS connection of this thread that names no
 * others. @throws ConfigurationError
 */
export function believeAuthorities(configuration: Configuration, otherwise?: string): void {
  const found = readAuthorities(configuration, otherwise);
  if (found) believe(found.certificates);
}

/** The same, and those that are put there later. Gives how to stop looking. @throws ConfigurationError */
export function followAuthorities(
  configuration: Configuration,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): () => void {
  const found = readAuthorities(configuration);
  if (!found) return () => undefined;
  believe(found.certificates);
  const { reloadIntervalMs } = configuration.values(tlsSettings);
  const says = {
    again: 'authorities were read again',
    failed: 'authorities cannot be read again; those that were read before stay',
  };
  return followFiles(found.files, () => believe(readAuthorities(configuration)?.certificates ?? []), {
    intervalMs: reloadIntervalMs,
    clock,
    logger,
    says,
  });
}
