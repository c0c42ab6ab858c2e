import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
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

/** Runs the quickstart with a folder for temporary files; `onOutput` sees all that was printed so far. What it printed, and how it ended. */
async function quickstart(folder: string, args: readonly string[], onOutput = (_text: string, _child: ChildProcess): void => {}) {
  const child = spawn(process.execPath, [join(root, 'scripts/quickstart.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TMPDIR: folder },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
      onOutput(output, child);
    });
  const code = await new Promise<number | null>((done) => child.on('close', done));
  return { code, output };
}

/** Nothing that ran with the folder runs any more, and nothing is left in it but compiled code. */
async function assertNothingIsLeft(folder: string): Promise<void> {
  // Sooner than a command gives up that looks for a cluster which is gone.
  await until('all its processes to be gone', async () => processesWith(folder).length === 0, 60_000);
  assert.deepEqual(
    readdirSync(folder).filter((name) => !/^(node-compile-cache$|heddle-compiled-)/.test(name)),
    [],
  );
}

describe('the quickstart', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'quickstart-test-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('counts words, ends by itself and leaves no process and no file', async () => {
    const { code, output } = await quickstart(folder, ['--once']);
    assert.equal(code, 0, output);
    assert.match(output, /The most frequent words:\n +\d+ {2}\S+/);
    assert.match(output, /ws\/v1\/cluster\/apps\/application_\d+_0001/);
    await assertNothingIsLeft(folder);
  });

  it('ends with Ctrl-C while it counts', async () => {
    const { code, output } = await quickstart(folder, [], (text, child) => {
      if (text.includes('submitting') && !child.killed) child.kill('SIGINT');
    });
    assert.equal(code, 0, output);
    assert.doesNotMatch(output, /The most frequent words/);
    await assertNothingIsLeft(folder);
  });
});
