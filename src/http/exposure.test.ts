import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { describe, it } from 'node:test';
import { refuseExposure } from '../config/exposure.ts';
import { loadConfiguration } from '../config/load.ts';
import { frameOptionsOf } from './frame-options.ts';

const check = (set: Record<string, string>, role = 'resource-manager') =>
  refuseExposure(role, loadConfiguration({ dataDir: tmpdir(), set }));
const initializer = { 'hadoop.http.filter.initializers': 'org.apache.hadoop.security.AuthenticationFilterInitializer' };

describe('what a role may listen on', () => {
  it('is loopback, unless the risk is accepted', () => {
    check({});
    check({ 'yarn.resourcemanager.webapp.address': '[::1]:8088' });
    assert.throws(() => check({ 'yarn.resourcemanager.webapp.address': '0.0.0.0:8088' }), /can be reached by others/);
    assert.throws(() => check({ 'yarn.resourcemanager.bind-host': '0.0.0.0' }), /can be reached by others/);
    check({ 'yarn.resourcemanager.bind-host': '0.0.0.0', 'heddle.security.allow-unauthenticated': '0.0.0.0' });
  });
  it('is nothing where callers would be believed although they were to prove who they are', () => {
    const security = { 'hadoop.security.authentication': 'kerberos' };
    const inPart = /it asks for Kerberos, but callers of the web interfaces would be believed/;
    assert.throws(() => check(security), inPart);
    // Accepting that no caller proves a name is no reason to pretend.
    assert.throws(() => check({ ...security, 'heddle.security.allow-unauthenticated': '0.0.0.0' }), inPart);
    check({ ...security, ...initializer, 'hadoop.http.authentication.type': 'kerberos' });
    check({ 'hadoop.http.authentication.type': 'kerberos' });
    assert.throws(() => check({ ...initializer, 'hadoop.http.authentication.type': 'ldap' }), /"ldap" is not spoken here/);
  });
});

it('frames are as the settings say', () => {
  const value = (set: Record<string, string>) => frameOptionsOf(loadConfiguration({ dataDir: tmpdir(), set }), 'resourceManager');
  assert.equal(value({}), 'SAMEORIGIN');
  assert.equal(value({ 'yarn.resourcemanager.webapp.xfs-filter.xframe-options': 'DENY' }), 'DENY');
  assert.equal(value({ 'yarn.webapp.xfs-filter.enabled': 'false' }), '');
});
