import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { ModuleRun } from './module-calls.ts';
import { workOfLoading } from './started-work.ts';

type Emit = (record: string) => void;
const never = new AbortController().signal;

const places = ['calling', 'settingUp', 'loading'] as const;
type Place = (typeof places)[number];
let modules = 0;

/** A run that waits for nothing after its end, and whose module starts there what `start` says. */
async function runThatLeaves(where: Place, start: (emit: Emit) => NodeJS.Timeout): Promise<void> {
  const loading = workOfLoading(`module ${++modules}`);
  const run = new ModuleRun(loading, 0);
  let left: NodeJS.Timeout | undefined;
  try {
    await run.whole(never, async () => {
      const emit: Emit = run.given((record: string) => assert.fail(record));
      left = where === 'loading' ? loading.run(() => start(emit)) : run[where](() => start(emit));
    });
  } finally {
    clearInterval(left);
  }
}

const forEver = 2 ** 30;
const leaves = (where: Place) => ({
  /** What keeps the means to emit. */
  emitting: () => runThatLeaves(where, (emit) => setInterval(() => emit('late'), forEver)),
  silent: () => runThatLeaves(where, () => setInterval(() => {}, forEver)),
});

test('a module that could emit after the task has ended fails it, whether the timer comes from a record, from setup or from its own top level', async () => {
  for (const where of places)
    await assert.rejects(leaves(where).emitting(), /still runs \(1 Timeout\) 0 s after the last record, and could emit more/, where);
});

test('what a module has left at work and cannot emit does not fail its task', async () => {
  for (const where of places) await leaves(where).silent();
});

test('a module that goes on throwing while it is reported why its task failed does not end the process', () => {
  const script = `
    import { ModuleRun } from '${new URL('module-calls.ts', import.meta.url)}';
    const later = (word, ms) => setTimeout(() => { throw new Error(word); }, ms);
    later('first', 1);
    const run = new ModuleRun({ left: [] }, 0);
    await run.whole(new AbortController().signal, () => new Promise(() => {})).catch(({ cause }) => process.stdout.write(cause.message));
    later('second', 1);
    await new Promise((wake) => setTimeout(wake, 20));
    process.stdout.write(', reported');`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  assert.deepEqual([stdout, status], ['first, reported', 0], stderr);
  assert.match(stderr, /^Error: second\n/);
});
