// Certificates, keys and authorities as files hold them: PEM, or a PKCS12 keystore; by Heddle's settings or in Hadoop's ssl-server.xml and
// ssl-client.xml. Passwords stay in here.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { Duplex } from 'node:stream';
import { createSecureContext, type SecureContextOptions, TLSSocket } from 'node:tls';
import type { Configuration } from '../config/load.ts';
import { tlsSettings } from '../config/settings/tls.ts';
import { readSslClientFile, readSslServerFile, sslKeys } from '../config/ssl-files.ts';
import { ConfigurationError } from '../config/table.ts';
import { exposureOf } from '../lib/secret-rules.ts';

/** What a server shows, or a node where it is asked. */
export interface TlsIdentity {
  readonly options: Pick<SecureContextOptions, 'cert' | 'key' | 'passphrase' | 'pfx'>;
  /** Every file it was read from. */
  readonly files: readonly string[];
  /** That of the server, without those above it. */
  readonly certificate: X509Certificate;
}

/** Authorities, each a certificate in PEM. */
export interface TlsAuthorities {
  readonly certificates: readonly string[];
  readonly files: readonly string[];
}

/** Where a setting was read, for what is wrong with it. */
interface Place {
  readonly source: string;
  readonly key: string;
}

const refuse = ({ source, key }: Place, problem: string, remedy: string): never => {
  throw new ConfigurationError(source, key, problem, remedy);
};

/** The file at `path`; one with a key has to be hidden from others. @throws ConfigurationError */
function readBytes(place: Place, path: string, isSecret: boolean): Buffer {
  try {
    const exposure = isSecret ? exposureOf(statSync(path)) : undefined;
    if (exposure !== undefined) refuse(place, `${path} ${exposure}: its key may be known`, 'Use another key, in a file of mode 600.');
    return readFileSync(path);
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    return refuse(place, `${path} cannot be read: ${(error as Error).message}`, 'Name a file that Heddle may read.');
  }
}

/** Refuses a file with passwords that others can read. @throws ConfigurationError */
function refusePasswords(place: Place, path: string): void {
  const exposure = exposureOf(statSync(path));
  if (exposure !== undefined)
    refuse(place, `${path} ${exposure}: the passwords in it may be known`, `Take other ones, and say "chmod 600 ${path}", as its owner.`);
}

const isPem = (bytes: Buffer): boolean => bytes.includes('-----BEGIN ');

/** Refuses Java's own forms of keystores, which say by their first bytes what they are. @throws ConfigurationError */
function refuseJava(place: Place, path: string, bytes: Buffer, target: string): void {
  const magic = bytes.length >= 4 ? bytes.readUInt32BE(0) : 0;
  if (magic !== 0xfeedfeed && magic !== 0xcececece) return;
  const convert = `keytool -importkeystore -srckeystore '${path}' -destkeystore '${target}' -deststoretype PKCS12`;
  refuse(place, `${path} is a Java keystore (${magic === 0xfeedfeed ? 'JKS' : 'JCEKS'}), which only Java reads`, `Convert it: ${convert}`);
}

/**
 * The certificate and key of this machine's servers; undefined where no setting names any.
 * @throws ConfigurationError for files that are missing, readable by everybody, of another form, or do not belong together
 */
