// What pages ask version 2 of the timeline: flows, their runs, applications and entities. The timeline server answers as its reader does.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { hasEndEvent } from '../format/past.ts';
import { getJson, queryText } from './http.ts';
import type { Published } from './timeline.ts';

/** A metric: values by their times in milliseconds. */
export interface Metric {
  readonly id: string;
  readonly values: Readonly<Record<string, number>>;
}
export interface ToldEvent {
  readonly id: string;
  readonly timestamp: number;
  readonly info?: Readonly<Record<string, Published>>;
}

/** What version 2 has been told of something; in lists without most of its members. */
export interface Told {
  readonly id: string;
  readonly type: string;
  readonly createdtime?: number;
  readonly info?: Readonly<Record<string, Published>>;
  readonly configs?: Readonly<Record<string, string>>;
  readonly metrics?: readonly Metric[];
  readonly events?: readonly ToldEvent[];
  readonly relatesto?: Readonly<Record<string, readonly string[]>>;
  readonly isrelatedto?: Readonly<Record<string, readonly string[]>>;
  readonly flowruns?: readonly Told[];
}

/** A text of `info`; '' where it is not told. */
export const infoText = ({ info = {} }: Told, name: string): string => (info[name] === undefined ? '' : String(info[name]));
/** A number of `info`; 0 where it is not told. */
export const infoNumber = ({ info = {} }: Told, name: string): number => Number(info[name] ?? 0);

const base = 'ws/v2/timeline';
/** Nothing tells of what is new: asked now and then. */
const pauseMs = 10_000;
const perPage = 100;

/** A list that goes on page by page. */
const listQuery = (path: string, filter: Readonly<Record<string, string | undefined>> = {}) =>
  infiniteQueryOptions({
    queryKey: ['timeline', 'told', path, filter],
    queryFn: async ({ pageParam, signal }) => {
      const query = { ...filter, limit: perPage + 1, fromid: pageParam || undefined };
      const found = await getJson<readonly Told[]>(`${base}/${path}${queryText(query)}`, signal);
      const next = found[perPage];
      return { found: found.slice(0, perPage), next: next && infoText(next, 'FROM_ID') };
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) < 3 ? pauseMs : false),
  });

/** What a page of such a list has. */
export const foundOf = ({ found }: { readonly found: readonly Told[] }): readonly Told[] => found;

/** Flows by day, the newest day first. */
export const flowsQuery = (daterange: string | undefined) => listQuery('flows', { daterange });

const flowPath = (user: string, flow: string) => `users/${encodeURIComponent(user)}/flows/${encodeURIComponent(flow)}`;

/** Runs of a flow, the newest first. */
export const runsQuery = (user: string, flow: string) => listQuery(`${flowPath(user, flow)}/runs`);

/** Applications of a run of a flow. */
export const runApplicationsQuery = (user: string, flow: string, run: string) =>
  listQuery(`${flowPath(user, flow)}/runs/${encodeURIComponent(run)}/apps`, { fields: 'INFO' });

/** Types of the entities of an application. */
export const entityTypesQuery = (application: string) =>
  queryOptions({
    queryKey: ['timeline', 'told-types', application],
    queryFn: ({ signal }) => getJson<readonly string[]>(`${base}/apps/${encodeURIComponent(application)}/entity-types`, signal),
    refetchInterval: pauseMs,
  });

/** Entities of a type of an application. */
export const toldEntitiesQuery = (application: string, type: string) =>
  listQuery(`apps/${encodeURIComponent(application)}/entities/${encodeURIComponent(type)}`, { fields: 'EVENTS' });

/** How soon what was told of something is asked for again, ms: of what has ended never. */
const pauseOf = ({ state }: { readonly state: { readonly data: Told | undefined } }): number | false =>
  hasEndEvent((state.data?.events ?? []).map(({ id }) => id)) ? false : pauseMs;

const whole = { fields: 'ALL', metricslimit: 100 };

/** An application, all that was told of it. */
export const toldApplicationQuery = (application: string) =>
  queryOptions({
    queryKey: ['timeline', 'told-application', application],
    queryFn: ({ signal }) => getJson<Told>(`${base}/apps/${encodeURIComponent(application)}${queryText(whole)}`, signal),
    refetchInterval: pauseOf,
  });

/** An entity by the UID that lists have of it: its prefix is larger than the numbers of a browser. */
export const toldEntityQuery = (uid: string) =>
  queryOptions({
    queryKey: ['timeline', 'told-entity', uid],
    queryFn: ({ signal }) => getJson<Told>(`${base}/entity-uid/${encodeURIComponent(uid)}${queryText(whole)}`, signal),
    refetchInterval: pauseOf,
  });
