import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { loadConfiguration } from '../config/load.ts';
import { ConfigurationError } from '../config/table.ts';
import { ManualClock } from '../lib/clock.ts';
import { silentLogger } from '../lib/log.ts';
import { ConfigurationRefused } from '../scheduler/policy.ts';
import { queueFileName, queueFilePath, refusable, refusalOf, watchQueueFile } from './queue-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-queue-files-'));
after(() => rmSync(folder, { recursive: true, force: true }));

describe('the file that holds the queues', () => {
  const configuration = loadConfiguration({ confDir: folder, dataDir: folder });
  const named = loadConfiguration({ confDir: folder, dataDir: folder, set: { 'yarn.scheduler.fair.allocation.file': 'pools.xml' } });

  it('is named by the policy, and by the settings for fair queues', () => {
    assert.equal(queueFileName('capacity', configuration), 'capacity-scheduler.xml');
    assert.equal(queueFileName('fair', configuration), 'fair-scheduler.xml');
    assert.equal(queueFileName('fifo', configuration), undefined);
    assert.equal(queueFileName('fair', named), 'pools.xml');
    assert.equal(queueFileName('capacity', named), 'capacity-scheduler.xml');
  });

  it('lies in the folder of settings unless its path is absolute', () => {
    assert.equal(queueFilePath('capacity', configuration), join(folder, 'capacity-scheduler.xml'));
    assert.equal(queueFilePath('fifo', configuration), undefined);
    assert.equal(queueFilePath('capacity', loadConfiguration({ dataDir: folder })), undefined);
    const absolute = join(folder, 'pools.xml');
    const set = { 'yarn.scheduler.fair.allocation.file': absolute };
    assert.equal(queueFilePath('fair', loadConfiguration({ dataDir: folder, set })), absolute);
  });
});

describe('a refusal of queues', () => {
  const configuration = loadConfiguration({ dataDir: folder, set: { 'yarn.scheduler.capacity.root.a.state': 'ASLEEP' } });

  it('names the place that set the key, the key and a remedy, without the name of a Java class', () => {
    const key = 'yarn.scheduler.capacity.root.a.state';
    const refusal = refusalOf(
      new ConfigurationRefused('java.lang.IllegalArgumentException: No such state.', { key }),
      'capacity',
      configuration,
    );
    assert.equal(refusal.key, key);
    assert.match(refusal.message, /: No such state\. /);
    assert.doesNotMatch(refusal.message, /IllegalArgumentException/);
    assert.notEqual(refusal.source, 'capacity-scheduler.xml');
    assert.match(refusal.remedy, /^Repair it in .*; the queues that run stay as they are\.$/);
  });

  it('names the file where no key is known', () => {
    const refusal = refusalOf(new ConfigurationRefused('Bad file', { remedy: 'Mend it.' }), 'fair', configuration);
    assert.deepEqual([refusal.source, refusal.key, refusal.remedy], ['fair-scheduler.xml', 'queues', 'Mend it.']);
  });

  it('is thrown for refusals alone, other faults pass', () => {
    assert.equal(
      refusable('capacity', configuration, () => 3),
      3,
    );
    const thrown = (error: Error) => () =>
      refusable('capacity', configuration, () => {
        throw error;
      });
    assert.throws(thrown(new ConfigurationRefused('no')), ConfigurationError);
    const other = new Error('other');
    assert.throws(thrown(other), other);
  });
});

describe('watching a queue file', () => {
  function watched(name: string) {
    const path = join(folder, name);
    const clock = new ManualClock();
    const reloads: number[] = [];
    const state = { problem: undefined as Error | undefined };
    writeFileSync(path, 'a');
    const watch = watchQueueFile({
      path,
      intervalMs: 1000,
      clock,
      logger: silentLogger,
      reload() {
        reloads.push(clock.now());
        if (state.problem) throw state.problem;
      },
    });
    return { path, clock, reloads, state, watch };
  }

  it('takes it over once it has changed and then stayed the same for an interval', () => {
    const { path, clock, reloads, watch } = watched('changing.xml');
    clock.advance(3000);
    assert.equal(reloads.length, 0);
    writeFileSync(path, 'ab');
    clock.advance(1000);
    writeFileSync(path, 'abc');
    clock.advance(1000);
    assert.equal(reloads.length, 0);
    clock.advance(1000);
    assert.equal(reloads.length, 1);
    clock.advance(5000);
    assert.equal(reloads.length, 1);
    void watch.close();
  });

  it('goes on after a refusal, and tells a file that goes from one that comes', () => {
    const { path, clock, reloads, state, watch } = watched('going.xml');
    state.problem = new Error('refused');
    unlinkSync(path);
    clock.advance(2000);
    assert.equal(reloads.length, 1);
    writeFileSync(path, 'mended');
    clock.advance(2000);
    assert.equal(reloads.length, 2);
    void watch.close();
  });

  it('ends when it is closed', () => {
    const { path, clock, reloads, watch } = watched('closed.xml');
    void watch.close();
    writeFileSync(path, 'other');
    clock.advance(10_000);
    assert.equal(reloads.length, 0);
  });
});
