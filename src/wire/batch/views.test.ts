import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codeOf } from '../../model/test-support/failures.ts';
import { writeJson } from '../codec/json.ts';
import { readBody } from '../codec/read.ts';
import { writeXml } from '../codec/xml.ts';
import { redactedValue } from '../files/job-configuration.ts';
import { configuration, configurationView, fileUri } from './configuration.ts';
import { counterGroupsView, jobCounters, jobCountersView, taskAttemptCounters, taskCounters } from './counters.ts';
import { type CounterFacts, elapsedMs, percent, type TaskAttemptFacts, type TaskFacts } from './facts.ts';
import {
  accessListsView,
  countAttempts,
  countTasks,
  job,
  jobAttempts,
  jobAttemptsView,
  jobs,
  jobView,
  type RunningJobFacts,
} from './jobs.ts';
import { findAttempt, findTask, jobIdOf, tasksOfType } from './lookup.ts';
import { taskAttempt, taskAttemptState, taskAttemptView } from './task-attempts.ts';
import { finishedTaskView, runningTaskView, task, tasks } from './tasks.ts';

const nowMs = 10_000;
const counters = (groups: Record<string, Record<string, number>>): CounterFacts => ({
  groups: () =>
    Object.entries(groups).map(([name, values]) => ({
      name,
      counters: Object.entries(values).map(([counter, value]) => ({ name: counter, value })),
    })),
});
const noCounters = counters({});

const anAttempt = (more: Partial<TaskAttemptFacts> = {}): TaskAttemptFacts => ({
  id: 'attempt_1_0001_m_000000_0',
  kind: 'MAP',
  state: 'RUNNING',
  progress: 0.5,
  statusText: 'reading',
  startTimeMs: 4000,
  finishTimeMs: 0,
  shuffleFinishTimeMs: 0,
  sortFinishTimeMs: 0,
  diagnostics: [],
  containerId: 'container_1_0001_01_000002',
  nodeHttpAddress: 'node:8042',
  rack: '/default-rack',
  counters: noCounters,
  ...more,
});
const aTask = (more: Partial<TaskFacts> = {}): TaskFacts => ({
  id: 'task_1_0001_m_000000',
  kind: 'MAP',
  state: 'RUNNING',
  progress: 1 / 3,
  startTimeMs: 4000,
  finishTimeMs: 0,
  successfulAttempt: '',
  counters: noCounters,
  attempts: [],
  ...more,
});
const aJob = (more: Partial<RunningJobFacts> = {}): RunningJobFacts => ({
  id: 'job_1_0001',
  name: 'a job',
  user: 'ann',
  queue: 'root.default',
  state: 'RUNNING',
  startTimeMs: 1000,
  finishTimeMs: 0,
  uberized: true,
  diagnostics: ['one', ' two'],
  tasks: [],
  mapProgress: 1,
  reduceProgress: 0.125,
  accessLists: { view: ' ', modify: 'bob' },
  ...more,
});
describe('times and shares', () => {
  it('count from the start to the finish, or to now, and are never negative', () => {
    assert.equal(elapsedMs(1000, 4000), 3000);
    assert.equal(elapsedMs(1000, 4000, nowMs), 3000);
    assert.equal(elapsedMs(4000, 1000), 0);
    assert.equal(elapsedMs(1000, 0, nowMs), 9000);
    assert.equal(elapsedMs(1000, 0), 0);
    assert.equal(elapsedMs(0, 4000, nowMs), 0);
    assert.equal(elapsedMs(-1, -1), 0);
    assert.equal(elapsedMs(nowMs + 5, 0, nowMs), 0);
  });

  it('are percents with the rounding of single precision', () => {
    assert.deepEqual([0, 0.5, 1, 1 / 3].map(percent), [0, 50, 100, 33.333335876464844]);
    assert.match(writeJson(task, finishedTaskView(aTask())), /"progress":33\.333336,/);
  });
});

