// What a master reads of its surroundings and of its job before it begins, and what it tells others when it ends.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import type { HistoryEvent } from '../../wire/files/job-history.ts';
import { Counters } from '../counters/counters.ts';
import { JobConfiguration } from '../tasks/job-configuration.ts';
import { aJob, jobId, map, mapTask, reduce, reduceTask, statusReport } from '../test-support/a-job.ts';
import { Attempt } from './attempt.ts';
import { historyServerAddress } from './finish.ts';
import { localityOf } from './job-accounting.ts';
import { jobRules } from './job-rules.ts';
import { readMasterEnvironment } from './master-environment.ts';
import { Task } from './task.ts';
import { timelineEntityOf } from './timeline.ts';
import { isUber, UberRunner, uberSettings } from './uber.ts';

describe('the environment of a master', () => {
  const attemptId = 'appattempt_1700000000000_0042_000003';

  test('says where it runs and for which user', () => {
    const given = readMasterEnvironment(
      {
        CONTAINER_ID: 'container_1',
        NM_HOST: 'node7',
        NM_PORT: '45454',
        NM_HTTP_PORT: '8042',
        APP_SUBMIT_TIME_ENV: '1700000000123',
        USER: 'ann',
        LOCAL_DIRS: '/disk1,/disk2',
        HEDDLE_TIMELINE: 'http://timeline:8188',
        HEDDLE_TIMELINE_COLLECTOR: 'http://timeline:8199',
        HEDDLE_RESOURCE_MANAGER: 'http://manager:8088/',
      },
      attemptId,
      new ManualClock(),
    );
    assert.deepEqual(given, {
      applicationId: 'application_1700000000000_0042',
      attemptId,
      generation: 3,
      containerId: 'container_1',
      host: 'node7',
      nodeId: 'node7:45454',
      nodeHttpAddress: 'node7:8042',
      nodeScheme: 'http',
      submitTimeMs: 1_700_000_000_123,
      user: 'ann',
      localFolder: '/disk1',
      timelineUrl: 'http://timeline:8188',
      timelineCollectorUrl: 'http://timeline:8199',
      proxyUrl: 'http://manager:8088/proxy/application_1700000000000_0042',
    });
  });

  test('that says nothing leaves what works on one machine', () => {
    const clock = new ManualClock();
    const given = readMasterEnvironment({ HEDDLE_TIMELINE: '' }, attemptId, clock);
    assert.deepEqual([given.host, given.nodeId, given.user], ['127.0.0.1', '127.0.0.1:0', 'unknown']);
    assert.equal(given.submitTimeMs, clock.now());
    assert.equal(given.localFolder, process.cwd());
    assert.deepEqual([given.timelineUrl, given.proxyUrl], [undefined, undefined]);
  });
});

