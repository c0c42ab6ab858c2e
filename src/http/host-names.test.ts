import assert from 'node:assert/strict';
import { hostname, tmpdir } from 'node:os';
import { describe, it } from 'node:test';
import { loadConfiguration } from '../config/load.ts';
import { hostNameOf } from '../lib/host-name.ts';
import { createHostNames, hostsInSettings } from './host-names.ts';
import { HostNames } from './own-names.ts';

const configured = (set: Record<string, string>) => loadConfiguration({ dataDir: tmpdir(), set });

describe('the names of a server', () => {
  it('are loopback, the machine’s own, the address that the connection came to', () => {
    const hosts = new HostNames();
    for (const host of [
      'localhost',
      'localhost:8088',
      'LocalHost.:1',
      '127.0.0.1:8088',
      '127.8.8.8',
      '[::1]:8088',
      '[0:0:0:0:0:0:0:1]',
      hostname(),
    ])
      assert.equal(hosts.allows(host, '127.0.0.1'), true, host);
    assert.equal(hosts.allows('192.0.2.7:8088', '::ffff:192.0.2.7'), true);
    assert.equal(hosts.allows('[::ffff:192.0.2.7]:8088', '192.0.2.7'), true);
    assert.equal(hosts.allows('[2001:DB8::0:7]', '2001:db8::7'), true);
  });
  it('are no others, nor what is no host', () => {
    const hosts = new HostNames();
    const others = [
      '',
      ' ',
      'rebind.attacker.test:8088',
      'localhost.evil.example',
      'evil.localhost',
      '0.0.0.0',
      '169.254.169.254',
      '192.0.2.7',
    ];
    const malformed = [
      'a b',
      'localhost:8088/x?',
      'localhost@evil.example',
      '<script>',
      'localhost:99999',
      'localhost:x',
      '[::1',
      '::1',
      '[1.2.3.4]',
      '.',
      'x'.repeat(3000),
      'lοcalhost',
    ];
    for (const host of [...others, ...malformed]) assert.equal(hosts.allows(host, '127.0.0.1'), false, host);
  });
  it('hold an address for the connection that came to it alone', () => {
    const hosts = new HostNames();
    assert.equal(hosts.allows('192.0.2.7', '192.0.2.7'), true);
    assert.equal(hosts.allows('192.0.2.7', '127.0.0.1'), false);
  });
  it('grow by the setting: names, everything below a domain, every name', () => {
    const hosts = createHostNames(configured({ 'heddle.http.allowed-hosts': 'Gate.example, *.lab.example,2001:db8::9' }));
    for (const host of ['gate.example:443', 'rm.lab.example', 'a.b.lab.example', '[2001:db8::9]:1'])
      assert.equal(hosts.allows(host, '127.0.0.1'), true, host);
    for (const host of ['lab.example', 'xlab.example', 'x.gate.example', 'gate.example.evil.example'])
      assert.equal(hosts.allows(host, '127.0.0.1'), false, host);
    const any = createHostNames(configured({ 'heddle.http.allowed-hosts': '*' }));
    assert.equal(any.allows('what.ever:1', '127.0.0.1'), true);
    assert.equal(any.allows('no host', '127.0.0.1'), false);
  });
  it('are those that the settings give to any server', () => {
    const configuration = configured({
      'yarn.resourcemanager.webapp.address': 'rm.example:8088',
      'yarn.resourcemanager.hostname.rm2': 'rm2.example',
      'yarn.timeline-service.bind-host': '192.0.2.8',
      'yarn.nodemanager.principal': 'nm/node7.example@EXAMPLE',
      'hadoop.http.authentication.kerberos.principal': 'HTTP/_HOST@EXAMPLE',
      'yarn.resourcemanager.address': '${yarn.resourcemanager.hostname.rm2}:8032',
    });
    assert.deepEqual(
      new Set(hostsInSettings(configuration)).isSupersetOf(new Set(['rm.example', 'rm2.example', '192.0.2.8', 'node7.example'])),
      true,
    );
    assert.equal(createHostNames(configuration).allows('RM.example.:8088', '10.0.0.1'), true);
    assert.equal(createHostNames(configuration).allows('_host', '10.0.0.1'), false);
  });
  it('have one form', () => {
    assert.deepEqual(['A.b.:80', '[::FFFF:7f00:1]', '127.0.0.1'].map(hostNameOf), ['a.b', '127.0.0.1', '127.0.0.1']);
  });
});
