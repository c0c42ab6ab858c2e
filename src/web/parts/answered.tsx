// What a list shows before its answer, after it, and while another filter is asked for.
import { type ReactNode, useCallback, useMemo } from 'react';
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
  const problem = error ? <Problem error={error} retry={() => void refetch()} /> : null;
  if (!data) return problem ?? <Loading />;
  // What came before is worth more than nothing.
  return (
    <>
      {problem}
      <div className={isPlaceholderData ? 'stale' : ''}>{children}</div>
    </>
  );
}

/** A list that goes on page by page, as far as it has come. */
interface PagedState<Page> {
  readonly data: { readonly pages: readonly Page[] } | undefined;
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly fetchNextPage: () => unknown;
}

/** The rows of all pages that have come, and what asks for the next page, once at a time. `rowsOf` is the same function each time. */
export function useRows<Page, Row>(
  { data, hasNextPage, isFetchingNextPage, fetchNextPage }: PagedState<Page>,
  rowsOf: (page: Page) => readonly Row[],
): { readonly rows: readonly Row[]; readonly more: () => void } {
  const rows = useMemo(() => data?.pages.flatMap(rowsOf) ?? [], [data, rowsOf]);
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  return { rows, more };
}
