// Random histories of a job, all of its ends included: whatever happens in whatever order, the rules below hold. A failure prints its seed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { HistoryEvent } from '../../wire/files/job-history.ts';
import { jobCounterGroup } from '../counters/names.ts';
import { aJob, statusReport } from '../test-support/a-job.ts';
import { recover } from './recovery.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_122) });

/** What may happen next; `pick` chooses among the attempts or containers that it may happen to. */
interface Step {
  readonly kind:
    | 'allocate'
    | 'launch'
    | 'report'
    | 'commit'
    | 'done'
    | 'fail'
    | 'failFast'
    | 'complete'
    | 'lose'
    | 'kill'
    | 'fetchFailure'
    | 'speculate'
    | 'wait';
  readonly pick: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom<Step['kind']>(
    'allocate',
    'allocate',
    'launch',
    'launch',
    'report',
    'commit',
    'done',
    'done',
    'fail',
    'failFast',
    'complete',
    'complete',
    'lose',
    'kill',
    'fetchFailure',
    'speculate',
    'wait',
  ),
  pick: fc.nat(1000),
});

interface Life {
  readonly maps: number;
  readonly reduces: number;
  readonly steps: readonly Step[];
  readonly settings: Readonly<Record<string, string>>;
  readonly killAt: number | undefined;
}

const life: fc.Arbitrary<Life> = fc.record({
  maps: fc.integer({ min: 0, max: 4 }),
  reduces: fc.integer({ min: 0, max: 3 }),
  steps: fc.array(step, { maxLength: 120, size: 'max' }),
  settings: fc.constantFrom<Record<string, string>>(
    {},
    { 'mapreduce.map.failures.maxpercent': '50', 'mapreduce.map.maxattempts': '2' },
    { 'mapreduce.map.maxattempts': '1', 'mapreduce.reduce.maxattempts': '1' },
    { 'mapreduce.job.reduce.slowstart.completedmaps': '0', 'mapreduce.reduce.shuffle.max-fetch-failures-notifications': '1' },
    { 'mapreduce.job.finish-when-all-reducers-done': 'false', 'mapreduce.task.timeout': '3000' },
  ),
  killAt: fc.option(fc.nat(120), { nil: undefined, freq: 1 }),
});

/** A cluster around the job that does what the steps say, and at the end gives every attempt what it needs. */
class Driver {
  readonly calls = { commits: 0, ends: 0 };
  readonly #waiting: string[] = [];
  readonly #containers = new Map<string, string>();
  readonly #toldToStop = new Set<string>();
  #serial = 0;
  readonly fixture: ReturnType<typeof aJob>;

  constructor({ maps, reduces, settings }: Life) {
    // The job asks before `fixture` is set: what it asks for is taken by closures.
    const waiting = this.#waiting;
    const toldToStop = this.#toldToStop;
    const calls = this.calls;
    this.fixture = aJob({
      maps,
      reduces,
      settings,
      started: false,
      ports: {
        ask: (attempt) => waiting.push(attempt.id),
        cancelAsk: (attemptId) => {
          const at = waiting.indexOf(attemptId);
          if (at >= 0) waiting.splice(at, 1);
        },
        stopContainer: ({ containerId }) => toldToStop.add(containerId),
        commit: () => {
          calls.commits++;
        },
        ended: () => {
          calls.ends++;
        },
        abort: () => {},
        setup: () => {},
      },
    });
    this.fixture.job.start(new Map());
    this.fixture.job.setupDone();
  }