describe('a job', () => {
  const tasksOfJob = [
    aTask({ state: 'SUCCEEDED', attempts: [anAttempt({ state: 'KILLED' }), anAttempt({ state: 'SUCCEEDED' })] }),
    aTask({ state: 'RUNNING', attempts: [anAttempt({ state: 'FAILED' }), anAttempt({ state: 'COMMIT_PENDING' })] }),
    aTask({ state: 'SCHEDULED', attempts: [anAttempt({ state: 'NEW' }), anAttempt({ state: 'STARTING' })] }),
    aTask({ kind: 'REDUCE', state: 'FAILED', attempts: [anAttempt({ kind: 'REDUCE', state: 'FAILED' })] }),
    aTask({ kind: 'REDUCE', state: 'KILLED', attempts: [] }),
    aTask({ kind: 'REDUCE', state: 'NEW', attempts: [anAttempt({ kind: 'REDUCE', state: 'RUNNING' })] }),
  ];

  it('counts its tasks by their states', () => {
    assert.deepEqual(countTasks(tasksOfJob, 'MAP'), { total: 3, completed: 1, pending: 1, running: 1 });
    assert.deepEqual(countTasks(tasksOfJob, 'REDUCE'), { total: 3, completed: 2, pending: 0, running: 0 });
    assert.deepEqual(countTasks([], 'MAP'), { total: 0, completed: 0, pending: 0, running: 0 });
  });

  it('counts the attempts at them by their states', () => {
    assert.deepEqual(countAttempts(tasksOfJob, 'MAP'), { fresh: 2, running: 1, failed: 1, killed: 1, successful: 1 });
    assert.deepEqual(countAttempts(tasksOfJob, 'REDUCE'), { fresh: 0, running: 1, failed: 1, killed: 0, successful: 0 });
  });

  it('is shown whole to those who may view it', () => {
    const view = jobView(aJob({ tasks: tasksOfJob }), nowMs, true);
    assert.deepEqual(
      [view.elapsedTime, view.mapsTotal, view.mapsPending, view.newMapAttempts, view.successfulMapAttempts, view.runningReduceAttempts],
      [9000, 3, 1, 2, 1, 1],
    );
    assert.deepEqual([view.uberized, view.diagnostics, view.reduceProgress], [true, 'one two', 12.5]);
    assert.deepEqual(view.acls, [
      { name: 'mapreduce.job.acl-view-job', value: ' ' },
      { name: 'mapreduce.job.acl-modify-job', value: 'bob' },
    ]);
  });

  it('keeps its inside from those who may not', () => {
    const view = jobView(aJob({ tasks: tasksOfJob }), nowMs, false);
    for (const [name, value] of Object.entries(view)) if (/Attempts$|Pending$|Running$/.test(name)) assert.equal(value, 0, name);
    assert.deepEqual([view.uberized, view.diagnostics, view.acls], [false, undefined, undefined]);
    assert.deepEqual([view.mapsTotal, view.mapsCompleted, view.reducesCompleted], [3, 1, 2]);
    assert.doesNotMatch(writeJson(job, view), /"acls"|"diagnostics"/);
  });

  it('has no access lists where none are kept', () => {
    assert.equal(accessListsView(undefined), undefined);
    assert.equal(jobView(aJob({ accessLists: undefined }), nowMs, true).acls, undefined);
  });

  it('is the same in JSON and XML, alone and in a list', () => {
    const view = jobView(aJob({ tasks: tasksOfJob }), nowMs, true);
    const json = JSON.parse(writeJson(job, view)).job;
    assert.deepEqual(JSON.parse(writeJson(jobs, { job: [view] })).jobs.job, [json]);
    const fromXml = readBody(job, Buffer.from(writeXml(job, view)), 'xml');
    assert.deepEqual(JSON.parse(writeJson(job, fromXml)).job, json);
    assert.equal(writeJson(jobs, { job: [] }), '{"jobs":{}}');
  });

  it('names the generations of its master; only those with a container have logs', () => {
    const generation = (number: number, containerId: string) => ({
      number,
      startTimeMs: 1000 * number,
      containerId,
      nodeId: 'node:1',
      nodeHttpAddress: 'node:8042',
    });
    const view = jobAttemptsView(
      [generation(1, 'container_1_0001_01_000001'), generation(2, '')],
      ({ containerId }) => `/logs/${containerId}`,
    );
    assert.deepEqual(
      view.jobAttempt?.map(({ id, logsLink }) => [id, logsLink]),
      [
        [1, '/logs/container_1_0001_01_000001'],
        [2, ''],
      ],
    );
    assert.match(
      writeJson(jobAttempts, view),
      /^\{"jobAttempts":\{"jobAttempt":\[\{"nodeHttpAddress":"node:8042","nodeId":"node:1","id":1,/,
    );
  });
});

describe('a task', () => {
  it('counts up its time while it runs', () => {
    const statusText = 'map > sort';
    assert.equal(runningTaskView({ ...aTask(), statusText }, nowMs).elapsedTime, 6000);
    assert.equal(runningTaskView({ ...aTask({ state: 'SCHEDULED' }), statusText }, nowMs).elapsedTime, 0);
    assert.equal(runningTaskView({ ...aTask({ finishTimeMs: 5000 }), statusText }, nowMs).elapsedTime, 1000);
  });

  it('has a status while it runs only', () => {
    assert.match(writeJson(task, runningTaskView({ ...aTask(), statusText: 's' }, nowMs)), /"successfulAttempt":"","status":"s"\}\}$/);
    assert.match(writeJson(task, finishedTaskView(aTask())), /"successfulAttempt":""\}\}$/);
    assert.equal(writeJson(tasks, {}), '{"tasks":{}}');
  });
});

