// What pages ask the resource manager about schedules.
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Schedule, ScheduleDetail, ScheduleTimes } from '../../wire/cluster/schedules.ts';
import { getJson, queryText } from './http.ts';

/** Where schedules lie in the cache. What they submit changes them, so events of applications make them old. */
export const schedulesKey = ['applications', 'schedules'] as const;

/** Where a schedule is changed. */
export const schedulePath = (user: string, name: string): string =>
  `api/v1/schedules/${encodeURIComponent(user)}/${encodeURIComponent(name)}`;

/** The page of a schedule. */
export const scheduleAddress = ({ user, name }: Pick<Schedule, 'user' | 'name'>): string =>
  `/schedules/${encodeURIComponent(user)}/${encodeURIComponent(name)}`;

/** The caller's schedules, or those of everybody, which administrators see alone. */
export const schedulesQuery = (isOfAll: boolean) =>
  queryOptions({
    queryKey: [...schedulesKey, isOfAll],
    queryFn: async ({ signal }): Promise<readonly Schedule[]> =>
      (await getJson<{ schedules: readonly Schedule[] }>(`api/v1/schedules${isOfAll ? '?all=true' : ''}`, signal)).schedules,
  });

/** One schedule with what it submits. */
export const scheduleQuery = (user: string, name: string) =>
  queryOptions({
    queryKey: [...schedulesKey, user, name],
    queryFn: ({ signal }) => getJson<ScheduleDetail>(schedulePath(user, name), signal),
  });

/** When a schedule would be due: computed by the server, which will decide it. */
export const scheduleTimesQuery = (cron: string, timeZone: string) =>
  queryOptions({
    queryKey: ['schedule-times', cron, timeZone],
    queryFn: ({ signal }) => getJson<ScheduleTimes>(`api/v1/schedule-times${queryText({ cron, timeZone })}`, signal),
    placeholderData: keepPreviousData,
  });
