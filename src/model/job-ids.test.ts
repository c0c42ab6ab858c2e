import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { InvalidId } from './ids.ts';
import {
  applicationIdOfJob,
  compareJobIds,
  formatJobId,
  formatTaskId,
  parseJobId,
  parseTaskAttemptId,
  parseTaskId,
  UnknownTaskKind,
} from './job-ids.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_121) });

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

test('what is formatted is read as it is', () => {
  const timestamp = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
  const number = fc.integer({ min: 0, max: 2 ** 31 - 1 });
  fc.assert(
    fc.property(
      timestamp,
      number,
      number,
      fc.constantFrom('m' as const, 'r' as const),
      fc.nat(5000),
      (stamp, job, index, letter, attempt) => {
        const jobId = formatJobId(stamp, job);
        const taskId = formatTaskId(stamp, job, letter, index);
        const attemptId = `${taskId.replace('task', 'attempt')}_${attempt}`;
        assert.deepEqual([parseJobId(jobId), parseTaskId(taskId), parseTaskAttemptId(attemptId)], [jobId, taskId, attemptId]);
        assert.equal(applicationIdOfJob(jobId), jobId.replace('job', 'application'));
      },
    ),
  );
});

test('kinds of tasks that only old releases had are told from texts that are no ids', () => {
  for (const [letter, kind] of [
    ['s', 'JOB_SETUP'],
    ['c', 'JOB_CLEANUP'],
    ['t', 'TASK_CLEANUP'],
  ] as const) {
    for (const parse of [() => parseTaskId(`task_1_1_${letter}_0`), () => parseTaskAttemptId(`attempt_1_1_${letter}_0_0`)])
      assert.throws(parse, (error) => error instanceof UnknownTaskKind && error.message === `Unrecognized task type: ${kind}`);
  }
});

test('numbers beyond those of Java are refused', () => {
  refuses(parseJobId, 'job_99999999999999999999_1', 'For input string: "99999999999999999999"');
  refuses(parseTaskId, 'task_1_2147483648_m_0', 'For input string: "2147483648"');
  refuses(parseTaskAttemptId, 'attempt_1_1_m_0_2147483648', 'TaskAttemptId string : attempt_1_1_m_0_2147483648 is not properly formed');
});

test('whatever the text, it is an id or refused', () => {
  const part = fc.constantFrom('job', 'task', 'attempt', '1', '0001', 'm', 'r', 's', 'mm', '', '-1', 'x', '99999999999');
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 7 }).map((parts) => parts.join('_')),
      (text) => {
        for (const parse of [parseJobId, parseTaskId, parseTaskAttemptId]) {
          try {
            const id = parse(text);
            assert.equal(parse(id), id, text);
          } catch (error) {
            assert.ok(error instanceof InvalidId, `${text}: ${String(error)}`);
          }
        }
      },
    ),
    { numRuns: 2000 },
  );
});
