import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobCounterGroup } from '../counters/names.ts';
import { aJob, map, mapTask, reduce, reduceTask, statusReport } from '../test-support/a-job.ts';
import { recover } from './recovery.ts';

test('a job runs its maps, then its reduces, commits and tells its history in order', () => {
  const { job, asked, finish, types } = aJob();
  assert.deepEqual(asked, [map(0), map(1)]);
  finish(map(0));
  assert.equal(job.internalState, 'RUNNING');
  finish(map(1));
  assert.deepEqual(asked.slice(2), [reduce(0)]);
  finish(reduce(0));
  assert.equal(job.internalState, 'SUCCEEDED');
  assert.equal(job.state, 'RUNNING', 'the end is shown when the resource manager knows it');
  job.unregistered = true;
  assert.equal(job.state, 'SUCCEEDED');
  assert.deepEqual(types(), [
    'JOB_SUBMITTED',
    'JOB_INITED',
    'JOB_INFO_CHANGED',
    'TASK_STARTED',
    'TASK_STARTED',
    'TASK_STARTED',
    'MAP_ATTEMPT_STARTED',
    'MAP_ATTEMPT_FINISHED',
    'TASK_FINISHED',
    'MAP_ATTEMPT_STARTED',
    'MAP_ATTEMPT_FINISHED',
    'TASK_FINISHED',
    'REDUCE_ATTEMPT_STARTED',
    'REDUCE_ATTEMPT_FINISHED',
    'TASK_FINISHED',
    'JOB_FINISHED',
  ]);
  assert.equal(job.totalCounters().get(jobCounterGroup, 'DATA_LOCAL_MAPS'), 2);
  assert.equal(job.totalCounters().get(jobCounterGroup, 'MILLIS_MAPS'), 200);
});

test('a failed map is tried again with a higher priority; the fourth failure fails the job', () => {
  const { job, asked, fail, finish } = aJob({ reduces: 0 });
  finish(map(1));
  for (let number = 0; number < 4; number++) fail(map(0, number));
  assert.deepEqual(asked, [map(0), map(1), map(0, 1), map(0, 2), map(0, 3)]);
  assert.equal(job.task('task_1700000000000_0001_m_000000')!.attempts[1]!.priority, 5);
  assert.equal(job.internalState, 'FAILED');
  assert.deepEqual(job.diagnostics, [
    'Task failed task_1700000000000_0001_m_000000',
    'Job failed as tasks failed. failedMaps:1 failedReduces:0 killedMaps:0 killedReduces: 0',
  ]);
  assert.equal(job.jobCounters.get(jobCounterGroup, 'NUM_FAILED_MAPS'), 4);
  const near = ['DATA_LOCAL_MAPS', 'OTHER_LOCAL_MAPS'].map((name) => job.jobCounters.get(jobCounterGroup, name));
  assert.deepEqual(near, [2, 3], 'those tried again are asked for anywhere');
});

test('what is killed because its job fails does not count among the ends of tasks', () => {
  const { job, events, launch, fail } = aJob({ maps: 3, reduces: 0, settings: { 'mapreduce.map.maxattempts': '1' } });
  const containers = [launch(map(1)), launch(map(2))];
  fail(map(0));
  for (const container of containers) job.attempts.containerCompleted(container, 143, '');
  const { type, event } = events.at(-1)!;
  assert.deepEqual([type, job.internalState, job.task(mapTask(1))!.state], ['JOB_FAILED', 'FAILED', 'KILLED']);
  assert.deepEqual('finishedMaps' in event && [event.finishedMaps, event.failedMaps, event.killedMaps], [0, 1, 0]);
});

