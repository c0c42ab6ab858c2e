import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BufferPool } from './buffer-pool.ts';

describe('a pool of buffers', () => {
  it('lends a buffer again once it was given back, and never to two at a time', () => {
    const pool = new BufferPool({ bytes: 100, mostFree: 1 });
    const [first, second] = [pool.lend(60), pool.lend(100)];
    assert.deepEqual([first.length, second.length], [60, 100]);
    assert.notEqual(first.buffer, second.buffer);
    pool.giveBack(first);
    const third = pool.lend(80);
    assert.equal(third.buffer, first.buffer);
    assert.equal(third.length, 80);
    assert.notEqual(pool.lend(10).buffer, first.buffer);
  });

  it('keeps so many, and none of another length', () => {
    const pool = new BufferPool({ bytes: 100, mostFree: 1 });
    const lent = [pool.lend(1), pool.lend(1)];
    for (const buffer of lent) pool.giveBack(buffer);
    assert.equal(pool.lend(1).buffer, lent[0]!.buffer);
    assert.notEqual(pool.lend(1).buffer, lent[1]!.buffer);
    const long = pool.lend(101);
    assert.equal(long.length, 101);
    pool.giveBack(long);
    assert.equal(pool.lend(1).buffer.byteLength, 100);
  });
});
