import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Turns } from './turns.ts';

test('each turn of the event loop is given to one, in the order of asking', async () => {
  const loop: (() => void)[] = [];
  const turns = new Turns({ later: (run) => void loop.push(run) });
  const seen: string[] = [];
  const work = async (name: string) => {
    for (let slice = 0; slice < 2; slice++) {
      await turns.next();
      seen.push(name);
    }
  };
  const all = Promise.all([work('a'), work('b')]);
  const after: string[][] = [];
  while (loop.length > 0) {
    loop.shift()?.();
    await new Promise((done) => setImmediate(done));
    after.push([...seen]);
  }
  await all;
  assert.deepEqual(seen, ['a', 'b', 'a', 'b']);
  assert.deepEqual(
    after.map(({ length }) => length),
    [1, 2, 3, 4],
  );
});

test('slices that take little share a turn, each work once, until its time is over', async () => {
  const loop: (() => void)[] = [];
  let nowMs = 0;
  const turns = new Turns({ later: (run) => void loop.push(run), sharedMs: 10, now: () => nowMs });
  const seen: string[] = [];
  const work = async (name: string, sliceMs: number) => {
    for (let slice = 0; slice < 2; slice++) {
      await turns.next();
      // What a slice awaits that is there already belongs to it.
      await Promise.resolve();
      nowMs += sliceMs;
      seen.push(name);
    }
  };
  const all = Promise.all([work('a', 4), work('b', 4), work('c', 4), work('d', 4), work('long', 40), work('e', 4)]);
  const inTurns: string[] = [];
  while (loop.length > 0) {
    loop.shift()?.();
    await new Promise((done) => setImmediate(done));
    inTurns.push(seen.splice(0).join(' '));
  }
  await all;
  assert.deepEqual(inTurns, ['a b c', 'd long', 'e a b', 'c d long', 'e']);
});
