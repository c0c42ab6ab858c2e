import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { counterGroupsView, jobCounters, jobCountersView, taskAttemptCounters, taskCounters } from '../batch/counters.ts';
import { jobAttempts, jobAttemptsView } from '../batch/jobs.ts';
import { taskAttempts, taskAttemptView } from '../batch/task-attempts.ts';
import { finishedTaskView, task as taskRecord } from '../batch/tasks.ts';
import type { RecordDescription } from '../codec/describe.ts';
import { writeJson } from '../codec/json.ts';
import { completedJobView } from '../history/completed-job-view.ts';
import { job as jobRecord, listedJobView } from '../history/jobs.ts';
import {
  type CompletedJob,
  ContradictoryHistory,
  JobTooLarge,
  jobReading,
  readCompletedJob,
  readCompletedJobInSlices,
} from './completed-job.ts';
import { countersOf, sumOf } from './job-counters.ts';
import { type HistoryEvent, parseHistory } from './job-history.ts';
import { parseHistoryFileName } from './job-history-names.ts';

const recorded = new URL('../../../test/compatibility/files/', import.meta.url);

const json = <T>(record: RecordDescription<T>, value: T) => JSON.parse(writeJson(record, value));

/** The answer to a path below a job, as the recordings name paths. */
async function answer(job: CompletedJob, path: string): Promise<unknown> {
  const [, kind, taskId, , attemptId] = path.split('/');
  const task = job.task(taskId ?? '');
  if (path === '/') return json(jobRecord, completedJobView(job));
  if (path === '/jobattempts') {
    const link = (of: { nodeId: string; containerId: string }) =>
      `http://127.0.0.1:19888/jobhistory/logs/${of.nodeId}/${of.containerId}/${job.id}/${job.user}`;
    return json(jobAttempts, jobAttemptsView(job.masters, link));
  }
  if (path === '/counters') {
    const { total, map, reduce } = await job.counters();
    return json(jobCounters, jobCountersView(job.id, total, map, reduce));
  }
  if (kind !== 'tasks') throw new Error(`no answer to ${path}`);
  if (taskId === undefined) return { tasks: { task: job.tasks.map((one) => json(taskRecord, finishedTaskView(one)).task) } };
  if (path.endsWith('/attempts')) return json(taskAttempts, { taskAttempt: task!.attempts.map((one) => taskAttemptView(one)) });
  if (attemptId !== undefined) {
    const attempt = task!.attempts.find((one) => one.id === attemptId)!;
    return json(taskAttemptCounters, { id: attempt.id, taskAttemptCounterGroup: counterGroupsView(attempt.counters) });
  }
  if (path.endsWith('/counters')) return json(taskCounters, { id: task!.id, taskCounterGroup: counterGroupsView(task!.counters) });
  return json(taskRecord, finishedTaskView(task!));
}

const sorted = (value: unknown): unknown => {
  const tasks = (value as { tasks?: { task: { id: string }[] } }).tasks?.task;
  const attempts = (value as { taskAttempts?: { taskAttempt?: { id: string }[] } }).taskAttempts?.taskAttempt;
  for (const list of [tasks, attempts]) list?.sort((a, b) => (a.id < b.id ? -1 : 1));
  return value;
};

test("jobs that Hadoop recorded are told as Hadoop's history server tells them", async () => {
  let compared = 0;
  for (const name of readdirSync(recorded).filter((file) => file.endsWith('.jhist'))) {
    const index = parseHistoryFileName(name)!;
    const bytes = readFileSync(new URL(encodeURIComponent(name), recorded));
    const job = readCompletedJob(parseHistory(bytes, jobReading), index);
    const answers = JSON.parse(readFileSync(new URL(`${index.jobId}.answers.json`, recorded), 'utf8')) as Record<string, unknown>;
    for (const [path, expected] of Object.entries(answers)) {
      const ours = path === 'list' ? (json(jobRecord, listedJobView(index)) as { job: unknown }).job : await answer(job, path);
      assert.deepEqual(sorted(ours), sorted(expected), `${index.jobId} ${path}`);
      compared++;
    }
  }
  assert.ok(compared > 40);
});

