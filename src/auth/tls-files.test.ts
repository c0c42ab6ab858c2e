import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createSecureContext } from 'node:tls';
import { loadConfiguration } from '../config/load.ts';
import { ConfigurationError } from '../config/table.ts';
import { authorityFileOf, readAuthorities, readIdentity } from './tls-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-tls-files-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);
const openssl = (...words: string[]) => execFileSync('openssl', words, { stdio: 'pipe' });
const passphrase = 'open sesame';

/** Settings by command line; `files` become ssl-server.xml and ssl-client.xml. */
function configuration(set: Record<string, string>, files: Record<string, Record<string, string>> = {}) {
  const confDir = mkdtempSync(join(folder, 'conf-'));
  for (const [name, properties] of Object.entries(files)) {
    const written = Object.entries(properties).map(([key, value]) => `<property><name>${key}</name><value>${value}</value></property>`);
    writeFileSync(join(confDir, name), `<configuration>${written.join('')}</configuration>`, { mode: 0o600 });
  }
  return loadConfiguration({ confDir, dataDir: folder, set });
}
const pem = (certificate: string, key: string, more: Record<string, string> = {}) =>
  configuration({ 'heddle.tls.certificate-file': at(certificate), 'heddle.tls.key-file': at(key), ...more });
const keystore = (location: string, more: Record<string, string> = {}) =>
  configuration(
    {},
    { 'ssl-server.xml': { 'ssl.server.keystore.location': at(location), 'ssl.server.keystore.password': passphrase, ...more } },
  );

const refused = (work: () => unknown, problem: RegExp, remedy: RegExp): void =>
  void assert.throws(work, (error: unknown) => {
    assert.ok(error instanceof ConfigurationError);
    assert.match(error.message, problem);
    assert.match(error.message, remedy);
    assert.ok(!error.message.includes(passphrase), 'no password is told');
    return true;
  });

before(() => {
  for (const name of ['a', 'b'])
    openssl(
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      at(`${name}.key`),
      '-out',
      at(`${name}.pem`),
      '-subj',
      `/CN=${name}`,
    );
  openssl('pkcs12', '-export', '-in', at('a.pem'), '-inkey', at('a.key'), '-out', at('a.p12'), '-passout', `pass:${passphrase}`);
  openssl('pkey', '-in', at('a.key'), '-aes256', '-passout', `pass:${passphrase}`, '-out', at('locked.key'));
  writeFileSync(at('passphrase'), `${passphrase}\n`);
  writeFileSync(at('both.pem'), `${readFileSync(at('a.pem'), 'utf8')}${readFileSync(at('locked.key'), 'utf8')}`);
  writeFileSync(at('plain.pem'), `${readFileSync(at('a.pem'), 'utf8')}${readFileSync(at('a.key'), 'utf8')}`);
  writeFileSync(at('java.jks'), Buffer.from('feedfeed00000002', 'hex'));
  writeFileSync(at('java.jceks'), Buffer.from('cececece00000002', 'hex'));
  for (const name of ['a.key', 'b.key', 'locked.key', 'a.p12', 'passphrase', 'both.pem', 'plain.pem', 'java.jks', 'java.jceks'])
    chmodSync(at(name), 0o600);
});

