import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../support/processes.ts';

const root = join(import.meta.dirname, '../..');

/** Processes whose command line or environment mentions `text` (Linux). */
function processesWith(text: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .filter((pid) => {
      try {
        return ['cmdline', 'environ'].some((file) => readFileSync(join('/proc', pid, file), 'utf8').includes(text));
      } catch {
        return false;
      }
    });
}

test('the quickstart counts words, ends by itself and leaves no process and no file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quickstart-test-'));
  try {
    const child = spawn(process.execPath, [join(root, 'scripts/quickstart.ts'), '--once'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, TMPDIR: folder },
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    const code = await new Promise((done) => child.on('close', done));
    assert.equal(code, 0, output);
    assert.match(output, /The most frequent words:\n +\d+ {2}\S+/);
    assert.match(output, /ws\/v1\/cluster\/apps\/application_\d+_0001/);
    await until('all its processes to be gone', async () => processesWith(folder).length === 0);
    assert.deepEqual(
      readdirSync(folder).filter((name) => !/^(node-compile-cache$|heddle-compiled-)/.test(name)),
      [],
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
