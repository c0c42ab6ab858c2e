import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openInside } from './open-inside.ts';

test('opens plain files of the folder and nothing else', () => {
  const root = mkdtempSync(join(tmpdir(), 'inside-'));
  const folder = join(root, 'folder');
  mkdirSync(join(folder, 'inner'), { recursive: true });
  writeFileSync(join(root, 'secret'), 'secret');
  writeFileSync(join(folder, 'inner', 'file'), 'fine');
  symlinkSync(join(root, 'secret'), join(folder, 'link'));
  symlinkSync(root, join(folder, 'out'));
  execFileSync('/bin/sh', ['-c', 'mkfifo "$1"', 'sh', join(folder, 'pipe')]);
  const file = openInside(folder, join(folder, 'inner', 'file'));
  assert.equal(readFileSync(file, 'utf8'), 'fine');
  closeSync(file);
  for (const name of ['link', 'out/secret', 'pipe', 'inner', 'absent', '../secret'])
    assert.throws(() => openInside(folder, join(folder, name)), name);
  rmSync(root, { recursive: true, force: true });
});