export function readIdentity(configuration: Configuration): TlsIdentity | undefined {
  const { certificateFile, keyFile, keyPassphraseFile, serverFile } = configuration.values(tlsSettings);
  const sourceOf = (key: string): Place => ({ source: configuration.origin(key)?.source ?? 'defaults', key });
  if (certificateFile !== undefined || keyFile !== undefined) {
    const [certificatePlace, keyPlace] = [sourceOf(tlsSettings.certificateFile.key), sourceOf(tlsSettings.keyFile.key)];
    if (certificateFile === undefined)
      return refuse(certificatePlace, 'a key is named, and no certificate', 'Name the PEM file of the certificate.');
    if (keyFile === undefined) return refuse(keyPlace, 'a certificate is named, and no key', 'Name the PEM file of its key.');
    const passphrase =
      keyPassphraseFile === undefined
        ? undefined
        : readBytes(sourceOf(tlsSettings.keyPassphraseFile.key), keyPassphraseFile, true)
            .toString('utf8')
            .replace(/\r?\n$/, '');
    const cert = readBytes(certificatePlace, certificateFile, false);
    const key = readBytes(keyPlace, keyFile, true);
    for (const [place, path, bytes] of [[certificatePlace, certificateFile, cert] as const, [keyPlace, keyFile, key] as const]) {
      refuseJava(place, path, bytes, 'keystore.p12');
      if (!isPem(bytes))
        refuse(place, `${path} is no PEM file`, 'Name a file with -----BEGIN …, or use ssl.server.keystore.location for PKCS12.');
    }
    const files = [certificateFile, keyFile, ...(keyPassphraseFile === undefined ? [] : [keyPassphraseFile])];
    return checkedPem(keyPlace, { cert, key, passphrase }, files);
  }
  const { path: settingsPath, keystore: location, keystorePassword: password, keyPassword, hasPassword } = readSslServerFile(configuration);
  if (!location) return undefined;
  const place = { source: serverFile, key: sslKeys.keystore };
  if (hasPassword) refusePasswords({ source: serverFile, key: sslKeys.keystorePassword }, settingsPath);
  const bytes = readBytes(place, location, true);
  refuseJava(place, location, bytes, 'keystore.p12');
  const files = [settingsPath, location];
  if (isPem(bytes)) return checkedPem(place, { cert: bytes, key: bytes, passphrase: keyPassword ?? password }, files);
  const options = { pfx: bytes, ...(password === undefined ? {} : { passphrase: password }) };
  try {
    return { options, files, certificate: shownCertificate(options) };
  } catch (error) {
    const problem = `${location} cannot be opened as PKCS12: ${(error as Error).message}`;
    return refuse(
      place,
      problem,
      'Look at ssl.server.keystore.password. A store with old ciphers is written anew by Java 17 or openssl pkcs12 -legacy.',
    );
  }
}

/** What a server with these options shows. @throws Error where they are none for a server */
function shownCertificate(options: TlsIdentity['options']): X509Certificate {
  const nowhere = new Duplex({ read: () => undefined, write: (_bytes, _encoding, done) => done() });
  const socket = new TLSSocket(nowhere, { isServer: true, secureContext: createSecureContext(options) });
  try {
    const certificate = socket.getX509Certificate();
    if (!certificate) throw new Error('it has no certificate');
    return certificate;
  } finally {
    socket.destroy();
  }
}

function checkedPem(
  place: Place,
  { cert, key, passphrase }: { readonly cert: Buffer; readonly key: Buffer; readonly passphrase: string | undefined },
  files: readonly string[],
): TlsIdentity {
  const secret = passphrase === undefined ? {} : { passphrase };
  try {
    const certificate = new X509Certificate(cert);
    if (!certificate.checkPrivateKey(createPrivateKey({ key, ...secret })))
      refuse(
        place,
        `the key does not belong to the certificate of ${certificate.subject.replace(/\n/g, ', ')}`,
        'Name the key that it was made for.',
      );
    const options = { cert, key, ...secret };
    createSecureContext(options);
    return { options, files, certificate };
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    return refuse(
      place,
      `certificate and key cannot be used: ${(error as Error).message}`,
      'Give both in PEM, and the passphrase where the key has one.',
    );
  }
}

/** Authorities that are believed besides those of Node.js; where no setting names any those in the file `otherwise`. @throws ConfigurationError */
export function readAuthorities(configuration: Configuration, otherwise?: string): TlsAuthorities | undefined {
  const { authorityFile, clientFile } = configuration.values(tlsSettings);
  if (authorityFile !== undefined) {
    const key = tlsSettings.authorityFile.key;
    return readCertificates({ source: configuration.origin(key)?.source ?? 'defaults', key }, authorityFile, []);
  }
  const { path, truststore } = readSslClientFile(configuration);
  if (truststore) return readCertificates({ source: clientFile, key: sslKeys.truststore }, truststore, [path]);
  return otherwise === undefined ? undefined : readCertificates({ source: 'cluster.json', key: 'authorityFile' }, otherwise, []);
}

/** The PEM file with the authorities that the settings name, for programs that read no settings. @throws ConfigurationError */
export const authorityFileOf = (configuration: Configuration): string | undefined => readAuthorities(configuration)?.files.at(-1);

function readCertificates(place: Place, path: string, files: readonly string[]): TlsAuthorities {
  const bytes = readBytes(place, path, false);
  const certificates = bytes.toString('utf8').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (certificates.length === 0)
    refuse(
      place,
      `${path} holds no certificate in PEM`,
      `Export those of a Java or PKCS12 store: keytool -list -rfc -keystore '${path}' > ca.pem`,
    );
  try {
    for (const certificate of certificates) new X509Certificate(certificate);
  } catch (error) {
    refuse(place, `${path}: a certificate cannot be read: ${(error as Error).message}`, 'Give certificates in PEM.');
  }
  return { certificates, files: [...files, path] };
}