  #pick<T>(from: readonly T[], pick: number): T | undefined {
    return from[pick % Math.max(1, from.length)];
  }

  #attempts(): string[] {
    return this.fixture.job.tasks.flatMap((task) => task.attempts.map((attempt) => attempt.id));
  }

  do({ kind, pick }: Step): void {
    const { job, clock } = this.fixture;
    clock.advance(1);
    const containerId = this.#pick([...this.#containers.keys()], pick);
    const attemptId = containerId === undefined ? undefined : this.#containers.get(containerId);
    const report = attemptId === undefined ? undefined : statusReport(attemptId, (pick % 10) / 10);
    switch (kind) {
      case 'allocate':
        return this.#allocate(pick);
      case 'launch':
        if (containerId !== undefined) job.attempts.assignment(containerId);
        return;
      case 'report':
        if (report !== undefined) job.attempts.status(report);
        return;
      case 'commit':
        if (report === undefined) return;
        job.attempts.commitPending(report);
        job.attempts.mayCommit(report.attemptId);
        return;
      case 'done':
        if (report !== undefined) job.attempts.done(report);
        return;
      case 'fail':
      case 'failFast':
        if (report !== undefined) job.attempts.failed({ ...report, diagnostic: 'Error: it broke', failFast: kind === 'failFast' });
        return;
      case 'complete':
        return this.#end(containerId, pick % 2);
      case 'lose':
        return this.#end(containerId, -100);
      case 'kill': {
        const any = this.#pick(this.#attempts(), pick);
        if (any !== undefined) job.killAttempt(any, 'killed by a user');
        return;
      }
      case 'fetchFailure': {
        const reduce = this.#pick(
          this.#attempts().filter((id) => id.includes('_r_')),
          pick,
        );
        const map = this.#pick(
          this.#attempts().filter((id) => id.includes('_m_')),
          pick,
        );
        if (reduce !== undefined && map !== undefined) job.attempts.status({ ...statusReport(reduce), fetchFailures: [map] });
        return;
      }
      case 'speculate': {
        const task = this.#pick(job.tasks, pick);
        if (task !== undefined && job.internalState === 'RUNNING') job.attempts.speculate(task);
        return;
      }
      case 'wait':
        clock.advance(1000 * (pick % 5));
        job.attempts.tick();
    }
  }

  #allocate(pick: number): void {
    const attemptId = this.#pick(this.#waiting, pick);
    if (attemptId === undefined) return;
    this.#waiting.splice(this.#waiting.indexOf(attemptId), 1);
    const containerId = `container_${++this.#serial}`;
    const container = { containerId, nodeId: 'localhost:1', nodeHttpAddress: 'localhost:2', rack: '/default-rack' };
    if (this.fixture.job.attempts.allocated(attemptId, container)) this.#containers.set(containerId, attemptId);
  }

  #end(containerId: string | undefined, exitCode: number): void {
    if (containerId === undefined) return;
    this.#containers.delete(containerId);
    this.fixture.job.attempts.containerCompleted(containerId, exitCode, '');
  }

  /** Lets everything that waits or runs come to its end. */
  finish(): void {
    const { job } = this.fixture;
    for (let turn = 0; !job.ended; turn++) {
      assert.ok(turn < 300, `the job does not end: it is ${job.internalState}, asked: ${this.#waiting.join(' ') || 'nothing'}`);
      while (this.#waiting.length > 0) this.#allocate(0);
      for (const [containerId, attemptId] of [...this.#containers]) {
        if (!this.#toldToStop.has(containerId) && job.attempts.assignment(containerId) !== undefined)
          job.attempts.done(statusReport(attemptId, 1));
        this.#end(containerId, 0);
      }
      if (job.internalState === 'COMMITTING') job.commitDone();
      job.abortDone();
    }
  }
}

/** How many events of these types name the entity. */
const count = (events: readonly HistoryEvent[], of: (event: HistoryEvent) => boolean) => events.filter(of).length;

function checkHistory(events: readonly HistoryEvent[], driver: Driver): void {
  const { job } = driver.fixture;
  for (const task of job.tasks) {
    const own = events.filter(({ event }) => 'taskid' in event && event.taskid === task.id);
    assert.ok(count(own, ({ type }) => type === 'TASK_STARTED') <= 1, `${task.id} begins once`);
    for (const attempt of task.attempts) {
      const its = own.filter(({ event }) => 'attemptId' in event && event.attemptId === attempt.id);
      const begun = count(its, ({ type }) => type.endsWith('_ATTEMPT_STARTED'));
      const finished = count(its, ({ type }) => type.endsWith('_ATTEMPT_FINISHED'));
      assert.equal(begun, attempt.launched ? 1 : 0, `${attempt.id} begins once, if it was launched`);
      assert.ok(finished <= 1);
      assert.ok(
        ['FAILED', 'KILLED', 'SUCCEEDED'].includes(attempt.state) || job.internalState === 'ERROR',
        `${attempt.id} is ${attempt.state}`,
      );
      // The job does not wait for the container of an attempt that failed or was killed beside one that succeeded.
      if (attempt.launched && attempt.ended)
        assert.ok(its.length - begun >= 1, `the history tells the end of ${attempt.id}: ${its.map(({ type }) => type).join(' ')}`);
    }
    if (task.state === 'SUCCEEDED') {
      const last = own.filter(({ type }) => type === 'TASK_FINISHED').at(-1);
      assert.ok(last?.type === 'TASK_FINISHED' && last.event.successfulAttemptId === task.successfulAttempt);
    }
  }
  const ends = events.filter(({ type }) => ['JOB_FINISHED', 'JOB_FAILED', 'JOB_KILLED', 'JOB_ERROR'].includes(type));
  assert.equal(ends.length, 1);
  assert.equal(events.at(-1), ends[0], 'nothing follows the end of the job');
}

function live(one: Life): Driver {
  const driver = new Driver(one);
  for (const [at, what] of one.steps.entries()) {
    if (at === one.killAt) driver.fixture.job.killJob('killed by a user');
    driver.do(what);
    if (driver.fixture.job.internalState === 'COMMITTING' && what.pick % 3 === 0) driver.fixture.job.commitDone();
  }
  driver.finish();
  return driver;
}

test('every life of a job ends, once, with a history that tells each attempt and task', () => {
  fc.assert(
    fc.property(life, (one) => {
      const driver = live(one);
      const { job, events } = driver.fixture;
      assert.notEqual(job.internalState, 'ERROR', `no event came at a wrong time: ${job.diagnostics.join(' | ')}`);
      assert.equal(driver.calls.ends, 1);
      assert.ok(driver.calls.commits <= 1, 'a job is committed at most once');
      if (job.internalState === 'SUCCEEDED') assert.equal(driver.calls.commits, 1);
      checkHistory(events, driver);
    }),
    { numRuns: 300 },
  );
});

test('the job’s own counters are what its history tells', () => {
  fc.assert(
    fc.property(life, (one) => {
      const { job, events } = live(one).fixture;
      for (const [kind, name] of [
        ['MAP', 'MAPS'],
        ['REDUCE', 'REDUCES'],
      ] as const) {
        const begun = count(events, ({ type }) => type === `${kind}_ATTEMPT_STARTED`);
        const failed = count(events, ({ type }) => type === `${kind}_ATTEMPT_FAILED`);
        const spent = job.ofKind(kind).flatMap((task) => task.attempts.filter((attempt) => attempt.launched));
        assert.equal(begun, spent.length);
        // One that ends before its process asks for work begins and ends at that moment, and was not launched.
        assert.ok(job.jobCounters.get(jobCounterGroup, `TOTAL_LAUNCHED_${name}`) <= begun);
        assert.equal(job.jobCounters.get(jobCounterGroup, `NUM_FAILED_${name}`), failed);
        const milliseconds = spent.reduce((sum, attempt) => sum + Math.max(0, attempt.finishTimeMs - attempt.startTimeMs), 0);
        assert.ok(job.jobCounters.get(jobCounterGroup, `MILLIS_${name}`) <= milliseconds);
      }
      const placed = job.ofKind('MAP').flatMap((task) => task.attempts.filter((attempt) => attempt.containerId !== undefined));
      const byLocality = ['DATA_LOCAL_MAPS', 'RACK_LOCAL_MAPS', 'OTHER_LOCAL_MAPS'].map((name) =>
        job.jobCounters.get(jobCounterGroup, name),
      );
      assert.equal(
        byLocality.reduce((sum, number) => sum + number, 0),
        placed.length,
      );
    }),
    { numRuns: 100 },
  );
});

test('any beginning of a history can be recovered: tasks that were complete in it and nothing else', () => {
  fc.assert(
    fc.property(life, fc.nat(1000), (one, cut) => {
      const { events } = live(one).fixture;
      const prefix = events.slice(0, cut % (events.length + 1));
      const { tasks, masters, startTimeMs } = recover(prefix);
      assert.deepEqual(masters, [], 'the fixture writes no start of a master');
      assert.equal(
        startTimeMs !== undefined,
        prefix.some(({ type }) => type === 'JOB_INITED'),
      );
      const complete = new Map<string, string>();
      for (const { type, event } of prefix) {
        if (type === 'TASK_FINISHED') complete.set(event.taskid, event.successfulAttemptId ?? '');
        else if ((type === 'MAP_ATTEMPT_FAILED' || type === 'MAP_ATTEMPT_KILLED') && complete.get(event.taskid) === event.attemptId)
          complete.delete(event.taskid);
      }
      assert.deepEqual(new Map([...tasks].map(([taskId, { attemptId }]) => [taskId, attemptId])), complete);
    }),
    { numRuns: 150 },
  );
});

test('a second master that begins from any moment of the first ends the job all the same', () => {
  fc.assert(
    fc.property(life, fc.nat(1000), (one, cut) => {
      const first = live({ ...one, killAt: undefined }).fixture;
      const { tasks } = recover(first.events.slice(0, cut % first.events.length));
      const second = aJob({ maps: one.maps, reduces: one.reduces, generation: 2, recovered: tasks, settings: one.settings });
      for (const [taskId, { attemptId }] of tasks) {
        assert.equal(second.job.task(taskId)!.successfulAttempt, attemptId);
        assert.equal(second.job.task(taskId)!.state, 'SUCCEEDED');
      }
      for (let turn = 0; !second.job.ended && turn < 50; turn++)
        for (const task of second.job.tasks)
          for (const attempt of task.active) if (second.asked.includes(attempt.id)) second.finish(attempt.id);
      assert.equal(second.job.internalState, 'SUCCEEDED');
      // Maps are killed where the reduces are done without them.
      const succeeded = second.job.tasks.filter((task) => task.state === 'SUCCEEDED');
      for (const task of succeeded) {
        const number = Number(task.successfulAttempt.slice(task.successfulAttempt.lastIndexOf('_') + 1));
        assert.equal(number >= 1000, !tasks.has(task.id), 'attempts of the second master have numbers of their own');
      }
      assert.deepEqual(
        second.job.attempts.mapEvents.filter(({ status }) => status === 'SUCCEEDED').length,
        one.reduces === 0 ? 0 : succeeded.filter((task) => task.kind === 'MAP').length,
        'reduces hear of each map once',
      );
    }),
    { numRuns: 100 },
  );
});
