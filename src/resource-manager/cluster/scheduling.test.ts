// Who waits for the scheduler, and for how long.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { Effects } from './effects.ts';
import { Scheduling } from './scheduling.ts';
import { SchedulingFigures } from './scheduling-figures.ts';

const turn = () => new Promise((done) => setImmediate(done));

/** A scheduler that decides nothing and has work for as long as it is told. */
function stand() {
  const clock = new ManualClock(0);
  const effects = new Effects({ clock, logger: silentLogger, write: async () => undefined, observers: [] });
  const work = { left: false, slices: 0 };
  const policy = {
    schedule() {
      work.slices++;
      // Another slice each time.
      clock.advance(1);
      return [];
    },
    hasWork: () => work.left,
    nextDeadlineMs: () => undefined,
  };
  const unused = undefined as never;
  const figures = new SchedulingFigures(clock);
  const scheduling = new Scheduling({
    state: { application: () => undefined },
    effects,
    policy,
    starts: unused,
    ends: unused,
    opportunistic: { *propose() {} },
    nextContainerId: unused,
    clock,
    timers: effects.timers(),
    figures,
  });
  return { effects, scheduling, work, figures };
}

it('each slice is counted with its length', () => {
  const { effects, scheduling, work, figures } = stand();
  effects.change(() => scheduling.slice());
  effects.change(() => scheduling.slice());
  assert.equal(work.slices, 2);
  assert.match(figures.slices.text(), /slice_seconds_sum 0\.002\nheddle_scheduler_slice_seconds_count 2\n/);
});

describe('an idle scheduler', () => {
  it('is said at once where nothing changed, else when everything that changed is considered', async () => {
    const { effects, scheduling, work } = stand();
    let said = 0;
    scheduling.whenIdle(() => said++);
    assert.equal(said, 1);
    effects.change(() => effects.wakeScheduler());
    work.left = true;
    scheduling.whenIdle(() => said++);
    await turn();
    await turn();
    assert.ok(work.slices >= 1);
    assert.equal(said, 1, 'there is work left');
    work.left = false;
    while (said < 2) await turn();
    await turn();
    assert.equal(said, 2, 'once');
  });

  it('is not said to who gave up, and to all at the end', async () => {
    const { effects, scheduling, work } = stand();
    const said: string[] = [];
    work.left = true;
    effects.change(() => effects.wakeScheduler());
    const giveUp = scheduling.whenIdle(() => said.push('gave up'));
    scheduling.whenIdle(() => said.push('waits'));
    await turn();
    giveUp();
    scheduling.close();
    assert.deepEqual(said, ['waits']);
    scheduling.whenIdle(() => said.push('late'));
    assert.deepEqual(said, ['waits', 'late']);
  });
});
