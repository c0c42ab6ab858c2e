// What happened in the whole cluster, the newest of it, kept while the page goes on.
import { queryOptions } from '@tanstack/react-query';
import type { ToldEvent } from './application.ts';
import { getJson, queryText } from './http.ts';

/** How many of the newest are shown. */
export const mostEvents = 1000;
/** Answers for one look: all that a resource manager keeps. */
const mostSlices = 12;

/** Which events: parts of `GET /api/v1/events`. */
export interface EventChoice {
  readonly kind: string | undefined;
  readonly user: string | undefined;
  readonly queue: string | undefined;
}

interface KnownEvents {
  readonly events: readonly ToldEvent[];
  /** Behind which the next look goes on. */
  readonly next: string;
}

/** Events of the last hour; later looks ask for what is new alone. Its key begins with `cluster`, so that each event makes it old. */
export const clusterEventsQuery = (choice: EventChoice) =>
  queryOptions({
    queryKey: ['cluster', 'events', choice],
    queryFn: async ({ signal, client, queryKey }): Promise<KnownEvents> => {
      const before = client.getQueryData<KnownEvents>(queryKey);
      let events = before?.events ?? [];
      let next = before?.next ?? 'oldest';
      for (let slice = 0; slice < mostSlices; slice++) {
        const path = `api/v1/events${queryText({ ...choice, limit: 10_000, from: next })}`;
        const told = await getJson<{ events: ToldEvent[]; next: string; missed: boolean }>(path, signal);
        events = [...(told.missed ? [] : events), ...told.events].slice(-mostEvents);
        if (told.next === next) break;
        next = told.next;
      }
      return { events, next };
    },
  });
