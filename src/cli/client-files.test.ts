import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { loadConfiguration } from '../config/load.ts';
import { clientFiles } from './client-files.ts';
import { CommandLine } from './test-support/command-line.ts';

/** Whether clients ask the application history, and where. */
const applicationHistoryIn = (files: ReturnType<typeof clientFiles>) =>
  [
    'yarn.timeline-service.generic-application-history.enabled',
    'yarn.timeline-service.address',
    'yarn.timeline-service.webapp.address',
  ].map((key) => files['yarn-site.xml']?.[key]);

describe("the settings of Hadoop's programs", () => {
  it('name the addresses of the cluster that runs, and read back as settings', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'heddle-client-'));
    await using commands = new CommandLine({});
    try {
      const configuration = loadConfiguration({ confDir: folder, dataDir: folder });
      const running = {
        'resource-manager': { web: 'http://127.0.0.1:4711', rpc: '127.0.0.1:4712' },
        history: { web: 'http://127.0.0.1:4713' },
        timeline: { web: 'http://127.0.0.1:4714', rpc: '127.0.0.1:4715' },
      };
      const files = clientFiles(configuration, running);
      assert.equal(files['yarn-site.xml']?.['yarn.resourcemanager.address'], '127.0.0.1:4712');
      assert.equal(files['yarn-site.xml']?.['yarn.resourcemanager.webapp.address'], '127.0.0.1:4711');
      assert.equal(files['mapred-site.xml']?.['mapreduce.jobhistory.webapp.address'], '127.0.0.1:4713');

      assert.deepEqual(applicationHistoryIn(files), ['true', '127.0.0.1:4715', '127.0.0.1:4714']);

      const target = join(folder, 'new', 'client');
      const done = await commands.run(
        'config',
        'client',
        target,
        '--data',
        folder,
        '--set',
        'yarn.resourcemanager.address=rm.example:1&2:8032',
      );
      assert.notEqual(done.code, 0, 'an address that is none is refused as everywhere');
      const written = await commands.run(
        'config',
        'client',
        target,
        '--data',
        folder,
        '--set',
        'yarn.resourcemanager.address=rm.example:9032',
        '--class-path',
        '/opt/hadoop/*',
        '--set',
        'mapreduce.client.progressmonitor.pollinterval=2000',
      );
      assert.equal(written.code, 0, written.err);
      assert.match(written.out, /core-site\.xml\n.*yarn-site\.xml\n.*mapred-site\.xml\n$/);
      const read = loadConfiguration({ confDir: target, dataDir: folder });
      assert.equal(read.get('yarn.resourcemanager.address'), 'rm.example:9032');
      assert.equal(read.get('mapreduce.framework.name'), 'yarn');
      assert.equal(read.get('yarn.app.mapreduce.am.staging-dir'), `file://${folder}/staging`);
      assert.equal(read.get('mapreduce.jobhistory.done-dir'), `file://${folder}/staging/history/done`);
      assert.equal(read.get('yarn.nodemanager.remote-app-log-dir'), `file://${folder}/aggregated-logs`);
      assert.equal(read.get('yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms'), '250');
      assert.equal(read.get('yarn.client.max-cached-nodemanagers-proxies'), '100');
      assert.equal(read.get('mapreduce.client.progressmonitor.pollinterval'), '2000', 'what the settings say stays');
      const classPaths = ['yarn.application.classpath', 'mapreduce.application.classpath'].map((key) => read.get(key));
      assert.deepEqual(
        classPaths,
        [`${target},/opt/hadoop/*`, '/opt/hadoop/*'],
        'masters find the settings, where tasks have those of their job',
      );
      assert.match(readFileSync(join(target, 'core-site.xml'), 'utf8'), /<name>fs\.defaultFS<\/name>/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('stage jobs in folders whatever file system the cluster had by default, and say so', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'heddle-client-'));
    await using commands = new CommandLine({});
    try {
      const fileSystem = (set: Record<string, string>) =>
        clientFiles(loadConfiguration({ dataDir: folder, set }), undefined)['core-site.xml']?.['fs.defaultFS'];
      const told = ['hdfs://ns1', 's3a://b', 'file:///mnt'].map((value) => fileSystem({ 'fs.defaultFS': value }));
      assert.deepEqual(told, ['file:///', 'file:///', 'file:///mnt']);
      const { code, err } = await commands.run('config', 'client', join(folder, 'c'), '--data', folder, '--set', 'fs.defaultFS=hdfs://ns1');
      assert.deepEqual(
        [code, /^heddle: note: fs\.defaultFS is file:\/\/\/ in them, not hdfs:\/\/ns1: .* as hdfs:\/\/ns1\/PATH\n$/.test(err)],
        [0, true],
        err,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('have clients ask the application history where there is one', () => {
    const configured = (set: Record<string, string> = {}) => loadConfiguration({ dataDir: tmpdir(), set });
    const served = ['true', '127.0.0.1:10200', '127.0.0.1:8188'];
    const absent = ['false', undefined, undefined];
    const manager = { 'resource-manager': { web: 'http://127.0.0.1:4711' } };
    assert.deepEqual(applicationHistoryIn(clientFiles(configured(), undefined)), served);
    for (const key of ['yarn.timeline-service.enabled', 'yarn.timeline-service.generic-application-history.enabled'])
      assert.deepEqual(applicationHistoryIn(clientFiles(configured({ [key]: 'false' }), undefined)), absent, key);
    assert.deepEqual(applicationHistoryIn(clientFiles(configured(), { ...manager, timeline: { web: 'http://127.0.0.1:1' } })), absent);
    assert.deepEqual(applicationHistoryIn(clientFiles(configured(), manager)), absent, 'a cluster that runs without a timeline');
    const elsewhere = configured({ 'yarn.timeline-service.hostname': 'ts.example' });
    assert.deepEqual(applicationHistoryIn(clientFiles(elsewhere, manager)), ['true', 'ts.example:10200', 'ts.example:8188']);
  });

  it('say how servers prove who they are, that they speak HTTPS, and what a node offers', () => {
    const set = {
      'yarn.http.policy': 'HTTPS_ONLY',
      'yarn.resourcemanager.webapp.https.address': 'rm.example:8090',
      'yarn.resourcemanager.principal': 'rm/_HOST@EXAMPLE',
      'mapreduce.jobhistory.principal': 'jhs/_HOST@EXAMPLE',
      'hadoop.rpc.protection': 'privacy',
      'yarn.nodemanager.resource.memory-mb': '3000',
      'mapreduce.cluster.acls.enabled': 'true',
    };
    const files = clientFiles(loadConfiguration({ dataDir: tmpdir(), set }), undefined);
    const { 'core-site.xml': core, 'yarn-site.xml': yarn, 'mapred-site.xml': mapred } = files;
    assert.deepEqual(
      [yarn?.['yarn.http.policy'], yarn?.['yarn.resourcemanager.webapp.https.address'], yarn?.['yarn.resourcemanager.webapp.address']],
      ['HTTPS_ONLY', 'rm.example:8090', undefined],
    );
    assert.equal(yarn?.['yarn.resourcemanager.principal'], 'rm/_HOST@EXAMPLE');
    assert.equal(mapred?.['mapreduce.jobhistory.principal'], 'jhs/_HOST@EXAMPLE');
    assert.equal(mapred?.['mapreduce.jobhistory.webapp.address'], '127.0.0.1:19888', 'its policy is its own');
    assert.equal(mapred?.['mapreduce.cluster.acls.enabled'], 'true', 'a job without it is open to everyone');
    assert.deepEqual([core?.['hadoop.rpc.protection'], core?.['hadoop.security.auth_to_local']], ['privacy', undefined]);
    assert.equal(yarn?.['yarn.nodemanager.resource.memory-mb'], '3000');
    const usual = clientFiles(loadConfiguration({ dataDir: tmpdir() }), undefined)['yarn-site.xml'];
    assert.ok(Number(usual?.['yarn.nodemanager.resource.memory-mb']) >= 1024, 'what `heddle up` gives a node of this machine');
    assert.equal(usual?.['yarn.http.policy'], undefined);
  });

  it('are not written where nothing serves them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'heddle-client-'));
    await using commands = new CommandLine({});
    const done = await commands.run('config', 'client', join(folder, 'x'), '--data', folder, '--set', 'heddle.rpc.enabled=false');
    assert.notEqual(done.code, 0);
    assert.match(done.err, /Hadoop RPC is turned off/);
    rmSync(folder, { recursive: true });
  });
});
