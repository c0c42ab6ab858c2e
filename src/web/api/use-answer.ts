// What a page shows of an answer that is asked for again and again.
import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query';
import { isPassing } from './query-client.ts';

/**
 * An answer as far as it came. Where a later one fails for a reason that may pass, what came before stays, with what is written or asked on the page:
 * the frame says that it may be old. Other errors tell that it must not be shown any more, or is gone.
 */
export function useAnswer<Answer, Data = Answer, Key extends QueryKey = QueryKey>(options: UseQueryOptions<Answer, Error, Data, Key>) {
  const { data, error, refetch, isPending } = useQuery(options);
  return { data, error: data !== undefined && isPassing(error) ? null : error, refetch, isPending };
}
