import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from './clock.ts';
import { type RepeatOptions, repeat } from './repeat.ts';

/** A run that ends when the test says so. */
function stepped() {
  const runs: { end(): void; fail(error: Error): void; readonly closing: AbortSignal }[] = [];
  const run = (closing: AbortSignal): Promise<void> =>
    new Promise<void>((end, fail) => {
      runs.push({ end, fail, closing });
    });
  return { runs, run };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function started(options: Partial<RepeatOptions> & Pick<RepeatOptions, 'run'>) {
  const clock = new ManualClock();
  const errors: unknown[] = [];
  const repetition = repeat({ clock, intervalMs: 100, failed: (error) => errors.push(error), ...options });
  return { clock, errors, repetition };
}

describe('a repetition', () => {
  it('runs after each interval; work that is done at once is seen by every step of the clock', async () => {
    let runs = 0;
    const { clock, repetition } = started({ run: () => void runs++ });
    clock.advance(99);
    assert.equal(runs, 0);
    clock.advance(401);
    assert.equal(runs, 5);
    await repetition.close();
    clock.advance(1000);
    assert.equal(runs, 5);
  });

  it('starts within the call where the first run comes at once, or after its own pause', () => {
    let runs = 0;
    started({ firstMs: 0, run: () => void runs++ });
    assert.equal(runs, 1);
    const { clock } = started({ firstMs: 30, run: () => void runs++ });
    clock.advance(30);
    assert.equal(runs, 2);
    clock.advance(99);
    assert.equal(runs, 2);
    clock.advance(1);
    assert.equal(runs, 3);
  });

  it('has one run only where its interval is endless', () => {
    let runs = 0;
    const { clock } = started({ firstMs: 10, intervalMs: Number.POSITIVE_INFINITY, run: () => void runs++ });
    clock.advance(Number.MAX_SAFE_INTEGER);
    assert.equal(runs, 1);
  });

  it('never runs twice at a time; the interval begins at the end of a run', async () => {
    const { runs, run } = stepped();
    const { clock } = started({ run });
    clock.advance(1000);
    assert.equal(runs.length, 1);
    runs[0]!.end();
    await settled();
    clock.advance(99);
    assert.equal(runs.length, 1);
    clock.advance(1);
    assert.equal(runs.length, 2);
  });

  it('tells why a run failed and goes on', async () => {
    const { runs, run } = stepped();
    const { clock, errors } = started({ run });
    clock.advance(100);
    runs[0]!.fail(new Error('no'));
    await settled();
    clock.advance(100);
    assert.equal(runs.length, 2);
    assert.deepEqual(errors.map(String), ['Error: no']);

    let thrown = 0;
    const other = started({
      run: () => {
        thrown++;
        throw new Error('never');
      },
    });
    other.clock.advance(300);
    assert.equal(thrown, 3);
    assert.equal(other.errors.length, 3);
  });

  it('is closed when the run in progress has ended, which is told to end and whose failure counts no more', async () => {
    const { runs, run } = stepped();
    const { clock, errors, repetition } = started({ run });
    clock.advance(100);
    assert.equal(runs[0]!.closing.aborted, false);
    let closed = false;
    const closing = repetition.close().then(() => {
      closed = true;
    });
    await settled();
    assert.equal(closed, false);
    assert.equal(runs[0]!.closing.aborted, true);
    runs[0]!.fail(new Error('aborted'));
    await closing;
    clock.advance(1000);
    assert.deepEqual([runs.length, errors.length], [1, 0]);
  });
});
