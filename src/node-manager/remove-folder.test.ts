import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { folderInside } from '../lib/folder-inside.ts';
import { removeBelow, removeFolder } from './remove-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'remove-'));
after(() => rmSync(root, { recursive: true, force: true }));
let count = 0;

/** A folder with what `fill` puts there. */
function aFolder(fill: (folder: string) => void): string {
  const folder = join(root, `${++count}`);
  mkdirSync(folder);
  fill(folder);
  return folder;
}

const kept = aFolder((folder) => writeFileSync(join(folder, 'kept'), 'kept'));
const fillings: Record<string, (folder: string) => void> = {
  nothing: () => {},
  'files and an empty folder': (folder) => {
    for (const name of ['a', '.b', 'c d', 'ä']) writeFileSync(join(folder, name), name);
    mkdirSync(join(folder, 'tmp'));
  },
  'folders in folders': (folder) => {
    mkdirSync(join(folder, 'a', 'b', 'c'), { recursive: true });
    writeFileSync(join(folder, 'a', 'b', 'file'), '');
    writeFileSync(join(folder, 'file'), '');
  },
  links: (folder) => {
    symlinkSync(kept, join(folder, 'to-folder'));
    symlinkSync(join(kept, 'kept'), join(folder, 'to-file'));
    symlinkSync('/absent', join(folder, 'to-nothing'));
    mkdirSync(join(folder, 'deep'));
    symlinkSync(kept, join(folder, 'deep', 'to-folder'));
  },
};

/** By a path, and below a folder that is held. */
const ways: Record<string, (folder: string) => Promise<unknown>> = {
  path: removeFolder,
  held: async (folder) => {
    using above = await folderInside(root, []);
    assert.equal(await removeBelow(above, basename(folder)), true);
  },
};

for (const [way, remove] of Object.entries(ways))
  for (const [name, fill] of Object.entries(fillings))
    test(`${way}: a folder with ${name} goes with all that it holds, and nothing else`, async () => {
      const folder = aFolder(fill);
      await remove(folder);
      assert.equal(existsSync(folder), false);
      assert.equal(readFileSync(join(kept, 'kept'), 'utf8'), 'kept');
    });

for (const [way, remove] of Object.entries(ways))
  test(`${way}: what is not there, and what is no folder, is gone as well`, async () => {
    await remove(join(root, 'absent'));
    const file = join(root, 'file');
    writeFileSync(file, '');
    await remove(file);
    const link = join(root, 'link');
    for (const target of [join(root, 'absent'), kept, join(kept, 'kept')]) {
      symlinkSync(target, link);
      await remove(link);
      assert.equal(readFileSync(join(kept, 'kept'), 'utf8'), 'kept');
    }
    assert.deepEqual([existsSync(file), existsSync(link)], [false, false]);
  });

test('what is not there is gone, wherever it would be', () => removeFolder(join(root, 'absent', 'folder')));

test('a held folder with more than containers leave is left to others, whole or in part', async () => {
  using above = await folderInside(root, []);
  const fillingsLeft: readonly ((folder: string) => void)[] = [
    (folder) => {
      for (let count = 0; count < 201; count++) writeFileSync(join(folder, `${count}`), '');
    },
    (folder) => {
      mkdirSync(join(folder, 'a/b/c/d/e'), { recursive: true });
      writeFileSync(join(folder, 'a/b/c/d/e/file'), '');
    },
  ];
  for (const fill of fillingsLeft) {
    const folder = aFolder(fill);
    assert.equal(await removeBelow(above, basename(folder)), false);
    assert.equal(existsSync(folder), true);
    await removeFolder(folder);
  }
});

test('a folder that is removed twice at once is gone', async () => {
  const folder = aFolder(fillings['folders in folders']!);
  await Promise.all([removeFolder(folder), removeFolder(folder)]);
  assert.equal(existsSync(folder), false);
});
