// Whom connections of this thread believe: the authorities of Node.js, and those of the settings.
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { readAuthorities, stateOfFiles } from '../auth/tls-files.ts';
import type { Configuration } from '../config/load.ts';
import { tlsSettings } from '../config/settings/tls.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import { Timers } from '../lib/timers.ts';

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
  const timers = new Timers(clock);
  let state = stateOfFiles(found.files);
  const look = () => {
    timers.set('look', reloadIntervalMs, look);
    const now = stateOfFiles(found.files);
    if (now === state) return;
    state = now;
    try {
      believe(readAuthorities(configuration)?.certificates ?? []);
      logger.info({ files: found.files }, 'authorities were read again');
    } catch (error) {
      logger.error({ err: error }, 'authorities cannot be read again; those that were read before stay');
    }
  };
  timers.set('look', reloadIntervalMs, look);
  return () => timers.close();
}