describe('an attempt at a task', () => {
  it('counts up its time while a map runs; that of a reduce waits for its end', () => {
    assert.equal(taskAttemptView(anAttempt(), nowMs).elapsedTime, 6000);
    assert.equal(taskAttemptView(anAttempt()).elapsedTime, 0);
    assert.equal(taskAttemptView(anAttempt({ kind: 'REDUCE' }), nowMs).elapsedTime, 0);
  });

  it('tells the phases of a reduce, not of a map', () => {
    const phases = { startTimeMs: 1000, shuffleFinishTimeMs: 3000, sortFinishTimeMs: 3500, finishTimeMs: 9000, state: 'SUCCEEDED' };
    const reduce = taskAttemptView(anAttempt({ kind: 'REDUCE', ...phases }));
    assert.deepEqual(
      [reduce.shuffleFinishTime, reduce.mergeFinishTime, reduce.elapsedShuffleTime, reduce.elapsedMergeTime, reduce.elapsedReduceTime],
      [3000, 3500, 2000, 500, 5500],
    );
    assert.equal('shuffleFinishTime' in taskAttemptView(anAttempt(phases)), false);
    assert.match(writeXml(taskAttempt, reduce), /<type>REDUCE<\/type>.*<elapsedReduceTime>5500<\/elapsedReduceTime><\/taskAttempt>$/);
  });

  it('has a line for each of its diagnostics, and no container before it got one', () => {
    const view = taskAttemptView(
      anAttempt({ diagnostics: ['a', 'b'], containerId: undefined, rack: undefined, nodeHttpAddress: undefined }),
    );
    assert.equal(view.diagnostics, 'a\nb');
    assert.doesNotMatch(writeJson(taskAttempt, view), /assignedContainerId|rack|nodeHttpAddress/);
  });

  it('has a state that is read from both formats', () => {
    assert.deepEqual(readBody(taskAttemptState, Buffer.from('{"state":"KILLED"}'), 'json'), { state: 'KILLED' });
    const xml = Buffer.from('<jobTaskAttemptState><state>KILLED</state></jobTaskAttemptState>');
    assert.deepEqual(readBody(taskAttemptState, xml, 'xml'), { state: 'KILLED' });
  });
});

describe('counters', () => {
  it('show what maps and reduces contribute to each total', () => {
    const view = jobCountersView(
      'job_1_0001',
      counters({ g: { a: 5, b: 1 }, h: { a: 2 } }),
      counters({ g: { a: 3 } }),
      counters({ g: { a: 2 }, h: { a: 9 } }),
    );
    assert.deepEqual(JSON.parse(writeJson(jobCounters, view)).jobCounters, {
      id: 'job_1_0001',
      counterGroup: [
        {
          counterGroupName: 'g',
          counter: [
            { name: 'a', totalCounterValue: 5, mapCounterValue: 3, reduceCounterValue: 2 },
            { name: 'b', totalCounterValue: 1, mapCounterValue: 0, reduceCounterValue: 0 },
          ],
        },
        { counterGroupName: 'h', counter: [{ name: 'a', totalCounterValue: 2, mapCounterValue: 0, reduceCounterValue: 9 }] },
      ],
    });
    assert.equal(writeJson(jobCounters, jobCountersView('j', noCounters, noCounters, noCounters)), '{"jobCounters":{"id":"j"}}');
  });

  it('of a group and a counter whose names run together are still told apart', () => {
    const view = jobCountersView('j', counters({ 'g a': { b: 1 }, g: { 'a b': 2 } }), counters({ g: { 'a b': 7 } }), noCounters);
    assert.deepEqual(
      view.counterGroup?.map((group) => group.counter?.[0]?.mapCounterValue),
      [0, 7],
    );
  });

  it('of a task and of an attempt have the same groups under other roots', () => {
    const groups = counterGroupsView(counters({ g: { a: 2 ** 60 } }));
    const inside = '"counterGroupName":"g","counter":[{"name":"a","value":1152921504606846976}]';
    assert.equal(
      writeJson(taskCounters, { id: 't', taskCounterGroup: groups }),
      `{"jobTaskCounters":{"id":"t","taskCounterGroup":[{${inside}}]}}`,
    );
    assert.equal(
      writeJson(taskAttemptCounters, { id: 'a', taskAttemptCounterGroup: groups }),
      `{"jobTaskAttemptCounters":{"id":"a","taskAttemptCounterGroup":[{${inside}}]}}`,
    );
  });
});

