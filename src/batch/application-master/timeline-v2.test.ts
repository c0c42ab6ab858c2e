import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HistoryEvent } from '../../wire/files/job-history.ts';
import { JobTeller, type PublishedJob } from './timeline-v2.ts';

const job: PublishedJob = { id: 'job_1_0001', applicationId: 'application_1_0001', submitTimeMs: 500, configuration: [] };
const counters = {
  name: 'TOTAL',
  groups: [{ name: 'g', displayName: 'G', counts: [{ name: 'c', displayName: 'C', value: 2n ** 60n + 1n }] }],
};
const taskid = 'task_1_0001_m_000000';
const attemptId = 'attempt_1_0001_m_000000_0';
/** What a teller says of events, as it is sent. */
const told = (events: readonly (readonly [type: string, event: object])[], about: Partial<PublishedJob> = {}) => {
  const teller = new JobTeller({ ...job, ...about });
  return events.map(([type, event]) =>
    JSON.parse(JSON.stringify(teller.entitiesOf({ type, event } as HistoryEvent, 900)).replaceAll(/:(\d{17,})/g, ':"$1"')),
  );
};
const one = (type: string, event: object) => told([[type, event]])[0][0];

test('job, task and attempt are entities of their own, each related to what it belongs to', () => {
  const [[ofJob], [ofTask], [ofAttempt]] = told([
    ['JOB_INITED', { jobid: job.id, launchTime: 600n, totalMaps: 2, totalReduces: 1, jobStatus: 'INITED', uberized: false }],
    ['TASK_STARTED', { taskid, taskType: 'MAP', startTime: 700n, splitLocations: 'h' }],
    [
      'MAP_ATTEMPT_STARTED',
      { taskid, attemptId, taskType: 'MAP', startTime: 800n, trackerName: 'h', httpPort: 1, shufflePort: 2, containerId: 'k' },
    ],
  ]);
  assert.deepEqual([ofJob.type, ofJob.id, ofJob.createdtime, ofJob.isrelatedto], ['MAPREDUCE_JOB', job.id, undefined, undefined]);
  assert.deepEqual(ofJob.events, [
    { id: 'JOB_INITED', timestamp: 900, info: { START_TIME: 600, STATUS: 'INITED', TOTAL_MAPS: 2, TOTAL_REDUCES: 1, UBERIZED: false } },
  ]);
  assert.deepEqual([ofTask.type, ofTask.id, ofTask.isrelatedto], ['MAPREDUCE_TASK', taskid, { MAPREDUCE_JOB: [job.id] }]);
  assert.deepEqual([ofTask.info, ofTask.createdtime], [{ TASK_TYPE: 'MAP' }, 900]);
  assert.deepEqual(
    [ofAttempt.type, ofAttempt.id, ofAttempt.isrelatedto],
    ['MAPREDUCE_TASK_ATTEMPT', attemptId, { MAPREDUCE_TASK: [taskid] }],
  );
  assert.equal(ofAttempt.createdtime, 900);
});

test('prefixes are start times inverted, the same in all events of one entity; what never started has started at 0', () => {
  const [[started], [finished], [neverStarted], [ended]] = told([
    ['TASK_STARTED', { taskid, taskType: 'MAP', startTime: 700n, splitLocations: '' }],
    ['TASK_FINISHED', { taskid, taskType: 'MAP', finishTime: 800n, counters: null, successfulAttemptId: attemptId }],
    ['MAP_ATTEMPT_KILLED', { taskid, attemptId, taskType: 'MAP', finishTime: 800n, status: 'KILLED', error: '', counters: null }],
    ['TASK_FAILED', { taskid, taskType: 'MAP', finishTime: 800n, error: 'e', failedDueToAttempt: attemptId, counters: null }],
  ]);
  assert.deepEqual(
    [started.idprefix, finished.idprefix, neverStarted.idprefix],
    [String(2n ** 63n - 1n - 700n), String(2n ** 63n - 1n - 700n), String(2n ** 63n - 1n)],
  );
  assert.deepEqual([ended.type, ended.id], ['MAPREDUCE_TASK', taskid]);
});

