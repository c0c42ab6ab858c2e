// `GET /api/v1/events`: what happens in the cluster, as server-sent events or a slice at a time as JSON. Both go on where a caller left off.
import type { Answer } from '../../http/answers.ts';
import { eventStream } from '../../http/event-stream.ts';
import { wantsEvents } from '../../http/log-events.ts';
import { readNumber } from '../../http/query-number.ts';
import type { Call, Route } from '../../http/service.ts';
import { failure } from '../../model/errors.ts';
import {
  type ClusterEvent,
  type EventFilter,
  type EventViewer,
  eventFilter,
  passesEventFilter,
  shownEvent,
} from '../views/cluster-events.ts';
import type { EventLog, KeptEvent } from '../views/event-log.ts';
import type { Parts } from '../views/parts.ts';
import { eventNames } from './event-filter.ts';

/** What a stream is silent for at most: a line without an event says that the server is there, and how far it has looked. */
const keepAliveMs = 15_000;
/** How long one stream lasts: then the caller comes again and proves who it is again. */
const longestStreamMs = 3_600_000;
/** How soon a browser comes again when the stream ends, ms. */
const reconnectMs = 1000;
const sliceEvents = 500;
/** How much is made for a reader at a time, and held until it has taken that: more only where one event is larger. */
const pieceCharacters = 64 * 1024;
/** How long a reader may take for a piece. Who is cut goes on by `Last-Event-ID`. */
const longestStallMs = 60_000;
/** What somebody sees first who did not ask for events; clients of them pass it over. */
const explanation =
  ': What happens from now on, as server-sent events; this answer goes on. "Accept: application/json" gives what is there and ends, "from=oldest" begins with what is kept.\n';
const longestWaitMs = 60_000;
const usualLimit = 1000;
const mostLimit = 10_000;

/** What the route works with. */
export interface EventNeeds extends Pick<Parts, 'access' | 'clock' | 'listsOnlyVisible' | 'policy' | 'startedMs'> {
  readonly events: EventLog<ClusterEvent>;
}

/** One request. */
interface Wanted {
  readonly filter: EventFilter;
  readonly viewer: EventViewer;
  /** The number after which events are wanted. */
  readonly after: number;
  /** The caller's place is of an earlier resource manager, whose events are forgotten. */
  readonly isOfEarlier: boolean;
}

const bad = (reason: string) => failure('BAD_REQUEST', { reason });

/** Where the caller goes on: the header of a stream that broke off counts more than the address it was opened with. */
function readPlace(call: Call, { events, startedMs }: EventNeeds): Pick<Wanted, 'after' | 'isOfEarlier'> {
  const header = call.headers['last-event-id'];
  const text = typeof header === 'string' && header !== '' ? header : call.query.first('from');
  if (text === undefined || text === 'now') return { after: events.last, isOfEarlier: false };
  if (text === 'oldest') return { after: events.oldest, isOfEarlier: false };
  const place = /^(\d{1,15})-(\d{1,15})$/.exec(text);
  if (!place) throw bad('from must be "now", "oldest" or the id of an event');
  if (Number(place[1]) !== startedMs) return { after: 0, isOfEarlier: true };
  const after = Number(place[2]);
  if (after > events.last) throw bad(`no event has the id ${text} yet`);
  return { after, isOfEarlier: false };
}

/** An event as it is sent; `text` is JSON. */
interface ShownEvent {
  readonly id: string;
  readonly kind: string;
  readonly text: string;
}

/** The events of a log as one caller gets them. */
class Reader {
  readonly #needs: EventNeeds;
  readonly #wanted: Wanted;
  #after: number;

  constructor(needs: EventNeeds, wanted: Wanted) {
    this.#needs = needs;
    this.#wanted = wanted;
    this.#after = wanted.after;
  }

  idOf(number = this.#after): string {
    return `${this.#needs.startedMs}-${number}`;
  }

  /** The next at most `most` of the log: those of them that the caller sees, and whether some before them are forgotten. */
  next(most: number): { readonly shown: readonly ShownEvent[]; readonly missed: boolean } {
    const { filter, viewer } = this.#wanted;
    const { events, upTo, missed } = this.#needs.events.read(this.#after, most);
    this.#after = upTo;
    const seen = (kept: KeptEvent<ClusterEvent>) => {
      if (!passesEventFilter(filter, kept.event)) return [];
      const id = this.idOf(kept.number);
      const text = shownEvent(id, kept, viewer);
      return text === undefined ? [] : [{ id, kind: kept.event.kind, text }];
    };
    return { shown: events.flatMap(seen), missed };
  }

  get isAtEnd(): boolean {
    return this.#after >= this.#needs.events.last;
  }

