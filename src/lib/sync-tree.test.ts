import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { syncTree } from './sync-tree.ts';
import { syncedBy } from './test-support/synced-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'sync-tree-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('each file and each folder below is brought to the disk; what a link leads to is not', async () => {
  const own = join(folder, 'own');
  mkdirSync(join(own, 'in', 'deep'), { recursive: true });
  mkdirSync(join(folder, 'elsewhere'));
  for (const place of ['own/one', 'own/in/two', 'own/in/deep/three', 'elsewhere/four']) writeFileSync(join(folder, place), 'x');
  symlinkSync(join(folder, 'elsewhere'), join(own, 'link'));
  symlinkSync(join(folder, 'elsewhere/four'), join(own, 'in', 'link'));
  assert.deepEqual(
    (await syncedBy(() => syncTree(own))).sort(),
    ['', 'in', 'in/deep', 'in/deep/three', 'in/two', 'one'].map((place) => join(own, place)),
  );
  assert.deepEqual(await syncedBy(() => syncTree(join(own, 'one'))), [join(own, 'one')]);
  assert.deepEqual(await syncedBy(() => syncTree(join(own, 'link'))), []);
});

test('what is not there is no success', async () => {
  await assert.rejects(syncTree(join(folder, 'none')), { code: 'ENOENT' });
});
