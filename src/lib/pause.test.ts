import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pause } from './pause.ts';

test('all who give way go on in the order of asking, none twice before the others', async () => {
  const slices: string[] = [];
  const work = async (name: string) => {
    for (let slice = 0; slice < 3; slice++) {
      await pause();
      slices.push(name);
    }
  };
  await Promise.all(['a', 'b', 'c'].map(work));
  assert.deepEqual(slices, ['a', 'b', 'c', 'a', 'b', 'c', 'a', 'b', 'c']);
});

test('who gives way comes after what waits already', async () => {
  const seen: string[] = [];
  setImmediate(() => seen.push('waited'));
  await pause();
  seen.push('went on');
  assert.deepEqual(seen, ['waited', 'went on']);
});