describe('a job is run in its master', () => {
  const small = (settings: Record<string, string> = {}, lengths: readonly number[] = [1000]) =>
    isUber({
      settings: new JobConfiguration({ 'mapreduce.job.ubertask.enable': 'true', ...settings }),
      splits: lengths.map((length) => ({ path: '/f', start: 0, length, hosts: [] })),
    });

  test('where it is small and the user wants it', () => {
    assert.equal(small(), true);
    assert.equal(small({ 'mapreduce.job.ubertask.enable': 'false' }), false);
  });

  test('with at most nine maps, one reduce and a block of input', () => {
    assert.equal(small({}, Array(9).fill(1)), true);
    assert.equal(small({}, Array(10).fill(1)), false);
    assert.equal(small({ 'mapreduce.job.reduces': '1' }), true);
    assert.equal(small({ 'mapreduce.job.reduces': '2' }), false);
    assert.equal(small({}, [33_554_432]), true);
    assert.equal(small({}, [33_554_432, 1]), false);
  });

  test('within the limits that the settings draw; more than one reduce is never small', () => {
    assert.equal(small({ 'mapreduce.job.ubertask.maxmaps': '2' }, [1, 1, 1]), false);
    assert.equal(small({ 'mapreduce.job.ubertask.maxbytes': '1k' }, [1025]), false);
    assert.equal(small({ 'mapreduce.job.ubertask.maxreduces': '0', 'mapreduce.job.reduces': '1' }), false);
    assert.equal(small({ 'mapreduce.job.ubertask.maxreduces': '5', 'mapreduce.job.reduces': '2' }), false);
  });

  test('where its tasks fit into the master’s own container', () => {
    assert.equal(small({ 'mapreduce.map.memory.mb': '1537' }), false);
    assert.equal(small({ 'mapreduce.map.memory.mb': '1537', 'yarn.app.mapreduce.am.resource.mb': '2048' }), true);
    assert.equal(small({ 'mapreduce.reduce.cpu.vcores': '2' }), false);
    assert.equal(small({ 'mapreduce.reduce.cpu.vcores': '2', 'mapreduce.job.reduces': '0' }), true, 'it has no reduces');
  });

  test('with one attempt a task, no second ones, and reduces after all maps', () => {
    const rules = jobRules(uberSettings(new JobConfiguration({ 'mapreduce.map.maxattempts': '9', 'mapreduce.job.reduces': '1' })));
    assert.deepEqual(
      [rules.mapAttempts, rules.reduceAttempts, rules.speculative.MAP, rules.speculative.REDUCE, rules.slowStart, rules.reduces],
      [1, 1, false, false, 1, 1],
    );
  });

  test('in the container of the master, which attempts name while they wait', () => {
    const container = {
      containerId: 'container_1_0001_01_000001',
      nodeId: 'node7:1',
      nodeHttpAddress: 'node7:8042',
      rack: '/default-rack',
    };
    const { job } = aJob({ maps: 1, reduces: 0 });
    const runner = new UberRunner({
      job: () => job,
      token: Buffer.alloc(0),
      container,
      localFolder: '',
      clock: new ManualClock(),
      logger: silentLogger,
      guarded: (change) => change(),
    });
    const attempt = new Attempt({
      id: 'attempt_1_0001_m_000000_0',
      kind: 'MAP',
      avataar: 'VIRGIN',
      priority: 20,
      noCounters: new Counters(),
    });
    runner.run(attempt);
    runner.cancel(attempt.id);
    const { containerId, nodeId, nodeHttpAddress, rack } = attempt;
    assert.deepEqual({ containerId, nodeId, nodeHttpAddress, rack }, container);
    assert.equal(attempt.container, undefined);
  });
});

describe('a container', () => {
  const task = (hosts: readonly string[], kind: 'MAP' | 'REDUCE' = 'MAP') => {
    const { job } = aJob({ maps: 0, reduces: 0 });
    return new Task({
      id: mapTask(0),
      kind,
      index: 0,
      split: { path: '/f', start: 0, length: 1, hosts },
      generation: 1,
      noCounters: job.jobCounters,
    });
  };
  const on = (node: string, rack = '/default-rack') => ({ containerId: 'c', nodeId: `${node}:1`, nodeHttpAddress: `${node}:2`, rack });

  test('is near its input where it runs beside it; all names of the own machine are one', () => {
    assert.equal(localityOf(task(['a', 'b']), on('b')), 'NODE_LOCAL');
    assert.equal(localityOf(task(['localhost']), on('127.0.0.1')), 'NODE_LOCAL');
    assert.equal(localityOf(task(['a']), on('b')), 'RACK_LOCAL');
    assert.equal(localityOf(task(['a']), on('b', '/far')), 'OFF_SWITCH');
    assert.equal(localityOf(task([]), on('b')), 'OFF_SWITCH');
    assert.equal(localityOf(task(['b'], 'REDUCE'), on('b')), 'OFF_SWITCH', 'a reduce reads from everywhere');
  });
});

test('the address of the history server is one that others reach', () => {
  for (const [setting, address] of [
    ['0.0.0.0:19888', 'node7:19888'],
    ['localhost:1', 'node7:1'],
    ['127.0.1.1:1', 'node7:1'],
    ['[::]:1', 'node7:1'],
    [':1', 'node7:1'],
    ['history.example:19888', 'history.example:19888'],
    ['[2001:db8::1]:80', '[2001:db8::1]:80'],
  ] as const)
    assert.equal(historyServerAddress(setting, 'node7'), address, setting);
});

