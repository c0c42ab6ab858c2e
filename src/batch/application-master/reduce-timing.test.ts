// When reduces may begin, when one has to make room for a map, and when a map's output counts as lost.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Counters } from '../counters/counters.ts';
import { JobConfiguration } from '../tasks/job-configuration.ts';
import { aJob, map, mapTask, reduce, reduceTask, statusReport } from '../test-support/a-job.ts';
import { Attempt } from './attempt.ts';
import { tooManyFetchFailures } from './fetch-failures.ts';
import { jobRules } from './job-rules.ts';
import type { TaskKind } from './job-view.ts';
import { ReduceAdmission } from './reduce-admission.ts';
import { preemptedForMaps, reduceToPreempt } from './reduce-preemption.ts';
import { Task } from './task.ts';
import { TaskSet } from './task-set.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_122) });

const rulesOf = (settings: Record<string, string> = {}) => jobRules(new JobConfiguration(settings));
const container = { containerId: 'container_1', nodeId: 'a:1', nodeHttpAddress: 'a:2', rack: '/default-rack' };

/** Tasks that are scheduled: maps, then reduces. */
function tasksOf(maps: number, reduces: number): TaskSet {
  const set = new TaskSet();
  const add = (kind: TaskKind, index: number) => {
    const task = new Task({
      id: kind === 'MAP' ? mapTask(index) : reduceTask(index),
      kind,
      index,
      split: undefined,
      generation: 1,
      noCounters: new Counters(),
    });
    task.move('T_SCHEDULE');
    set.add(task);
  };
  for (let index = 0; index < maps; index++) add('MAP', index);
  for (let index = 0; index < reduces; index++) add('REDUCE', index);
  return set;
}

/** One more attempt of the task that asks for a container. */
function attemptOf(task: Task, askedMs = 0): Attempt {
  const attempt = task.addAttempt(20, 'VIRGIN');
  attempt.move('TA_SCHEDULE');
  attempt.askedMs = askedMs;
  return attempt;
}

function place(attempt: Attempt, assignedMs = 0): void {
  attempt.move('TA_ASSIGNED');
  attempt.container = container;
  attempt.assignedMs = assignedMs;
}

/** Runs the task to its success. */
function complete(task: Task): void {
  const attempt = attemptOf(task);
  place(attempt);
  attempt.move('TA_CONTAINER_LAUNCHED');
  task.move('T_ATTEMPT_LAUNCHED');
  attempt.move('TA_DONE');
  task.move('T_ATTEMPT_SUCCEEDED');
}

