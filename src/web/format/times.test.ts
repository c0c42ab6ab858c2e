import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { absolute, clockTime, duration, inZone, isoTime, ranSince, readSeconds, relative, timeOfDay } from './times.ts';

describe('times', () => {
  it('of spans have two units at most', () => {
    assert.deepEqual([-5, 400, 12_300, 60_000, 200_000, 18_120_000, 273_600_000].map(duration), [
      '0 s',
      '0.4 s',
      '12 s',
      '1 min',
      '3 min 20 s',
      '5 h 2 min',
      '3 d 4 h',
    ]);
  });

  it('are told from now on, in both directions', () => {
    const now = 1_000_000_000;
    assert.equal(relative(now, now), 'just now');
    assert.equal(relative(now - 30_000, now), '30 s ago');
    assert.equal(relative(now - 7_200_000, now), '2 h ago');
    assert.equal(relative(now - 3 * 86_400_000, now), '3 d ago');
    assert.equal(relative(now + 300_000, now), 'in 5 min');
  });

  it('of containers that ended begin when they were given where their start is not known', () => {
    assert.equal(ranSince({ createdTime: 5, startedTime: 7, finishedTime: 9 }), 7);
    assert.equal(ranSince({ createdTime: 5, startedTime: 0, finishedTime: 9 }), 5);
    assert.equal(ranSince({ createdTime: 5, startedTime: 0, finishedTime: 0 }), 0);
  });

  it('are whole in titles, with their zone', () => {
    const at = new Date(2026, 10, 23, 2, 45, 7).getTime();
    assert.match(absolute(at), /^2026-11-23 02:45:07 \S+/);
    assert.equal(timeOfDay(at), '02:45:07');
    assert.equal(clockTime(at + 42 - (at % 1000)), '02:45:07.042');
  });

  it('that are no dates, as programs may publish them, stay numbers', () => {
    assert.equal(absolute(2 ** 63), String(2 ** 63));
    assert.deepEqual([2 ** 63, -(2 ** 63), 1_795_344_558_872].map(isoTime), [undefined, undefined, '2026-11-22T10:49:18.872Z']);
  });

  it('are read as people write them', () => {
    assert.deepEqual(['90', '90 s', '5 min', '2h', ' 1 d '].map(readSeconds), [90, 90, 300, 7200, 86_400]);
    assert.deepEqual(['', 'x', '1.5 h', '-3', '5 minutes', '1'.repeat(10)].map(readSeconds), Array(6).fill(undefined));
  });
});

describe('a moment by the clock of a zone', () => {
  it('has its day, and the zone as it is then', () => {
    const ms = Date.UTC(2026, 6, 1, 10, 30);
    assert.equal(inZone(ms, 'Europe/Berlin'), 'Wed, Jul 1, 2026, 12:30 GMT+2');
    assert.equal(inZone(ms, 'UTC'), 'Wed, Jul 1, 2026, 10:30 UTC');
    assert.equal(inZone(ms, 'Mars/Base'), absolute(ms));
  });
});