test('an attempt that is killed before its process asks for work begins and ends at that moment', () => {
  const { job, types } = aJob({ maps: 1, reduces: 0 });
  job.attempts.allocated(map(0), { containerId: 'c', nodeId: 'localhost:1', nodeHttpAddress: 'localhost:2', rack: '/default-rack' });
  job.killAttempt(map(0), 'Kill task attempt received from bob');
  job.attempts.containerCompleted('c', 143, '');
  assert.deepEqual(types().slice(-2), ['MAP_ATTEMPT_STARTED', 'MAP_ATTEMPT_KILLED']);
  assert.equal(job.jobCounters.get(jobCounterGroup, 'TOTAL_LAUNCHED_MAPS'), 0);
  assert.equal(job.jobCounters.get(jobCounterGroup, 'DATA_LOCAL_MAPS'), 1);
});

test('attempts in the master have their places there at once', () => {
  const { job, asked } = aJob({ maps: 2, uberized: true });
  assert.deepEqual(asked, [map(0), map(1), reduce(0)]);
  assert.equal(job.jobCounters.get(jobCounterGroup, 'OTHER_LOCAL_MAPS'), 2);
  assert.equal(job.jobCounters.get(jobCounterGroup, 'TOTAL_LAUNCHED_MAPS'), 0);
});

test('some failed maps may be tolerated', () => {
  const { job, fail, finish } = aJob({
    reduces: 0,
    settings: { 'mapreduce.map.failures.maxpercent': '50', 'mapreduce.map.maxattempts': '1' },
  });
  fail(map(0));
  finish(map(1));
  assert.equal(job.internalState, 'SUCCEEDED');
});

test('an attempt that is killed or loses its container does not count as failed', () => {
  const { job, asked, stopped, launch } = aJob({ maps: 1, reduces: 0 });
  const first = launch(map(0));
  job.killAttempt(map(0), 'Kill task attempt received from bob');
  assert.deepEqual(stopped, [first]);
  job.attempts.containerCompleted(first, -105, 'Container killed by the ApplicationMaster.');
  assert.equal(job.attempt(map(0))!.state, 'KILLED');
  const second = launch(map(0, 1));
  job.attempts.containerCompleted(second, -100, 'Container released on a *lost* node');
  assert.equal(job.attempt(map(0, 1))!.state, 'KILLED');
  assert.deepEqual(asked, [map(0), map(0, 1), map(0, 2)]);
  assert.equal(job.jobCounters.get(jobCounterGroup, 'NUM_KILLED_MAPS'), 2);
});

test('an attempt whose process ends without a word fails, and says so', () => {
  const { job, launch, finish } = aJob({ maps: 2, reduces: 0 });
  const container = launch(map(0));
  job.attempts.containerCompleted(container, 0, '');
  const attempt = job.attempt(map(0))!;
  assert.equal(attempt.state, 'FAILED');
  assert.match(
    attempt.diagnostics.join('\n'),
    new RegExp(`ended with exit code 0 before the task was done; the container was ${container} on `),
  );
  const told = launch(map(1));
  job.attempts.containerCompleted(told, 1, 'Exception from container-launch.');
  assert.deepEqual(job.attempt(map(1))!.diagnostics, ['Exception from container-launch.']);
  finish(map(0, 1));
  assert.deepEqual(job.attempt(map(0, 1))!.diagnostics, []);
});

test('killing the job kills what runs and what waits', () => {
  const { job, launch, types } = aJob();
  const container = launch(map(0));
  job.killJob('Kill job received from root');
  assert.equal(job.internalState, 'KILL_WAIT');
  job.attempts.containerCompleted(container, -105, '');
  assert.equal(job.internalState, 'KILLED');
  assert.deepEqual(job.diagnostics, ['Kill job received from root', 'Job received Kill while in RUNNING state.']);
  assert.deepEqual(types().slice(-2), ['TASK_FAILED', 'JOB_KILLED']);
  assert.ok(job.tasks.every((task) => task.state === 'KILLED'));
});

