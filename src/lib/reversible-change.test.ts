import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeEntry, storedOrUndone } from './reversible-change.ts';

test('an entry that was set, replaced or removed is put back, unless it has changed since', () => {
  const map = new Map([
    ['kept', 1],
    ['removed', 2],
    ['later', 3],
  ]);
  const changes = [
    changeEntry(map, 'new', 9),
    changeEntry(map, 'kept', 8),
    changeEntry(map, 'removed', undefined),
    changeEntry(map, 'later', 7),
  ];
  assert.deepEqual(
    [...map],
    [
      ['kept', 8],
      ['later', 7],
      ['new', 9],
    ],
  );
  map.set('later', 6);
  for (const change of changes) change.undo();
  assert.deepEqual(Object.fromEntries(map), { kept: 1, removed: 2, later: 6 });
});

test('a change is taken back once all its writes have ended, the last part first', async () => {
  const events: string[] = [];
  const slow = new Promise<void>((done) => setImmediate(() => setImmediate(() => done(void events.push('slow write') as undefined))));
  const changes = ['first', 'second'].map((name) => ({ undo: () => void events.push(`undo ${name}`) }));
  await storedOrUndone([Promise.resolve()], changes, () => new Error('never'));
  await assert.rejects(
    storedOrUndone([Promise.reject(new Error('disk')), slow], changes, (error) => new Error(`not stored: ${(error as Error).message}`)),
    /not stored: disk/,
  );
  assert.deepEqual(events, ['slow write', 'undo second', 'undo first']);
});

test('changes of one entry that are all refused leave what is durable, however many were under way', async () => {
  const map = new Map([['n', 1]]);
  const refused = () =>
    storedOrUndone([Promise.reject(new Error('disk'))], [changeEntry(map, 'n', (map.get('n') ?? 0) + 1)], () => new Error());
  await Promise.allSettled([refused(), refused(), refused()]);
  assert.equal(map.get('n'), 1);
  await storedOrUndone([Promise.resolve()], [changeEntry(map, 'n', 5)], () => new Error());
  await assert.rejects(refused());
  assert.equal(map.get('n'), 5);
});
