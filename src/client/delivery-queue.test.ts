import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../lib/clock.ts';
import { silentLogger } from '../lib/log.ts';
import { type Delivery, DeliveryQueue } from './delivery-queue.ts';

const turn = () => new Promise((done) => setImmediate(() => setImmediate(done)));

function aQueue(answers: (Delivery | Error)[], more = {}) {
  const sent: number[][] = [];
  const clock = new ManualClock();
  const queue = new DeliveryQueue<number>({
    name: 'test',
    clock,
    logger: silentLogger,
    send: async (batch) => {
      sent.push([...batch]);
      const answer = answers.shift() ?? { kind: 'taken' };
      if (answer instanceof Error) throw answer;
      return answer;
    },
    ...more,
  });
  return { queue, sent, clock };
}

test('what is pushed in one turn travels together and in order, in batches of the given size', async () => {
  const { queue, sent } = aQueue([], { batchSize: 3 });
  queue.push([1, 2]);
  queue.push([3, 4]);
  await queue.idle();
  assert.deepEqual(sent, [[1, 2, 3], [4]]);
  assert.equal(queue.size, 0);
});

test('a failed batch is sent again after a growing pause, before newer messages', async () => {
  const { queue, sent, clock } = aQueue([new Error('away'), { kind: 'again' }]);
  queue.push([1]);
  await turn();
  queue.push([2]);
  await turn();
  assert.deepEqual(sent, [[1]]);
  clock.advance(250);
  await turn();
  assert.deepEqual(sent, [[1], [1, 2]]);
  clock.advance(499);
  await turn();
  assert.equal(sent.length, 2);
  clock.advance(1);
  await queue.idle();
  assert.deepEqual(sent, [[1], [1, 2], [1, 2]]);
});

test('a pause the server asked for is respected', async () => {
  const { queue, sent, clock } = aQueue([{ kind: 'again', afterMs: 5_000 }]);
  queue.push([1]);
  await turn();
  clock.advance(4_999);
  await turn();
  assert.equal(sent.length, 1);
  clock.advance(1);
  await queue.idle();
  assert.equal(sent.length, 2);
});

test('a refused batch is counted and does not block the next', async () => {
  const { queue, sent } = aQueue([{ kind: 'refused', status: 400, reason: 'bad' }], { batchSize: 1 });
  queue.push([1, 2]);
  await queue.idle();
  assert.deepEqual(sent, [[1], [2]]);
  assert.equal(queue.dropped, 1);
});

test('more than the maximum pushes the oldest out', async () => {
  const { queue, sent } = aQueue([], { maximumKept: 3 });
  queue.push([1, 2, 3, 4, 5]);
  await queue.idle();
  assert.deepEqual(sent, [[3, 4, 5]]);
  assert.equal(queue.dropped, 2);
});

test('closing sends what is left', async () => {
  const { queue, sent } = aQueue([]);
  queue.push([1, 2]);
  await queue.close();
  assert.deepEqual(sent, [[1, 2]]);
  queue.push([3]);
  assert.equal(queue.size, 0);
});

test('pauses double to the longest one, and begin anew after a batch was taken', async () => {
  const again = (count: number): Delivery[] => Array.from({ length: count }, () => ({ kind: 'again' as const }));
  const { queue, sent, clock } = aQueue([...again(4), { kind: 'taken' }, ...again(1)], { firstPauseMs: 100, longestPauseMs: 300 });
  queue.push([1]);
  const pauses: number[] = [];
  for (const pauseMs of [100, 200, 300, 300]) {
    await turn();
    const before = sent.length;
    clock.advance(pauseMs - 1);
    await turn();
    assert.equal(sent.length, before, `nothing before ${pauseMs} ms`);
    clock.advance(1);
    await turn();
    pauses.push(sent.length - before);
  }
  assert.deepEqual(pauses, [1, 1, 1, 1]);
  await queue.idle();
  queue.push([2]);
  await turn();
  clock.advance(100);
  await queue.idle();
  assert.deepEqual(sent.at(-1), [2]);
});

test('what is being sent is never pushed out, what waits behind it is', async () => {
  const answered = Promise.withResolvers<Delivery>();
  const sent: number[][] = [];
  const clock = new ManualClock();
  const queue = new DeliveryQueue<number>({
    name: 'test',
    clock,
    logger: silentLogger,
    maximumKept: 4,
    batchSize: 2,
    send: async (batch) => {
      sent.push([...batch]);
      return sent.length === 1 ? answered.promise : { kind: 'taken' };
    },
  });
  queue.push([1, 2]);
  await turn();
  queue.push([3, 4, 5, 6]);
  assert.deepEqual([queue.size, queue.dropped], [4, 2]);
  answered.resolve({ kind: 'again' });
  await turn();
  clock.advance(250);
  await queue.idle();
  assert.deepEqual(sent, [
    [1, 2],
    [1, 2],
    [5, 6],
  ]);
});

test('closing gives up what a server that is away does not take, and tells how much', async () => {
  const { queue, clock } = aQueue([{ kind: 'again' }, { kind: 'again' }]);
  queue.push([1, 2, 3]);
  await turn();
  const waiting = queue.idle();
  await queue.close(10);
  await waiting;
  assert.deepEqual([queue.size, queue.dropped], [0, 3]);
  clock.advance(60_000);
  await turn();
  await queue.close();
  await queue.idle();
});

test('that messages are given up is told at once, and then once a minute with all of them', async () => {
  const told: number[] = [];
  const logger = { ...silentLogger, warn: (fields: { count: number }) => void told.push(fields.count) } as unknown as typeof silentLogger;
  const { queue, clock } = aQueue(Array(4).fill({ kind: 'refused', status: 403, reason: 'no' }), { logger });
  const give = async (messages: number[]) => {
    queue.push(messages);
    await queue.idle();
  };
  await give([1, 2]);
  await give([3]);
  await give([4, 5]);
  assert.deepEqual(told, [2]);
  clock.advance(60_000);
  await give([6]);
  assert.deepEqual([told, queue.dropped], [[2, 4], 6]);
});
