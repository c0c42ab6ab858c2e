// An authority of a test's own, and certificates that it signs, made by openssl.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A certificate and its key, in PEM. */
export interface Certificate {
  readonly certificateFile: string;
  readonly keyFile: string;
}

/** An authority. */
export interface Authority {
  /** Its certificate. */
  readonly file: string;
  readonly pem: () => string;
  /** Signs a certificate for names and addresses (`DNS:localhost`, `IP:127.0.0.1`) that ends in `days`; files of that name are written over. */
  sign(name: string, hosts?: readonly string[], days?: number): Certificate;
}

const openssl = (...words: string[]): void => void execFileSync('openssl', words, { stdio: 'pipe' });
const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Makes an authority whose files lie in the folder. */
export function makeAuthority(folder: string): Authority {
  mkdirSync(folder, { recursive: true });
  const at = (name: string) => join(folder, name);
  openssl('req', '-x509', ...newKey, '-keyout', at('ca.key'), '-out', at('ca.pem'), '-subj', '/CN=Authority of a test', '-days', '30');
  let serial = 1;
  return {
    file: at('ca.pem'),
    pem: () => readFileSync(at('ca.pem'), 'utf8'),
    sign(name, hosts = ['DNS:localhost', 'IP:127.0.0.1'], days = 30) {
      openssl('req', ...newKey, '-keyout', at(`${name}.key`), '-out', at(`${name}.csr`), '-subj', `/CN=${name}`);
      writeFileSync(at(`${name}.ext`), `subjectAltName=${hosts.join(',')}\n`);
      const signed = [
        '-CA',
        at('ca.pem'),
        '-CAkey',
        at('ca.key'),
        '-set_serial',
        String(serial++),
        '-days',
        String(days),
        '-extfile',
        at(`${name}.ext`),
      ];
      openssl('x509', '-req', '-in', at(`${name}.csr`), ...signed, '-out', at(`${name}.pem`));
      chmodSync(at(`${name}.key`), 0o600);
      return { certificateFile: at(`${name}.pem`), keyFile: at(`${name}.key`) };
    },
  };
}

/** Settings of a cluster that speaks TLS alone. */
export const tlsSettingsOf = (authority: Authority, { certificateFile, keyFile }: Certificate): Record<string, string> => ({
  'yarn.http.policy': 'HTTPS_ONLY',
  'mapreduce.jobhistory.http.policy': 'HTTPS_ONLY',
  'heddle.tls.certificate-file': certificateFile,
  'heddle.tls.key-file': keyFile,
  'heddle.tls.ca-file': authority.file,
  'heddle.tls.reload-interval': '200ms',
});
