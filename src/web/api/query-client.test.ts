import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { InfiniteQueryObserver, QueryObserver } from '@tanstack/react-query';
import { ApiFailure } from './http.ts';
import { isPassing, isScrolled, isTriedAgain, queryClient, staleReason } from './query-client.ts';

describe('the cache of answers', () => {
  it('knows a list that somebody has scrolled through', () => {
    assert.equal(isScrolled(undefined), false);
    assert.equal(isScrolled({ applications: [] }), false);
    assert.equal(isScrolled({ pages: [1, 2, 3] }), false);
    assert.equal(isScrolled({ pages: [1, 2, 3, 4] }), true);
  });

  it('waits for a server that does not answer, and takes a refusal as it is', () => {
    assert.equal(isTriedAgain(1000, new ApiFailure(0, 'Unreachable', '')), true);
    assert.deepEqual(
      [0, 1, 2].map((count) => isTriedAgain(count, new ApiFailure(503, '', ''))),
      [true, true, false],
    );
    assert.equal(isTriedAgain(0, new ApiFailure(404, '', '')), false);
    assert.equal(isTriedAgain(0, new TypeError('a slip of the page')), false);
  });

  it('tells failures that may pass from those that say that it is gone or not for the caller', () => {
    const passing = (status: number, code = '') => isPassing(new ApiFailure(status, code, ''));
    assert.ok([401, 408, 429, 500, 503].every((status) => passing(status)));
    assert.equal(passing(0, 'Unreachable'), true);
    assert.equal(passing(0, 'Moved'), false);
    assert.ok([400, 403, 404, 410].every((status) => !passing(status)));
    assert.equal(isPassing(new TypeError('a slip of the page')), false);
  });

  it('says why what somebody looks at may be old: not of a session, which is told elsewhere, nor of what never came', async () => {
    const answers: unknown[] = ['first', new ApiFailure(401, '', 'who?'), new ApiFailure(500, '', 'It is ill.'), 'second'];
    const queryFn = async () => {
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    };
    const observer = new QueryObserver(queryClient, { queryKey: ['one'], queryFn, retry: false });
    const leave = observer.subscribe(() => undefined);
    const leaveOther = new QueryObserver(queryClient, {
      ...{ queryKey: ['other'], retry: false, queryFn: () => Promise.reject(new ApiFailure(500, '', 'never')) },
    }).subscribe(() => undefined);
    const reasons: (string | undefined)[] = [];
    for (let ask = 0; ask < 4; ask++) {
      await observer.refetch();
      reasons.push(staleReason(queryClient));
    }
    assert.deepEqual(reasons, [undefined, undefined, 'It is ill.', undefined]);
    leave();
    leaveOther();
    queryClient.clear();
  });

  it('does not ask for all pages of such a list again, neither in turns nor when the window is looked at', async () => {
    const observer = new InfiniteQueryObserver(queryClient, {
      ...{ queryKey: ['numbers'], initialPageParam: 0, queryFn: ({ pageParam }: { pageParam: unknown }) => Number(pageParam) },
      getNextPageParam: (last: number) => last + 1,
    });
    const leave = observer.subscribe(() => undefined);
    await observer.refetch();
    const query = queryClient.getQueryCache().find({ queryKey: ['numbers'] })!;
    const { refetchInterval, refetchOnWindowFocus } = queryClient.getDefaultOptions().queries as unknown as {
      refetchInterval(query: unknown): number | false;
      refetchOnWindowFocus(query: unknown): boolean;
    };
    assert.ok(Number(refetchInterval(query)) > 0);
    assert.equal(refetchOnWindowFocus(query), true);
    for (let page = 1; page < 5; page++) await observer.fetchNextPage();
    assert.equal(refetchInterval(query), false);
    assert.equal(refetchOnWindowFocus(query), false);
    leave();
    queryClient.clear();
  });
});
