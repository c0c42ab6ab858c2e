import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { InfiniteQueryObserver } from '@tanstack/react-query';
import { ApiFailure } from './http.ts';
import { isScrolled, isTriedAgain, queryClient } from './query-client.ts';

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