test('only the first attempt that asks may commit; a success kills the others', () => {
  const { job, clock, launch, report } = aJob({ maps: 2, reduces: 0 });
  launch(map(0));
  job.attempts.speculate(job.task('task_1700000000000_0001_m_000000')!);
  const second = launch(map(0, 1));
  assert.ok(job.attempts.commitPending(report(map(0, 1))));
  assert.equal(job.attempts.mayCommit(map(0, 1)), true);
  job.attempts.commitPending(report(map(0)));
  assert.equal(job.attempts.mayCommit(map(0)), undefined, 'the loser is not wanted any more');
  clock.advance(10);
  job.attempts.done(report(map(0, 1)));
  job.attempts.containerCompleted(second, 0, '');
  assert.equal(job.task('task_1700000000000_0001_m_000000')!.successfulAttempt, map(0, 1));
  assert.match(job.attempt(map(0))!.diagnostics[0]!, /^Speculation: .*_1 committed first!$/);
});

test('a map whose output cannot be fetched runs again; reduces hear that it is obsolete', () => {
  const { job, asked, finish, launch, report } = aJob({ maps: 1 });
  finish(map(0));
  launch(reduce(0));
  for (let i = 0; i < 3; i++) job.attempts.status({ ...report(reduce(0)), fetchFailures: [map(0)] });
  assert.equal(job.attempt(map(0))!.state, 'FAILED');
  assert.deepEqual(
    job.attempts.mapEvents.map((event) => [event.attemptId, event.status]),
    [
      [map(0), 'SUCCEEDED'],
      [map(0), 'OBSOLETE'],
    ],
  );
  assert.deepEqual(asked.at(-1), map(0, 1));
  finish(map(0, 1));
  assert.equal(job.attempts.mapEvents.at(-1)!.status, 'SUCCEEDED');
});

test('an attempt that says nothing for too long is stopped and fails', () => {
  const { job, clock, launch, stopped } = aJob({ maps: 1, reduces: 0, settings: { 'mapreduce.task.timeout': '5000' } });
  const container = launch(map(0));
  clock.advance(4000);
  job.attempts.tick();
  assert.deepEqual(stopped, []);
  job.attempts.status({ ...statusReport(map(0)), idle: true, waitsFor: 'what map promised' });
  clock.advance(2000);
  job.attempts.tick();
  assert.deepEqual(stopped, [container]);
  job.attempts.containerCompleted(container, 143, '');
  assert.match(job.attempt(map(0))!.diagnostics[0]!, /task timeout set: 5s, taskTimedOut: true.*; it waits for what map promised$/);
  assert.equal(job.attempt(map(0))!.state, 'FAILED');
});

test('the next master takes over what was done, and starts the rest with new numbers', () => {
  const before = aJob();
  before.finish(map(0));
  const { tasks } = recover(before.events);
  assert.deepEqual([...tasks.keys()], ['task_1700000000000_0001_m_000000']);
  const { job, asked, finish } = aJob({ generation: 2, recovered: tasks });
  assert.deepEqual(asked, [map(1, 1000)]);
  assert.equal(job.attempts.mapEvents[0]!.attemptId, map(0));
  assert.equal(job.attempts.mapEvents[0]!.shuffleUrl, 'http://localhost:2/shuffle');
  finish(map(1, 1000));
  assert.deepEqual(asked.at(-1), reduce(0, 1000));
  finish(reduce(0, 1000));
  assert.equal(job.internalState, 'SUCCEEDED');
});

test('a master that finds the commit done keeps in its history what the one before it had', () => {
  const before = aJob({ maps: 1 });
  before.finish(map(0));
  before.finish(reduce(0));
  const { tasks } = recover(before.events);
  for (const state of ['SUCCEEDED', 'FAILED', 'ERROR'] as const) {
    const { job, events, asked } = aJob({ maps: 1, generation: 2, started: false });
    job.forceEnd(state, 'as the commit says', tasks);
    assert.deepEqual([job.finalState, asked], [state, []]);
    assert.equal(job.totalCounters().get(jobCounterGroup, 'MILLIS_MAPS'), 100);
    const again = recover(events);
    assert.deepEqual([...again.tasks.keys()], [mapTask(0), reduceTask(0)]);
    assert.equal(again.startTimeMs, job.startTimeMs);
    const [inited] = events.flatMap(({ type, event }) => (type === 'JOB_INITED' ? [event] : []));
    assert.deepEqual([inited?.totalMaps, inited?.totalReduces], [1, 1]);
    const { type, event } = events.at(-1)!;
    assert.equal(type, { SUCCEEDED: 'JOB_FINISHED', FAILED: 'JOB_FAILED', ERROR: 'JOB_ERROR' }[state]);
    assert.deepEqual('finishedMaps' in event && [event.finishedMaps, event.finishedReduces], [1, 1]);
  }
});

