// One cache of answers for all pages. Pages say what they need; `live.ts` says when it is old.
import { QueryClient } from '@tanstack/react-query';
import { ApiFailure } from './http.ts';
import { isLive } from './live-state.ts';

/** How often pages ask again where the server tells them of changes, and where it does not, ms. */
const liveMs = 30_000;
const pollMs = 4000;

/** How often a query that follows the cluster is asked again. */
export const following = (): number => (isLive() ? liveMs : pollMs);

/** Pages of a list beyond which a reader scrolls through it: it is not read anew from its beginning, all pages one after the other. */
const mostPagesAnew = 3;

/** Whether an answer is a list that a reader has scrolled through. */
export const isScrolled = (data: unknown): boolean => ((data as { pages?: unknown[] } | undefined)?.pages?.length ?? 0) > mostPagesAnew;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 1000,
      refetchInterval: ({ state }) => (isScrolled(state.data) ? false : following()),
      refetchOnWindowFocus: ({ state }) => !isScrolled(state.data),
      // What was refused stays refused; who does not answer may come back.
      retry: (count, error) => count < 2 && error instanceof ApiFailure && (error.status === 0 || error.status >= 500),
      retryDelay: 1000,
    },
  },
});
