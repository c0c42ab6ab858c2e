// What pages ask the timeline server: entities of version 1, domains, and the applications that were.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { hasEndEvent, isOver, isWhole, openSinceMs, withNews } from '../format/past.ts';
import { getJson, queryText } from './http.ts';

/** A value that a program published. */
export type Published = string | number | boolean | null | readonly Published[] | { readonly [name: string]: Published };

export interface EntityEvent {
  readonly timestamp: number;
  readonly eventtype: string;
  readonly eventinfo?: Readonly<Record<string, Published>>;
}

/** An entity; in lists without events, relations and info. */
export interface Entity {
  readonly entitytype: string;
  readonly entity: string;
  readonly starttime: number;
  readonly domain?: string;
  readonly events?: readonly EntityEvent[];
  readonly relatedentities?: Readonly<Record<string, readonly string[]>>;
  readonly primaryfilters?: Readonly<Record<string, readonly Published[]>>;
  readonly otherinfo?: Readonly<Record<string, Published>>;
}

export interface TimelineDomain {
  readonly id: string;
  readonly description?: string;
  readonly owner?: string;
  readonly readers?: string;
  readonly writers?: string;
  readonly createdtime?: number;
  readonly modifiedtime?: number;
}

const base = 'ws/v1/timeline';
/** Nothing tells of new entities: asked now and then. */
const pauseMs = 10_000;

export const typesQuery = queryOptions({
  queryKey: ['timeline', 'types'],
  queryFn: async ({ signal }) => (await getJson<{ types: readonly string[] }>('api/v1/timeline/types', signal)).types,
  refetchInterval: pauseMs,
});

const entitiesPerPage = 100;

/** Entities of a type, newest first; `filter` as the interface names them. */
export const entitiesQuery = (type: string, filter: Readonly<Record<string, string | undefined>>) =>
  infiniteQueryOptions({
    queryKey: ['timeline', 'entities', type, filter],
    queryFn: async ({ pageParam, signal }) => {
      const query = { ...filter, fields: 'PRIMARYFILTERS,LASTEVENTONLY', limit: entitiesPerPage + 1, fromId: pageParam };
      const { entities } = await getJson<{ entities: readonly Entity[] }>(`${base}/${encodeURIComponent(type)}${queryText(query)}`, signal);
      return { entities: entities.slice(0, entitiesPerPage), next: entities[entitiesPerPage]?.entity };
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) < 3 ? pauseMs : false),
  });

export const entityQuery = (type: string, id: string) =>
  queryOptions({
    queryKey: ['timeline', 'entity', type, id],
    queryFn: ({ signal }) => getJson<Entity>(`${base}/${encodeURIComponent(type)}/${encodeURIComponent(id)}`, signal),
    refetchInterval: ({ state }) => (hasEndEvent((state.data?.events ?? []).map(({ eventtype }) => eventtype)) ? false : pauseMs),
  });

export const domainQuery = (id: string) =>
  queryOptions({
    queryKey: ['timeline', 'domain', id],
    queryFn: ({ signal }) => getJson<TimelineDomain>(`${base}/domain/${encodeURIComponent(id)}`, signal),
    refetchInterval: false,
  });

/** An application that was, as the application history tells it. */
export interface PastApplication {
  readonly appId: string;
  readonly user: string;
  readonly name: string;
  readonly queue: string;
  readonly type: string;
  readonly appState: string;
  readonly finalAppStatus: string;
  readonly diagnosticsInfo: string;
  readonly submittedTime: number;
  readonly startedTime: number;
  readonly launchTime: number;
  readonly finishedTime: number;
  readonly priority: number;
  readonly applicationTags?: string;
  readonly aggregateResourceAllocation?: string;
}
export interface PastAttempt {
  readonly appAttemptId: string;
  readonly host: string;
  readonly diagnosticsInfo: string;
  readonly appAttemptState: string;
  readonly amContainerId: string;
}
export interface PastContainer {
  readonly containerId: string;
  readonly allocatedMB?: number;
  readonly allocatedVCores?: number;
  readonly assignedNodeId?: string;
  readonly startedTime?: number;
  readonly finishedTime?: number;
  readonly containerState?: string;
  readonly containerExitStatus?: number;
  readonly diagnosticsInfo?: string;
}

const history = 'ws/v1/applicationhistory';

/** The newest applications, at most `limit`. Asked again, those that are over are not told anew. */
export const pastApplicationsQuery = (filter: Readonly<Record<string, string | undefined>>, limit: number) => {
  const queryKey = ['timeline', 'applications', filter, limit] as const;
  return queryOptions({
    queryKey,
    queryFn: async ({ signal, client }) => {
      const known = client.getQueryData<readonly PastApplication[]>(queryKey) ?? [];
      const sinceMs = openSinceMs(known);
      const query = { ...filter, limit, ...(sinceMs > 0 && { startedTimeBegin: sinceMs - 1 }) };
      const { app = [] } = await getJson<{ app?: readonly PastApplication[] }>(`${history}/apps${queryText(query)}`, signal);
      return withNews(known, app, limit);
    },
    refetchInterval: pauseMs,
    placeholderData: keepPreviousData,
  });
};

export const pastApplicationQuery = (id: string) =>
  queryOptions({
    queryKey: ['timeline', 'application', id],
    queryFn: ({ signal }) => getJson<PastApplication>(`${history}/apps/${id}`, signal),
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : pauseMs),
    refetchOnWindowFocus: ({ state }) => !(state.data && isOver(state.data)),
  });

/** Attempts of an application, each with its containers: of one that is over until all of them have ended. */
export const pastAttemptsQuery = (id: string, application: PastApplication | undefined) => {
  const mayChange = (told: readonly { readonly containers: readonly PastContainer[] }[] | undefined, atMs: number): boolean => {
    const containers = told?.flatMap((each) => each.containers);
    return !(application && containers && isWhole(application, containers, atMs));
  };
  return queryOptions({
    queryKey: ['timeline', 'attempts', id],
    queryFn: async ({ signal }) => {
      const path = `${history}/apps/${id}/appattempts`;
      const { appAttempt = [] } = await getJson<{ appAttempt?: readonly PastAttempt[] }>(path, signal);
      return Promise.all(
        appAttempt.map(async (attempt) => ({
          attempt,
          containers:
            (await getJson<{ container?: readonly PastContainer[] }>(`${path}/${attempt.appAttemptId}/containers`, signal)).container ?? [],
        })),
      );
    },
    refetchInterval: ({ state }) => (mayChange(state.data, state.dataUpdatedAt) ? pauseMs : false),
    refetchOnWindowFocus: ({ state }) => mayChange(state.data, state.dataUpdatedAt),
  });
};
