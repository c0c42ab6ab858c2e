import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { it } from 'node:test';
import { awakeWhile } from './awake.ts';

it('waits for what only a timer of the clock brings, and lets go afterwards', async () => {
  const script = (wait: string) => `
    import { awakeWhile } from '${join(import.meta.dirname, 'awake.ts')}';
    import { systemClock } from '${join(import.meta.dirname, 'clock.ts')}';
    const work = new Promise((done) => systemClock.setTimer(20, done));
    await ${wait};
    console.log('done');`;
  const run = (wait: string) => spawnSync(process.execPath, ['--input-type=module', '-e', script(wait)], { encoding: 'utf8' });
  // Node says so where something is awaited that nothing will bring.
  assert.equal(run('work').status, 13);
  const { status, stdout } = run('awakeWhile(work)');
  assert.deepEqual([status, stdout], [0, 'done\n']);
  await assert.rejects(awakeWhile(Promise.reject(new Error('no'))), /no/);
});
