import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { ManualClock } from './clock.ts';
import { keepSmall } from './resident-memory.ts';

/** A thread that works as it is told. */
function stand(liveMiB = 20) {
  const clock = new ManualClock();
  const thread = { cpu: 300, heap: liveMiB + 5, emptied: 0, collections: 0, optimized: 0 };
  const small = keepSmall(clock, {
    cpuMs: () => thread.cpu,
    heapMiB: () => thread.heap + thread.emptied,
    usedMiB: () => thread.heap,
    async collect() {
      thread.collections++;
      thread.heap = liveMiB;
      thread.emptied = 0;
    },
    optimize: () => thread.optimized++,
  });
  return {
    thread,
    small,
    /** Lets seconds pass, `share` of each at work, which leaves garbage. */
    async pass(seconds: number, share = 0.01) {
      for (let i = 0; i < seconds; i++) {
        thread.cpu += share * 1000;
        thread.heap += share;
        clock.advance(1000);
        await turn();
      }
    },
  };
}

describe('keepSmall', () => {
  it('collects once after the start and not again while nothing happens', async () => {
    const { thread, pass } = stand();
    await pass(3, 0.8);
    assert.equal(thread.collections, 0);
    await pass(7);
    assert.equal(thread.collections, 0);
    await pass(4);
    assert.equal(thread.collections, 1);
    await pass(120);
    assert.equal(thread.collections, 1);
  });

  it('waits for the end of work that pauses', async () => {
    const { thread, pass } = stand();
    for (let i = 0; i < 10; i++) {
      await pass(8);
      await pass(2, 0.5);
    }
    assert.equal(thread.collections, 0);
    await pass(12);
    assert.equal(thread.collections, 1);
  });

  it('collects after work, when it is over', async () => {
    const { thread, pass } = stand();
    await pass(10);
    await pass(30, 0.3);
    assert.equal(thread.collections, 1);
    await pass(10);
    assert.equal(thread.collections, 2);
    await pass(10);
    assert.equal(thread.collections, 2);
  });

  it('leaves what a little work makes to V8', async () => {
    const { thread, pass } = stand();
    await pass(10);
    await pass(600, 0.03);
    assert.equal(thread.collections, 1);
  });

  it('leaves large heaps to V8', async () => {
    const { thread, pass } = stand(500);
    await pass(10);
    await pass(10, 0.9);
    await pass(60);
    assert.equal(thread.collections, 0);
  });

  it('gives back what V8 has emptied, however large the heap has been', async () => {
    const { thread, pass } = stand();
    await pass(10);
    assert.equal(thread.collections, 1);
    thread.heap = 120;
    await pass(10, 0.9);
    await pass(10);
    assert.equal(thread.collections, 1);
    [thread.heap, thread.emptied] = [40, 90];
    await pass(12);
    assert.deepEqual([thread.collections, thread.emptied], [2, 0]);
  });

  it('optimizes once work lasts, not for a short time of it', async () => {
    const { thread, pass } = stand();
    await pass(4, 1);
    await pass(10);
    await pass(6, 1);
    assert.equal(thread.optimized, 0);
    await pass(10, 1);
    assert.equal(thread.optimized, 1);
    await pass(30, 1);
    assert.equal(thread.optimized, 1);
  });

  it('does nothing once closed', async () => {
    const { thread, small, pass } = stand();
    await small.close();
    await pass(60);
    assert.equal(thread.collections, 0);
  });
});

it('threads of one process collect at the same time, and what is no more used is gone', async () => {
  const collects = `
    import { threadWorkload } from ${JSON.stringify(new URL('./resident-memory.ts', import.meta.url).href)};
    const { collect, usedMiB } = threadWorkload();
    for (let i = 0; i < 10; i++) {
      let garbage = new Array(1_000_000).fill(0);
      const before = usedMiB();
      garbage = undefined;
      await collect();
      if (usedMiB() > before - 5) throw new Error(before + ' MiB became ' + usedMiB());
    }
  `;
  const workers = Array.from(
    { length: 4 },
    () => new Worker(new URL(`data:text/javascript,${encodeURIComponent(collects)}`), { stderr: true }),
  );
  assert.deepEqual(await Promise.all(workers.map(async (worker) => (await once(worker, 'exit'))[0])), [0, 0, 0, 0]);
});
