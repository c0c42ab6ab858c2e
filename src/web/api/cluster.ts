// What pages ask the resource manager about the cluster and its applications.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ClusterMetrics } from '../../wire/cluster/cluster-info.ts';
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

/** An application of `/api/v1/applications`. What the caller may not view is absent. */
export interface PlainApplication {
  readonly id: string;
  readonly user: string;
  readonly name: string;
  readonly type: string;
  readonly tags: readonly string[];
  readonly queue: string;
  readonly priority: number;
  readonly state: string;
  readonly finalStatus: string;
  /** 0…1. */
  readonly progress: number;
  readonly diagnostics: string;
  readonly trackingUrl: string;
  readonly attempts: number;
  readonly startedTime?: number;
  readonly launchedTime?: number;
  readonly finishedTime?: number;
  readonly masterNodeId?: string;
  readonly masterContainerId?: string;
  readonly allocatedMemoryMiB?: number;
  readonly allocatedVcores?: number;
  readonly runningContainers?: number;
}

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

/** A few applications for an overview. */
export const fewApplicationsQuery = (filter: ApplicationFilter, limit: number) =>
  queryOptions({
    queryKey: ['applications', 'few', filter, limit],
    queryFn: ({ signal }) => getJson<ApplicationPage>(`api/v1/applications${queryText({ ...filter, limit })}`, signal),
  });
