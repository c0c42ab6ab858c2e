import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Changes } from './changes.ts';
import { ManualClock } from './clock.ts';

function stand() {
  const clock = new ManualClock(0);
  const changes = new Changes();
  const controller = new AbortController();
  const woken: string[] = [];
  const wait = async (name: string, since = changes.count) => {
    await changes.next(name, { since, waitMs: 1000, clock, signal: controller.signal });
    woken.push(name);
  };
  return { clock, changes, controller, woken, wait };
}

describe('changes', () => {
  it('wake who waits for the thing, and nobody else', async () => {
    const { changes, woken, wait, clock } = stand();
    const one = wait('one');
    const other = wait('other');
    changes.tell('one');
    await one;
    assert.deepEqual(woken, ['one']);
    clock.advance(1000);
    await other;
    assert.deepEqual(woken, ['one', 'other']);
  });

  it('that came while the caller looked are not missed', async () => {
    const { changes, woken, wait } = stand();
    const since = changes.count;
    changes.tell('one');
    await wait('one', since);
    assert.deepEqual(woken, ['one']);
  });

  it('let go who leaves, and everybody when they are closed', async () => {
    const { changes, controller, woken, wait } = stand();
    const left = wait('one');
    controller.abort();
    await left;
    await wait('one');
    const { changes: closing, wait: waiting } = stand();
    const last = waiting('two');
    closing.close();
    await last;
    await waiting('two');
    assert.deepEqual([woken, closing.closed, changes.closed], [['one', 'one'], true, false]);
  });
});
