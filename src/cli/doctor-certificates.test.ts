import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { loadConfiguration } from '../config/load.ts';
import { findCertificates } from './doctor-certificates.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-doctor-certificates-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const [certificate, key] = [join(folder, 'a.pem'), join(folder, 'a.key')];
const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '60', '-subj', '/CN=a'];
execFileSync(
  'openssl',
  ['req', '-x509', ...made, '-addext', 'subjectAltName=DNS:here.example,IP:127.0.0.1', '-keyout', key, '-out', certificate],
  { stdio: 'pipe' },
);
chmodSync(key, 0o600);

const roles = ['resource-manager', 'node-manager', 'history', 'elsewhere'];
const found = (set: Record<string, string>, afterDays = 1) => {
  const files = { 'heddle.tls.certificate-file': certificate, 'heddle.tls.key-file': key };
  const configuration = loadConfiguration({ dataDir: folder, set: { 'yarn.http.policy': 'HTTPS_ONLY', ...files, ...set } });
  return findCertificates(configuration, roles, Date.now() + afterDays * 24 * 60 * 60 * 1000).map(({ level, what }) => `${level}: ${what}`);
};

describe('what doctor finds about the certificate of the servers', () => {
  it('is whether its time is over, soon is, or has not come', () => {
    assert.deepEqual(found({}), []);
    assert.match(found({}, 40).join(), /^note: the certificate of this machine's servers \(CN ?= ?a\) ends at /);
    assert.match(found({}, 61).join(), /^problem: .* ended at .*: clients refuse it$/);
    assert.match(found({}, -1).join(), /^problem: .* counts from .* on: clients refuse it until then$/);
  });

  it('is under which names clients refuse it', () => {
    assert.deepEqual(found({ 'yarn.nodemanager.webapp.https.address': 'here.example:8044' }), []);
    assert.deepEqual(found({ 'yarn.nodemanager.webapp.https.address': '0.0.0.0:8044' }), []);
    const other = found({
      'yarn.resourcemanager.webapp.https.address': '10.1.2.3:8090',
      'yarn.nodemanager.webapp.https.address': 'there.example:8044',
    });
    assert.match(other.join('\n'), /^problem: .* is not for 10\.1\.2\.3, .*\nproblem: .* is not for there\.example, [^\n]*$/);
  });

  it('is what keeps servers from starting with it, and nothing where none shows one', () => {
    assert.match(found({ 'heddle.tls.key-file': certificate }).join(), /^problem: .* can be read by others: its key may be known/);
    assert.match(found({ 'heddle.tls.certificate-file': '', 'heddle.tls.key-file': '' }).join(), /there is no certificate$/);
    assert.deepEqual(found({ 'yarn.http.policy': 'HTTP_ONLY', 'heddle.tls.key-file': join(folder, 'none') }), []);
  });
});
