import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TasksById } from './tasks-by-id.ts';

const idsOfTasks = [
  'task_1700000000000_0001_m_000000',
  'task_1700000000000_0001_m_000001',
  'task_1700000000000_0001_r_000000',
  'task_1700000000000_0001_r_000001',
  'task_1700000000000_0001_m_123456789',
  'task_1700000000000_0001_m_1123456789',
];
const idsOfNoTasks = [
  '',
  'm',
  '7',
  'm_7',
  '_',
  'task_x',
  'task_1700000000000_0002_m_000001',
  'another_m_1',
  '__proto__',
  'm_000001',
  'm_01',
];

test('each id leads to its own task, whatever stands in it', () => {
  const ids = [...idsOfTasks, ...idsOfNoTasks];
  const tasks = new TasksById<{ id: string }>();
  const added = ids.map((id) => ({ id }));
  for (const task of added) tasks.set(task);
  for (const task of added) assert.equal(tasks.get(task.id), task, task.id);
  assert.equal(tasks.size, ids.length);
  assert.deepEqual(new Set(tasks.values()), new Set(added));
});

test('what was not added is not there, also where its number is taken', () => {
  const tasks = new TasksById<{ id: string }>();
  tasks.set({ id: idsOfTasks[1]! });
  for (const id of [...idsOfTasks, ...idsOfNoTasks]) if (id !== idsOfTasks[1]) assert.equal(tasks.get(id), undefined, id);
});

test('a task with the id of another replaces it', () => {
  const tasks = new TasksById<{ id: string; state: string }>();
  for (const id of ['task_1_1_m_1', 'other_m_1', 'task_1_1_m_1', 'other_m_1']) tasks.set({ id, state: 'first' });
  for (const id of ['task_1_1_m_1', 'other_m_1']) tasks.set({ id, state: 'second' });
  assert.deepEqual(
    tasks.values().map(({ state }) => state),
    ['second', 'second'],
  );
});
