// How often a list that is waited for is made: once for each change that may be seen in it, and not more often than now and then for others.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../lib/clock.ts';
import { Watches } from '../lib/watches.ts';
import { awaitedList, taggedAnswer } from './awaited-answer.ts';
import { Query } from './query.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const etagOf = (value: unknown) => String(taggedAnswer({ headers: {} }, value).headers!['etag']);

function stand(most?: number) {
  const clock = new ManualClock(0);
  const watches = new Watches<number>(most);
  let value: unknown = 'before';
  let reads = 0;
  const ask = () =>
    awaitedList(
      { headers: { 'if-none-match': etagOf('before') }, query: new Query('wait=1000'), signal: new AbortController().signal },
      {
        watches,
        clock,
        async read() {
          reads++;
          return { value, names: new Set(['a']), mayShow: (thing) => thing > 0 };
        },
      },
    );
  const become = (next: unknown) => {
    value = next;
  };
  return { clock, watches, ask, become, reads: () => reads };
}

test('a list is made anew for what may be in it alone, and soon after a look in vain not again', async () => {
  const { clock, watches, ask, become, reads } = stand();
  const answer = ask();
  await turn();
  watches.tell('b', 0);
  await turn();
  assert.equal(reads(), 1);
  watches.tell('a', 0);
  await turn();
  assert.equal(reads(), 2);
  for (let times = 0; times < 20; times++) {
    watches.tell('a', 0);
    await turn();
  }
  assert.equal(reads(), 2);
  become('after');
  clock.advance(100);
  await turn();
  assert.equal(reads(), 3);
  assert.deepEqual([(await answer).status, (await answer).headers!['etag']], [200, etagOf('after')]);
});

test('who waits for lists beyond the most is told so, and answered later', async () => {
  const { clock, ask } = stand(1);
  const first = ask();
  await assert.rejects(ask(), { code: 'OVERLOADED' });
  await turn();
  clock.advance(1000);
  assert.equal((await first).status, 304);
  const next = ask();
  await turn();
  clock.advance(1000);
  assert.equal((await next).status, 304);
});
