import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applicationIdOfJob, compareJobIds, parseJobId, parseTaskAttemptId, parseTaskId, UnknownTaskKind } from './job-ids.ts';

const refuses = (parse: (text: string) => string, text: string, message: string | RegExp) =>
  assert.throws(() => parse(text), typeof message === 'string' ? { message } : message);

test('ids without leading zeros or with a trailing separator are taken and printed in full', () => {
  assert.equal(parseJobId('job_1700000000000_5'), 'job_1700000000000_0005');
  assert.equal(parseJobId('job_1700000000000_0005_'), 'job_1700000000000_0005');
  assert.equal(parseTaskId('task_1_12345_r_7'), 'task_1_12345_r_000007');
  assert.equal(parseTaskAttemptId('attempt_1_2_m_3_1000'), 'attempt_1_0002_m_000003_1000');
  assert.equal(applicationIdOfJob('job_1_5'), 'application_1_0005');
});

test('what is no id is refused with the sentence clients know', () => {
  for (const text of ['', 'job', 'job_x', 'job_1_x', 'job_1_2_3', 'application_1_2', 'job_1_99999999999'])
    refuses(parseJobId, text, `JobId string : ${text} is not properly formed`);
  refuses(parseJobId, 'job_x_2', 'For input string: "x"');
  refuses(parseTaskId, 'task_1_2', /TaskId string : task_1_2 is not properly formed\nReason: .*region=0,8 lastmatch=\]/);
  refuses(parseTaskId, 'task_1_2_m_99999999999', 'For input string: "99999999999"');
  assert.throws(() => parseTaskId('task_1_2_s_0'), UnknownTaskKind);
  for (const text of ['x', 'attempt_1', 'attempt_1_2_m_3_0x', 'task_1_2_m_3_0', 'attempt_1_2_m_3'])
    refuses(parseTaskAttemptId, text, `TaskAttemptId string : ${text} is not properly formed`);
  refuses(
    parseTaskAttemptId,
    'attempt_1_2_z_3_0',
    'Bad TaskType identifier. TaskAttemptId string : attempt_1_2_z_3_0 is not properly formed.',
  );
});

test('job ids are ordered by their numbers', () => {
  assert.deepEqual(['job_2_0001', 'job_1_10000', 'job_1_9999'].toSorted(compareJobIds), ['job_1_9999', 'job_1_10000', 'job_2_0001']);
});
