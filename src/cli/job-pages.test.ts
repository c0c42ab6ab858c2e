import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CommandFailure } from './failure.ts';
import { jobPart } from './job-pages.ts';

describe('an id', () => {
  it('names a job, a task of it, or an attempt at that', () => {
    const jobId = 'job_1700000000000_0001';
    assert.deepEqual(jobPart(jobId), { jobId });
    assert.deepEqual(jobPart('application_1700000000000_0001'), { jobId });
    assert.deepEqual(jobPart('task_1700000000000_0001_r_000002'), { jobId, taskId: 'task_1700000000000_0001_r_000002' });
    assert.deepEqual(jobPart('attempt_1700000000000_0001_m_000002_3'), {
      jobId,
      taskId: 'task_1700000000000_0001_m_000002',
      attemptId: 'attempt_1700000000000_0001_m_000002_3',
    });
  });

  it('that names nothing is refused', () => {
    for (const id of ['', 'job_1', 'job_1_2/../x', 'task_1_2_x_3', 'attempt_1_2_m_3', 'container_1_2_3_4'])
      assert.throws(() => jobPart(id), CommandFailure, id);
  });
});
