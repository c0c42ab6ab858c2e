import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ModuleRun } from './module-calls.ts';

type Emit = (record: string) => void;
const never = new AbortController().signal;

/** A run that waits for nothing after its end, and whose functions start what `start` says. */
async function runThatLeaves(where: 'calling' | 'settingUp', start: (emit: Emit) => NodeJS.Timeout): Promise<void> {
  const run = new ModuleRun(0);
  let left: NodeJS.Timeout | undefined;
  try {
    await run.whole(never, async () => {
      const emit: Emit = run.given((record: string) => assert.fail(record));
      left = run[where](() => start(emit));
    });
  } finally {
    clearInterval(left);
  }
}

const forEver = 2 ** 30;
const leaves = (where: 'calling' | 'settingUp') => ({
  /** What keeps the means to emit. */
  emitting: () => runThatLeaves(where, (emit) => setInterval(() => emit('late'), forEver)),
  silent: () => runThatLeaves(where, () => setInterval(() => {}, forEver)),
});

test('a module that could emit after the task has ended fails it, whether the timer comes from a record or from setup', async () => {
  for (const where of ['calling', 'settingUp'] as const)
    await assert.rejects(leaves(where).emitting(), /still runs \(1 Timeout\) 0 s after the last record, and could emit more/, where);
});

test('what a module has left at work and cannot emit does not fail its task', async () => {
  await leaves('calling').silent();
  await leaves('settingUp').silent();
});