describe('the timeline of a job', () => {
  /** The events of a job with everything in it, each as its entity. */
  function entities() {
    const { job, events, finish, fail, launch, report } = aJob({ maps: 2, reduces: 1 });
    fail(map(0));
    finish(map(0, 1));
    finish(map(1));
    const container = launch(reduce(0));
    job.killAttempt(reduce(0), 'killed by a user');
    job.attempts.containerCompleted(container, -105, '');
    const last = launch(reduce(0, 1));
    job.attempts.done({ ...report(reduce(0, 1)), counters: { mine: { seen: 3 } } });
    job.attempts.containerCompleted(last, 0, '');
    return events.map((event) => ({ event, entity: timelineEntityOf(event, { id: jobId, submitTimeMs: 5 }, 77) }));
  }

  test('has an event of the job’s entity or of a task’s for each event of its history', () => {
    const all = entities();
    for (const { event, entity } of all) {
      const taskId = 'taskid' in event.event ? event.event.taskid : undefined;
      assert.equal(entity.entity, taskId ?? jobId);
      assert.equal(entity.entitytype, taskId === undefined ? 'MAPREDUCE_JOB' : 'MAPREDUCE_TASK');
      assert.deepEqual(entity.relatedentities, taskId === undefined ? undefined : { MAPREDUCE_JOB: [jobId] });
      assert.deepEqual(
        entity.events!.map(({ timestamp, eventtype }) => [timestamp, eventtype]),
        [[77, event.type]],
      );
      assert.ok(Object.keys(entity.events![0]!.eventinfo!).length > 0, event.type);
    }
    assert.equal(new Set(all.map(({ entity }) => entity.entity)).size, 4, 'the job and its three tasks');
  });

  test('says of events what Hadoop says, under its names', () => {
    const all = entities();
    const info = (type: HistoryEvent['type'], taskId?: string) =>
      all.findLast(({ event, entity }) => event.type === type && (taskId === undefined || entity.entity === taskId))!.entity.events![0]!
        .eventinfo!;
    assert.deepEqual([info('JOB_SUBMITTED')['USER_NAME'], info('JOB_SUBMITTED')['JOB_NAME']], ['ann', 'test']);
    assert.deepEqual(
      [info('JOB_INITED')['TOTAL_MAPS'], info('JOB_INITED')['TOTAL_REDUCES'], info('JOB_INITED')['STATUS']],
      [2, 1, 'INITED'],
    );
    assert.equal(info('TASK_STARTED', reduceTask(0))['TASK_TYPE'], 'REDUCE');
    assert.equal(info('MAP_ATTEMPT_FAILED')['TASK_ATTEMPT_ID'], map(0));
    assert.equal(info('MAP_ATTEMPT_FAILED')['ERROR'], 'Error: it broke');
    assert.equal(info('REDUCE_ATTEMPT_KILLED')['STATUS'], 'KILLED');
    assert.equal(info('TASK_FINISHED', mapTask(0))['SUCCESSFUL_TASK_ATTEMPT_ID'], map(0, 1));
    assert.deepEqual(info('TASK_FINISHED', reduceTask(0))['COUNTERS_GROUPS'], [
      { NAME: 'mine', DISPLAY_NAME: 'mine', COUNTERS: [{ NAME: 'seen', DISPLAY_NAME: 'seen', VALUE: 3 }] },
    ]);
    const end = info('JOB_FINISHED');
    assert.deepEqual(
      ['NUM_MAPS', 'FAILED_MAPS', 'SUCCESSFUL_MAPS', 'NUM_REDUCES', 'JOB_STATUS'].map((name) => end[name]),
      [2, 0, 2, 1, 'SUCCEEDED'],
    );
  });

  test('of a job that fails has its diagnostics', () => {
    const { job, events } = aJob({ maps: 1, reduces: 0, settings: { 'mapreduce.map.maxattempts': '1' } });
    job.attempts.allocated(map(0), { containerId: 'c', nodeId: 'a:1', nodeHttpAddress: 'a:2', rack: '/default-rack' });
    job.attempts.assignment('c');
    job.attempts.failed({ ...statusReport(map(0)), diagnostic: 'Error: it broke', failFast: false });
    job.attempts.containerCompleted('c', 1, '');
    const info = timelineEntityOf(events.at(-1)!, { id: jobId, submitTimeMs: 5 }, 77).events![0]!.eventinfo!;
    assert.equal(info['JOB_STATUS'], 'FAILED');
    assert.match(String(info['DIAGNOSTICS']), /^Task failed /);
    assert.deepEqual([info['NUM_MAPS'], info['FAILED_MAPS']], [1, 1]);
  });
});
