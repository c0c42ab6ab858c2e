import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { attemptNumber, counterWord, groupWord, jobOfApplication, ratio, squareOfState, taskOfAttempt, taskWord } from './jobs.ts';

describe('batch jobs in words', () => {
  it('name tasks and attempts as people do', () => {
    assert.equal(taskWord('task_1700000000000_0005_m_000012'), 'map 12');
    assert.equal(taskWord('task_1700000000000_0005_r_000000'), 'reduce 0');
    assert.equal(taskWord('something else'), 'something else');
    assert.equal(attemptNumber('attempt_1700000000000_0005_m_000012_3'), 3);
    assert.equal(taskOfAttempt('attempt_1700000000000_0005_m_000012_3'), 'task_1700000000000_0005_m_000012');
    assert.equal(jobOfApplication('application_1700000000000_0005'), 'job_1700000000000_0005');
  });

  it('give every state a square', () => {
    assert.deepEqual(['NEW', 'SCHEDULED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'KILLED'].map(squareOfState), [
      ...['waiting', 'waiting', 'running', 'good', 'bad', 'stopped'],
    ]);
  });

  it('say how two numbers relate', () => {
    const pairs = [
      [0, 0],
      [0, 3],
      [3, 0],
      [100, 130],
      [130, 100],
      [1000, 1001],
      [10, 25],
      [25, 10],
      [1, 12_345],
      [-1, 1],
    ] as const;
    assert.deepEqual(
      pairs.map(([a, b]) => ratio(a, b)),
      ['same', 'new', 'gone', '+ 30 %', '− 23 %', '+ < 1 %', '× 2.5', '÷ 2.5', '× 12345', 'turned'],
    );
  });

  it('name counters and their groups', () => {
    assert.equal(counterWord('MAP_INPUT_RECORDS'), 'Map input records');
    assert.equal(counterWord('lines skipped'), 'lines skipped');
    assert.equal(groupWord('org.apache.hadoop.mapreduce.FileSystemCounter'), 'File System counter'.replace('System', 'system'));
    assert.equal(groupWord('org.example.Job$Quality'), 'Quality');
    assert.equal(groupWord('Shuffle Errors'), 'Shuffle Errors');
  });
});
