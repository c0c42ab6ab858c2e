import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock, systemClock } from './clock.ts';
import { Timers } from './timers.ts';

describe('the manual clock', () => {
  it('fires timers at their times, in their order, while it moves', () => {
    const clock = new ManualClock(1000);
    const fired: [string, number][] = [];
    const note = (name: string) => () => void fired.push([name, clock.now()]);
    clock.setTimer(30, note('c'));
    clock.setTimer(10, note('a'));
    clock.setTimer(10, note('b'));
    clock.setTimer(31, note('late'));
    clock.advance(30);
    assert.deepEqual(fired, [
      ['a', 1010],
      ['b', 1010],
      ['c', 1030],
    ]);
    assert.equal(clock.now(), 1030);
  });

  it('fires what a timer sets, where that falls due on the way', () => {
    const clock = new ManualClock(0);
    const fired: number[] = [];
    const again = () => {
      fired.push(clock.now());
      clock.setTimer(10, again);
    };
    clock.setTimer(10, again);
    clock.advance(35);
    assert.deepEqual(fired, [10, 20, 30]);
  });

  it('fires nothing that was cancelled, also from within another timer', () => {
    const clock = new ManualClock(0);
    const fired: string[] = [];
    const second = clock.setTimer(20, () => fired.push('second'));
    clock.setTimer(10, () => second.cancel());
    const third = clock.setTimer(5, () => fired.push('third'));
    third.cancel();
    third.cancel();
    clock.advance(100);
    assert.deepEqual(fired, []);
  });

  it('takes what is due in the past for due now', () => {
    const clock = new ManualClock(0);
    let atMs = -1;
    clock.setTimer(-50, () => {
      atMs = clock.now();
    });
    clock.advance(0);
    assert.equal(atMs, 0);
  });
});

describe('the clock of the machine', () => {
  it('takes a time that no timer can have for the longest', () => {
    for (const delayMs of [Number.POSITIVE_INFINITY, 2 ** 40])
      systemClock.setTimer(delayMs, () => assert.fail('it fired at once')).cancel();
    assert.ok(Math.abs(systemClock.now() - Date.now()) < 60_000);
  });

  it('cancels a timer, again and after it fired', async () => {
    const timer = await new Promise<{ cancel(): void }>((done) => {
      const set = systemClock.setTimer(0, () => done(set));
      // A timer keeps no process alive; this one is waited for.
      setTimeout(() => undefined, 50);
    });
    timer.cancel();
    timer.cancel();
  });
});

describe('named timers', () => {
  it('replace each other by name', () => {
    const clock = new ManualClock(0);
    const timers = new Timers(clock);
    const fired: string[] = [];
    timers.set('a', 10, () => fired.push('first'));
    timers.set('a', 20, () => fired.push('second'));
    timers.set('b', 5, () => fired.push('b'));
    assert.ok(timers.has('a') && timers.has('b') && !timers.has('c'));
    clock.advance(15);
    assert.deepEqual(fired, ['b']);
    clock.advance(5);
    assert.deepEqual([fired, timers.has('a')], [['b', 'second'], false]);
  });

  it('may be set again by what they run', () => {
    const clock = new ManualClock(0);
    const timers = new Timers(clock);
    let count = 0;
    const tick = () => {
      count++;
      timers.set('tick', 10, tick);
    };
    timers.set('tick', 10, tick);
    clock.advance(45);
    assert.deepEqual([count, timers.has('tick')], [4, true]);
  });

  it('fire no more when they are cancelled or closed, and none is set then', () => {
    const clock = new ManualClock(0);
    const timers = new Timers(clock);
    timers.set('a', 10, () => assert.fail('it was cancelled'));
    timers.cancel('a');
    timers.cancel('none');
    timers.set('b', 10, () => assert.fail('it was closed'));
    timers.close();
    timers.set('c', 10, () => assert.fail('it was set after the end'));
    clock.advance(100);
    assert.deepEqual([timers.has('a'), timers.has('b'), timers.has('c')], [false, false, false]);
  });
});
