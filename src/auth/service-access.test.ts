import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { describe, it } from 'node:test';
import { loadConfiguration } from '../config/load.ts';
import { serviceAccessOf } from './service-access.ts';

const clients = 'org.apache.hadoop.yarn.api.ApplicationClientProtocolPB';
const administrators = 'org.apache.hadoop.yarn.server.api.ResourceManagerAdministrationProtocolPB';
const on = { 'hadoop.security.authorization': 'true' };
const groupsOf = (user: string): readonly string[] => (user === 'ann' ? ['staff'] : []);
const accessOf = (set: Record<string, string>) => serviceAccessOf(loadConfiguration({ dataDir: tmpdir(), set }), groupsOf);

describe('lists of who may speak a protocol', () => {
  it('are not there where authorization is off, and let everyone in where they say nothing', () => {
    assert.equal(accessOf({ 'security.applicationclient.protocol.acl': 'ann' }), undefined);
    const access = accessOf(on)!;
    assert.deepEqual(
      ['eve', ''].map((user) => access(clients, user, '10.0.0.1')),
      [undefined, undefined],
    );
    assert.equal(access('org.example.Other', 'eve', '10.0.0.1'), 'unknown');
  });

  it('name users and groups; who is blocked as well is out', () => {
    const access = accessOf({
      ...on,
      'security.applicationclient.protocol.acl': 'bob,eve staff',
      'security.applicationclient.protocol.acl.blocked': 'eve',
    })!;
    const of = (user: string) => access(clients, user, '127.0.0.1');
    assert.deepEqual(['ann', 'bob', 'eve', 'joe', ''].map(of), [undefined, undefined, 'user', 'user', 'user']);
    assert.equal(access(administrators, 'joe', '127.0.0.1'), undefined);
  });

  it('name addresses and ranges; a blocked one is out', () => {
    const access = accessOf({
      ...on,
      'security.applicationclient.protocol.hosts': '10.1.0.0/16,127.0.0.1',
      'security.applicationclient.protocol.hosts.blocked': '10.1.7.7',
    })!;
    const from = (address: string) => access(clients, 'ann', address);
    assert.deepEqual(['10.1.2.3', '::ffff:10.1.2.3', '127.0.0.1', '10.1.7.7', '10.2.0.1'].map(from), [
      undefined,
      undefined,
      undefined,
      'host',
      'host',
    ]);
  });

  it('refuse a range that is none, which would block nobody, with its key', () => {
    for (const key of [
      'security.applicationclient.protocol.hosts.blocked',
      'security.mrhs.client.protocol.hosts',
      'security.service.authorization.default.hosts.blocked',
    ])
      assert.throws(() => accessOf({ ...on, [key]: '10.1.7.7,10.2.0.0/33' }), new RegExp(`${key}: '10.2.0.0/33' is no range of addresses`));
  });

  it('have the defaults where a protocol has none of its own', () => {
    const access = accessOf({
      ...on,
      'security.service.authorization.default.acl': 'ann',
      'security.service.authorization.default.hosts.blocked': '10.0.0.0/8',
      'security.resourcemanager-administration.protocol.acl': 'boss',
    })!;
    assert.equal(access(clients, 'ann', '127.0.0.1'), undefined);
    assert.equal(access(clients, 'boss', '127.0.0.1'), 'user');
    assert.equal(access(administrators, 'boss', '127.0.0.1'), undefined);
    assert.equal(access(administrators, 'boss', '10.0.0.1'), 'host');
  });
});
