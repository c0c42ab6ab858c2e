import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { describe, it } from 'node:test';
import { createLogger } from '../lib/log.ts';
import { guardSockets, isLoopback, listeningAddresses, refuseExposure } from './exposure.ts';
import { loadConfiguration } from './load.ts';
import { ConfigurationError } from './table.ts';

const configured = (set: Record<string, string> = {}) => loadConfiguration({ dataDir: tmpdir(), set });
const listening = (role: string, set?: Record<string, string>) =>
  listeningAddresses(role, configured(set)).map(({ key, host, port }) => `${key} ${host}:${port}`);
const refusalOf = (role: string, set: Record<string, string>): ConfigurationError | undefined => {
  try {
    refuseExposure(role, configured(set));
    return undefined;
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
};
const silent = createLogger({ name: 'http', level: 'silent' });
const roles = ['resource-manager', 'node-manager', 'timeline', 'history', 'proxy'];

describe('loopback', () => {
  it('is what only this machine reaches', () => {
    for (const host of ['localhost', 'LOCALHOST', '127.0.0.1', '127.255.1.2', '::1', '::ffff:127.0.0.1']) assert.ok(isLoopback(host), host);
    for (const host of [
      '',
      '0.0.0.0',
      '::',
      '10.0.0.1',
      'host',
      'localhost.example.org',
      'my.localhost',
      '127.0.0.1.example.org',
      '128.0.0.1',
      '127.1',
      '::ffff:10.0.0.1',
      '*',
    ])
      assert.ok(!isLoopback(host), host);
  });
});

describe('addresses that a role listens on', () => {
  it('are those of TLS where that is spoken', () => {
    const set = { 'yarn.http.policy': 'HTTPS_ONLY', 'yarn.resourcemanager.webapp.https.address': '10.1.1.1:8090' };
    assert.equal(listening('resource-manager', set)[0], 'yarn.resourcemanager.webapp.https.address 10.1.1.1:8090');
    assert.match(refusalOf('resource-manager', set)?.message ?? '', /10\.1\.1\.1 can be reached by others/);
    assert.equal(refusalOf('history', { 'mapreduce.jobhistory.http.policy': 'HTTPS_ONLY' }), undefined);
  });

  it('are on loopback by default', () => {
    assert.deepEqual(listening('resource-manager'), [
      'yarn.resourcemanager.webapp.address 127.0.0.1:8088',
      'yarn.resourcemanager.address 127.0.0.1:8032',
      'yarn.resourcemanager.scheduler.address 127.0.0.1:8030',
      'yarn.resourcemanager.admin.address 127.0.0.1:8033',
    ]);
    assert.deepEqual(listening('resource-manager', { 'heddle.rpc.enabled': 'false' }).length, 1);
    assert.deepEqual(listening('node-manager'), [
      'yarn.nodemanager.webapp.address 127.0.0.1:8042',
      'yarn.nodemanager.address 127.0.0.1:45454',
      'yarn.nodemanager.address 127.0.0.1:0',
      'mapreduce.shuffle.port 127.0.0.1:13562',
    ]);
    assert.deepEqual(listening('timeline'), [
      'yarn.timeline-service.webapp.address 127.0.0.1:8188',
      'yarn.timeline-service.address 127.0.0.1:10200',
      'yarn.timeline-service.reader.webapp.address 127.0.0.1:8198',
    ]);
    for (const key of ['heddle.rpc.enabled', 'yarn.timeline-service.generic-application-history.enabled'])
      assert.equal(listening('timeline', { [key]: 'false' }).length, 2, key);
    assert.deepEqual(
      listening('timeline', { 'yarn.timeline-service.versions': '2.0', 'yarn.timeline-service.collector.bind-host': '0.0.0.0' }).at(-1),
      'yarn.timeline-service.collector.bind-host 0.0.0.0:8199',
    );
    assert.deepEqual(listening('history'), [
      'mapreduce.jobhistory.webapp.address 127.0.0.1:19888',
      'mapreduce.jobhistory.address 127.0.0.1:10020',
      'mapreduce.jobhistory.admin.address 127.0.0.1:10033',
    ]);
    assert.equal(listening('history', { 'heddle.rpc.enabled': 'false' }).length, 1);
    assert.deepEqual(listening('proxy'), [], 'the proxy listens where an address is set');
    assert.deepEqual(listening('other'), []);
  });

  it('are on the bind host where one is set, with the port of the address', () => {
    assert.deepEqual(
      listening('resource-manager', { 'yarn.resourcemanager.bind-host': ' 0.0.0.0 ', 'yarn.resourcemanager.webapp.address': 'rm:5' }),
      [
        'yarn.resourcemanager.webapp.address 0.0.0.0:5',
        'yarn.resourcemanager.address 0.0.0.0:8032',
        'yarn.resourcemanager.scheduler.address 0.0.0.0:8030',
        'yarn.resourcemanager.admin.address 0.0.0.0:8033',
      ],
    );
    assert.deepEqual(listening('resource-manager', { 'yarn.resourcemanager.bind-host': ' ' }), [
      'yarn.resourcemanager.webapp.address 127.0.0.1:8088',
      'yarn.resourcemanager.address 127.0.0.1:8032',
      'yarn.resourcemanager.scheduler.address 127.0.0.1:8030',
      'yarn.resourcemanager.admin.address 127.0.0.1:8033',
    ]);
    assert.deepEqual(
      listening('timeline', { 'yarn.timeline-service.reader.bind-host': '::' })[2],
      'yarn.timeline-service.reader.webapp.address :::8198',
    );
    assert.deepEqual(listening('proxy', { 'yarn.web-proxy.address': 'gate:9', 'yarn.web-proxy.bind-host': '10.0.0.1' }), [
      'yarn.web-proxy.address 10.0.0.1:9',
    ]);
  });
});

describe('the shuffle of a node', () => {
  const shuffle = (set: Record<string, string>) => listening('node-manager', set).filter((line) => line.startsWith('mapreduce.'));

  it('listens on the host of the web interface, on a port of its own', () => {
    assert.deepEqual(shuffle({ 'yarn.nodemanager.webapp.address': '127.0.0.2:0', 'mapreduce.shuffle.port': '7' }), [
      'mapreduce.shuffle.port 127.0.0.2:7',
    ]);
    assert.deepEqual(shuffle({ 'yarn.nodemanager.webapp.address': '[::1]:8042' }), ['mapreduce.shuffle.port ::1:13562']);
    assert.deepEqual(shuffle({ 'yarn.nodemanager.bind-host': '0.0.0.0' }), ['mapreduce.shuffle.port 0.0.0.0:13562']);
    const open = { 'yarn.nodemanager.webapp.address': '10.0.0.1:8042' };
    assert.match(
      refusalOf('node-manager', { ...open, 'heddle.security.allow-unauthenticated': '10.0.0.1:8042,127.0.0.1' })?.key ?? '',
      /shuffle/,
    );
    assert.equal(refusalOf('node-manager', { ...open, 'heddle.security.allow-unauthenticated': '10.0.0.1' }), undefined);
  });

  it('is there where a name of the auxiliary services stands for it', () => {
    const named = (names: string, classes: Record<string, string> = {}) =>
      shuffle({
        'yarn.nodemanager.aux-services': names,
        ...Object.fromEntries(Object.entries(classes).map(([name, value]) => [`yarn.nodemanager.aux-services.${name}.class`, value])),
      }).length;
    const handler = 'org.apache.hadoop.mapred.ShuffleHandler';
    assert.equal(named('mapreduce_shuffle'), 1);
    assert.equal(named('mine', { mine: handler }), 1);
    assert.equal(named('mine,mapreduce_shuffle', { mine: handler }), 1);
    assert.equal(named(''), 0);
    assert.equal(named('mine'), 0);
    assert.equal(named('mapreduce_shuffle', { mapreduce_shuffle: 'org.apache.spark.network.yarn.YarnShuffleService' }), 0);
  });
});

describe('exposure', () => {
  it('beyond loopback is accepted where callers prove who they are, and not where names count beside', () => {
    const open = { 'yarn.resourcemanager.webapp.address': '0.0.0.0:8088' };
    assert.equal(refusalOf('resource-manager', { ...open, 'heddle.security.authentication': 'bearer' }), undefined);
    assert.match(
      refusalOf('resource-manager', { ...open, 'heddle.security.authentication': 'bearer,simple' })?.message ?? '',
      /no authentication/,
    );
    assert.match(refusalOf('resource-manager', { ...open, 'heddle.security.authentication': 'none' })?.message ?? '', /'none' is no way/);
  });
  it('is none by default', () => {
    for (const role of roles) assert.equal(refusalOf(role, {}), undefined, role);
  });

  it('beyond loopback is refused, naming the key, the place and the ways out', () => {
    const error = refusalOf('resource-manager', { 'yarn.resourcemanager.webapp.address': '0.0.0.0:8088' });
    assert.deepEqual([error?.source, error?.key], ['command line', 'yarn.resourcemanager.webapp.address']);
    assert.match(
      error?.message ?? '',
      /0\.0\.0\.0 can be reached by others, and no authentication is configured\. Have callers prove .*, use a loopback address .* heddle\.security\.allow-unauthenticated=0\.0\.0\.0\.$/,
    );
    assert.equal(
      refusalOf('node-manager', { 'yarn.resourcemanager.webapp.address': '0.0.0.0:8088' }),
      undefined,
      'another role listens there',
    );
    assert.equal(
      refusalOf('timeline', { 'yarn.timeline-service.reader.bind-host': '0.0.0.0' })?.key,
      'yarn.timeline-service.reader.webapp.address',
    );
    assert.equal(
      refusalOf('history', { 'mapreduce.jobhistory.webapp.address': 'history.example:19888' })?.key,
      'mapreduce.jobhistory.webapp.address',
    );
    assert.equal(refusalOf('proxy', { 'yarn.web-proxy.address': 'gate:9' })?.key, 'yarn.web-proxy.address');
  });

  it('is accepted by address, with or without a port', () => {
    const at = (address: string, accepted: string) =>
      refusalOf('resource-manager', { 'yarn.resourcemanager.webapp.address': address, 'heddle.security.allow-unauthenticated': accepted })
        ?.key;
    for (const [address, accepted] of [
      ['0.0.0.0:8088', '0.0.0.0'],
      ['10.0.0.5:8088', '10.0.0.4, 10.0.0.5:8088'],
      ['RM.example:8088', 'rm.example'],
      ['[fd00::1]:8088', 'fd00::1'],
      ['[fd00::1]:8088', '[fd00::1]:8088'],
    ] as const)
      assert.equal(at(address, accepted), undefined, `${address} ${accepted}`);
    for (const [address, accepted] of [
      ['0.0.0.0:8088', ''],
      ['0.0.0.0:8088', 'false'],
      ['0.0.0.0:8088', '10.0.0.5'],
      ['10.0.0.5:8088', '10.0.0.5:8089'],
      ['my.localhost:8088', ''],
    ] as const)
      assert.equal(at(address, accepted), 'yarn.resourcemanager.webapp.address', `${address} ${accepted}`);
    for (const accepted of ['true', '*', 'a b', '10.0.0.5:99999', '10.0.0.5,true'])
      assert.equal(at('127.0.0.1:8088', accepted), 'heddle.security.allow-unauthenticated', accepted);
  });

  it('is that of every socket: the collector, and the host on which masters of a node listen', () => {
    const collector = { 'yarn.timeline-service.collector.bind-host': '0.0.0.0' };
    assert.equal(refusalOf('timeline', collector), undefined, 'nothing listens there without version 2');
    assert.equal(
      refusalOf('timeline', { ...collector, 'yarn.timeline-service.versions': '1.5,2.0' })?.key,
      'yarn.timeline-service.collector.bind-host',
    );
    assert.equal(refusalOf('node-manager', { 'yarn.nodemanager.address': '10.0.0.5:8041' })?.key, 'yarn.nodemanager.address');
  });

  it('is judged by the sockets that are really bound', async () => {
    const guard = await guardSockets('resource-manager', configured({ 'heddle.security.allow-unauthenticated': '127.0.0.1' }), silent);
    const open = async (host: string) => {
      const server = createServer();
      server.listen(0, host);
      await once(server, 'listening');
      const isOpen = server.listening;
      server.close();
      return isOpen;
    };
    try {
      for (const host of ['127.0.0.1', '::1', '127.0.0.9', 'localhost']) assert.ok(await open(host), host);
      for (const host of ['0.0.0.0', '::']) assert.ok(!(await open(host)), host);
      await assert.rejects(guard.refused, /a server listens on 0\.0\.0\.0:\d+, which can be reached by others/);
    } finally {
      guard.stop();
    }
    const accepting = await guardSockets('resource-manager', configured({ 'heddle.security.allow-unauthenticated': '0.0.0.0' }), silent);
    assert.ok(await open('0.0.0.0'));
    accepting.stop();
  });

  const filter = { 'hadoop.http.filter.initializers': 'org.apache.hadoop.security.AuthenticationFilterInitializer' };
  const open = { 'yarn.resourcemanager.webapp.address': '0.0.0.0:8088', 'yarn.timeline-service.webapp.address': '0.0.0.0:8188' };

  it('is fine where callers prove themselves by Kerberos', () => {
    const everywhere = { ...filter, 'hadoop.http.authentication.type': ' Kerberos ' };
    for (const role of roles)
      assert.equal(refusalOf(role, { ...open, ...everywhere, 'hadoop.security.authentication': 'kerberos' }), undefined);
    const atTimeline = { ...open, 'yarn.timeline-service.http-authentication.type': 'KERBEROS' };
    assert.equal(refusalOf('timeline', atTimeline), undefined);
    assert.match(refusalOf('resource-manager', atTimeline)?.message ?? '', /can be reached by others/);
  });

  it('is not accepted for less safety than the settings promise: Kerberos in part, other proofs, TLS', () => {
    const accepted = { 'heddle.security.allow-unauthenticated': '0.0.0.0' };
    for (const role of roles) {
      assert.match(
        refusalOf(role, { ...accepted, 'hadoop.security.authentication': 'kerberos' })?.message ?? '',
        /hadoop\.security\.authentication: it asks for Kerberos, but .* Set hadoop\.http\.filter\.initializers to /,
      );
      assert.match(
        refusalOf(role, { ...accepted, ...filter, 'hadoop.http.authentication.type': 'org.example.Own' })?.message ?? '',
        /"org\.example\.own" is not spoken here.*Use kerberos or simple/,
      );
    }
    assert.equal(refusalOf('history', { 'hadoop.http.authentication.type': 'org.example.Own' }), undefined, 'its filter is not installed');
  });

  it('is not accepted where classes that are not loaded decide who may do what', () => {
    const key = 'yarn.authorization-provider';
    for (const role of roles) {
      const ranger = refusalOf(role, { [key]: 'org.apache.ranger.authorization.yarn.authorizer.RangerYarnAuthorizer' });
      assert.match(
        ranger?.message ?? '',
        /RangerYarnAuthorizer is not loaded here, and what it forbids would be allowed\. Write its rules as access lists/,
      );
      assert.match(
        refusalOf(role, { 'hadoop.security.impersonation.provider.class': 'org.example.Own' })?.message ?? '',
        /Own is not loaded here/,
      );
    }
    assert.equal(refusalOf('history', { [key]: 'org.apache.hadoop.yarn.security.ConfiguredYarnAuthorizer' }), undefined);
  });
});
