import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { makeFolder } from './make-folder.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-folders-'));
after(() => rmSync(folder, { recursive: true }));

it('makes a folder with those above it, all with the mode, and leaves one that is there', () => {
  const path = join(folder, 'a/b/c');
  makeFolder(path, 0o700);
  makeFolder(path, 0o755);
  assert.deepEqual(
    ['a', 'a/b', 'a/b/c'].map((name) => statSync(join(folder, name)).mode & 0o777),
    [0o700, 0o700, 0o700],
  );
  symlinkSync(path, join(folder, 'link'));
  makeFolder(join(folder, 'link'));
  makeFolder(join(folder, 'link/d'));
  assert.ok(existsSync(join(path, 'd')));
});

it('says that a file, or a link to nothing, stands in the way', () => {
  writeFileSync(join(folder, 'file'), '');
  symlinkSync('nowhere', join(folder, 'dangling'));
  assert.throws(() => makeFolder(join(folder, 'file')), { code: 'EEXIST' });
  assert.throws(() => makeFolder(join(folder, 'file/x')), { code: 'ENOTDIR' });
  assert.throws(() => makeFolder(join(folder, 'dangling')), { code: 'EEXIST' });
});

it('ends where the file system takes no folder', { skip: !existsSync('/proc/self') && 'no /proc' }, () => {
  assert.throws(() => makeFolder('/proc/heddle/x'), { code: 'ENOENT', path: '/proc/heddle' });
});
