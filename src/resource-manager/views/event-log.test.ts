// The ring against a plain array: whatever is added whenever, a reader at any place gets what is kept and hears of what is not.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { seededRandom } from '../../lib/random.ts';
import { EventLog } from './event-log.ts';

describe('the log of events', () => {
  it('gives every reader what is kept after its place, and says where something is forgotten', () => {
    const seed = Number(process.env['SEED'] ?? 20_261_123);
    const random = seededRandom(seed);
    const under = (bound: number) => random.int(bound);
    const maximumAgeMs = 100;
    const subjectOf = (event: number) => (event % 3 === 0 ? undefined : `subject ${event % 7}`);
    for (let world = 0; world < 200; world++) {
      const clock = new ManualClock(1000);
      const maximumEvents = 1 + under(200);
      const log = new EventLog<number>({ clock, maximumEvents, maximumAgeMs, subjectOf });
      const all: { number: number; timeMs: number }[] = [];
      for (let step = 0; step < 60; step++) {
        for (let added = under(12); added > 0; added--) {
          log.add(all.length + 1);
          all.push({ number: all.length + 1, timeMs: clock.now() });
        }
        clock.advance(under(10));
        const kept = all.slice(-maximumEvents).filter(({ timeMs }) => timeMs >= clock.now() - maximumAgeMs);
        const after = under(all.length + 1);
        const most = 1 + under(50);
        const expected = kept.filter(({ number }) => number > after).slice(0, most);
        const { events, upTo, missed } = log.read(after, most);
        const told = `seed ${seed}, world ${world}, step ${step}`;
        assert.deepEqual(
          events.map(({ number, timeMs }) => ({ number, timeMs })),
          expected,
          told,
        );
        assert.deepEqual(
          events.map(({ event }) => event),
          expected.map(({ number }) => number),
          told,
        );
        assert.equal(upTo, expected.at(-1)?.number ?? Math.max(after, all.length - kept.length), told);
        assert.equal(missed, after < all.length - kept.length, told);
        assert.equal(log.oldest, all.length - kept.length, told);
        assert.equal(log.last, all.length, told);
        const subject = `subject ${under(8)}`;
        assert.deepEqual(
          log.of(subject).map(({ event }) => event),
          kept.flatMap(({ number }) => (subjectOf(number) === subject ? [number] : [])).reverse(),
          told,
        );
      }
    }
  });

  it('wakes those who wait for more, once for what comes together, those whose time is over, and those who leave', async () => {
    const clock = new ManualClock(0);
    const log = new EventLog<string>({ clock, maximumEvents: 10, maximumAgeMs: 1000, subjectOf: () => undefined });
    const left = new AbortController();
    let woken = 0;
    const waiting = log.beyond(0, 1000, new AbortController().signal).then(() => woken++);
    log.add('a');
    log.add('b');
    assert.equal(woken, 0, 'not within the change');
    await waiting;
    assert.equal(log.read(0, 10).events.length, 2);
    const patient = log.beyond(2, 500, left.signal);
    clock.advance(500);
    await patient;
    const leaving = log.beyond(2, 1000, left.signal);
    left.abort();
    await leaving;
    await log.beyond(0, 1000, new AbortController().signal);
    await log.beyond(9, 1000, left.signal);
  });
});