test('a report of an attempt that is over is refused; a repeated last word is not', () => {
  const { job, launch, report } = aJob({ maps: 1 });
  const container = launch(map(0));
  assert.ok(job.attempts.done(report(map(0))));
  assert.ok(job.attempts.done(report(map(0))), 'the answer may have been lost');
  assert.equal(job.attempts.status(report(map(0))), false);
  job.attempts.containerCompleted(container, 0, '');
  assert.equal(
    job.attempts.allocated(map(0), { containerId: 'container_9', nodeId: 'localhost:1', nodeHttpAddress: 'localhost:2', rack: '/r' }),
    false,
  );
});

test('a copying reduce makes room for a map that cannot be placed', () => {
  const { job, clock, asked, stopped, finish, launch, report } = aJob({ maps: 1 });
  finish(map(0));
  const container = launch(reduce(0));
  for (let i = 0; i < 3; i++) job.attempts.status({ ...report(reduce(0)), fetchFailures: [map(0)] });
  assert.deepEqual(asked.at(-1), map(0, 1));
  job.attempts.tick();
  assert.deepEqual(stopped, [], 'the map has not waited long');
  clock.advance(3500);
  job.attempts.tick();
  job.attempts.tick();
  assert.deepEqual(stopped, [container]);
  job.attempts.containerCompleted(container, -105, '');
  assert.equal(job.attempt(reduce(0))!.diagnostics[0], 'Reducer preempted to make room for pending map attempts');
  assert.deepEqual(asked.at(-1), map(0, 1), 'the reduce waits until the map has its container');
  finish(map(0, 1));
  assert.deepEqual(asked.at(-1), reduce(0, 1));
});

test('a job whose reduces are done does not wait for a map that is to run again', () => {
  const { job, finish, launch, report, events } = aJob({ maps: 1, reduces: 2 });
  finish(map(0));
  finish(reduce(0));
  launch(reduce(1));
  // The output of the map is lost when every reduce has copied it: its new attempt waits for a container.
  job.killAttempt(map(0), 'killed by a user');
  assert.equal(job.attempt(map(0, 1))!.internalState, 'UNASSIGNED');
  assert.ok(job.attempts.done(report(reduce(1))));
  assert.equal(job.internalState, 'SUCCEEDED');
  assert.equal(job.task(mapTask(0))!.state, 'KILLED');
  assert.equal(events.at(-1)!.type, 'JOB_FINISHED');
});

test('a job whose reduces are done ends the maps that run, and commits when their containers are gone', () => {
  const { job, finish, launch, report, stopped, types } = aJob({ maps: 1, reduces: 1 });
  finish(map(0));
  launch(reduce(0));
  job.killAttempt(map(0), 'killed by a user');
  const again = launch(map(0, 1));
  assert.ok(job.attempts.done(report(reduce(0))));
  assert.equal(job.internalState, 'RUNNING');
  assert.deepEqual(stopped, [again]);
  job.attempts.containerCompleted(again, -105, '');
  assert.equal(job.internalState, 'SUCCEEDED');
  assert.deepEqual(types().slice(-3), ['MAP_ATTEMPT_KILLED', 'TASK_FAILED', 'JOB_FINISHED']);
});

