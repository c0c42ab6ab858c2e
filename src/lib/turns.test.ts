import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Turns } from './turns.ts';

test('each turn of the event loop is given to one, in the order of asking', async () => {
  const loop: (() => void)[] = [];
  const turns = new Turns((run) => loop.push(run));
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
