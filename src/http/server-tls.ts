// What a listening server shows under HTTPS_ONLY, and what it shows once the files have changed.
import type { SecureContextOptions } from 'node:tls';
import { readAuthorities, readIdentity, stateOfFiles } from '../auth/tls-files.ts';
import type { Configuration } from '../config/load.ts';
import { commonSettings } from '../config/settings/common.ts';
import { historySettings } from '../config/settings/history.ts';
import { tlsSettings } from '../config/settings/tls.ts';
import { ConfigurationError } from '../config/table.ts';
import { schemeOf, type WebServerName } from '../config/web-addresses.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import { Timers } from '../lib/timers.ts';

/** Options of the server's TLS. */
export interface ServerTlsOptions extends SecureContextOptions {
  /** Clients are asked for a certificate; whether it counts is for who asks it. */
  readonly requestCert?: boolean;
  readonly rejectUnauthorized?: boolean;
}

/** TLS of one server. */
export interface ServerTls {
  readonly options: ServerTlsOptions;
  /** Calls `changed` with what counts for new connections from then on. Gives how to stop. */
  follow(changed: (options: ServerTlsOptions) => void): () => void;
}

/**
 * TLS of a server; undefined where its policy is HTTP_ONLY.
 * @throws ConfigurationError where there is no certificate, or none that can be used
 */
export function serverTls(
  configuration: Configuration,
  server: WebServerName,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): ServerTls | undefined {
  const { nodeCertificates, reloadIntervalMs } = configuration.values(tlsSettings);
  const asksNodes = nodeCertificates && server === 'resource-manager';
  if (schemeOf(configuration, server) === 'http') {
    if (asksNodes)
      refuse(configuration, tlsSettings.nodeCertificates.key, 'certificates are shown in TLS only', 'Set yarn.http.policy to HTTPS_ONLY.');
    return undefined;
  }
  const read = () => {
    const identity = readIdentity(configuration) ?? refuseWithout(configuration, server);
    if (identity.validToMs !== undefined && identity.validToMs < clock.now())
      logger.warn({ until: new Date(identity.validToMs).toISOString() }, 'the certificate of this server is over: clients will refuse it');
    const authorities = asksNodes ? readAuthorities(configuration) : undefined;
    if (asksNodes && !authorities)
      refuse(
        configuration,
        tlsSettings.authorityFile.key,
        'nodes have to show certificates, and no authority is named',
        'Name the PEM file of the authority.',
      );
    return {
      options: { ...identity.options, ...(authorities ? { ca: [...authorities.certificates] } : {}) },
      files: [...identity.files, ...(authorities?.files ?? [])],
    };
  };
  const first = read();
  return {
    options: { ...first.options, ...(asksNodes ? { requestCert: true, rejectUnauthorized: false } : {}) },
    follow(changed) {
      const timers = new Timers(clock);
      let state = stateOfFiles(first.files);
      const look = () => {
        timers.set('look', reloadIntervalMs, look);
        const now = stateOfFiles(first.files);
        if (now === state) return;
        state = now;
        try {
          changed(read().options);
          logger.info({ files: first.files }, 'the certificate was read again');
        } catch (error) {
          logger.error({ err: error }, 'the certificate cannot be read again; the one before stays');
        }
      };
      timers.set('look', reloadIntervalMs, look);
      return () => timers.close();
    },
  };
}

function refuse(configuration: Configuration, key: string, problem: string, remedy: string): never {
  throw new ConfigurationError(configuration.origin(key)?.source ?? 'defaults', key, problem, remedy);
}

function refuseWithout(configuration: Configuration, server: WebServerName): never {
  const { key } = server === 'history' ? historySettings.httpPolicy : commonSettings.httpPolicy;
  return refuse(
    configuration,
    key,
    'HTTPS is asked for, and there is no certificate',
    `Set ${tlsSettings.certificateFile.key} and ${tlsSettings.keyFile.key}, or ssl.server.keystore.location in ssl-server.xml.`,
  );
}
