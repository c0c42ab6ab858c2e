// What pages ask the resource manager about schedules.
import { queryOptions } from '@tanstack/react-query';
import type { Schedule } from '../../wire/cluster/schedules.ts';
import { getJson } from './http.ts';

/** Where schedules lie in the cache. What they submit changes them, so events of applications make them old. */
export const schedulesKey = ['applications', 'schedules'] as const;

/** The caller's schedules, or those of everybody, which administrators see alone. */
export const schedulesQuery = (isOfAll: boolean) =>
  queryOptions({
    queryKey: [...schedulesKey, isOfAll],
    queryFn: async ({ signal }): Promise<readonly Schedule[]> =>
      (await getJson<{ schedules: readonly Schedule[] }>(`api/v1/schedules${isOfAll ? '?all=true' : ''}`, signal)).schedules,
  });
