// Commands given while a cluster starts wait for it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../support/processes.ts';

const main = join(import.meta.dirname, '../../src/main.ts');

test('a command finds a cluster that is starting', async () => {
  const data = mkdtempSync(join(tmpdir(), 'heddle-starting-'));
  const cluster = spawn(process.execPath, [main, 'up', '--ports', 'auto', '--data', data], { stdio: 'ignore' });
  const ended = new Promise((resolve) => cluster.on('exit', resolve));
  try {
    await until('the cluster to claim its folder', async () => existsSync(join(data, 'cluster.json')), undefined, 1);
    const list = spawn(process.execPath, [main, 'queue', 'list', '--data', data, '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    list.stdout.on('data', (chunk) => (output += chunk));
    assert.equal(await new Promise((resolve) => list.on('close', resolve)), 0);
    assert.match(output, /root\.default/);
  } finally {
    cluster.kill('SIGTERM');
    await ended;
    rmSync(data, { recursive: true, force: true });
  }
});