describe('reduces that wait for their turn', () => {
  const muchFree = { memoryMiB: 1_000_000, vcores: 1000 };
  const admitted = (set: TaskSet, admission: ReduceAdmission, headroom = muchFree) =>
    admission.admit(set, headroom).map((attempt) => set.of(attempt).index);
  function waiting(maps: number, reduces: number, settings: Record<string, string>) {
    const set = tasksOf(maps, reduces);
    const admission = new ReduceAdmission(rulesOf({ 'mapreduce.job.reduces': String(reduces), ...settings }));
    for (const task of set.ofKind('REDUCE')) admission.wait(attemptOf(task));
    return { set, admission };
  }

  test('none is asked for before the share of the slow start is complete', () => {
    const { set, admission } = waiting(10, 2, { 'mapreduce.job.reduce.slowstart.completedmaps': '0.3' });
    for (const index of [0, 1]) complete(set.ofKind('MAP')[index]!);
    assert.deepEqual(admitted(set, admission), []);
    complete(set.ofKind('MAP')[2]!);
    for (const task of set.ofKind('MAP').slice(3)) place(attemptOf(task));
    assert.deepEqual(admitted(set, admission), [0, 1]);
    assert.deepEqual(admitted(set, admission), [], 'each is asked for once');
  });

  test('the share is rounded up: one map of ten is needed for five percent', () => {
    const { set, admission } = waiting(10, 1, { 'mapreduce.job.reduce.slowstart.completedmaps': '0.05' });
    for (const task of set.ofKind('MAP')) place(attemptOf(task));
    assert.deepEqual(admitted(set, admission), []);
    complete(set.ofKind('MAP')[0]!);
    assert.deepEqual(admitted(set, admission), [0]);
  });

  test('while maps wait for containers reduces come in step with the completed maps, up to the ramp', () => {
    const { set, admission } = waiting(10, 10, { 'mapreduce.job.reduce.slowstart.completedmaps': '0' });
    assert.deepEqual(admitted(set, admission), []);
    for (const index of [0, 1, 2]) complete(set.ofKind('MAP')[index]!);
    assert.deepEqual(admitted(set, admission), [0, 1, 2], 'three of ten maps are complete');
    for (const index of [3, 4, 5, 6]) complete(set.ofKind('MAP')[index]!);
    assert.deepEqual(admitted(set, admission), [3, 4], 'never more than half of them');
    for (const index of [7, 8, 9]) place(attemptOf(set.ofKind('MAP')[index]!));
    assert.deepEqual(admitted(set, admission), [5, 6, 7, 8, 9], 'all when no map waits');
  });

  test('while maps wait for containers reduces leave them their share of what the job can have', () => {
    const settings = {
      'mapreduce.job.reduce.slowstart.completedmaps': '0',
      'mapreduce.map.memory.mb': '1024',
      'mapreduce.reduce.memory.mb': '1024',
    };
    const { set, admission } = waiting(10, 6, settings);
    for (const index of [0, 1, 2, 3, 4, 5]) complete(set.ofKind('MAP')[index]!);
    for (const index of [6, 7, 8]) place(attemptOf(set.ofKind('MAP')[index]!));
    // Three maps hold containers and one waits: of four in all two are for reduces at half of the maps, however many reduces there are.
    assert.deepEqual(admitted(set, admission, { memoryMiB: 1024, vcores: 10 }), [0, 1]);
    place(set.ofKind('REDUCE')[0]!.attempts[0]!);
    assert.deepEqual(admitted(set, admission, { memoryMiB: 0, vcores: 10 }), []);
    // One that made room for the waiting map waits for its turn again, and does not take the same room once more.
    set.ofKind('REDUCE')[0]!.attempts[0]!.move('TA_KILL');
    set.ofKind('REDUCE')[0]!.attempts[0]!.move('TA_CONTAINER_COMPLETED');
    set.ofKind('REDUCE')[1]!.attempts[0]!.move('TA_KILL');
    admission.wait(attemptOf(set.ofKind('REDUCE')[0]!));
    admission.wait(attemptOf(set.ofKind('REDUCE')[1]!));
    assert.deepEqual(admitted(set, admission, { memoryMiB: 0, vcores: 0 }), [2]);
    place(attemptOf(set.ofKind('MAP')[9]!));
    assert.deepEqual(admitted(set, admission, { memoryMiB: 0, vcores: 0 }), [3, 4, 5, 0, 1], 'all when no map waits');
  });

  test('what maps do not need of their share is there for reduces', () => {
    const settings = { 'mapreduce.job.reduce.slowstart.completedmaps': '0', 'yarn.app.mapreduce.am.job.reduce.rampup.limit': '0.5' };
    const { set, admission } = waiting(10, 12, settings);
    for (const task of set.ofKind('MAP').slice(0, 9)) complete(task);
    assert.deepEqual(admitted(set, admission, { memoryMiB: 5 * 1024, vcores: 5 }), [0, 1, 2, 3]);
  });

  test('a job without maps asks for its reduces at once', () => {
    const { set, admission } = waiting(0, 3, {});
    assert.deepEqual(admitted(set, admission), [0, 1, 2]);
  });

  test('a killed job forgets them', () => {
    const { set, admission } = waiting(0, 3, {});
    admission.clear();
    assert.deepEqual(admitted(set, admission), []);
  });

  test('one that is killed while it waits is forgotten, and its place is free', () => {
    const { set, admission } = waiting(2, 2, { 'mapreduce.job.reduce.slowstart.completedmaps': '0.5' });
    const [first] = set.ofKind('REDUCE');
    first!.attempts[0]!.move('TA_KILL');
    admission.wait(attemptOf(first!));
    complete(set.ofKind('MAP')[0]!);
    assert.deepEqual(
      admission.admit(set, muchFree).map(({ id }) => id),
      [reduce(1)],
      'half of the reduces while a map waits',
    );
    place(attemptOf(set.ofKind('MAP')[1]!));
    assert.deepEqual(
      admission.admit(set, muchFree).map(({ id }) => id),
      [reduce(0, 1)],
    );
  });

  test('an attempt that waits is asked for, also where another one of its task was made meanwhile', () => {
    const { job, asked, launch } = aJob({ maps: 1, reduces: 1, settings: { 'mapreduce.job.reduce.slowstart.completedmaps': '0' } });
    launch(map(0));
    const first = launch(reduce(0));
    job.attempts.containerCompleted('container_1', 1, ''); // the map waits again: reduces have to wait, too
    job.attempts.containerCompleted(first, 1, '');
    assert.equal(asked.includes(reduce(0, 1)), false);
    job.attempts.speculate(job.task(reduceTask(0))!);
    launch(reduce(0, 2));
    launch(map(0, 1));
    assert.equal(asked.at(-1), reduce(0, 1));
  });

  test('every reduce is admitted exactly once, and never too many, however the maps go', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 8 }),
        fc.array(fc.tuple(fc.nat(7), fc.boolean()), { maxLength: 30 }),
        (maps, reduces, steps) => {
          const { set, admission } = waiting(maps, reduces, { 'mapreduce.job.reduce.slowstart.completedmaps': '0.25' });
          const seen: number[] = [];
          const look = () => {
            seen.push(...admitted(set, admission));
            const ended = set.ofKind('MAP').filter((task) => task.ended).length;
            const mapsWait = set.ofKind('MAP').some((task) => task.attempts.length === 0);
            if (ended < Math.ceil(0.25 * maps)) assert.equal(seen.length, 0);
            if (mapsWait) assert.ok(seen.length <= Math.floor(Math.min(ended / maps, 0.5) * reduces));
          };
          for (const [index, end] of steps) {
            const task = set.ofKind('MAP')[index % maps]!;
            if (task.attempts.length > 0) continue;
            if (end) complete(task);
            else place(attemptOf(task));
            look();
          }
          for (const task of set.ofKind('MAP')) if (task.attempts.length === 0) complete(task);
          for (const task of set.ofKind('MAP'))
            if (!task.ended) {
              task.attempts[0]!.move('TA_CONTAINER_LAUNCHED');
              task.move('T_ATTEMPT_LAUNCHED');
              task.attempts[0]!.move('TA_DONE');
              task.move('T_ATTEMPT_SUCCEEDED');
            }
          seen.push(...admitted(set, admission));
          assert.deepEqual(
            seen,
            Array.from({ length: reduces }, (_, index) => index),
          );
        },
      ),
      { numRuns: 100 },
    );
  });

  test('a reduce that is tried again waits for its turn, too', () => {
    const { job, asked, finish, launch } = aJob({ maps: 2, reduces: 1, settings: { 'mapreduce.job.reduce.slowstart.completedmaps': '1' } });
    finish(map(0));
    finish(map(1));
    const first = launch(reduce(0));
    job.killAttempt(reduce(0), 'again');
    job.attempts.containerCompleted(first, -105, '');
    assert.equal(asked.at(-1), reduce(0, 1), 'its turn is now: all maps are complete');
  });
});

