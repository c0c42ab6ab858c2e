import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clockOffset } from './clock-offset.ts';

const hourMs = 3_600_000;
const at = Date.UTC(2026, 10, 30, 1, 2, 3);

describe('the clock of a browser beside that of the server', () => {
  it('is right where the answer came in between, slow as it was', () => {
    for (const [askedMs, answeredMs, dateMs] of [
      [at, at + 20, at],
      [at + 900, at + 920, at],
      [at, at + 30_000, at + 2000],
      [at, at + 30_000, at + 29_000],
      [at, at + 20, at + 2000],
      [at, at + 20, at - 3000],
    ] as const)
      assert.equal(clockOffset(0, askedMs, answeredMs, dateMs), 0, `${answeredMs - askedMs} ${dateMs - askedMs}`);
  });

  it('is off by what the answer tells', () => {
    assert.equal(clockOffset(0, at, at + 20, at + hourMs), hourMs + 490);
    assert.equal(clockOffset(0, at, at + 20, at - hourMs), -hourMs + 490);
  });

  it('keeps what was found while answers agree with it, and forgets it when the clock is set right', () => {
    assert.equal(clockOffset(hourMs, at, at + 20, at + hourMs - 2000), hourMs);
    assert.equal(clockOffset(hourMs, at, at + 20, at), 0);
    assert.equal(clockOffset(hourMs, at, at + 20, at + 2 * hourMs), 2 * hourMs + 490);
    assert.equal(clockOffset(hourMs, at, at + 20, Number.NaN), hourMs);
  });
});
