// What a list shows before its answer, after it, and while another filter is asked for.
import { type ReactNode, useCallback } from 'react';
import { Loading, Problem } from './problem.tsx';

/** What of a query's state decides. */
export interface QueryState {
  readonly data: unknown;
  readonly error: unknown;
  readonly refetch: () => unknown;
  /** What is shown answers an earlier question. */
  readonly isPlaceholderData: boolean;
}

/** What was answered; until then that it is asked for, or why it did not come. */
export function Answered({
  query: { data, error, refetch, isPlaceholderData },
  children,
}: {
  readonly query: QueryState;
  readonly children: ReactNode;
}) {
  if (error) return <Problem error={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  return <div className={isPlaceholderData ? 'stale' : ''}>{children}</div>;
}

/** Asks for the next page of a list, once at a time. */
export function useMore({
  hasNextPage,
  isFetchingNextPage,
  fetchNextPage,
}: {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly fetchNextPage: () => unknown;
}): () => void {
  return useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
}