test('nothing that happens after the end of a job reaches its history', () => {
  const { job, events, launch, report, clock } = aJob({ maps: 1, reduces: 0 });
  launch(map(0));
  job.attempts.speculate(job.task(mapTask(0))!);
  const slower = launch(map(0, 1));
  clock.advance(10);
  job.attempts.done(report(map(0)));
  assert.equal(job.internalState, 'SUCCEEDED');
  const told = events.length;
  job.attempts.containerCompleted(slower, -105, 'Container killed by the ApplicationMaster.');
  job.killAttempt(map(0, 1), 'late');
  job.killJob('late');
  job.attempts.tick();
  assert.equal(events.length, told);
  assert.equal(job.internalState, 'SUCCEEDED');
});

test('a job without tasks succeeds at once, and says why it did nothing', () => {
  const { job } = aJob({ maps: 0, reduces: 0 });
  assert.equal(job.internalState, 'SUCCEEDED');
  assert.deepEqual(job.diagnostics, ['No of maps and reduces are 0 job_1700000000000_0001']);
  assert.equal(job.progress, 1);
});

test('a setup or a commit that fails ends the job, with the error', () => {
  const error = Object.assign(new Error('no space left'), { name: 'IOException' });
  const setup = aJob({ ports: { setup: () => {} } });
  setup.job.setupDone(error);
  assert.equal(setup.job.internalState, 'FAILED');
  assert.deepEqual(setup.job.diagnostics, ['Job setup failed : IOException: no space left']);
  const commit = aJob({ maps: 1, reduces: 0, ports: { commit: () => {} } });
  commit.finish(map(0));
  assert.equal(commit.job.internalState, 'COMMITTING');
  commit.job.commitDone(error);
  assert.equal(commit.job.internalState, 'FAILED');
  assert.deepEqual(commit.job.diagnostics, ['Job commit failed: IOException: no space left']);
});

test('a kill in the midst of the commit aborts it; the commit’s own end is then ignored', () => {
  let aborts = 0;
  const { job, finish } = aJob({ maps: 1, reduces: 0, ports: { commit: () => {}, abort: () => aborts++ } });
  finish(map(0));
  job.killJob('enough');
  assert.equal(job.internalState, 'KILL_ABORT');
  assert.equal(aborts, 1);
  job.commitDone();
  assert.equal(job.internalState, 'KILL_ABORT');
  job.abortDone();
  assert.equal(job.internalState, 'KILLED');
});

test('an error of the master’s own ends the job in ERROR, once', () => {
  const { job, types } = aJob();
  job.internalError(new Error('broken'));
  job.internalError(new Error('again'));
  assert.equal(job.internalState, 'ERROR');
  assert.deepEqual(job.diagnostics, ['broken']);
  assert.equal(types().at(-1), 'JOB_ERROR');
});

test('the progress of a job is that of its maps and reduces, with a twentieth each for setup and cleanup', () => {
  const { job, launch, report } = aJob({ maps: 2, reduces: 1, ports: { setup: () => {} } });
  assert.equal(job.progress, 0);
  job.setupDone();
  assert.equal(job.progress, 0.05);
  launch(map(0));
  job.attempts.status({ ...report(map(0)), progress: 1 });
  assert.ok(Math.abs(job.progress - (0.05 + 0.45 * 0.5)) < 1e-6);
  assert.equal(job.mapProgress, 0.5);
  assert.equal(job.reduceProgress, 0);
  job.attempts.status({ ...report(map(0)), progress: 7 });
  assert.equal(job.mapProgress, 0.5, 'no task is further than at its end');
});

test('an attempt that says only that nothing happens is given up after the time-out, another is not', () => {
  const { job, clock, launch, stopped, report } = aJob({ maps: 2, reduces: 0, settings: { 'mapreduce.task.timeout': '5000' } });
  const containers = [launch(map(0)), launch(map(1))];
  for (let second = 0; second < 6; second++) {
    clock.advance(1000);
    job.attempts.status({ ...report(map(0)), idle: true });
    job.attempts.status(report(map(1)));
    job.attempts.tick();
  }
  assert.deepEqual(stopped, [containers[0]]);
  assert.match(job.attempt(map(0))!.diagnostics.join(), /task timeout set: 5s, taskTimedOut: true/);
});

