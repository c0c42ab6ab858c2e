import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { ManualClock } from './clock.ts';
import { PacedTurns } from './paced-turns.ts';

function stand(mostWaiting = 3) {
  const clock = new ManualClock();
  const turns = new PacedTurns(clock, { restPart: 9, mostWaiting });
  const did: string[] = [];
  const take = (name: string, ms: number) =>
    turns.take(() => {
      clock.advance(ms);
      did.push(name);
      return name;
    });
  return { clock, turns, did, take };
}

describe('turns', () => {
  it('come one by one, with time for everything else in between', async () => {
    const { clock, did, take } = stand();
    const [first, second] = [take('a', 10), take('b', 0)];
    assert.equal(await first, 'a');
    await setImmediate();
    assert.deepEqual(did, ['a']);
    clock.advance(89);
    await setImmediate();
    assert.deepEqual(did, ['a']);
    clock.advance(1);
    assert.equal(await second, 'b');
    assert.equal(await take('c', 0), 'c', 'what took no time needs no rest');
  });

  it('go on after work that failed', async () => {
    const { turns, take } = stand();
    const failed = turns.take(() => {
      throw new Error('no');
    });
    await assert.rejects(failed!, /no/);
    assert.equal(await take('a', 0), 'a');
  });

  it('of work that pauses leave time between its slices, and go to nobody else before it is done', async () => {
    const { clock, turns, did, take } = stand();
    const sliced = turns.takeSliced(function* () {
      clock.advance(10);
      did.push('one');
      yield;
      did.push('two');
      yield;
      return 'all';
    });
    const other = take('b', 0);
    await setImmediate();
    assert.deepEqual(did, ['one']);
    clock.advance(90);
    assert.equal(await sliced, 'all');
    await other;
    assert.deepEqual(did, ['one', 'two', 'b']);
    // biome-ignore lint/correctness/useYield: it fails before
    const broken = turns.takeSliced(function* (): Generator<void, string> {
      throw new Error('no');
    });
    await assert.rejects(broken!, /no/);
    assert.equal(await take('c', 0), 'c');
  });

  it('are refused where too many wait', async () => {
    const { take } = stand(2);
    const taken = [take('a', 0), take('b', 0)];
    assert.equal(take('c', 0), undefined);
    assert.deepEqual([await taken[0], await taken[1]], ['a', 'b']);
    assert.equal(await take('c', 0), 'c');
  });
});