describe("a job's configuration", () => {
  it('names the file as the last source of every property but those that the job had hidden', () => {
    const view = configurationView(fileUri('/staging/job.xml'), [
      { name: 'a', value: '1' },
      { name: 'b', value: '2', sources: ['mapred-default.xml', 'job.xml'] },
      { name: 'secret', value: redactedValue, sources: ['programmatically'] },
      { name: 'password', value: redactedValue, sources: ['mapred-site.xml'] },
    ]);
    assert.equal(
      writeJson(configuration, view),
      `{"conf":{"path":"file:/staging/job.xml","property":[{"name":"a","value":"1","source":["file:/staging/job.xml"]},{"name":"b","value":"2","source":["mapred-default.xml","job.xml","file:/staging/job.xml"]},{"name":"secret","value":"${redactedValue}","source":["programmatically"]},{"name":"password","value":"${redactedValue}","source":["mapred-site.xml","file:/staging/job.xml"]}]}}`,
    );
    assert.equal(fileUri('s3a://bucket/job.xml'), 's3a://bucket/job.xml');
  });
});

describe('what a path names', () => {
  const attempt = anAttempt();
  const known = aTask({ attempts: [attempt] });
  const ofJob = { task: (id: string) => (id === known.id ? known : undefined) };

  it('is found by its id, whatever its leading zeros', () => {
    assert.equal(jobIdOf('job_1_1'), 'job_1_0001');
    assert.equal(findTask(ofJob, 'task_1_1_m_0'), known);
    assert.equal(findAttempt(known, 'attempt_1_1_m_0_0'), attempt);
  });

  it('is refused where it is malformed, and not found where it is another', () => {
    assert.equal(
      codeOf(() => jobIdOf('job_x')),
      'JOB_PART_ID_MALFORMED',
    );
    assert.equal(
      codeOf(() => findTask(ofJob, 'task_1_1_x_0')),
      'JOB_PART_ID_MALFORMED',
    );
    assert.equal(
      codeOf(() => findTask(ofJob, 'task_1_0001_s_000000')),
      'JOB_PART_ID_MALFORMED',
    );
    assert.equal(
      codeOf(() => findTask(ofJob, 'task_1_0001_m_000001')),
      'TASK_NOT_FOUND',
    );
    assert.equal(
      codeOf(() => findAttempt(known, 'attempt')),
      'JOB_PART_ID_MALFORMED',
    );
    assert.equal(
      codeOf(() => findAttempt(known, 'attempt_1_0001_m_000000_1')),
      'TASK_ATTEMPT_NOT_FOUND',
    );
  });

  it('is all tasks, or those of a kind; another kind is refused where there is a task to compare it with', () => {
    const reduce = aTask({ kind: 'REDUCE' });
    const all = [known, reduce];
    assert.deepEqual(tasksOfType(all, undefined), all);
    assert.deepEqual(tasksOfType(all, ''), all);
    assert.deepEqual(tasksOfType(all, 'm'), [known]);
    assert.deepEqual(tasksOfType(all, 'r'), [reduce]);
    for (const other of ['M', 'map', 'x'])
      assert.equal(
        codeOf(() => tasksOfType(all, other)),
        'TASK_TYPE_UNKNOWN',
      );
    assert.deepEqual(tasksOfType([], 'x'), []);
  });
});
