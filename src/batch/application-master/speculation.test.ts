// Which task gets a second attempt, and when: the arithmetic of DefaultSpeculator with LegacyTaskRuntimeEstimator.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { aJob, type JobFixtureOptions, map, mapTask, reduce, reduceTask, statusReport } from '../test-support/a-job.ts';
import { Speculator } from './speculation.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_122) });

/** A job of maps with its speculator: the first `complete` maps took `meanMs` each and are done, all others run since then. */
function running(options: JobFixtureOptions & { readonly complete?: number; readonly meanMs?: number } = {}) {
  const { complete = 1, meanMs = 1000, ...rest } = options;
  const fixture = aJob({ maps: 3, reduces: 0, ...rest });
  const { job, clock, launch } = fixture;
  const maps = job.ofKind('MAP').length;
  const containers = Array.from({ length: maps }, (_, index) => launch(map(index)));
  clock.advance(meanMs);
  for (let index = 0; index < complete; index++) {
    assert.ok(job.attempts.done(statusReport(map(index))));
    job.attempts.containerCompleted(containers[index]!, 0, '');
  }
  const speculator = new Speculator(job, clock);
  const report = (index: number, progress: number) => job.attempts.status(statusReport(map(index), progress));
  const attempts = () => job.ofKind('MAP').map((task) => task.attempts.length);
  return { ...fixture, speculator, report, attempts, containers };
}

describe('the choice of a task', () => {
  test('the task that is expected to end latest gets a second attempt, one at a scan', () => {
    const { speculator, report, attempts, clock, job } = running({ maps: 4 });
    report(1, 0.9);
    report(2, 0.1);
    report(3, 0.2);
    clock.advance(1000);
    speculator.scan();
    assert.deepEqual(attempts(), [1, 1, 2, 1]);
    assert.equal(job.attempt(map(2, 1))!.avataar, 'SPECULATIVE');
    assert.equal(job.attempt(map(2, 1))!.state, 'STARTING');
  });

  test('a task that will end before a fresh attempt would is left alone', () => {
    const { speculator, report, attempts, clock } = running({ maps: 2 });
    // After 2 s at 70 % it needs 0.86 s more; a fresh attempt would need 1 s.
    report(1, 0.7);
    clock.advance(1000);
    speculator.scan();
    assert.deepEqual(attempts(), [1, 1]);
  });

  test('the border lies where both would end at the same time', () => {
    // A task started at 0, now 2000, mean 1000: a fresh attempt ends at 3000, this one at 2000 / progress.
    for (const [progress, expected] of [
      [0.67, 1],
      [0.66, 2],
    ] as const) {
      const { speculator, report, attempts, clock } = running({ maps: 2 });
      clock.advance(1000);
      report(1, progress);
      speculator.scan();
      assert.equal(attempts()[1], expected, `progress ${progress}`);
    }
  });

  test('a task that has not run longer than the others needed is not slow yet', () => {
    const { job, clock, launch, speculator } = running({ maps: 2, complete: 1, meanMs: 10_000 });
    job.killAttempt(map(1), 'away with it');
    job.attempts.containerCompleted('container_2', -105, '');
    launch(map(1, 1));
    clock.advance(9999);
    speculator.scan();
    assert.equal(job.task(mapTask(1))!.attempts.length, 2, 'the killed one and its successor');
    clock.advance(1001);
    speculator.scan();
    assert.equal(job.task(mapTask(1))!.attempts.length, 3);
  });

  test('what a task told counts as of then: it has gone on since, until it has been silent for nine seconds', () => {
    for (const [silentMs, expected] of [
      [2999, 1],
      [9000, 2],
    ] as const) {
      const { speculator, report, attempts, clock } = running({ maps: 2 });
      clock.advance(4000);
      // After 5 s at 60 % it ends 8.33 s after its start, and a fresh attempt hardly earlier.
      report(1, 0.6);
      clock.advance(silentMs);
      speculator.scan();
      assert.equal(attempts()[1], expected, `silent for ${silentMs} ms`);
    }
  });

  test('a task that reports no progress counts as one that hardly began', () => {
    const { speculator, report, attempts, clock } = running({ maps: 2 });
    report(1, 0);
    clock.advance(500);
    speculator.scan();
    assert.deepEqual(attempts(), [1, 2]);
  });

  test('it is the one with the largest gain, for all progresses', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 99 }), { minLength: 1, maxLength: 6 }), (percents) => {
        const { speculator, report, attempts, clock } = running({ maps: percents.length + 1 });
        clock.advance(1000);
        for (const [i, percent] of percents.entries()) report(i + 1, percent / 100);
        speculator.scan();
        const gains = percents.map((percent) => 2000 / (percent / 100) - (2000 + 1000));
        const best = Math.max(...gains);
        const chosen = best > 0 ? gains.indexOf(best) : -1;
        assert.deepEqual(attempts(), [1, ...gains.map((_, i) => (i === chosen ? 2 : 1))], `progresses ${percents.join(', ')} percent`);
      }),
      { numRuns: 60 },
    );
  });

  test('reduces are looked at by themselves: slow ones get an attempt in the same scan', () => {
    const { job, clock, finish, launch, asked } = aJob({
      maps: 1,
      reduces: 2,
      settings: { 'mapreduce.job.reduce.slowstart.completedmaps': '1' },
    });
    finish(map(0), 100);
    finish(reduce(0), 1000);
    launch(reduce(1));
    clock.advance(3000);
    job.attempts.status(statusReport(reduce(1), 0.1));
    new Speculator(job, clock).scan();
    assert.equal(job.task(reduceTask(1))!.attempts.length, 2);
    assert.equal(asked.at(-1), reduce(1, 1), 'a second attempt does not wait for the start of the reduces');
    assert.equal(job.attempt(reduce(1, 1))!.priority, 10);
  });
});

