// What pages ask about one application.
import { queryOptions } from '@tanstack/react-query';
import type { ApplicationInfo } from '../../wire/cluster/application.ts';
import type { SubmittedRun } from '../../wire/cluster/command-job.ts';
import type { ApplicationExplanation } from '../../wire/cluster/explanation.ts';
import type { ApplicationLife, PlainApplication } from '../../wire/cluster/own-answers.ts';
import type { SubmittedContext } from '../../wire/cluster/submitted.ts';
import type { Read } from './cluster.ts';
import { getJson } from './http.ts';

const api = (id: string): string => `api/v1/applications/${encodeURIComponent(id)}`;
/** Where an application is changed. */
export const applicationPath = (id: string): string => `ws/v1/cluster/apps/${encodeURIComponent(id)}`;

export const applicationQuery = (id: string) =>
  queryOptions({ queryKey: ['application', id, 'plain'], queryFn: ({ signal }) => getJson<PlainApplication>(api(id), signal) });

/** What the plain form has not: what it used over its life, until when it may live. */
export const reportQuery = (id: string) =>
  queryOptions({
    queryKey: ['application', id, 'report'],
    queryFn: async ({ signal }) => (await getJson<{ app: Partial<Read<ApplicationInfo>> }>(applicationPath(id), signal)).app,
  });

export const explanationQuery = (id: string) =>
  queryOptions({
    queryKey: ['application', id, 'explanation'],
    queryFn: ({ signal }) => getJson<Read<ApplicationExplanation>>(`${api(id)}/explain`, signal),
  });

/** Where the number of instances of a run is changed. */
export const instancesPath = (id: string): string => `${api(id)}/instances`;

/** What a command that runs is to do, as it is now. */
export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ['application', id, 'run'],
    queryFn: ({ signal }) => getJson<SubmittedRun>(`${api(id)}/run`, signal),
  });

/** What it was submitted with: nothing changes that. */
export const submissionQuery = (id: string) =>
  queryOptions({
    queryKey: ['submission', id],
    queryFn: ({ signal }) => getJson<SubmittedContext>(`${api(id)}/submission`, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const lifeQuery = (id: string) =>
  queryOptions({ queryKey: ['application', id, 'life'], queryFn: ({ signal }) => getJson<ApplicationLife>(`${api(id)}/life`, signal) });

/** Something that happened to the application. */
export interface ToldEvent {
  readonly id: string;
  readonly kind: string;
  readonly time: number;
  readonly [fact: string]: unknown;
}

/** Events of the last hour. */
export const eventsQuery = (id: string) =>
  queryOptions({
    queryKey: ['application', id, 'events'],
    queryFn: async ({ signal }) => {
      const events: ToldEvent[] = [];
      let from = 'oldest';
      for (let slice = 0; slice < 20; slice++) {
        const path = `api/v1/events?application=${encodeURIComponent(id)}&limit=10000&from=${from}`;
        const { events: next, next: place } = await getJson<{ events: ToldEvent[]; next: string }>(path, signal);
        events.push(...next);
        if (place === from) break;
        from = place;
      }
      return events;
    },
  });

/** Log files of a container. */
export interface LogFiles {
  readonly running: boolean;
  readonly files: readonly { readonly name: string; readonly bytes: number }[];
}

export const logFilesQuery = (containerId: string) =>
  queryOptions({
    queryKey: ['logs', containerId],
    queryFn: ({ signal }) => getJson<LogFiles>(`api/v1/logs/${encodeURIComponent(containerId)}`, signal),
    refetchInterval: 10_000,
  });
