import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { it } from 'node:test';

it('answers SIGQUIT and goes on', async () => {
  const script = `import { reportOnQuit } from ${JSON.stringify(join(import.meta.dirname, 'report-on-quit.ts'))};
    reportOnQuit(); setInterval(() => {}, 1000); console.log('ready');`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  await once(createInterface(child.stdout), 'line');
  const told = createInterface(child.stderr);
  for (let time = 0; time < 2; time++) {
    const line = once(told, 'line');
    child.kill('SIGQUIT');
    assert.match(String(await line), /^SIGQUIT: up for \d+ s, \d+ MiB, waits for .*Timeout/);
  }
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [null, 'SIGTERM']);
});
