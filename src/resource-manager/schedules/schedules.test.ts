import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { failure } from '../../model/errors.ts';
import { CronMalformed, expressionFault, Occurrences } from './occurrences.ts';
import type { KeptSchedule } from './schedule-store.ts';
import { type NewSchedule, Schedules } from './schedules.ts';

const minuteMs = 60_000;
const startMs = Date.UTC(2026, 4, 1, 12, 0, 30);
const turns = async () => {
  for (let i = 0; i < 30; i++) await new Promise<void>((done) => setImmediate(done));
};
const every = (more: Partial<NewSchedule> = {}): NewSchedule => ({
  ...{ user: 'ada', name: 'nightly', cron: '*/10 * * * *', timeZone: 'UTC', overlap: 'skip', missed: 'one' },
  ...{ paused: false, proved: false, submission: '{}', ...more },
});

/** A resource manager's store and applications, which outlive its processes. */
class World {
  readonly clock = new ManualClock(startMs);
  readonly kept = new Map<string, string>();
  readonly live = new Set<string>();
  readonly submitted: string[] = [];
  /** Steps after which the process dies: writes and submissions count. */
  stepsLeft = Number.POSITIVE_INFINITY;
  refusal: Error | undefined;
  #ids = 0;
  #processes = 0;

  /** A step that happens, or at which the process has died; afterwards nothing of it happens any more. */
  #step(process: number, happen: () => void): Promise<void> {
    if (process !== this.#processes) return new Promise(() => undefined);
    if (this.stepsLeft === 0) {
      this.#processes++;
      return new Promise(() => undefined);
    }
    this.stepsLeft--;
    happen();
    if (this.stepsLeft > 0) return Promise.resolve();
    // Done, and nobody hears of it.
    this.#processes++;
    return new Promise(() => undefined);
  }

  start(): Schedules {
    const process = ++this.#processes;
    const schedules = new Schedules({
      clock: this.clock,
      logger: silentLogger,
      store: {
        all: () => [...this.kept.values()].map((text) => JSON.parse(text) as KeptSchedule),
        put: (one) => this.#step(process, () => void this.kept.set(one.name, JSON.stringify(one))),
        remove: (one) => this.#step(process, () => void this.kept.delete(one.name)),
      },
    });
    schedules.begin({
      newApplicationId: () => `application_${process}_${++this.#ids}`,
      isLive: (id) => this.live.has(id),
      submit: (_, id) => {
        if (this.refusal) return Promise.reject(this.refusal);
        return this.#step(process, () => {
          if (this.submitted.includes(id)) return;
          this.submitted.push(id);
          this.live.add(id);
        });
      },
    });
    return schedules;
  }

  outcomes(schedules: Schedules): (readonly [string, string | undefined])[] {
    return schedules.find('ada', 'nightly')!.runs.map(({ outcome, applicationId }) => [outcome, applicationId]);
  }
}

