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

/** What was refused stays refused. A server that does not answer is waited for: until then the page shows what it had, and the frame says so. */
export function isTriedAgain(count: number, error: unknown): boolean {
  if (!(error instanceof ApiFailure)) return false;
  return error.code === 'Unreachable' || (count < 2 && (error.status === 0 || error.status >= 500));
}

/** Whether a failure may pass: nobody answered, the server was in trouble or too busy, or the session ended. */
export const isPassing = (error: unknown): error is ApiFailure =>
  error instanceof ApiFailure &&
  (error.code === 'Unreachable' || error.status === 401 || error.status === 408 || error.status === 429 || error.status >= 500);

/** Why what is shown may be old: the first failure that may pass of an answer that somebody looks at. Of the end of a session the frame tells itself. */
export function staleReason(client: QueryClient): string | undefined {
  const shown = client.getQueryCache().findAll({ type: 'active', predicate: ({ state }) => state.data !== undefined });
  const failures = shown.map<unknown>(({ state }) => state.error).filter(isPassing);
  return failures.find(({ status }) => status !== 401)?.message;
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 1000,
      refetchInterval: ({ state }) => (isScrolled(state.data) ? false : following()),
      refetchOnWindowFocus: ({ state }) => !isScrolled(state.data),
      retry: isTriedAgain,
      retryDelay: (count) => Math.min(pollMs, 1000 * 2 ** count),
    },
  },
});
