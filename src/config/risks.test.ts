import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { describe, it } from 'node:test';
import { switchesUsers } from './container-user.ts';
import { loadConfiguration } from './load.ts';
import { risksOf, type Surroundings } from './risks.ts';

const configured = (set: Record<string, string> = {}) => loadConfiguration({ dataDir: tmpdir(), set });
const all = ['timeline', 'resource-manager', 'node-manager', 'history'];
const usual: Surroundings = { isRoot: false, knowsLocalUsers: true, mayMount: true };
const told = (set: Record<string, string>, more: Partial<Surroundings> = {}, roles = all) =>
  risksOf(roles, configured(set), { ...usual, ...more }).map(({ what }) => what);

const accepted = { 'heddle.security.allow-unauthenticated': '10.0.0.5' };
const exposedManager = { ...accepted, 'yarn.resourcemanager.webapp.address': '10.0.0.5:8088' };
const ownUser = { 'heddle.node-manager.switch-users': 'false' };

describe('risks of a start', () => {
  it('are none for an ordinary user on loopback', () => {
    assert.deepEqual(told({}), []);
    assert.deepEqual(told({ 'heddle.security.trusted-local-users': 'ann' }), []);
  });
  it('are all that is open: addresses, local users, root', () => {
    assert.match(
      told({ ...exposedManager, ...ownUser }).join(),
      /^others reach 10\.0\.0\.5:8088 \(yarn\.resourcemanager\.webapp\.address\)/,
    );
    assert.match(told({ 'heddle.security.trusted-local-users': '*' }).join(), /^every user of this machine is served/);
    assert.match(told({}, { knowsLocalUsers: false }).join(), /^this system does not tell/);
    assert.match(told({}, { isRoot: true }).join(), /^this is root, and containers run as root, though confined/);
    assert.match(told({}, { isRoot: true, mayMount: false }).join(), /lets root mount nothing, so they read and write all files of root/);
    const asked = told({ 'heddle.node-manager.root-containers': 'root' }, { isRoot: true }).join();
    assert.match(asked, /^this is root, and containers run as root, as \S+=root asks: whoever may submit can do everything/);
    const [{ remedy } = { remedy: '' }] = risksOf(['node-manager'], configured({}), { ...usual, isRoot: true });
    assert.match(
      remedy,
      /as nobody with heddle\.node-manager\.switch-users=true: that user has to be able to enter the folders above --data/,
    );
    assert.match(told({}, { isRoot: true }, ['history']).join(), /^this is root, which it need not be$/);
    assert.deepEqual(told({ 'heddle.node-manager.switch-users': 'true' }, { isRoot: true }), []);
    const { length } = told(
      { ...exposedManager, 'yarn.nodemanager.linux-container-executor.nonsecure-mode.limit-users': 'false' },
      { isRoot: true },
    );
    assert.equal(length, 2);
  });
});

it('a port that serves signed requests alone is none of the risks, others of the same node are', () => {
  const found = told({ ...accepted, ...ownUser, 'yarn.nodemanager.webapp.address': '10.0.0.5:8042' }).join();
  assert.match(found, /others reach 10\.0\.0\.5:8042/);
  assert.doesNotMatch(found, /mapreduce\.shuffle\.port/);
});

describe('containers of callers who prove nothing', () => {
  it('run as another user where others can submit, unless a setting says otherwise', () => {
    assert.equal(switchesUsers(configured(), true), false);
    assert.equal(switchesUsers(configured(accepted), true), true);
    assert.equal(switchesUsers(configured({ ...accepted, ...ownUser }), true), false);
  });
  it('do not run at all as the user of the node manager, unless a setting says so', () => {
    assert.throws(() => switchesUsers(configured(accepted), false), /who reads the secrets.*switch-users=false/);
    assert.equal(switchesUsers(configured({ ...accepted, ...ownUser }), false), false);
    assert.equal(switchesUsers(configured(), false), false);
    assert.throws(() => switchesUsers(configured({ 'heddle.node-manager.switch-users': 'true' }), false), /not root cannot switch/);
  });
});
