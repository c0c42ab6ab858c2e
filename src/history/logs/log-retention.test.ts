import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openLogStore } from '../../client/log-store.ts';
import { startS3Fixture } from '../../client/test-support/s3-fixture.ts';
import { ManualClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { aggregatedLogTree, applicationLogFolder } from '../../wire/files/aggregated-log-folder.ts';
import { deleteOldLogs } from './log-retention.ts';

test('logs go after their time: folders of ended applications, single files of running ones', async () => {
  const root = mkdtempSync(join(tmpdir(), 'log-retention-'));
  const tree = aggregatedLogTree(root, 'logs');
  const clock = new ManualClock(2_000_000_000_000);
  const make = (number: number, agesMs: number[]) => {
    const folder = applicationLogFolder(tree, 'ada', `application_1700000000000_000${number}`);
    mkdirSync(folder, { recursive: true });
    return agesMs.map((ageMs, index) => {
      const path = join(folder, `node_${index}`);
      writeFileSync(path, 'x');
      utimesSync(path, (clock.now() - ageMs) / 1000, (clock.now() - ageMs) / 1000);
      return path;
    });
  };
  const [old] = make(1, [5000]);
  const [young] = make(2, [500]);
  const mixed = make(3, [5000, 500]);
  const running = make(4, [5000, 500]);
  const [unknown] = make(5, [5000]);
  const stranger = join(root, 'ada/bucket-logs-tfile/0001/other');
  mkdirSync(stranger, { recursive: true });
  const states: Record<string, string> = { 4: 'RUNNING', 5: '' };
  const applications = {
    find: async (id: string) => {
      const state = states[id.slice(-1)] ?? 'FINISHED';
      return state === '' ? undefined : { state, user: 'ada' };
    },
  };
  const deleted = await deleteOldLogs({
    store: { tree, remove: async () => {} },
    applications,
    clock,
    logger: silentLogger,
    retainMs: 1000,
    intervalMs: 1000,
  });
  assert.equal(deleted, 3);
  assert.deepEqual([old!, young!, ...mixed, ...running, unknown!, stranger].map(existsSync), [
    false,
    true,
    true,
    true,
    false,
    true,
    false,
    true,
  ]);
  assert.equal(existsSync(join(root, 'ada/bucket-logs-tfile/0005')), false);
  rmSync(root, { recursive: true });
});

test('logs in a store go after their time, too, and nothing else of the bucket', async () => {
  await using fixture = await startS3Fixture();
  const clock = new ManualClock(2_000_000_000_000);
  const copies = mkdtempSync(join(tmpdir(), 'log-retention-'));
  const store = await openLogStore({
    remoteDirectory: 's3a://logs/of/cluster',
    suffix: 'logs',
    copies,
    property: (key) => fixture.settings[key],
    clock,
    logger: silentLogger,
  });
  const make = (key: string, ageMs: number) =>
    fixture.objects.set(key, { body: Buffer.from('x'), modified: new Date(clock.now() - ageMs) });
  const inTree = (number: number, name: string) =>
    `of/cluster/ada/bucket-logs-tfile/000${number}/application_1700000000000_000${number}/${name}`;
  make(inTree(1, 'old'), 5000);
  make(inTree(2, 'young'), 500);
  make(inTree(3, 'old'), 5000);
  make(inTree(3, 'young'), 500);
  make(inTree(4, 'old'), 5000);
  make(inTree(4, 'young'), 500);
  const others = ['of/cluster/ada/notes/0001/application_1700000000000_0001/x', 'of/another/application_1700000000000_0001/x', 'x'];
  for (const key of others) make(key, 5000);
  const applications = { find: async (id: string) => ({ state: id.endsWith('4') ? 'RUNNING' : 'FINISHED', user: 'ada' }) };
  const deleted = await deleteOldLogs({ store, applications, clock, logger: silentLogger, retainMs: 1000, intervalMs: 1000 });
  assert.equal(deleted, 2);
  assert.deepEqual(
    [...fixture.objects.keys()].sort(),
    [inTree(2, 'young'), inTree(3, 'old'), inTree(3, 'young'), inTree(4, 'young'), ...others].sort(),
  );
  rmSync(copies, { recursive: true });
});
