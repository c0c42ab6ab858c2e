import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hasEndEvent, isOver, isWhole, openSinceMs, withNews } from './past.ts';

const hourMs = 3_600_000;
const application = (number: number, finishedTime: number, appState = finishedTime > 0 ? 'FINISHED' : 'RUNNING') => ({
  appId: `application_1_${number}`,
  appState,
  startedTime: number * hourMs,
  finishedTime,
});

describe('what of the application history can still change', () => {
  it('is over once it has ended, with all of its containers or for long', () => {
    const ended = application(1, hourMs + 5);
    assert.equal(isOver(ended), true);
    assert.equal(isOver(application(1, 0)), false);
    assert.equal(isWhole(ended, [{ finishedTime: 3 }, {}], hourMs + 6), false);
    assert.equal(isWhole(ended, [], hourMs + 6), false);
    assert.equal(isWhole(ended, [{ finishedTime: 3 }], hourMs + 6), true);
    assert.equal(isWhole(ended, [{}], 2 * hourMs), true);
    assert.equal(isWhole(application(1, 0), [{ finishedTime: 3 }], 2 * hourMs), false);
  });

  it('is asked for from the oldest that is open on, and a while before the newest', () => {
    assert.equal(openSinceMs([]), 0);
    assert.equal(openSinceMs([application(9, 1), application(8, 1)]), 9 * hourMs - 600_000);
    assert.equal(openSinceMs([application(9, 1), application(4, 0), application(3, 1)]), 4 * hourMs);
  });

  it('takes the place of what was known', () => {
    const known = [application(3, 0), application(2, 1), application(1, 1)];
    const merged = withNews(known, [application(4, 0), application(3, 9)], 3);
    assert.deepEqual(
      merged.map(({ appId, finishedTime }) => [appId, finishedTime]),
      [
        ['application_1_4', 0],
        ['application_1_3', 9],
        ['application_1_2', 1],
      ],
    );
  });

  it("knows the last event of what is YARN's own, and of nothing else", () => {
    assert.equal(hasEndEvent(['YARN_CONTAINER_CREATED', 'YARN_CONTAINER_FINISHED']), true);
    assert.equal(hasEndEvent(['YARN_APPLICATION_FINISHED']), true);
    assert.equal(hasEndEvent(['TASK_FINISHED', 'YARN_CONTAINER_CREATED']), false);
  });
});