test('an attempt that is made to fail counts against its task, a task that is killed is not tried again', () => {
  const { job, launch, stopped, asked } = aJob({
    maps: 3,
    reduces: 0,
    settings: { 'mapreduce.map.maxattempts': '2', 'mapreduce.map.failures.maxpercent': '50' },
  });
  for (const number of [0, 1]) {
    const container = launch(map(0, number));
    assert.equal(job.failAttempt(map(0, number), 'Fail task attempt received from bob'), true);
    assert.equal(job.failAttempt(map(0, number), 'again'), false);
    assert.equal(stopped.at(-1), container);
    job.attempts.containerCompleted(container, 143, '');
    assert.equal(job.attempt(map(0, number))!.state, 'FAILED');
  }
  assert.equal(job.task(mapTask(0))!.state, 'FAILED');
  const container = launch(map(1));
  job.killTask(mapTask(1));
  job.killTask(mapTask(2));
  job.attempts.containerCompleted(container, 143, '');
  assert.deepEqual([job.task(mapTask(1))!.state, job.task(mapTask(2))!.state], ['KILLED', 'KILLED']);
  assert.deepEqual(asked, [map(0), map(1), map(2), map(0, 1)], 'nothing is tried again');
});

test('an attempt that waits for a container can be killed and made to fail, and counts as Hadoop counts it', () => {
  const { job, asked, cancelled, events } = aJob({ maps: 1, reduces: 0, settings: { 'mapreduce.map.maxattempts': '2' } });
  job.killAttempt(map(0), 'Kill task attempt received from bob');
  assert.ok(job.failAttempt(map(0, 1), 'Fail task attempt received from bob'));
  assert.equal(job.failAttempt(map(0, 1), 'again'), false);
  const ends = [0, 1].map((number) => job.attempt(map(0, number))!);
  assert.deepEqual(
    ends.map(({ state, progress, diagnostics }) => [state, progress, diagnostics.join()]),
    [
      ['KILLED', 0, 'Kill task attempt received from bob'],
      ['FAILED', 0, 'Fail task attempt received from bob'],
    ],
  );
  assert.deepEqual(cancelled, [map(0), map(0, 1)]);
  assert.deepEqual(asked, [map(0), map(0, 1), map(0, 2)]);
  assert.deepEqual(
    ['NUM_KILLED_MAPS', 'NUM_FAILED_MAPS'].map((name) => job.jobCounters.get('org.apache.hadoop.mapreduce.JobCounter', name)),
    [1, 1],
  );
  assert.ok(job.failAttempt(map(0, 2), 'once more'));
  assert.equal(job.internalState, 'FAILED');
  assert.equal(events.at(-1)!.type, 'JOB_FAILED');
});

test('reduces do not wait for a map that was killed, whether it ran or waited: the job goes on without its output', () => {
  const { job, launch, finish, stopped } = aJob({
    maps: 3,
    reduces: 1,
    settings: { 'mapreduce.job.reduce.slowstart.completedmaps': '1.0' },
  });
  finish(map(0));
  const container = launch(map(1));
  job.killTask(mapTask(1));
  job.killTask(mapTask(2));
  assert.deepEqual(stopped, [container]);
  job.attempts.containerCompleted(container, 143, '');
  assert.deepEqual(
    job.attempts.mapEvents.map(({ attemptId, status }) => [attemptId, status]),
    [
      [map(0), 'SUCCEEDED'],
      [map(2), 'TIPFAILED'],
      [map(1), 'TIPFAILED'],
    ],
  );
  finish(reduce(0));
  assert.equal(job.finalState, 'SUCCEEDED');
});

test('reduces hear nothing of maps that end with their job', () => {
  const { job, launch } = aJob({ maps: 1, reduces: 1 });
  const container = launch(map(0));
  job.killJob('enough');
  job.attempts.containerCompleted(container, 143, '');
  assert.deepEqual([job.attempts.mapEvents, job.finalState], [[], 'KILLED']);
});