const index = parseHistoryFileName('job_1_0001-10-ann-n-90-1-0-KILLED-root.q-20.jhist')!;
const taskId = 'task_1_0001_m_000000';
const started = (attempt: number): HistoryEvent => ({
  type: 'MAP_ATTEMPT_STARTED',
  event: {
    taskid: taskId,
    taskType: 'MAP',
    attemptId: `attempt_1_0001_m_000000_${attempt}`,
    startTime: 30 + attempt,
    trackerName: 'node',
    httpPort: 8042,
    shufflePort: -1,
    containerId: 'container_1_0001_01_000002',
  },
});
const killed = (attempt: number): HistoryEvent => ({
  type: 'MAP_ATTEMPT_KILLED',
  event: {
    taskid: taskId,
    taskType: 'MAP',
    attemptId: `attempt_1_0001_m_000000_${attempt}`,
    finishTime: 60,
    hostname: 'node',
    port: 1,
    rackname: '/r',
    status: 'KILLED',
    error: 'lost',
    clockSplits: [],
    cpuUsages: [],
    vMemKbytes: [],
    physMemKbytes: [],
  },
});
const succeeded: HistoryEvent = {
  type: 'TASK_FINISHED',
  event: {
    taskid: taskId,
    taskType: 'MAP',
    finishTime: 50,
    status: 'SUCCEEDED',
    counters: { name: 'COUNTERS', groups: [] },
    successfulAttemptId: 'attempt_1_0001_m_000000_0',
  },
};
const taskStarted: HistoryEvent = { type: 'TASK_STARTED', event: { taskid: taskId, taskType: 'MAP', startTime: 25, splitLocations: '' } };

test('a task whose successful attempt was lost begins again', () => {
  const job = readCompletedJob([taskStarted, started(0), succeeded, killed(0)], index);
  const task = job.task(taskId)!;
  assert.deepEqual([task.state, task.finishTimeMs, task.successfulAttempt, task.startTimeMs], ['KILLED', -1, '', 30]);
});

test('a task with more than a few attempts has each of them, in their order, and one that began again once', () => {
  const numbers = Array.from({ length: 30 }, (_, i) => 29 - i);
  const events = [taskStarted, ...numbers.map(started), ...numbers.filter((number) => number % 3 > 0).map(killed), started(2)];
  const task = readCompletedJob(events, index).task(taskId)!;
  assert.deepEqual(
    task.attempts.map(({ id }) => id),
    numbers.toReversed().map((number) => `attempt_1_0001_m_000000_${number}`),
  );
  const missing = ', Attmpt state missing from History : marked as KILLED';
  assert.deepEqual(
    task.attempts.map(({ diagnostics }) => diagnostics[0]),
    task.attempts.map((_, number) => (number % 3 > 0 && number !== 2 ? 'lost' : missing)),
  );
  assert.equal(task.startTimeMs, 30);
});

test('a file that breaks off is told as far as it goes', () => {
  const job = readCompletedJob([taskStarted, started(0)], index);
  assert.deepEqual([job.state, job.user, job.queue, job.name, job.startTimeMs, job.finishTimeMs], ['KILLED', 'ann', 'root.q', 'n', -1, 90]);
  assert.deepEqual(job.task(taskId)!.attempts[0]!.diagnostics, [', Attmpt state missing from History : marked as KILLED']);
  assert.deepEqual(readCompletedJob([], index).tasks, []);
});

test('an attempt that was stopped before it began is left out, one that ends from nowhere is a contradiction', () => {
  assert.deepEqual(readCompletedJob([taskStarted, killed(7)], index).task(taskId)!.attempts, []);
  assert.throws(() => readCompletedJob([succeeded], index), ContradictoryHistory);
});

test('sums keep the order of the framework and the largest of peaks', () => {
  const set = (group: string, ...counters: [string, number][]) =>
    countersOf({
      name: 'COUNTERS',
      groups: [{ name: group, displayName: group, counts: counters.map(([name, value]) => ({ name, displayName: name, value })) }],
    });
  const task = 'org.apache.hadoop.mapreduce.TaskCounter';
  const sum = sumOf([
    set('z', ['x', 1]),
    set(task, ['A', 1], ['C', 2], ['P_MAX', 5]),
    set(task, ['A', 1], ['B', 7], ['C', 2], ['P_MAX', 4], ['Q_MAX', 1]),
  ]);
  assert.deepEqual(
    sum.groups().map((group) => [group.name, group.counters.map(({ name, value }) => `${name}=${value}`).join(' ')]),
    [
      [task, 'A=2 B=7 C=4 P_MAX=5 Q_MAX=1'],
      ['z', 'x=1'],
    ],
  );
});

test('a job of more parts than there is room for is given up while it is read', async () => {
  let read = 0;
  function* endless(): Generator<HistoryEvent> {
    for (; ; read++)
      yield { type: 'TASK_STARTED', event: { taskid: `task_1_0001_m_${read}`, taskType: 'MAP', startTime: 1, splitLocations: '' } };
  }
  const index = parseHistoryFileName('job_1_0001-1-ann-j-2-1-1-SUCCEEDED-default-1.jhist')!;
  await assert.rejects(readCompletedJobInSlices(endless(), index, { mostParts: 1000 }), JobTooLarge);
  assert.ok(read < 2000, String(read));
});
