import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { loadConfiguration } from './load.ts';
import { settingFacts } from './setting-facts.ts';
import { allSettings } from './settings/all.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-facts-'));
after(() => rmSync(folder, { recursive: true }));
writeFileSync(
  join(folder, 'yarn-site.xml'),
  '<configuration><property><name>yarn.acl.enable</name><value>true</value><final>true</final></property></configuration>',
);
const facts = settingFacts(
  loadConfiguration({
    confDir: folder,
    dataDir: folder,
    environment: { HEDDLE_LOG_LEVEL: 'debug' },
    set: {
      'my.password': 'known-to-nobody',
      'my.url': 'http://ann:known-to-nobody@h/',
      'hadoop.proxyuser.oozie.hosts': '*',
      'yarn.tracking.url.generator': 'x',
    },
  }),
);
const fact = (key: string) => facts.find((each) => each.key === key)!;

describe('facts of settings', () => {
  it('say what each is, its default, and where its value comes from', () => {
    const { value, source, isFinal, component, environment } = fact('yarn.acl.enable');
    assert.deepEqual(
      { value, default: fact('yarn.acl.enable').default, source, isFinal, component, environment },
      {
        ...{ value: 'true', default: 'false', source: 'yarn-site.xml', isFinal: true, component: 'common' },
        environment: 'HEDDLE_YARN_ACL_ENABLE',
      },
    );
    assert.equal(fact('heddle.log.level').value, 'debug');
    assert.equal(fact('heddle.log.level').source, 'environment HEDDLE_LOG_LEVEL');
    assert.equal(fact('heddle.proxy.allowed-hosts').source, 'not set');
    assert.equal(fact('heddle.proxy.secret-file').source, 'defaults');
    assert.equal(fact('heddle.proxy.secret-file').value, join(folder, 'secrets/web-proxy'));
  });

  it('have every setting of the tables but families, whose members come as they are set', () => {
    const entries = [...allSettings().values()];
    const keys = new Set(facts.map(({ key }) => key));
    assert.deepEqual(
      entries.filter(({ key, type }) => type !== 'family' && !keys.has(key)),
      [],
    );
    assert.deepEqual(
      entries.filter(({ key, type }) => type === 'family' && keys.has(key)),
      [],
    );
    assert.equal(fact('hadoop.proxyuser.oozie.hosts').type, 'any text');
    assert.equal(fact('hadoop.proxyuser.oozie.hosts').environment, undefined);
  });

  it('hide secrets, whole or the part of another value', () => {
    assert.equal(fact('my.password').isHidden, true);
    assert.equal(fact('my.password').value, undefined);
    assert.equal(fact('my.url').value, 'http://ann:(hidden)@h/');
    assert.doesNotMatch(JSON.stringify(facts), /known-to-nobody/);
  });

  it('say what is not implemented, and what changes nothing here', () => {
    assert.match(fact('my.url').about, /does not implement it/);
    assert.match(fact('yarn.tracking.url.generator').about, /changes nothing here/);
  });
});
