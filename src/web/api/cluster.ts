// What pages ask the resource manager about the cluster and its applications.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ClusterMetrics } from '../../wire/cluster/cluster-info.ts';
import type { ApplicationCounts, ClusterUsage, PlainApplication, StartRisks, WaitingApplications } from '../../wire/cluster/own-answers.ts';
import { getJson, queryText } from './http.ts';

/** What a wire object is once it was read from JSON: numbers are numbers, and these members are always there. */
export type Read<T> = T extends bigint
  ? number
  : T extends readonly (infer Element)[]
    ? readonly Read<Element>[]
    : T extends object
      ? { readonly [Key in keyof T]-?: Read<NonNullable<T[Key]>> }
      : T;

export const clusterMetricsQuery = queryOptions({
  queryKey: ['cluster', 'metrics'],
  queryFn: async ({ signal }) => (await getJson<{ clusterMetrics: Read<ClusterMetrics> }>('ws/v1/cluster/metrics', signal)).clusterMetrics,
});

/** A page of applications. */
export interface ApplicationPage {
  readonly applications: readonly PlainApplication[];
  /** Cursor of the next; absent: this is the last. */
  readonly next?: string;
}

/** Filters of a list of applications, as `/ws/v1/cluster/apps` names them, and the order. */
export type ApplicationFilter = Readonly<Record<string, string | undefined>>;

const applicationsPerPage = 200;

/** Applications, a page after the other. */
export const applicationsQuery = (filter: ApplicationFilter) =>
  infiniteQueryOptions({
    queryKey: ['applications', filter],
    queryFn: ({ pageParam, signal }) =>
      getJson<ApplicationPage>(`api/v1/applications${queryText({ ...filter, limit: applicationsPerPage, cursor: pageParam })}`, signal),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });

/** So many choices of a kind are shown with their numbers. */
const mostChoices = 50;

/** What there is to choose from in such a list, with how many each choice has. */
export const applicationCountsQuery = (filter: ApplicationFilter) =>
  queryOptions({
    queryKey: ['applications', 'counts', filter],
    queryFn: ({ signal }) => getJson<ApplicationCounts>(`api/v1/application-counts${queryText({ ...filter, limit: mostChoices })}`, signal),
    placeholderData: keepPreviousData,
  });

/** A few applications for an overview. */
export const fewApplicationsQuery = (filter: ApplicationFilter, limit: number) =>
  queryOptions({
    queryKey: ['applications', 'few', filter, limit],
    queryFn: ({ signal }) => getJson<ApplicationPage>(`api/v1/applications${queryText({ ...filter, limit })}`, signal),
  });

/** Use over an hour or a day. New samples come every ten seconds, whatever events say. */
export const usageQuery = (span: 'hour' | 'day') =>
  queryOptions({
    queryKey: ['usage', span],
    queryFn: ({ signal }) => getJson<ClusterUsage>(`api/v1/usage${queryText({ span })}`, signal),
    refetchInterval: 10_000,
  });

/** Who waits for a master, and why. */
export const waitingQuery = (limit: number) =>
  queryOptions({
    queryKey: ['waiting', limit],
    queryFn: ({ signal }) => getJson<WaitingApplications>(`api/v1/waiting${queryText({ limit })}`, signal),
    refetchInterval: 10_000,
  });

/** So many applications that wait are told of on an overview. */
const mostWaiting = 50;
/** So many of those that run, and of those that ended. */
const mostLatest = 8;
const latest = (states: string, sort: string) => fewApplicationsQuery({ states, sort }, mostLatest);

/** What the overview shows. */
export const overviewQueries = {
  metrics: clusterMetricsQuery,
  usage: usageQuery('hour'),
  waiting: waitingQuery(mostWaiting),
  running: latest('RUNNING', '-startedTime'),
  ended: latest('FINISHED,FAILED,KILLED', '-finishedTime'),
} as const;

/** For administrators. */
export const risksQuery = queryOptions({
  queryKey: ['risks'],
  queryFn: ({ signal }) => getJson<StartRisks>('api/v1/risks', signal),
  refetchInterval: 300_000,
});
