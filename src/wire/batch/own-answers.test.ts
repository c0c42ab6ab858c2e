import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { faultOf } from '../../lib/json-shape.ts';
import type { TaskAttemptFacts, TaskFacts } from './facts.ts';
import { readTaskCursor, tasksPage, tasksPageView } from './own-answers.ts';

const none = { groups: () => [] };
const attempt = (kind: 'MAP' | 'REDUCE', more: Partial<TaskAttemptFacts> = {}): TaskAttemptFacts => ({
  id: 'attempt_1_1_m_000000_0',
  kind,
  state: 'SUCCEEDED',
  progress: 1,
  statusText: '',
  startTimeMs: 100,
  finishTimeMs: 900,
  shuffleFinishTimeMs: 300,
  sortFinishTimeMs: 400,
  diagnostics: [],
  containerId: 'container_1',
  nodeHttpAddress: 'node:8042',
  rack: undefined,
  counters: none,
  ...more,
});
const task = (attempts: readonly TaskAttemptFacts[], kind: 'MAP' | 'REDUCE' = 'MAP'): TaskFacts => ({
  id: 'task_1_1_m_000000',
  kind,
  state: 'SUCCEEDED',
  progress: 1,
  startTimeMs: 100,
  finishTimeMs: 900,
  successfulAttempt: '',
  counters: none,
  attempts,
});

describe('a page of tasks', () => {
  it('leaves out what is not known, however an interface marks it, and the phases of what has none', () => {
    const waiting = attempt('REDUCE', {
      startTimeMs: 0,
      finishTimeMs: -1,
      shuffleFinishTimeMs: 0,
      sortFinishTimeMs: -1,
      containerId: undefined,
      nodeHttpAddress: '',
      progress: 1.2,
    });
    const page = tasksPageView([task([attempt('MAP')]), task([waiting, attempt('REDUCE')], 'REDUCE')], 0);
    assert.equal(faultOf(tasksPage, page), undefined);
    const { tasks } = page;
    assert.deepEqual(
      tasks.map(({ attempts }) => attempts.map(({ id: _id, ...rest }) => rest)),
      [
        [{ state: 'SUCCEEDED', progress: 1, startTime: 100, finishTime: 900, node: 'node:8042', containerId: 'container_1' }],
        [
          { state: 'SUCCEEDED', progress: 1 },
          {
            state: 'SUCCEEDED',
            progress: 1,
            startTime: 100,
            finishTime: 900,
            shuffleFinishTime: 300,
            sortFinishTime: 400,
            node: 'node:8042',
            containerId: 'container_1',
          },
        ],
      ],
    );
  });

  it('says of what did not succeed why, and not without end', () => {
    const lost = attempt('MAP', { state: 'FAILED', diagnostics: ['Error: x', 'y'.repeat(5000)] });
    const [failed, killed, fine] = tasksPageView(
      [task([lost, attempt('MAP', { state: 'KILLED', diagnostics: [' '] }), attempt('MAP', { diagnostics: ['said'] })])],
      0,
    ).tasks[0]!.attempts;
    assert.match(failed!.diagnostics!, /^Error: x\ny{1991}$/);
    assert.deepEqual([killed!.diagnostics, fine!.diagnostics], [undefined, undefined]);
  });

  it('ends with the task at which it has enough attempts, and the next goes on after it until all were shown once', () => {
    const tasks = [3, 0, 1, 5, 1].map((count, index) => ({
      ...task(Array.from({ length: count }, () => attempt('MAP'))),
      id: `task_${index}`,
    }));
    const seen: string[][] = [];
    for (let cursor: string | undefined = '0'; cursor !== undefined; ) {
      const page = tasksPageView(tasks, readTaskCursor(cursor)!, 3);
      seen.push(page.tasks.map(({ id }) => id));
      cursor = page.next;
    }
    assert.deepEqual(seen, [['task_0'], ['task_1', 'task_2', 'task_3'], ['task_4']]);
  });

  it('begins where a cursor says, which is nothing but a number', () => {
    assert.deepEqual(['', undefined, '17', '-1', '1e3', '1234567890'].map(readTaskCursor), [0, 0, 17, undefined, undefined, undefined]);
  });
});
