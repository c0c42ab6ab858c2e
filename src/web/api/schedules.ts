// What pages ask the resource manager about schedules.
import { queryOptions } from '@tanstack/react-query';
import type { Schedule } from '../../wire/cluster/schedules.ts';
import { getJson } from './http.ts';

/** The caller's schedules. What they submit changes them, so events of applications make them old. */
export const schedulesQuery = queryOptions({
  queryKey: ['applications', 'schedules'],
  queryFn: async ({ signal }): Promise<readonly Schedule[]> =>
    (await getJson<{ schedules: readonly Schedule[] }>('api/v1/schedules', signal)).schedules,
});