describe('no task is chosen', () => {
  test('while no task is complete: there is nothing to compare with', () => {
    const { speculator, attempts, clock } = running({ complete: 0 });
    clock.advance(100_000);
    speculator.scan();
    assert.deepEqual(attempts(), [1, 1, 1]);
  });

  test('while less than a twentieth of the tasks is complete', () => {
    const { speculator, job, clock, containers } = running({ maps: 41, complete: 2 });
    clock.advance(100_000);
    speculator.scan();
    assert.ok(job.ofKind('MAP').every((task) => task.attempts.length === 1));
    job.attempts.done(statusReport(map(2)));
    job.attempts.containerCompleted(containers[2]!, 0, '');
    clock.advance(400_000); // longer than the mean that the late one has raised
    speculator.scan();
    assert.equal(job.ofKind('MAP').filter((task) => task.attempts.length === 2).length, 1);
  });

  test('while a task waits for its first container: a free one is better given to it', () => {
    const { job, clock, launch } = aJob({ maps: 3, reduces: 0 });
    const first = launch(map(0));
    launch(map(1));
    clock.advance(100);
    job.attempts.done(statusReport(map(0)));
    job.attempts.containerCompleted(first, 0, '');
    clock.advance(100_000);
    const speculator = new Speculator(job, clock);
    speculator.scan();
    assert.deepEqual(
      job.ofKind('MAP').map((task) => task.attempts.length),
      [1, 1, 1],
    );
    launch(map(2));
    clock.advance(1000);
    speculator.scan();
    assert.equal(job.task(mapTask(1))!.attempts.length, 2);
  });

  test('where the job switches it off for the kind', () => {
    for (const [kind, expected] of [
      ['map', 1],
      ['reduce', 2],
    ] as const) {
      const { speculator, attempts, clock } = running({ maps: 2, settings: { [`mapreduce.${kind}.speculative`]: 'false' } });
      clock.advance(100_000);
      speculator.scan();
      assert.equal(attempts()[1], expected, `switched off for each ${kind}`);
    }
  });

  test('where the job is not running any more', () => {
    const { speculator, job, attempts, clock } = running({ maps: 2 });
    clock.advance(100_000);
    job.killJob('enough');
    speculator.scan();
    assert.deepEqual(attempts(), [1, 1]);
  });

  test('where the task has two attempts already', () => {
    const { speculator, attempts, clock, launch } = running({ maps: 2 });
    clock.advance(5000);
    speculator.scan();
    launch(map(1, 1));
    clock.advance(100_000);
    speculator.scan();
    assert.deepEqual(attempts(), [1, 2]);
  });

  test('where its attempt waits for the permission to commit', () => {
    const { speculator, job, attempts, clock } = running({ maps: 2 });
    job.attempts.commitPending(statusReport(map(1), 0.1));
    clock.advance(100_000);
    speculator.scan();
    assert.deepEqual(attempts(), [1, 1]);
  });
});