  /** Resolves when there is more to look at, after `waitMs`, or when the caller leaves. */
  more(waitMs: number, signal: AbortSignal): Promise<void> {
    return this.#needs.events.beyond(this.#after, waitMs, signal);
  }
}

const block = ({ id, kind, text }: ShownEvent): string => `id: ${id}\nevent: ${kind}\ndata: ${text}\n\n`;

/** The text of a stream. `gap` tells that events before the next are forgotten: what they told has to be read anew. */
async function* eventText(reader: Reader, { clock }: EventNeeds, isOfEarlier: boolean, signal: AbortSignal): AsyncGenerator<string> {
  const untilMs = clock.steadyMs() + longestStreamMs;
  let toldEarlier = !isOfEarlier;
  while (!signal.aborted && clock.steadyMs() < untilMs) {
    const { shown, missed } = reader.next(sliceEvents);
    let text = '';
    // Without an id: who loses the connection here is told again.
    if (missed || !toldEarlier) text += `event: gap\ndata: {"reason":"${missed ? 'forgotten' : 'restarted'}"}\n\n`;
    toldEarlier = true;
    for (const event of shown) {
      text += block(event);
      if (text.length < pieceCharacters) continue;
      yield text;
      text = '';
    }
    if (text !== '') yield text;
    if (!reader.isAtEnd) continue;
    await reader.more(keepAliveMs, signal);
    // Without data it is no event, but the caller's place moves on past what it does not see.
    if (reader.isAtEnd) yield `id: ${reader.idOf()}\n\n`;
  }
}

/** All that a caller reads of a stream. */
async function* streamText(needs: EventNeeds, wanted: Wanted, { headers, signal }: Call): AsyncGenerator<string> {
  yield `${wantsEvents(headers.accept) ? '' : explanation}retry: ${reconnectMs}\n\n`;
  yield* eventText(new Reader(needs, wanted), needs, wanted.isOfEarlier, signal);
}

/** A slice as JSON; with `wait` it comes once something is in it, or after that time. */
async function slice(call: Call, needs: EventNeeds, wanted: Wanted): Promise<Answer> {
  const limit = readNumber(call.query, 'limit', { usual: usualLimit, least: 1, most: mostLimit });
  const reader = new Reader(needs, wanted);
  const untilMs = needs.clock.steadyMs() + readNumber(call.query, 'wait', { usual: 0, most: longestWaitMs, unit: 'milliseconds' });
  let missed = wanted.isOfEarlier;
  for (;;) {
    const found = reader.next(limit);
    missed ||= found.missed;
    const leftMs = untilMs - needs.clock.steadyMs();
    if (found.shown.length > 0 || (reader.isAtEnd && (leftMs <= 0 || call.signal.aborted)))
      return sliceAnswer(found.shown, reader.idOf(), missed);
    if (reader.isAtEnd) await reader.more(leftMs, call.signal);
  }
}

/** Built of the texts as they are. */
const sliceAnswer = (shown: readonly ShownEvent[], next: string, missed: boolean): Answer => ({
  kind: 'rendered',
  status: 200,
  contentType: 'application/json;charset=utf-8',
  headers: { 'cache-control': 'no-store' },
  body: `{"events":[${shown.map(({ text }) => text).join(',')}],"next":"${next}","missed":${missed}}`,
});

const wantsSlices = (accept: string | undefined): boolean => /(^|[\s,])application\/json\b/i.test(accept ?? '');

/** Answers one request. */
function answerEvents(needs: EventNeeds, call: Call): Answer | Promise<Answer> {
  const { access, listsOnlyVisible } = needs;
  const viewer = { user: call.user, access, listsOnlyVisible };
  const names = (name: string) => call.query.all(name).flatMap((text) => text.split(','));
  const [applications, users] = [names('application'), names('user')];
  const given = { applications, users, queues: names('queue'), nodes: names('node'), kinds: names('kind') };
  const filter = eventFilter(eventNames(given, needs.policy));
  const wanted: Wanted = { filter, viewer, ...readPlace(call, needs) };
  if (wantsSlices(call.headers.accept)) return slice(call, needs, wanted);
  return eventStream(streamText(needs, wanted, call), { clock: needs.clock, longestStallMs });
}

/** The route. */
export const eventRoutes = (needs: EventNeeds): Route<never>[] => [
  {
    method: 'GET',
    path: '/api/v1/events',
    produces: 'any',
    gzip: false,
    about: 'What happens in the cluster, as server-sent events; with Accept: application/json a slice at a time.',
    access: 'overview',
    handle: (call) => answerEvents(needs, call),
  },
];
