import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { bash } from './bash.ts';

test('a script of ours has nothing of what its user has shells do, though it reads from a pipe of Node.js', () => {
  const home = mkdtempSync(join(tmpdir(), 'heddle-bash-'));
  try {
    writeFileSync(join(home, '.bashrc'), 'echo of the user; exit 3\n');
    const [program, ...options] = bash;
    const { stdout, status } = spawnSync(program, [...options, '-c', 'cat'], {
      input: 'ours\n',
      encoding: 'utf8',
      env: { HOME: home, PATH: '/usr/bin:/bin' },
    });
    assert.deepEqual({ stdout, status }, { stdout: 'ours\n', status: 0 });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
