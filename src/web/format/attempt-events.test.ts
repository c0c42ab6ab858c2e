import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { PlainTask } from '../../wire/batch/own-answers.ts';
import { attemptEvents } from './attempt-events.ts';

const attempt = (id: string, state: string, startTime?: number, finishTime?: number) => ({
  ...{ id, state, progress: 0 },
  ...(startTime !== undefined && { startTime }),
  ...(finishTime !== undefined && { finishTime }),
});
const task = (id: string, ...attempts: ReturnType<typeof attempt>[]): PlainTask => ({
  id,
  kind: 'MAP',
  state: 'RUNNING',
  progress: 0,
  attempts,
});
const tasks = [
  task('m0', attempt('m0_0', 'FAILED', 100, 300), attempt('m0_1', 'SUCCEEDED', 300, 500)),
  task('m1', attempt('m1_0', 'RUNNING', 200)),
  // Killed before its process began, and one that waits.
  task('m2', attempt('m2_0', 'KILLED', undefined, 250), attempt('m2_1', 'UNASSIGNED')),
];
const told = (...given: Parameters<typeof attemptEvents>) => attemptEvents(...given).map(({ id, time }) => `${id} ${time}`);

it('tells beginnings and ends of attempts in their order, an end first where both came at once', () => {
  assert.deepEqual(told(tasks, { choice: 'all', compact: false }), [
    'm0_0 100',
    'm1_0 200',
    'm2_0 end 250',
    'm0_0 end 300',
    'm0_1 300',
    'm0_1 end 500',
  ]);
  // Whichever task comes first.
  const begins = task('m3', attempt('m3_0', 'RUNNING', 250));
  const ends = task('m4', attempt('m4_0', 'FAILED', 100, 250));
  for (const both of [
    [begins, ends],
    [ends, begins],
  ])
    assert.deepEqual(told(both, { choice: 'all', compact: false }), ['m4_0 100', 'm4_0 end 250', 'm3_0 250']);
});

it('has one line an attempt where it was last heard of, and those alone that ended in one way', () => {
  assert.deepEqual(told(tasks, { choice: 'all', compact: true }), ['m1_0 200', 'm2_0 end 250', 'm0_0 end 300', 'm0_1 end 500']);
  assert.deepEqual(told(tasks, { choice: 'FAILED', compact: true }), ['m0_0 end 300']);
  assert.deepEqual(told(tasks, { choice: 'KILLED', compact: false }), ['m2_0 end 250']);
});
