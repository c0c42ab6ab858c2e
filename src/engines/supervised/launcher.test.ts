import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLine } from './launcher.ts';

test('lines of the launcher are taken whole or not at all', () => {
  assert.deepEqual(parseLine('started c_1 42'), { type: 'started', name: 'c_1', pid: 42 });
  assert.deepEqual(parseLine('exit c_1 137'), { type: 'exited', name: 'c_1', exitCode: 137 });
  assert.deepEqual(parseLine('failed c_1'), { type: 'failed', name: 'c_1' });
  const others = [
    '',
    'started',
    'started c_1',
    'started c_1 ',
    'started c_1 x',
    'exit c_1',
    'exit c_1 -1',
    'exit c_1 1 2',
    'failed',
    'failed c_1 1',
  ];
  for (const line of [...others, 'paused c_1', ' failed c_1']) assert.equal(parseLine(line), undefined, JSON.stringify(line));
});
