import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { loadConfiguration } from '../config/load.ts';
import { clientFiles } from './client-files.ts';
import { CommandLine } from './test-support/command-line.ts';

describe("the settings of Hadoop's programs", () => {
  it('name the addresses of the cluster that runs, and read back as settings', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'heddle-client-'));
    await using commands = new CommandLine({});
    try {
      const configuration = loadConfiguration({ confDir: folder, dataDir: folder });
      const running = {
        'resource-manager': { web: 'http://127.0.0.1:4711', rpc: '127.0.0.1:4712' },
        history: { web: 'http://127.0.0.1:4713' },
      };
      const files = clientFiles(configuration, running);
      assert.equal(files['yarn-site.xml']?.['yarn.resourcemanager.address'], '127.0.0.1:4712');
      assert.equal(files['yarn-site.xml']?.['yarn.resourcemanager.webapp.address'], '127.0.0.1:4711');
      assert.equal(files['mapred-site.xml']?.['mapreduce.jobhistory.webapp.address'], '127.0.0.1:4713');

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

  it('are not written where nothing serves them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'heddle-client-'));
    await using commands = new CommandLine({});
    const done = await commands.run('config', 'client', join(folder, 'x'), '--data', folder, '--set', 'heddle.rpc.enabled=false');
    assert.notEqual(done.code, 0);
    assert.match(done.err, /Hadoop RPC is turned off/);
    rmSync(folder, { recursive: true });
  });
});
