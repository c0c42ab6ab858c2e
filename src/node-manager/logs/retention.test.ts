import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { NodeFolders } from '../folders.ts';
import { deleteOldLogs, deleteStrayFolders } from './retention.ts';

test('only logs and folders of applications that are gone are deleted, logs after their time', async () => {
  const root = mkdtempSync(join(tmpdir(), 'retention-'));
  const folders = new NodeFolders([join(root, 'local')], [join(root, 'logs')], root);
  const clock = new ManualClock(2_000_000_000_000);
  const make = (path: string, ageMs: number) => {
    mkdirSync(join(root, path, 'container'), { recursive: true });
    const time = (clock.now() - ageMs) / 1000;
    for (const folder of [join(root, path, 'container'), join(root, path)]) utimesSync(folder, time, time);
    return join(root, path);
  };
  const old = make('logs/application_1_0001', 5000);
  const young = make('logs/application_1_0002', 500);
  const known = make('logs/application_1_0003', 5000);
  const other = make('logs/something', 5000);
  const isKnown = (id: string) => id === 'application_1_0003';
  await deleteOldLogs({ folders, clock, logger: silentLogger, retainMs: 1000, isKnown });
  assert.deepEqual([old, young, known, other].map(existsSync), [false, true, true, true]);
  const stray = make('local/usercache/ada/appcache/application_1_0001', 0);
  const kept = make('local/usercache/ada/appcache/application_1_0003', 0);
  await deleteStrayFolders(folders, isKnown);
  assert.deepEqual([stray, kept].map(existsSync), [false, true]);
  rmSync(root, { recursive: true });
});
