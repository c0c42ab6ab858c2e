// Hadoop's ssl-server.xml and ssl-client.xml: where keystore and truststore lie, and their passwords, which stay out of the settings.
import { isAbsolute, join } from 'node:path';
import { parseHadoopXml, readOptionalFile } from './hadoop-xml.ts';
import type { Configuration } from './load.ts';
import { tlsSettings } from './settings/tls.ts';

/** Names of the properties that are read. */
export const sslKeys = {
  keystore: 'ssl.server.keystore.location',
  keystorePassword: 'ssl.server.keystore.password',
  keyPassword: 'ssl.server.keystore.keypassword',
  truststore: 'ssl.client.truststore.location',
} as const;

/** What ssl-server.xml says. */
export interface SslServerFile {
  readonly path: string;
  readonly keystore: string | undefined;
  readonly keystorePassword: string | undefined;
  readonly keyPassword: string | undefined;
  /** It holds a password, whichever. */
  readonly hasPassword: boolean;
}

/** ssl-server.xml; empty where there is no such file. @throws ConfigurationError */
export function readSslServerFile(configuration: Configuration): SslServerFile {
  const { path, properties } = separateFile(configuration, configuration.values(tlsSettings).serverFile);
  return {
    path,
    keystore: properties.get(sslKeys.keystore),
    keystorePassword: properties.get(sslKeys.keystorePassword),
    keyPassword: properties.get(sslKeys.keyPassword),
    hasPassword: [...properties].some(([key, value]) => /password$/.test(key) && value !== ''),
  };
}

/** The path of ssl-client.xml, and of the truststore that it names. @throws ConfigurationError */
export function readSslClientFile(configuration: Configuration): { readonly path: string; readonly truststore: string | undefined } {
  const { path, properties } = separateFile(configuration, configuration.values(tlsSettings).clientFile);
  return { path, truststore: properties.get(sslKeys.truststore) };
}

/** The properties of a file beside the settings, and its path; none where there is no such file. @throws ConfigurationError */
function separateFile(configuration: Configuration, name: string): { readonly path: string; readonly properties: Map<string, string> } {
  const path = isAbsolute(name) ? name : join(configuration.confDir ?? '', name);
  const text = configuration.confDir === undefined && !isAbsolute(name) ? undefined : readOptionalFile(path);
  const found = text === undefined ? [] : parseHadoopXml(text, name, path);
  return { path, properties: new Map(found.map(({ key, value }) => [key, configuration.expand(value).trim()])) };
}
