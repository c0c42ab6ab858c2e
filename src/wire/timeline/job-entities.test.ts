import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobEventEntity } from './job-entities.ts';

const jobId = 'job_1_0001';

test('an event of the job is told of the job', () => {
  const event = { jobid: jobId, launchTime: 7, totalMaps: 2, totalReduces: 1, jobStatus: 'INITED', uberized: false };
  assert.deepEqual(jobEventEntity({ type: 'JOB_INITED', event }, jobId, 9), {
    entity: jobId,
    entitytype: 'MAPREDUCE_JOB',
    starttime: 7,
    events: [
      {
        timestamp: 9,
        eventtype: 'JOB_INITED',
        eventinfo: { START_TIME: 7, STATUS: 'INITED', TOTAL_MAPS: 2, TOTAL_REDUCES: 1, UBERIZED: false },
      },
    ],
  });
});

test('an event of a task is told of the task, which is related to the job; counters are spelled out', () => {
  const counters = { name: 'COUNTERS', groups: [{ name: 'g', displayName: 'G', counts: [{ name: 'c', displayName: 'C', value: 5 }] }] };
  const event = {
    taskid: 'task_1_0001_m_000000',
    taskType: 'MAP',
    finishTime: 3,
    status: 'SUCCEEDED',
    counters,
    successfulAttemptId: null,
  };
  assert.deepEqual(jobEventEntity({ type: 'TASK_FINISHED', event }, jobId, 4), {
    entity: 'task_1_0001_m_000000',
    entitytype: 'MAPREDUCE_TASK',
    relatedentities: { MAPREDUCE_JOB: [jobId] },
    events: [
      {
        timestamp: 4,
        eventtype: 'TASK_FINISHED',
        eventinfo: {
          TASK_TYPE: 'MAP',
          FINISH_TIME: 3,
          STATUS: 'SUCCEEDED',
          SUCCESSFUL_TASK_ATTEMPT_ID: '',
          COUNTERS_GROUPS: [{ NAME: 'g', DISPLAY_NAME: 'G', COUNTERS: [{ NAME: 'c', DISPLAY_NAME: 'C', VALUE: 5 }] }],
        },
      },
    ],
  });
});
