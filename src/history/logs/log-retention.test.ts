import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
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
  const deleted = await deleteOldLogs({ tree, applications, clock, logger: silentLogger, retainMs: 1000, intervalMs: 1000 });
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
