// What the application history is asked for anew, and what is not.
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { QueryClient } from '@tanstack/react-query';
import { entityQuery, type PastApplication, pastApplicationQuery, pastApplicationsQuery, pastAttemptsQuery } from './timeline.ts';

const { fetch: realFetch } = globalThis;
afterEach(() => {
  globalThis.fetch = realFetch;
});

/** Answers by path; what was asked, below the history's own path. */
function answering(answers: (path: string) => unknown): string[] {
  const asked: string[] = [];
  globalThis.fetch = (async (url: string) => {
    const { pathname, search } = new URL(url);
    asked.push(pathname.replace(/^.*applicationhistory\//, '') + search);
    return new Response(JSON.stringify(answers(pathname)));
  }) as typeof fetch;
  return asked;
}

const application = (number: number, finishedTime: number) =>
  ({
    appId: `application_1_${number}`,
    appState: finishedTime > 0 ? 'FINISHED' : 'RUNNING',
    startedTime: number * 3_600_000,
    finishedTime,
  }) as PastApplication;

describe('the application history', () => {
  it('is asked anew for what is open or new, and keeps the rest', async () => {
    const client = new QueryClient();
    const answers = [{ app: [application(3, 0), application(2, 8), application(1, 7)] }, { app: [application(4, 0), application(3, 9)] }];
    const asked = answering(() => answers.shift());
    const query = pastApplicationsQuery({ user: 'ann' }, 100);
    await client.fetchQuery(query);
    const second = await client.fetchQuery({ ...query, staleTime: 0 });
    assert.deepEqual(asked, ['apps?user=ann&limit=100', `apps?user=ann&limit=100&startedTimeBegin=${3 * 3_600_000 - 600_000 - 1}`]);
    assert.deepEqual(
      second.map(({ appId, finishedTime }) => [appId, finishedTime]),
      [
        ['application_1_4', 0],
        ['application_1_3', 9],
        ['application_1_2', 8],
        ['application_1_1', 7],
      ],
    );
  });

  it('asks for one that runs again and again, and for one that is over no more once its containers have ended', () => {
    type Pause = (query: { readonly state: { readonly data: unknown; readonly dataUpdatedAt: number } }) => number | false;
    const pause = (query: { readonly refetchInterval?: unknown }, data: unknown, dataUpdatedAt = 3_600_010): number | false =>
      (query.refetchInterval as Pause)({ state: { data, dataUpdatedAt } });
    const [open, over] = [application(1, 0), application(1, 3_600_000)];
    const own = pastApplicationQuery(open.appId);
    assert.deepEqual([pause(own, undefined), pause(own, open), pause(own, over)], [10_000, 10_000, false]);
    const told = (...finishedTimes: number[]) => [
      { containers: finishedTimes.map((finishedTime) => ({ containerId: 'a', finishedTime })) },
    ];
    assert.equal(pause(pastAttemptsQuery(open.appId, open), told(5)), 10_000);
    const attempts = pastAttemptsQuery(open.appId, over);
    assert.deepEqual([pause(attempts, undefined), pause(attempts, told(5, 0)), pause(attempts, told(5, 6))], [10_000, 10_000, false]);
    assert.equal(pause(attempts, told(5, 0), 7_200_000), false);
  });

  it("asks for YARN's entities until they have ended, and for those of programs always", () => {
    const query = entityQuery('YARN_CONTAINER', 'a');
    const pause = (...kinds: string[]) =>
      (query.refetchInterval as (query: unknown) => number | false)({
        state: { data: { events: kinds.map((eventtype) => ({ eventtype })) } },
      });
    assert.deepEqual(
      [pause(), pause('YARN_CONTAINER_CREATED'), pause('YARN_CONTAINER_CREATED', 'YARN_CONTAINER_FINISHED'), pause('TASK_FINISHED')],
      [10_000, 10_000, false, 10_000],
    );
  });
});
