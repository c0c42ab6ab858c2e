import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { loadConfiguration } from './load.ts';
import { namedRandomSecrets, namedSecretFiles } from './named-files.ts';
import { allSettings } from './settings/all.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-named-files-'));
after(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);

describe('files that settings name for their secrets', () => {
  it('are known, whichever setting names them', () => {
    const keys = [...allSettings().values()]
      .filter(({ key, type }) => type === 'path' && /keytab|secret|signature|passphrase|token-file|\.key-file/.test(key))
      .map(({ key }) => key);
    assert.ok(keys.length >= 12, keys.join());
    const set = Object.fromEntries(keys.map((key) => [key, at(key)]));
    const found = new Set(namedSecretFiles(loadConfiguration({ dataDir: folder, set })));
    assert.deepEqual(
      keys.filter((key) => !found.has(at(key))),
      [],
    );
    const random = namedRandomSecrets(loadConfiguration({ dataDir: folder, set }));
    assert.ok(random.includes(at('heddle.cluster.secret-file')) && !random.some((path) => /keytab|passphrase/.test(path)), random.join());
  });

  it('have ssl-server.xml among them where it holds a password, and the keystore that it names', () => {
    writeFileSync(at('keys.p12'), 'a store');
    const ofTls = () =>
      namedSecretFiles(loadConfiguration({ confDir: folder, dataDir: folder })).filter((path) => /ssl-server|keys\.p12/.test(path));
    const filesWith = (password: string) => {
      const properties = { 'ssl.server.keystore.location': at('keys.p12'), 'ssl.server.keystore.password': password };
      const written = Object.entries(properties).map(([key, value]) => `<property><name>${key}</name><value>${value}</value></property>`);
      writeFileSync(at('ssl-server.xml'), `<configuration>${written.join('')}</configuration>`);
      return ofTls();
    };
    assert.deepEqual(filesWith('word'), [at('ssl-server.xml'), at('keys.p12')]);
    assert.deepEqual(filesWith(''), [at('keys.p12')]);
    writeFileSync(at('ssl-server.xml'), 'no XML');
    assert.deepEqual(ofTls(), []);
  });
});
