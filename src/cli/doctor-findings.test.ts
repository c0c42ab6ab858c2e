import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as listen } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { writeKeytab } from '../auth/test-support/keytab.ts';
import { loadConfiguration } from '../config/load.ts';
import { claimDataDirectory } from './cluster-file.ts';
import { findInCluster } from './doctor-cluster.ts';
import { findInSettings } from './doctor-settings.ts';
import type { Finding } from './finding.ts';

let data = '';
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'heddle-doctor-findings-'));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const configured = (set: Record<string, string> = {}) => loadConfiguration({ dataDir: data, set });
const problems = (found: readonly Finding[]) => found.filter(({ level }) => level === 'problem').map(({ what }) => what);
/** Problems that do not come from who runs the tests. */
const inSettings = async (set: Record<string, string> = {}) =>
  problems(await findInSettings(configured(set))).filter((what) => !what.startsWith('this is root'));

describe('what is unsafe about settings and machine', () => {
  it('is nothing by default, and what containers can read is said all the same', async () => {
    assert.deepEqual(await inSettings(), []);
    const notes = (await findInSettings(configured())).filter(({ level }) => level === 'note');
    assert.match(notes.map(({ what }) => what).join(), /containers run as (?:root, confined|.*: they can read the secrets of the cluster)/);
    assert.ok(notes.every(({ remedy }) => remedy !== ''));
  });

  const rootNeeded = process.getuid?.() === 0 ? false : 'only root can switch users';
  it('is told root with what others cannot enter, where its containers may run as others', { skip: rootNeeded }, async () => {
    const inside = join(data, 'inside');
    mkdirSync(inside);
    const remedies = async (mode: number) => {
      chmodSync(data, mode);
      const found = await findInSettings(loadConfiguration({ dataDir: inside, set: {} }));
      return found.flatMap(({ what, remedy }) => (what.startsWith('containers run as root') ? [remedy] : []));
    };
    const [closed = ''] = await remedies(0o700);
    assert.match(
      closed,
      /set heddle\.node-manager\.switch-users=true, so that containers run as others, and let others enter (\S+) \(chmod o\+x\)/,
    );
    assert.ok(closed.includes(`enter ${data} (`), closed);
    const [open = ''] = await remedies(0o711);
    assert.ok(!open.includes('chmod'), open);
    chmodSync(data, 0o700);
  });

  it('is a list that keeps nobody out, who speaks for everybody, and websites that may', async () => {
    const bearer = { 'heddle.security.authentication': 'bearer' };
    const named = { ...bearer, 'yarn.acl.enable': 'true', 'yarn.admin.acl': 'boss ' };
    assert.deepEqual(await inSettings(named), []);
    const proxy = (hosts: string, users: string) => ({ 'hadoop.proxyuser.oozie.hosts': hosts, 'hadoop.proxyuser.oozie.users': users });
    const origins = { 'yarn.nodemanager.webapp.cross-origin.enabled': 'true' };
    const own = { 'hadoop.http.cross-origin.allowed-origins': 'https://pages.example' };
    for (const [set, expected] of [
      [{ ...bearer, 'yarn.acl.enable': 'true' }, /^access lists are on, and every user is an administrator.*yarn\.admin\.acl is \*$/],
      [proxy('*', '*'), undefined],
      [{ ...named, ...proxy('*', '*') }, /^oozie may act for every user.*hadoop\.proxyuser\.oozie\.hosts is \*$/],
      [{ ...named, ...proxy('10.0.0.1', '*') }, undefined],
      [{ ...named, ...proxy('*', 'ann') }, undefined],
      [{ 'heddle.http.allowed-hosts': '*' }, /^every website can make its name lead to the servers/],
      [{ 'heddle.http.allowed-hosts': '*.example.org' }, undefined],
      [origins, /^pages of every website may read.*\(yarn\.nodemanager\.webapp\.cross-origin\.enabled\)$/],
      [{ ...origins, ...own }, undefined],
      [{ 'heddle.proxy.sandbox': 'false' }, /^pages of every application speak for whoever looks at them/],
      [{ 'heddle.proxy.sandbox': 'false', 'yarn.web-proxy.address': '127.0.0.1:9099' }, undefined],
    ] as const) {
      const found = await inSettings(set);
      assert.equal(found.length, expected === undefined ? 0 : 1, JSON.stringify([set, found]));
      if (expected) assert.match(found[0]!, expected);
    }
    const notes = (await findInSettings(configured(bearer))).map(({ what }) => what);
    assert.ok(
      notes.some((what) => /^callers prove who they are, but each may .*yarn\.acl\.enable is not true$/.test(what)),
      notes.join(),
    );
  });

  it('is a start that is refused, or warned of', async () => {
    assert.match((await inSettings({ 'yarn.resourcemanager.bind-host': '0.0.0.0' })).join(), /0\.0\.0\.0 can be reached by others/);
    assert.match((await inSettings({ 'heddle.security.trusted-local-users': '*' })).join(), /every user of this machine is served/);
  });

  it('is a key of a role with which it would not start', async () => {
    const keytab = writeKeytab(join(data, 'nm.keytab'), 'nm/hub');
    const set = { 'hadoop.security.authentication': 'kerberos', 'yarn.nodemanager.keytab': keytab };
    assert.match((await inSettings(set)).join(), /yarn\.nodemanager\.principal: a keytab is named, and no principal/);
    const other = await inSettings({ ...set, 'yarn.nodemanager.principal': 'nm/other@R' });
    assert.match(other.join(), /nm\.keytab has no key of nm\/other@R: it has those of nm\/hub@R/);
    chmodSync(keytab, 0o604);
    assert.match((await inSettings(set)).join(), /nm\.keytab can be read by others/);
    const unasked = await inSettings({ 'yarn.nodemanager.keytab': join(data, 'absent') });
    assert.deepEqual(unasked, [], 'where nothing asks for tickets no key is needed');
  });

  it('is a keytab of web interfaces that is not there or has not their key', async () => {
    const asked = {
      'hadoop.http.filter.initializers': 'org.apache.hadoop.security.AuthenticationFilterInitializer',
      'hadoop.http.authentication.type': 'kerberos',
    };
    const key = 'hadoop.http.authentication.kerberos.keytab';
    assert.match((await inSettings(asked)).join(), /kerberos\.keytab: .* no keytab is named/);
    assert.match((await inSettings({ ...asked, [key]: join(data, 'absent') })).join(), /the keytab cannot be read/);
    const other = writeKeytab(join(data, 'nm.keytab'), 'nm/hub');
    assert.match((await inSettings({ ...asked, [key]: other })).join(), /nm\.keytab has no key of HTTP\/…/);
    const own = writeKeytab(join(data, 'http.keytab'), 'HTTP/localhost');
    assert.doesNotMatch((await inSettings({ ...asked, [key]: own })).join(), /kerberos\.keytab|http\.keytab/);
  });

  it('is a secret that others can read, write or guess, and a data folder that others can write to', async () => {
    mkdirSync(join(data, 'secrets'), { mode: 0o700 });
    const at = (name: string) => join(data, 'secrets', name);
    const good = Buffer.from(Array.from({ length: 32 }, (_, index) => (index * 37) % 256)).toString('base64');
    for (const [name, mode] of [
      ['fine', 0o600],
      ['read', 0o644],
      ['written', 0o620],
    ] as const) {
      writeFileSync(at(name), good);
      chmodSync(at(name), mode);
    }
    writeFileSync(at('weak'), 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', { mode: 0o600 });
    writeFileSync(join(data, 'my.keytab'), good);
    chmodSync(join(data, 'my.keytab'), 0o644);
    chmodSync(data, 0o777);
    assert.deepEqual((await inSettings({ 'yarn.resourcemanager.keytab': join(data, 'my.keytab') })).sort(), [
      `others can write in the data folder ${data}`,
      `the secret ${join(data, 'my.keytab')} can be read by others`,
      `the secret ${at('read')} can be read by others`,
      `the secret ${at('weak')} is easy to guess`,
      `the secret ${at('written')} can be written by others`,
    ]);
  });

  it('is a rule of names or proxy users that no server can read', async () => {
    const kerberos = { 'hadoop.http.filter.initializers': 'org.apache.hadoop.security.AuthenticationFilterInitializer' };
    const rules = { ...kerberos, 'hadoop.http.authentication.type': 'kerberos', 'hadoop.security.auth_to_local': 'RULE:nonsense' };
    assert.match((await inSettings(rules)).join('\n'), /auth_to_local: "RULE:nonsense" does not begin with a rule/);
    for (const family of ['hadoop', 'yarn.resourcemanager', 'yarn.timeline-service.http-authentication'])
      assert.match(
        (await inSettings({ [`${family}.proxyuser.hue.hosts`]: '10.0.0.0/33' })).join('\n'),
        new RegExp(`${family}\\.proxyuser\\.hue\\.hosts: '10\\.0\\.0\\.0/33' is no range of addresses`),
      );
  });

  it('is HTTP beyond loopback', async () => {
    const exposed = { 'yarn.resourcemanager.bind-host': '0.0.0.0', 'heddle.security.allow-unauthenticated': '0.0.0.0' };
    const switched = { ...exposed, 'heddle.node-manager.switch-users': 'false' };
    assert.match((await inSettings(switched)).join('\n'), /^what is asked for can be read and changed on the network: resource-manager/m);
  });

  it('is a port beside the web interfaces that speaks clear text beyond loopback', async () => {
    const open = {
      'heddle.security.authentication': 'bearer',
      'yarn.http.policy': 'HTTPS_ONLY',
      'mapreduce.jobhistory.http.policy': 'HTTPS_ONLY',
      'yarn.nodemanager.bind-host': '0.0.0.0',
    };
    const shuffle = (found: readonly string[]) => found.filter((what) => what.includes('mapreduce.shuffle.port'));
    assert.match(shuffle(await inSettings(open)).join(), /^outputs of maps of Hadoop's jobs can be read and changed on the network/);
    const safe: Record<string, string>[] = [
      { 'mapreduce.shuffle.ssl.enabled': 'true' },
      { 'yarn.nodemanager.aux-services': '' },
      { 'yarn.nodemanager.bind-host': '127.0.0.1' },
    ];
    for (const more of safe) assert.deepEqual(shuffle(await inSettings({ ...open, ...more })), [], JSON.stringify(more));
    const rpc = async (set: Record<string, string>) =>
      (await findInSettings(configured(set)))
        .filter(({ what }) => what.includes('by Hadoop RPC'))
        .map(({ level, what }) => `${level}: ${what}`);
    assert.match((await rpc(open)).join(), /^note: .*: yarn\.nodemanager\.address$/);
    assert.match(
      (await rpc({ ...open, 'yarn.resourcemanager.bind-host': '0.0.0.0' })).join(),
      /^note: .*: yarn\.resourcemanager\.address, /,
    );
    assert.deepEqual(await rpc({ ...open, 'yarn.resourcemanager.bind-host': '0.0.0.0', 'heddle.rpc.enabled': 'false' }), []);
  });
});

describe('what is unsafe about a running cluster', () => {
  /** A cluster of one server, which is this process. */
  const running = async (headers: Record<string, string>, status = 200) => {
    const server = createServer((_request, response) => response.writeHead(status, headers).end());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const claim = claimDataDirectory(data, { command: 'heddle up', roles: ['resource-manager'], isCluster: true });
    const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
    claim.write({ 'resource-manager': { web: url, rpc: '127.0.0.1:1' } });
    const close = () => {
      claim.remove();
      server.close();
    };
    return { url, [Symbol.dispose]: close };
  };
  const found = async (now = Date.now()) => problems(await findInCluster(configured(), () => now));

  it('is nothing where none runs, or one that is well', async () => {
    assert.deepEqual(await found(), []);
    using _ = await running({});
    assert.deepEqual(await found(), []);
  });

  it('is another clock, a server that is not ready, one that does not answer', async () => {
    {
      using _ = await running({});
      assert.match((await found(Date.now() + 3_600_000)).join(), /clock of the resource-manager \(web\) .* differs .* by 3[56]\d\d s/);
    }
    {
      using _ = await running({}, 503);
      assert.match((await found()).join(), /is not ready$/);
    }
    const claim = claimDataDirectory(data, { command: 'heddle up', roles: ['resource-manager'], isCluster: true });
    claim.write({ 'resource-manager': { web: 'http://127.0.0.1:1' } });
    assert.match((await found()).join(), /does not answer at http:\/\/127\.0\.0\.1:1: /);
    claim.remove();
  });

  it('is a port that others reach, whatever the settings say', {
    skip: process.platform !== 'linux' && 'only Linux shows them',
  }, async () => {
    using _ = await running({});
    const open = listen();
    await once(open.listen(0, '0.0.0.0'), 'listening');
    const { port } = open.address() as { port: number };
    assert.match(
      (await found()).join(),
      new RegExp(`listens on 0\\.0\\.0\\.0:${port}, which others reach and need not prove who they are`),
    );
    open.close();
  });
});