describe('the certificate of a server', () => {
  it('is read from PEM, with a passphrase where the key has one', () => {
    const plain = readIdentity(pem('a.pem', 'a.key'))!;
    createSecureContext(plain.options);
    assert.deepEqual(plain.files, [at('a.pem'), at('a.key')]);
    assert.match(plain.certificate.subject, /CN ?= ?a/);
    createSecureContext(readIdentity(pem('a.pem', 'locked.key', { 'heddle.tls.key-passphrase-file': at('passphrase') }))!.options);
    assert.equal(readIdentity(configuration({})), undefined);
  });

  it("is read from what Hadoop's ssl-server.xml names, where that is PKCS12 or PEM, whatever type it says", () => {
    const conf = keystore('a.p12', { 'ssl.server.keystore.type': 'jks' });
    const found = readIdentity(conf)!;
    createSecureContext(found.options);
    assert.deepEqual(found.files, [join(conf.confDir!, 'ssl-server.xml'), at('a.p12')]);
    assert.equal(found.certificate.fingerprint256, readIdentity(pem('a.pem', 'a.key'))!.certificate.fingerprint256);
    createSecureContext(readIdentity(keystore('both.pem'))!.options);
    createSecureContext(
      readIdentity(keystore('both.pem', { 'ssl.server.keystore.password': 'x', 'ssl.server.keystore.keypassword': passphrase }))!.options,
    );
  });

  it('is not taken where others can read the passwords of its keystore, or change them', () => {
    for (const mode of [0o604, 0o620, 0o606]) {
      const conf = keystore('a.p12');
      chmodSync(join(conf.confDir!, 'ssl-server.xml'), mode);
      refused(() => readIdentity(conf), /ssl-server\.xml can be (?:read|written) by others: the passwords in it may be known/, /chmod 600/);
    }
    const bare = configuration({}, { 'ssl-server.xml': { 'ssl.server.keystore.location': at('plain.pem') } });
    chmodSync(join(bare.confDir!, 'ssl-server.xml'), 0o644);
    assert.ok(readIdentity(bare), 'without passwords it holds no secret');
  });

  it('is not shown with its password where settings are', () => {
    const conf = keystore('a.p12');
    assert.ok(!JSON.stringify(conf.properties()).includes(passphrase));
    assert.ok(!JSON.stringify(conf.snapshot()).includes(passphrase));
  });

  it('is refused with what to do where it cannot be used', () => {
    refused(() => readIdentity(pem('a.pem', 'b.key')), /the key does not belong to the certificate of CN ?= ?a/, /Name the key/);
    refused(() => readIdentity(pem('a.pem', 'locked.key')), /certificate and key cannot be used/, /passphrase/);
    refused(() => readIdentity(pem('none.pem', 'a.key')), /none\.pem cannot be read/, /may read/);
    refused(() => readIdentity(pem('a.p12', 'a.key')), /is no PEM file/, /ssl\.server\.keystore\.location/);
    refused(() => readIdentity(configuration({ 'heddle.tls.certificate-file': at('a.pem') })), /no key/, /Name the PEM file/);
    refused(() => readIdentity(configuration({ 'heddle.tls.key-file': at('a.key') })), /no certificate/, /Name the PEM file/);
    refused(() => readIdentity(keystore('a.p12', { 'ssl.server.keystore.password': 'wrong' })), /cannot be opened as PKCS12/, /password/);
    for (const [name, form] of [
      ['java.jks', 'JKS'],
      ['java.jceks', 'JCEKS'],
    ] as const)
      refused(
        () => readIdentity(keystore(name)),
        new RegExp(`is a Java keystore \\(${form}\\)`),
        /keytool -importkeystore .*-deststoretype PKCS12/,
      );
    copyFileSync(at('a.key'), at('open.key'));
    chmodSync(at('open.key'), 0o644);
    refused(() => readIdentity(pem('a.pem', 'open.key')), /open\.key can be read by others: its key may be known/, /mode 600/);
  });
});

describe('the authorities', () => {
  it('are all certificates of a PEM file, by either setting', () => {
    writeFileSync(at('ca.pem'), readFileSync(at('a.pem')));
    appendFileSync(at('ca.pem'), `# another\n${readFileSync(at('b.pem'), 'utf8')}`);
    assert.equal(readAuthorities(configuration({ 'heddle.tls.ca-file': at('ca.pem') }))!.certificates.length, 2);
    const hadoop = configuration({}, { 'ssl-client.xml': { 'ssl.client.truststore.location': at('ca.pem') } });
    assert.equal(readAuthorities(hadoop)!.certificates.length, 2);
    assert.equal(authorityFileOf(hadoop), at('ca.pem'), 'commands find it by the data folder');
    assert.equal(readAuthorities(configuration({})), undefined);
    assert.equal(readAuthorities(configuration({}), at('ca.pem'))!.certificates.length, 2);
  });

  it('of a store that only Java reads are refused with how to export them', () => {
    for (const name of ['java.jks', 'a.p12'])
      refused(
        () => readAuthorities(configuration({}, { 'ssl-client.xml': { 'ssl.client.truststore.location': at(name) } })),
        /holds no certificate in PEM/,
        /keytool -list -rfc/,
      );
  });
});
