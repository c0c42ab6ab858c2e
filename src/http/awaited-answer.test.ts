// When one thing that is waited for is looked at again: at a word of it, now and then where nobody may say, and not sooner than it rests.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Changes } from '../lib/changes.ts';
import { ManualClock } from '../lib/clock.ts';
import { type Awaited, awaitedAnswer, taggedAnswer } from './awaited-answer.ts';
import { Query } from './query.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const etagOf = (value: unknown) => String(taggedAnswer({ headers: {} }, value).headers!['etag']);

function stand(more: Partial<Awaited> = {}) {
  const clock = new ManualClock(0);
  const changes = new Changes();
  let value: unknown = 'before';
  let reads = 0;
  const answer = awaitedAnswer(
    { headers: { 'if-none-match': etagOf('before') }, query: new Query('wait=10000'), signal: new AbortController().signal },
    {
      name: 'a',
      changes,
      clock,
      read() {
        reads++;
        return { isOver: false, value: () => value };
      },
      ...more,
    },
  );
  const become = (next: unknown) => {
    value = next;
  };
  return { clock, changes, answer, become, reads: () => reads };
}

test('what others hear wakes nobody', async () => {
  const { clock, changes, answer, reads } = stand();
  await turn();
  for (let times = 0; times < 100; times++) changes.tell('b');
  await turn();
  assert.equal(reads(), 1);
  clock.advance(10_000);
  assert.equal((await answer).status, 304);
});

test('what nobody tells of is seen within the time between two looks', async () => {
  const { clock, answer, become, reads } = stand({ lookEveryMs: 1000 });
  await turn();
  become('after');
  clock.advance(999);
  await turn();
  assert.equal(reads(), 1);
  clock.advance(1);
  assert.deepEqual([(await answer).status, (await answer).headers!['etag'], reads()], [200, etagOf('after'), 2]);
});

test('what rests is not looked at before, however often it is told of', async () => {
  let rested = () => undefined as unknown;
  const { changes, answer, become, reads } = stand({
    rest: () =>
      new Promise<void>((resolve) => {
        rested = () => resolve();
      }),
  });
  await turn();
  for (let times = 0; times < 10; times++) {
    changes.tell('a');
    await turn();
  }
  assert.equal(reads(), 1);
  become('after');
  rested();
  assert.deepEqual([(await answer).status, reads()], [200, 2]);
});
