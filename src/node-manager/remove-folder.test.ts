import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { removeFolder } from './remove-folder.ts';

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

for (const [name, fill] of Object.entries(fillings))
  test(`a folder with ${name} goes with all that it holds, and nothing else`, async () => {
    const folder = aFolder(fill);
    await removeFolder(folder);
    assert.equal(existsSync(folder), false);
    assert.equal(readFileSync(join(kept, 'kept'), 'utf8'), 'kept');
  });

test('what is not there, and what is no folder, is gone as well', async () => {
  await removeFolder(join(root, 'absent', 'folder'));
  const file = join(root, 'file');
  writeFileSync(file, '');
  await removeFolder(file);
  const link = join(root, 'link');
  for (const target of [join(root, 'absent'), kept, join(kept, 'kept')]) {
    symlinkSync(target, link);
    await removeFolder(link);
    assert.equal(readFileSync(join(kept, 'kept'), 'utf8'), 'kept');
  }
  assert.deepEqual([existsSync(file), existsSync(link)], [false, false]);
});

test('a folder that is removed twice at once is gone', async () => {
  const folder = aFolder(fillings['folders in folders']!);
  await Promise.all([removeFolder(folder), removeFolder(folder)]);
  assert.equal(existsSync(folder), false);
});
