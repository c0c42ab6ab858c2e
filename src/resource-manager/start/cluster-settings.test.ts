import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadConfiguration } from '../../config/load.ts';
import { clusterSettings } from './cluster-settings.ts';
import { WebAddress } from './web-address.ts';

const settingsOf = (set: Record<string, string>, address = new WebAddress('127.0.0.1:8088')) =>
  clusterSettings(loadConfiguration({ dataDir: 'unused', set }), 5, address);

describe('where the web interface is reached', () => {
  it('is as configured, unless any free port will do', () => {
    const fixed = new WebAddress('http://rm:8088');
    fixed.listensAt('http://0.0.0.0:8088');
    assert.equal(fixed.url, 'http://rm:8088');
    const free = new WebAddress('http://127.0.0.1:0');
    free.listensAt('http://127.0.0.1:4711');
    assert.deepEqual([free.url, free.resolvedUrl], ['http://127.0.0.1:4711', 'http://localhost:4711']);
    assert.equal(new WebAddress('https://127.0.0.1:1').resolvedUrl, 'https://localhost:1');
    assert.equal(new WebAddress('http://127.0.0.10:1').resolvedUrl, 'http://127.0.0.10:1');
  });
});

describe('settings of a cluster', () => {
  it('take the limit of attempts of the whole cluster, where there is one', () => {
    assert.equal(settingsOf({}).maximumAttempts, 2);
    assert.equal(settingsOf({ 'yarn.resourcemanager.am.max-attempts': '3' }).maximumAttempts, 3);
    const both = { 'yarn.resourcemanager.am.max-attempts': '3', 'yarn.resourcemanager.am.global.max-attempts': '5' };
    assert.equal(settingsOf(both).maximumAttempts, 5);
  });

  it('handle placement constraints by the scheduler or by tries, or not at all', () => {
    const handler = (name: string) => {
      const { placementConstraints, placementTries } = settingsOf({ 'yarn.resourcemanager.placement-constraints.handler': name });
      return [placementConstraints, placementTries !== undefined];
    };
    assert.deepEqual(
      [handler('disabled'), handler('scheduler'), handler('placement-processor')],
      [
        [false, false],
        [true, false],
        [true, true],
      ],
    );
  });

  it('know the version that nodes must have, and whether masters avoid nodes', () => {
    const version = (text: string) => settingsOf({ 'yarn.resourcemanager.nodemanager.minimum.version': text }).minimumNodeVersion;
    assert.deepEqual([version('NONE'), version('3.3.0')], [undefined, '3.3.0']);
    assert.match(version('EqualToRM') ?? '', /^3\.4\.\d+$/);
    const blacklisting = (text: string) =>
      settingsOf({ 'yarn.resourcemanager.am-scheduling.node-blacklisting-enabled': text }).masterBlacklistThreshold;
    assert.equal(blacklisting('false'), undefined);
    assert.ok((blacklisting('true') ?? 0) > 0);
  });

  it('lead from an ended application to the history where there is one, else to the page here, wherever that is by then', () => {
    const address = new WebAddress('127.0.0.1:0');
    const history = { 'yarn.timeline-service.enabled': 'true', 'yarn.timeline-service.generic-application-history.enabled': 'true' };
    const without = settingsOf({ 'yarn.timeline-service.enabled': 'false' }, address);
    address.listensAt('http://127.0.0.1:4711');
    assert.equal(without.applicationPage('a'), 'http://127.0.0.1:4711/cluster/app/a');
    assert.equal(without.timelineUrl(), undefined);
    assert.match(settingsOf(history).applicationPage('a'), /:8188\/applicationhistory\/app\/a$/);
    assert.match(settingsOf(history).timelineUrl() ?? '', /:8188$/);
  });
});
