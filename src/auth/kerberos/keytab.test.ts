import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { keytabEntry as entry, keytabVersion as version } from '../test-support/keytab.ts';
import { keytabPrincipals } from './keytab.ts';
import { withHost } from './principal.ts';
import { defaultRealm } from './realm.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-keytab-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function written(content: Buffer | string): string {
  const path = join(folder, 'file');
  writeFileSync(path, content);
  return path;
}
const hole = (length: number): Buffer => {
  const size = Buffer.alloc(4 + length);
  size.writeInt32BE(-length);
  return size;
};

describe('a keytab', () => {
  it('tells its principals, each once, over holes', () => {
    const bytes = [version, entry('R', 'HTTP', 'host'), hole(7), entry('R', 'ann'), entry('R', 'HTTP', 'host')];
    assert.deepEqual(keytabPrincipals(written(Buffer.concat(bytes))), ['HTTP/host@R', 'ann@R']);
    assert.deepEqual(keytabPrincipals(written(version)), []);
  });

  it('that is cut, or none, is refused', () => {
    assert.throws(() => keytabPrincipals(written('text')), /is no keytab$/);
    const whole = Buffer.concat([version, entry('R', 'ann')]);
    assert.throws(() => keytabPrincipals(written(whole.subarray(0, 20))), /is cut short$/);
    assert.throws(() => keytabPrincipals(written(Buffer.concat([version, Buffer.from([0, 0, 0, 3, 0, 9, 9])]))), /is no keytab$/);
    assert.throws(() => keytabPrincipals(join(folder, 'absent')), /ENOENT/);
  });
});

describe('a principal of a host', () => {
  it('has the host in small letters, and that of this machine where a server listens on all', () => {
    assert.equal(withHost('HTTP/_HOST@R', 'Node1.Example'), 'HTTP/node1.example@R');
    for (const host of ['', '0.0.0.0', '::']) assert.equal(withHost(' rm/_HOST@R ', host), `rm/${hostname().toLowerCase()}@R`);
    assert.equal(withHost('rm/_HOST', 'a'), 'rm/a');
    for (const text of ['HTTP/host@R', 'ann@R', '_HOST@R', '*']) assert.equal(withHost(text, 'a'), text);
  });
});

describe('the default realm', () => {
  it('is that of the first file that says one', () => {
    const path = written('[logging]\n default_realm = NO\n[libdefaults]\n# default_realm = NO\n default_realm = EXAMPLE.TEST \n[realms]\n');
    assert.equal(defaultRealm({ KRB5_CONFIG: `${join(folder, 'absent')}:${path}` }), 'EXAMPLE.TEST');
    assert.equal(defaultRealm({ KRB5_CONFIG: written('[libdefaults]\n') }), undefined);
  });
});
