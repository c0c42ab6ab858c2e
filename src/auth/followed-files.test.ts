import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { pino } from 'pino';
import { ManualClock } from '../lib/clock.ts';
import { followFiles } from './followed-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-followed-'));
after(() => rmSync(folder, { recursive: true }));

describe('followed files', () => {
  it('are read again once one was written, came or went, or may be read by others than before, and no more after that is stopped', () => {
    const clock = new ManualClock();
    const said: string[] = [];
    const logger = pino({ level: 'info' }, { write: (line) => void said.push((JSON.parse(line) as { msg: string }).msg) });
    const [first, second] = [join(folder, 'first'), join(folder, 'second')];
    writeFileSync(first, 'one');
    let times = 0;
    const stop = followFiles(
      [first, second],
      () => {
        times++;
        if (times === 2) throw new Error('half written');
      },
      { intervalMs: 100, clock, logger, says: { again: 'again', failed: 'failed' } },
    );
    /** Two intervals later; what was changed is seen at the first of them, and once. */
    const timesAfter = (change: () => void): number => {
      const before = times;
      change();
      clock.advance(99);
      assert.equal(times, before);
      clock.advance(1);
      const seen = times;
      clock.advance(100);
      assert.equal(times, seen);
      return times;
    };
    assert.equal(
      timesAfter(() => undefined),
      0,
    );
    assert.equal(
      timesAfter(() => writeFileSync(first, 'two, longer')),
      1,
    );
    assert.equal(
      timesAfter(() => writeFileSync(second, 'here')),
      2,
    );
    assert.equal(
      timesAfter(() => rmSync(first)),
      3,
    );
    assert.equal(
      timesAfter(() => chmodSync(second, 0o600)),
      4,
    );
    assert.deepEqual(said, ['again', 'failed', 'again', 'again']);
    stop();
    assert.equal(
      timesAfter(() => writeFileSync(first, 'back')),
      4,
    );
  });
});
