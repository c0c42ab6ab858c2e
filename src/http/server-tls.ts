// What a listening server shows under HTTPS_ONLY, and what it shows once the files have changed.
import type { SecureContextOptions } from 'node:tls';
import { followFiles } from '../auth/followed-files.ts';
import { readAuthorities, readIdentity } from '../auth/tls-files.ts';
import type { Configuration } from '../config/load.ts';
import { settingFault } from '../config/setting-fault.ts';
import { commonSettings } from '../config/settings/common.ts';
import { historySettings } from '../config/settings/history.ts';
import { shuffleSettings } from '../config/settings/shuffle.ts';
import { tlsSettings } from '../config/settings/tls.ts';
import { schemeOf, type WebServerName } from '../config/web-addresses.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';

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
  const { key } = server === 'history' ? historySettings.httpPolicy : commonSettings.httpPolicy;
  return followedTls(configuration, key, asksNodes ? { key: tlsSettings.authorityFile.key, whose: 'nodes', isStrict: false } : undefined, {
    clock,
    logger,
    reloadIntervalMs,
  });
}

/**
 * TLS of the shuffle's port; undefined where `mapreduce.shuffle.ssl.enabled` is not set.
 * @throws ConfigurationError where there is no certificate, or none that can be used
 */
export function shuffleTls(
  configuration: Configuration,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): ServerTls | undefined {
  if (!configuration.values(shuffleSettings).encrypted) return undefined;
  const { requireClientCertificate, reloadIntervalMs } = configuration.values(tlsSettings);
  const { key } = tlsSettings.requireClientCertificate;
  return followedTls(
    configuration,
    shuffleSettings.encrypted.key,
    requireClientCertificate ? { key, whose: 'clients', isStrict: true } : undefined,
    {
      clock,
      logger,
      reloadIntervalMs,
    },
  );
}

/** Certificates that the server asks its clients for. */
interface AskedCertificates {
  /** The setting that asks for them, or for their authority. */
  readonly key: string;
  readonly whose: string;
  /** Who shows none is refused by the server itself. */
  readonly isStrict: boolean;
}

/** What a server shows, read again when its files change. `wish` is the setting that asks for TLS. */
function followedTls(
  configuration: Configuration,
  wish: string,
  asked: AskedCertificates | undefined,
  { clock, logger, reloadIntervalMs }: { readonly clock: Clock; readonly logger: Logger; readonly reloadIntervalMs: number },
): ServerTls {
  const read = () => {
    const identity = readIdentity(configuration) ?? refuseWithout(configuration, wish);
    const { validToDate: until } = identity.certificate;
    if (until.getTime() < clock.now())
      logger.warn({ until: until.toISOString() }, 'the certificate of this server is over: clients will refuse it');
    const authorities = asked ? readAuthorities(configuration) : undefined;
    if (asked && !authorities)
      refuse(
        configuration,
        asked.key,
        `${asked.whose} have to show certificates, and no authority is named`,
        `Name the PEM file of the authority in ${tlsSettings.authorityFile.key}.`,
      );
    return {
      options: { ...identity.options, ...(authorities ? { ca: [...authorities.certificates] } : {}) },
      files: [...identity.files, ...(authorities?.files ?? [])],
    };
  };
  const first = read();
  return {
    options: { ...first.options, ...(asked ? { requestCert: true, rejectUnauthorized: asked.isStrict } : {}) },
    follow(changed) {
      const says = {
        again: 'the certificate was read again',
        failed: 'the certificate cannot be read again; the one before stays',
      };
      return followFiles(first.files, () => changed(read().options), { intervalMs: reloadIntervalMs, clock, logger, says });
    },
  };
}

function refuse(configuration: Configuration, key: string, problem: string, remedy: string): never {
  throw settingFault(configuration, key, problem, remedy);
}

function refuseWithout(configuration: Configuration, wish: string): never {
  return refuse(
    configuration,
    wish,
    'HTTPS is asked for, and there is no certificate',
    `Set ${tlsSettings.certificateFile.key} and ${tlsSettings.keyFile.key}, or ssl.server.keystore.location in ssl-server.xml.`,
  );
}