describe('schedules', () => {
  it('submit what is due, once each time', async () => {
    const world = new World();
    const schedules = world.start();
    await schedules.put(every({ overlap: 'allow' }));
    world.clock.advance(9 * minuteMs);
    await turns();
    assert.deepEqual(world.submitted, []);
    for (let i = 0; i < 30; i++) {
      world.clock.advance(minuteMs);
      await turns();
    }
    assert.equal(world.submitted.length, 3);
    assert.deepEqual(
      schedules.find('ada', 'nightly')!.runs.map(({ dueMs }) => new Date(dueMs).getUTCMinutes()),
      [10, 20, 30],
    );
    await schedules.close();
  });

  it('come at their times again when a clock that was wrong by years is set right, and not twice when it is set back by an hour', async () => {
    const world = new World();
    const schedules = world.start();
    await schedules.put(every({ cron: '0 * * * *', overlap: 'allow' }));
    const minutes = async (count: number) => {
      for (let i = 0; i < count; i++) {
        world.clock.advance(minuteMs);
        await turns();
      }
    };
    await minutes(60);
    assert.equal(world.submitted.length, 1);
    world.clock.set(-60 * minuteMs);
    await minutes(60);
    assert.equal(world.submitted.length, 1, 'the hour that comes again has had its run');
    await minutes(60);
    assert.equal(world.submitted.length, 2);
    const years = 10 * 365 * 24 * 60 * minuteMs;
    world.clock.set(years);
    await minutes(2);
    assert.equal(world.submitted.length, 3, 'what fell due meanwhile is made up for');
    world.clock.set(-years);
    await minutes(61);
    assert.equal(world.submitted.length, 4);
    assert.ok(schedules.find('ada', 'nightly')!.runs.every(({ decidedMs }) => decidedMs <= world.clock.now()));
    await schedules.close();
  });

  // docs/protocol.md, P19.
  it('neither lose nor double a run, wherever the resource manager dies', async () => {
    for (let steps = 0; steps <= 6; steps++) {
      const world = new World();
      await world.start().put(every());
      await turns();
      world.stepsLeft = steps;
      world.clock.advance(10 * minuteMs);
      await turns();
      world.stepsLeft = Number.POSITIVE_INFINITY;
      const next = world.start();
      await turns();
      world.clock.advance(minuteMs);
      await turns();
      assert.equal(world.submitted.length, 1, `dead after ${steps} steps`);
      assert.deepEqual(world.outcomes(next), [['submitted', world.submitted[0]]], `dead after ${steps} steps`);
      await next.close();
    }
  });

  it('skip, queue or allow where the run before is not over', async () => {
    for (const [overlap, outcomes, started] of [
      ['skip', ['submitted', 'skipped', 'skipped'], 1],
      ['queue', ['submitted', 'waiting', 'skipped'], 1],
      ['allow', ['submitted', 'submitted', 'submitted'], 3],
    ] as const) {
      const world = new World();
      const schedules = world.start();
      await schedules.put(every({ overlap }));
      for (let i = 0; i < 30; i++) {
        world.clock.advance(minuteMs);
        await turns();
      }
      assert.deepEqual([world.outcomes(schedules).map(([outcome]) => outcome), world.submitted.length], [outcomes, started], overlap);
      const [first = ''] = world.submitted;
      world.live.delete(first);
      schedules.ended(first);
      await turns();
      assert.equal(world.submitted.length, overlap === 'queue' ? 2 : started, overlap);
      await schedules.close();
    }
  });

  it('know that a run lives however many were skipped since', async () => {
    const world = new World();
    const schedules = world.start();
    await schedules.put(every({ cron: '* * * * *' }));
    for (let i = 0; i < 60; i++) {
      world.clock.advance(minuteMs);
      await turns();
    }
    assert.equal(world.submitted.length, 1);
    assert.equal(schedules.find('ada', 'nightly')!.runs.length, 21);
    await schedules.close();
  });

  it('make up for what was missed by one run, or by none', async () => {
    for (const [missed, awayMs, expected] of [
      ['one', 65 * minuteMs, 'submitted'],
      ['none', 65 * minuteMs, 'missed'],
      ['none', 10 * minuteMs, 'submitted'],
    ] as const) {
      const world = new World();
      await world.start().put(every({ missed }));
      const stopped = world.stepsLeft;
      world.stepsLeft = 0;
      world.clock.advance(awayMs);
      await turns();
      world.stepsLeft = stopped;
      const schedules = world.start();
      await turns();
      assert.deepEqual(
        world.outcomes(schedules).map(([outcome]) => outcome),
        [expected],
        `${missed} ${awayMs}`,
      );
      assert.ok(schedules.find('ada', 'nightly')!.nextMs! > world.clock.now());
      await schedules.close();
    }
  });

  it('tell what was refused, and try again what the server lacked', async () => {
    const world = new World();
    const schedules = world.start();
    await schedules.put(every());
    await turns();
    world.refusal = failure('BAD_REQUEST', { reason: 'no such queue' });
    world.clock.advance(10 * minuteMs);
    await turns();
    assert.match(schedules.find('ada', 'nightly')!.runs[0]!.reason ?? '', /no such queue/);
    await assert.rejects(schedules.run('ada', 'nightly'), /no such queue/);
    world.refusal = failure('UNAVAILABLE', { what: 'The store' });
    world.clock.advance(10 * minuteMs);
    await turns();
    world.refusal = undefined;
    assert.deepEqual(world.submitted, []);
    world.clock.advance(minuteMs);
    await turns();
    assert.equal(world.submitted.length, 1);
    await schedules.close();
  });

  it('have their name from the moment on that they are made: who makes it again at once finds it', async () => {
    const world = new World();
    const schedules = world.start();
    const made = schedules.put(every());
    assert.equal(schedules.find('ada', 'nightly')?.cron, every().cron);
    const again = schedules.put(every({ cron: '0 * * * *' }));
    assert.deepEqual([(await made).cron, (await again).cron], [every().cron, '0 * * * *']);
    assert.deepEqual(
      schedules.list().map(({ cron }) => cron),
      ['0 * * * *'],
    );
    assert.equal((JSON.parse(world.kept.get('nightly')!) as KeptSchedule).cron, '0 * * * *');
    await schedules.close();
  });

  it('whose first write fails are not there', async () => {
    let isFull = true;
    const kept: KeptSchedule[] = [];
    const schedules = new Schedules({
      clock: new ManualClock(startMs),
      logger: silentLogger,
      store: {
        all: () => [],
        put: async (one) => {
          if (isFull) throw new Error('no room');
          kept.push(one);
        },
        remove: async () => undefined,
      },
    });
    const made = schedules.put(every());
    // Made again at once, with other times: it comes after the first, whatever became of that.
    const again = schedules.put(every({ cron: '0 * * * *' }));
    await assert.rejects(made, /no room/);
    await assert.rejects(again, /no room/);
    assert.deepEqual(schedules.list(), []);
    isFull = false;
    await schedules.put(every());
    assert.deepEqual([schedules.list().length, kept.length], [1, 1]);
    await schedules.close();
  });

  it('are paused, resumed, run at once, replaced and removed', async () => {
    const world = new World();
    const schedules = world.start();
    await schedules.put(every());
    await schedules.pause('ada', 'nightly', true);
    world.clock.advance(30 * minuteMs);
    await turns();
    assert.deepEqual([world.submitted, schedules.upcoming(schedules.find('ada', 'nightly')!, 3)], [[], []]);
    await schedules.pause('ada', 'nightly', false);
    await turns();
    assert.deepEqual(world.submitted, [], 'what was due meanwhile is not made up for');
    const id = await schedules.run('ada', 'nightly');
    assert.deepEqual(world.submitted, [id]);
    assert.equal(await schedules.run('eve', 'nightly'), undefined);
    world.live.clear();
    await schedules.put(every({ cron: '0 * * * *' }));
    assert.equal(schedules.find('ada', 'nightly')!.runs.length, 1);
    world.clock.advance(15 * minuteMs);
    await turns();
    assert.equal(world.submitted.length, 1);
    await schedules.remove('ada', 'nightly');
    world.clock.advance(60 * minuteMs);
    await turns();
    assert.deepEqual([world.submitted.length, schedules.list(), world.kept.size], [1, [], 0]);
    await schedules.close();
  });
});