describe('how often and how many', () => {
  test('after a scan without result the next follows after a second, after one with a result after fifteen', () => {
    const { speculator, report, attempts, clock } = running({ maps: 4 });
    for (const index of [1, 2, 3]) report(index, 0.9);
    speculator.scan(); // nothing is slow
    report(1, 0.0001);
    report(2, 0.0001);
    clock.advance(999);
    speculator.scan();
    assert.deepEqual(attempts(), [1, 1, 1, 1]);
    clock.advance(1);
    speculator.scan();
    assert.deepEqual(attempts(), [1, 2, 1, 1]);
    clock.advance(14_999);
    speculator.scan();
    assert.deepEqual(attempts(), [1, 2, 1, 1]);
    clock.advance(1);
    speculator.scan();
    assert.deepEqual(attempts(), [1, 2, 2, 1]);
  });

  test('both waits are settings', () => {
    const { speculator, attempts, clock } = running({
      maps: 4,
      settings: {
        'mapreduce.job.speculative.retry-after-no-speculate': '10',
        'mapreduce.job.speculative.retry-after-speculate': '20',
      },
    });
    clock.advance(50_000);
    for (const expected of [2, 3, 4]) {
      speculator.scan();
      assert.equal(
        attempts().reduce((sum, count) => sum + count, 0),
        expected + 3,
      );
      clock.advance(20);
    }
  });

  test('at most the allowed number of tasks has two attempts at a time', () => {
    const settings = {
      'mapreduce.job.speculative.minimum-allowed-tasks': '2',
      'mapreduce.job.speculative.retry-after-speculate': '0',
    };
    const { speculator, job, clock, attempts } = running({ maps: 10, settings });
    clock.advance(10_000);
    for (let scan = 0; scan < 6; scan++) {
      clock.advance(1000);
      speculator.scan();
    }
    assert.equal(attempts().filter((count) => count === 2).length, 2);
    // One of the two ends: there is room for another one.
    const twice = job.ofKind('MAP').find((task) => task.attempts.length === 2)!;
    job.attempts.done(statusReport(twice.attempts[0]!.id));
    clock.advance(100_000);
    speculator.scan();
    assert.equal(attempts().filter((count) => count === 2).length, 3);
  });

  test('the number allowed grows with the running tasks and with all tasks', () => {
    const settings = (running: string, total: string) => ({
      'mapreduce.job.speculative.minimum-allowed-tasks': '0',
      'mapreduce.job.speculative.speculative-cap-running-tasks': running,
      'mapreduce.job.speculative.speculative-cap-total-tasks': total,
      'mapreduce.job.speculative.retry-after-speculate': '0',
    });
    for (const [running_, total, expected] of [
      ['0.3', '0', 3], // of nine running tasks 2.7 are allowed: two are fewer, three are not
      ['0', '0.4', 4],
      ['0', '0', 0],
    ] as const) {
      const { speculator, clock, attempts } = running({ maps: 10, settings: settings(running_, total) });
      clock.advance(10_000);
      for (let scan = 0; scan < 8; scan++) {
        clock.advance(1000);
        speculator.scan();
      }
      assert.equal(attempts().filter((count) => count === 2).length, expected, `shares ${running_} and ${total}`);
    }
  });
});
