import assert from 'node:assert/strict';
import { test } from 'node:test';
import { longOf } from '../../lib/java-long.ts';
import type { HistoryEvent } from '../../wire/files/job-history.ts';
import { timelineEntityOf } from './timeline.ts';

const job = { id: 'job_1_0001', submitTimeMs: 500 };
const counters = { name: 'TOTAL', groups: [{ name: 'g', displayName: 'G', counts: [{ name: 'c', displayName: 'C', value: 7n }] }] };
const counterGroups = [{ NAME: 'g', DISPLAY_NAME: 'G', COUNTERS: [{ NAME: 'c', DISPLAY_NAME: 'C', VALUE: 7 }] }];
const of = (type: string, event: object) => timelineEntityOf({ type, event } as HistoryEvent, job, 900);
const infoOf = (type: string, event: object) => of(type, event).events?.[0]?.eventinfo;

test('events of the job belong to the job, those of tasks and their attempts to the task, which names its job', () => {
  const submitted = of('JOB_SUBMITTED', { jobid: job.id, submitTime: 500 });
  assert.deepEqual([submitted.entity, submitted.entitytype, submitted.relatedentities], [job.id, 'MAPREDUCE_JOB', undefined]);
  assert.deepEqual([submitted.events?.[0]?.eventtype, submitted.events?.[0]?.timestamp], ['JOB_SUBMITTED', 900]);
  for (const type of ['TASK_STARTED', 'MAP_ATTEMPT_STARTED', 'REDUCE_ATTEMPT_KILLED']) {
    const { entity, entitytype, relatedentities } = of(type, { taskid: 'task_1_0001_m_000000' });
    assert.deepEqual([entity, entitytype, relatedentities], ['task_1_0001_m_000000', 'MAPREDUCE_TASK', { MAPREDUCE_JOB: [job.id] }], type);
  }
});

test('the entity of a job starts when the job was initialized', () => {
  assert.equal(of('JOB_INITED', { jobid: job.id, launchTime: 700, totalMaps: 2, totalReduces: 1, uberized: false }).starttime, 700);
  assert.equal(of('JOB_SUBMITTED', { jobid: job.id }).starttime, undefined);
});

test('the start of a master says when the job was submitted', () => {
  const info = infoOf('AM_STARTED', { applicationAttemptId: 'a', containerId: 'c', nodeManagerHost: 'h', startTime: 600 });
  assert.equal(info?.['SUBMIT_TIME'], 500);
  assert.equal(info?.['START_TIME'], 600);
});

test('maps and reduces of an ended job are counted with those that failed and were killed', () => {
  const counts = { finishedMaps: 3, failedMaps: 2, killedMaps: 1, finishedReduces: 4, failedReduces: 1, finishTime: 800 };
  const finished = infoOf('JOB_FINISHED', { ...counts, mapCounters: counters, reduceCounters: null, totalCounters: counters });
  assert.deepEqual([finished?.['NUM_MAPS'], finished?.['NUM_REDUCES'], finished?.['JOB_STATUS']], [6, 5, 'SUCCEEDED']);
  assert.deepEqual([finished?.['MAP_COUNTERS_GROUPS'], finished?.['REDUCE_COUNTERS_GROUPS']], [counterGroups, []]);
  for (const type of ['JOB_FAILED', 'JOB_KILLED', 'JOB_ERROR']) {
    const info = infoOf(type, { finishedMaps: 1, finishedReduces: 0, jobStatus: type.slice(4), finishTime: 800 });
    assert.deepEqual([info?.['NUM_MAPS'], info?.['JOB_STATUS'], info?.['DIAGNOSTICS']], [1, type.slice(4), '']);
  }
});

test('the end of a map says when its map was over, that of a reduce when it had shuffled and sorted', () => {
  const end = { finishTime: 800, counters, hostname: 'h', port: 1, rackname: '/r', attemptId: 'x', taskid: 't' };
  const map = infoOf('MAP_ATTEMPT_FINISHED', { ...end, mapFinishTime: 790 });
  assert.deepEqual([map?.['MAP_FINISH_TIME'], map && 'SORT_FINISH_TIME' in map], [790, false]);
  const reduce = infoOf('REDUCE_ATTEMPT_FINISHED', { ...end, shuffleFinishTime: 780, sortFinishTime: 785 });
  assert.deepEqual([reduce?.['SHUFFLE_FINISH_TIME'], reduce?.['SORT_FINISH_TIME']], [780, 785]);
  assert.deepEqual(reduce?.['COUNTERS_GROUPS'], counterGroups);
});

test('counters are told to the last digit', () => {
  const counts = ['9223372036854775806', '9007199254740993', '-9223372036854775808', '9007199254740991'].map((digits) => ({
    ...{ name: 'c', displayName: 'C' },
    value: longOf(BigInt(digits)),
  }));
  const told = infoOf('TASK_FINISHED', { counters: { name: 'COUNTERS', groups: [{ name: 'g', displayName: 'G', counts }] }, taskid: 't' });
  assert.deepEqual(
    [...JSON.stringify(told).matchAll(/"VALUE":(-?\d+)/g)].map(([, digits]) => digits),
    ['9223372036854775806', '9007199254740993', '-9223372036854775808', '9007199254740991'],
  );
});

test('an event that Hadoop does not name in the timeline says nothing', () => {
  assert.deepEqual(infoOf('NORMALIZED_RESOURCE', { memory: 1 }), {});
});