describe('a reduce that makes room for a map', () => {
  const rules = rulesOf({ 'mapreduce.job.reduces': '3', 'mapreduce.map.memory.mb': '2048' });
  const nothingFree = { memoryMiB: 2047, vcores: 8 };

  /** One map waits since time 0; three reduces copy, given their containers at the times 1, 3 and 2. */
  function starving(maps = 1) {
    const set = tasksOf(maps, 3);
    const waiting = attemptOf(set.ofKind('MAP')[0]!, 0);
    const reduces = set.ofKind('REDUCE').map((task, i) => {
      const attempt = attemptOf(task);
      place(attempt, [1, 3, 2][i]);
      return attempt;
    });
    return { set, waiting, reduces };
  }

  test('is the one that got its container last', () => {
    const { set, reduces } = starving();
    assert.equal(reduceToPreempt(set, rules, nothingFree, 3001), reduces[1]);
  });

  test('does not go while the map has waited no longer than three seconds', () => {
    const { set } = starving();
    assert.equal(reduceToPreempt(set, rules, nothingFree, 3000), undefined);
  });

  test('does not go while there is room for the map', () => {
    const { set } = starving();
    assert.equal(reduceToPreempt(set, rules, { memoryMiB: 2048, vcores: 1 }, 100_000), undefined);
  });

  test('goes as well where cores are what is missing', () => {
    const { set, reduces } = starving();
    assert.equal(reduceToPreempt(set, rules, { memoryMiB: 100_000, vcores: 0 }, 3001), reduces[1]);
  });

  test('goes in the end although there is room, for no node may have it in one piece; never where the setting says so', () => {
    const { set, reduces } = starving();
    const room = { memoryMiB: 100_000, vcores: 8 };
    assert.equal(reduceToPreempt(set, rules, room, 300_000), undefined);
    assert.equal(reduceToPreempt(set, rules, room, 300_001), reduces[1]);
    const patient = rulesOf({ 'mapreduce.job.reduces': '3', 'mapreduce.job.reducer.unconditional-preempt.delay.sec': '-1' });
    assert.equal(reduceToPreempt(set, patient, room, 10_000_000), undefined);
  });

  test('does not go for a map that the job itself holds back', () => {
    const { set, waiting } = starving();
    waiting.askedMs = undefined;
    assert.equal(reduceToPreempt(set, rules, nothingFree, 100_000), undefined);
  });

  test('does not go while another map runs: the one that waits comes after it', () => {
    const { set, reduces } = starving(2);
    const running = attemptOf(set.ofKind('MAP')[1]!);
    place(running);
    assert.equal(reduceToPreempt(set, rules, nothingFree, 100_000), undefined);
    running.move('TA_KILL');
    assert.equal(reduceToPreempt(set, rules, nothingFree, 100_000), undefined, 'its container is not free yet');
    running.move('TA_CONTAINER_COMPLETED');
    assert.equal(reduceToPreempt(set, rules, nothingFree, 100_000), reduces[1]);
  });

  test('does not go where no map waits', () => {
    const { set, waiting } = starving();
    place(waiting);
    assert.equal(reduceToPreempt(set, rules, nothingFree, 100_000), undefined);
  });

  test('is one that still copies: what reduces already is spared', () => {
    const { set, reduces } = starving();
    reduces[1]!.shuffleFinishTimeMs = 50;
    assert.equal(reduceToPreempt(set, rules, nothingFree, 100_000), reduces[2]);
    reduces[2]!.move('TA_CONTAINER_LAUNCHED');
    assert.equal(reduceToPreempt(set, rules, nothingFree, 100_000), reduces[2], 'it runs, but it copies');
    for (const attempt of reduces) attempt.shuffleFinishTimeMs = 50;
    assert.equal(reduceToPreempt(set, rules, nothingFree, 100_000), undefined);
  });

  test('goes alone: while one is on its way out no other follows', () => {
    const { set, reduces } = starving();
    reduces[1]!.move('TA_KILL');
    assert.equal(reduces[1]!.internalState, 'KILL_CONTAINER_CLEANUP');
    assert.equal(reduceToPreempt(set, rules, nothingFree, 100_000), undefined);
    reduces[1]!.move('TA_CONTAINER_COMPLETED');
    assert.equal(reduceToPreempt(set, rules, nothingFree, 100_000), reduces[2]);
  });

  test('does not exist in a job of maps alone', () => {
    assert.equal(
      reduceToPreempt(tasksOf(1, 0), rulesOf({ 'mapreduce.job.reduces': '0' }), { memoryMiB: 0, vcores: 0 }, 100_000),
      undefined,
    );
  });

  test('is told why in the words of Hadoop', () => {
    assert.equal(preemptedForMaps, 'Reducer preempted to make room for pending map attempts');
  });
});