describe('occurrences', () => {
  const at = (text: string) => Date.parse(text);
  const following = (cron: string, zone: string, from: string, most: number) =>
    new Occurrences(cron, zone).following(at(from), most).map((ms) => new Date(ms).toISOString().slice(0, 16));

  it('are those of the time zone; a gap puts off, and what happens twice counts once', () => {
    assert.deepEqual(following('30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00Z', 3), [
      '2026-03-28T01:30',
      '2026-03-29T01:30',
      '2026-03-30T00:30',
    ]);
    assert.deepEqual(following('30 2 * * *', 'Europe/Berlin', '2026-10-24T00:00Z', 3), [
      '2026-10-24T00:30',
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ]);
    assert.deepEqual(following('@daily', 'UTC', '2026-01-31T10:00Z', 1), ['2026-02-01T00:00']);
    assert.deepEqual(following('0 9 * * 1-5', 'UTC', '2026-05-01T10:00Z', 1), ['2026-05-04T09:00']);
  });

  it('of what cannot be are refused', () => {
    for (const [cron, zone] of [
      ['* * * *', 'UTC'],
      ['61 * * * *', 'UTC'],
      ['x', 'UTC'],
      ['* * * * * *', 'UTC'],
      ['* * * * *', 'Mars/Base'],
    ] as const)
      assert.throws(() => new Occurrences(cron, zone), CronMalformed, cron);
    for (const [cron, why] of [
      ['* * *', 'it has 3 fields, not 5 (minute, hour, day of the month, month, day of the week)'],
      ['* * * * * *', 'it has 6 fields, not 5 (minute, hour, day of the month, month, day of the week)'],
      ['2026-01-01T00:00:00', 'it has 1 field, not 5 (minute, hour, day of the month, month, day of the week)'],
      [' ', 'it has 0 fields, not 5 (minute, hour, day of the month, month, day of the week)'],
      ['@noon', 'of its kind there are @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually'],
      ['60 * * * *', "'60' is no minute (0 to 59; lists such as 1,2, ranges such as 1-5, steps such as */2)"],
      ['0 1,,2 * * *', "'1,,2' is no hour (0 to 23; lists such as 1,2, ranges such as 1-5, steps such as */2)"],
      ['0 0 0 * *', "'0' is no day of the month (1 to 31; lists such as 1,2, ranges such as 1-5, steps such as */2)"],
      ['0 0 * FOO *', "'FOO' is no month (1 to 12, or JAN to DEC; lists such as 1,2, ranges such as 1-5, steps such as */2)"],
      ['0 0 * * 5-1', "'5-1' is no day of the week (0 to 7, or SUN to SAT; lists such as 1,2, ranges such as 1-5, steps such as */2)"],
      ['*/0 * * * *', "'*/0' is no minute (0 to 59; lists such as 1,2, ranges such as 1-5, steps such as */2)"],
    ] as const)
      assert.equal(expressionFault(cron), `'${cron}' is no cron expression: ${why}`);
    for (const right of ['0 0 * * *', ' 5  4 1,15 jan-MAR mon ', '@Daily', '0 0 L * 5L', '*/7 0-23/2 1W * 1#2'])
      assert.equal(expressionFault(right), undefined, right);
    for (const never of ['0 0 30 2 *', '0 0 31 2,4,6,9,11 *'])
      assert.equal(new Occurrences(never, 'Europe/Berlin').after(startMs), undefined);
  });
});