test('counters are metrics at the end, exact however large, and stand in no event', () => {
  const end = {
    taskid,
    attemptId,
    taskType: 'MAP',
    finishTime: 800n,
    mapFinishTime: 790n,
    taskStatus: 'SUCCEEDED',
    state: 's',
    hostname: 'h',
    port: 1,
    rackname: '/r',
  };
  const { metrics, events } = one('MAP_ATTEMPT_FINISHED', { ...end, counters });
  assert.deepEqual(metrics, [{ id: 'g:c', type: 'SINGLE_VALUE', aggregationOp: 'NOP', values: { 800: String(2n ** 60n + 1n) } }]);
  assert.deepEqual(events[0].info, {
    TASK_TYPE: 'MAP',
    FINISH_TIME: 800,
    STATUS: 'SUCCEEDED',
    STATE: 's',
    MAP_FINISH_TIME: 790,
    HOSTNAME: 'h',
    PORT: 1,
    RACK_NAME: '/r',
    ATTEMPT_ID: attemptId,
  });
  assert.equal(one('TASK_STARTED', { taskid, taskType: 'MAP', startTime: 1n }).metrics, undefined);
});

test('the end of a job tells the counters of all, maps and reduces, also with the application', () => {
  const end = { finishTime: 800n, finishedMaps: 1, finishedReduces: 0, failedMaps: 0, failedReduces: 0 };
  const [[ofJob, ofApplication]] = told([
    ['JOB_FINISHED', { ...end, totalCounters: counters, mapCounters: counters, reduceCounters: counters }],
  ]);
  assert.deepEqual(
    ofJob.metrics.map(({ id }: { id: string }) => id),
    ['g:c', 'MAP:g:c', 'REDUCE:g:c'],
  );
  assert.deepEqual([ofApplication.type, ofApplication.id, ofApplication.metrics], ['YARN_APPLICATION', job.applicationId, ofJob.metrics]);
  assert.equal('FINISHED_MAPS' in ofJob.events[0].info, false);
  assert.equal(told([['JOB_FAILED', { ...end, jobStatus: 'FAILED' }]])[0].length, 1);
});

test('an attempt that failed says when under the names of all its phases; misspelt names are those of Hadoop', () => {
  const failed = one('REDUCE_ATTEMPT_FAILED', {
    taskid,
    attemptId,
    taskType: 'REDUCE',
    finishTime: 800n,
    status: 'FAILED',
    error: 'e',
    counters: null,
  });
  const { SHUFFLE_FINISH_TIME, SORT_FINISH_TIME, MAP_FINISH_TIME, FINISH_TIME } = failed.events[0].info;
  assert.deepEqual([SHUFFLE_FINISH_TIME, SORT_FINISH_TIME, MAP_FINISH_TIME, FINISH_TIME], [800, 800, 800, 800]);
  const submitted = one('JOB_SUBMITTED', { jobid: job.id, submitTime: 500n, workflowId: 'w', jobQueueName: 'q' });
  assert.deepEqual([submitted.events[0].info.WORKLFOW_ID, submitted.events[0].info.WORKFLOW_ID], ['w', undefined]);
  assert.equal(submitted.createdtime, 900);
  assert.equal('SUBMIT_TIME' in one('AM_STARTED', { applicationAttemptId: 'a', startTime: 1n }).events[0].info, false);
});

test('the configuration comes with the submission, in parts of about 10 KiB, for the job and for the application', () => {
  const configuration = Array.from({ length: 30 }, (_, n) => ({ name: `name${n}`, value: 'x'.repeat(n === 29 ? 20_000 : 995) }));
  const [[, ...parts]] = told([['JOB_SUBMITTED', { jobid: job.id, submitTime: 500n }]], {
    configuration: [...configuration, { name: '__proto__', value: 'named so' }],
  });
  assert.deepEqual(parts.map(({ type, id }: { type: string; id: string }) => [type, id]).slice(0, 2), [
    ['MAPREDUCE_JOB', job.id],
    ['YARN_APPLICATION', job.applicationId],
  ]);
  const sizes = parts.map(({ configs }: { configs: Record<string, string> }) => Object.keys(configs).length);
  assert.deepEqual(sizes, [10, 10, 10, 10, 9, 9, 1, 1, 1, 1]);
  const all = Object.assign({}, ...parts.map(({ configs }: { configs: object }) => Object.fromEntries(Object.entries(configs))));
  assert.equal(Object.keys(all).length, 30);
  assert.ok(Object.hasOwn(parts.at(-1).configs, '__proto__'));
});