describe('output of a map that cannot be fetched', () => {
  const attemptId = map(0);
  const theMap = () => new Attempt({ id: attemptId, kind: 'MAP', avataar: 'VIRGIN', priority: 20, noCounters: new Counters() });

  /** `count` reduces that copy. */
  function copying(count: number): TaskSet {
    const set = tasksOf(0, count);
    for (const task of set.ofKind('REDUCE')) {
      const attempt = attemptOf(task);
      place(attempt);
      attempt.move('TA_CONTAINER_LAUNCHED');
    }
    return set;
  }

  test('is lost after three reports from at least half of the copying reduces', () => {
    const set = copying(6);
    const reduces = set.ofKind('REDUCE');
    const attempt = theMap();
    assert.equal(tooManyFetchFailures(attempt, reduce(0), reduces, rulesOf()), false);
    assert.equal(tooManyFetchFailures(attempt, reduce(1), reduces, rulesOf()), false);
    assert.equal(tooManyFetchFailures(attempt, reduce(2), reduces, rulesOf()), true);
  });

  test('is not lost while many reduces copy without complaint', () => {
    const set = copying(8);
    const attempt = theMap();
    const answers = [0, 1, 2, 3].map((index) => tooManyFetchFailures(attempt, reduce(index), set.ofKind('REDUCE'), rulesOf()));
    assert.deepEqual(answers, [false, false, false, true]);
  });

  test('reports of one reduce count each time', () => {
    const set = copying(2);
    const attempt = theMap();
    const answers = [0, 0, 0].map((index) => tooManyFetchFailures(attempt, reduce(index), set.ofKind('REDUCE'), rulesOf()));
    assert.deepEqual(answers, [false, false, true]);
  });

  test('reduces that have copied everything are not asked about', () => {
    const set = copying(8);
    for (const task of set.ofKind('REDUCE').slice(1)) task.attempts[0]!.shuffleFinishTimeMs = 1;
    const attempt = theMap();
    const answers = [0, 0, 0].map(() => tooManyFetchFailures(attempt, reduce(0), set.ofKind('REDUCE'), rulesOf()));
    assert.deepEqual(answers, [false, false, true]);
  });

  test('both limits are settings', () => {
    const rules = rulesOf({
      'mapreduce.reduce.shuffle.max-fetch-failures-notifications': '1',
      'mapreduce.reduce.shuffle.max-fetch-failures-fraction': '0',
    });
    assert.equal(tooManyFetchFailures(theMap(), reduce(0), copying(100).ofKind('REDUCE'), rules), true);
  });

  test('the fourth loss fails the map and with it the job', () => {
    const { job, finish, launch } = aJob({ maps: 1, settings: { 'mapreduce.reduce.shuffle.max-fetch-failures-notifications': '1' } });
    finish(map(0));
    launch(reduce(0));
    for (let number = 0; number < 4; number++) {
      job.attempts.status({ ...statusReport(reduce(0)), fetchFailures: [map(0, number)] });
      if (number < 3) finish(map(0, number + 1));
    }
    assert.equal(job.task(mapTask(0))!.state, 'FAILED');
    assert.deepEqual(
      job.attempts.mapEvents.slice(-2).map((event) => event.status),
      ['OBSOLETE', 'TIPFAILED'],
    );
    assert.equal(job.internalState, 'FAIL_WAIT');
    job.attempts.containerCompleted('container_2', -105, '');
    assert.equal(job.internalState, 'FAILED');
  });

  test('a report about a map that is not complete or not known changes nothing', () => {
    const { job, launch } = aJob({ maps: 1, settings: { 'mapreduce.job.reduce.slowstart.completedmaps': '0' } });
    launch(map(0));
    launch(reduce(0));
    for (let i = 0; i < 5; i++) job.attempts.status({ ...statusReport(reduce(0)), fetchFailures: [map(0), map(7), 'nonsense'] });
    assert.equal(job.attempt(map(0))!.state, 'RUNNING');
  });
});
