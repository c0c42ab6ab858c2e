// What happened in the whole cluster, the newest of it, kept while the page goes on.
import { queryOptions } from '@tanstack/react-query';
import { placeBefore } from '../format/event-places.ts';
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
  /** An id or a host. */
  readonly node: string | undefined;
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
      if (before) return await eventsFrom(choice, before.next, before.events, signal);
      const { next: end } = await slice(choice, 'now', 1, signal);
      // Of a busy cluster all that is kept is tens of megabytes: what is far back is asked for where the newest are too few.
      for (const back of stretches) {
        const place = placeBefore(end, back);
        const found = await eventsFrom(choice, place, [], signal);
        if (found.events.length >= mostEvents || place === 'oldest') return found;
      }
      return await eventsFrom(choice, 'oldest', [], signal);
    },
  });

/** How far back the newest are looked for, in events. */
const stretches = [2000, 20_000];

const slice = (choice: EventChoice, from: string, limit: number, signal: AbortSignal) =>
  getJson<{ events: ToldEvent[]; next: string; missed: boolean }>(`api/v1/events${queryText({ ...choice, limit, from })}`, signal);

/** What follows a place, behind what is known up to there. */
async function eventsFrom(choice: EventChoice, from: string, known: readonly ToldEvent[], signal: AbortSignal): Promise<KnownEvents> {
  let [events, next] = [known, from];
  for (let count = 0; count < mostSlices; count++) {
    const told = await slice(choice, next, 10_000, signal);
    events = [...(told.missed ? [] : events), ...told.events].slice(-mostEvents);
    if (told.next === next) break;
    next = told.next;
  }
  return { events, next };
}
