// One stream of events for the whole page: each event says which answers in the cache are old. Where there is no stream, pages ask again in turns.
import type { QueryClient } from '@tanstack/react-query';
import { serverAddress } from './base.ts';
import { callerQuery } from './frame.ts';
import { liveState, setLiveState } from './live-state.ts';
import { isScrolled } from './query-client.ts';

/** Kinds of events; the names of `docs/operate/events.md`. */
const kinds = [
  ...['application.created', 'application.state', 'application.updated', 'application.finished'],
  ...['attempt.registered', 'attempt.finished', 'container.created', 'container.finished', 'node.state'],
];
/** Answers are asked for again at most this often, ms: a burst of events is one refresh. */
const gatherMs = 700;
/** Beyond so many applications in one burst lists alone are refreshed. */
const mostNamed = 50;

interface ToldEvent {
  readonly applicationId?: string;
  readonly nodeId?: string;
  readonly isMaster?: boolean;
}

/** Which parts of the cache an event makes old: first words of query keys. Lists of applications say of a master's container that it starts. */
export function touchedBy(kind: string, isMaster = false): readonly string[] {
  if (kind.startsWith('node.')) return ['nodes', 'cluster'];
  if (kind.startsWith('container.')) return ['cluster', 'nodes', 'queues', 'waiting', ...(isMaster ? ['applications'] : [])];
  return ['applications', 'cluster', 'queues', 'waiting'];
}

/** A stream that a proxy cuts is there again within this, ms: until then nobody is told. */
const brieflyMs = 3000;
/** A browser does not try again where it was answered by something else, such as a proxy whose server is away: it is tried anew after this, ms. */
const anewMs = 10_000;

/** A window that nobody looks at for so long lets its stream go, ms: a browser has six connections to a server of HTTP/1.1, for all of its windows. */
const hiddenMs = 5000;

/** Follows the events of this server until the page is left, while somebody looks at it. */
export function followEvents(client: QueryClient): () => void {
  let source: EventSource | undefined;
  let later: ReturnType<typeof setTimeout> | undefined;
  const touched = new Set<string>();
  const applications = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const refresh = () => {
    timer = undefined;
    const [words, ids] = [new Set(touched), new Set(applications)];
    touched.clear();
    applications.clear();
    void client.invalidateQueries({
      predicate: ({ queryKey: [first, second], state }) => {
        if (first === 'application') return ids.size > mostNamed || ids.has(String(second));
        if (!words.has(String(first))) return false;
        return !isScrolled(state.data);
      },
    });
  };
  const hear = (kind: string, data: string) => {
    const { applicationId, isMaster } = JSON.parse(data) as ToldEvent;
    for (const word of touchedBy(kind, isMaster)) touched.add(word);
    if (applicationId !== undefined) applications.add(applicationId);
    timer ??= setTimeout(refresh, gatherMs);
  };
  // Whether somebody answers is seen by a request that is, and not half a minute later, when an answer is old.
  const ask = () => void client.invalidateQueries({ queryKey: callerQuery.queryKey });
  const stopWaiting = () => {
    clearTimeout(later);
    later = undefined;
  };
  const open = (isAnew: boolean) => {
    stopWaiting();
    const opened = new EventSource(serverAddress('api/v1/events'));
    source = opened;
    for (const kind of kinds) opened.addEventListener(kind, (event) => hear(kind, (event as MessageEvent<string>).data));
    // Something was missed: everything may be old.
    opened.addEventListener('gap', () => void client.invalidateQueries());
    opened.addEventListener('open', () => {
      look();
      if (isAnew) void client.invalidateQueries();
      else if (liveState() === 'lost') ask();
      isAnew = false;
      setLiveState('live');
    });
    opened.addEventListener('error', () => {
      ask();
      // Each try of the browser that fails says so.
      if (opened.readyState !== EventSource.CLOSED) return void (later ??= setTimeout(() => setLiveState('lost'), brieflyMs));
      stopWaiting();
      setLiveState('polling');
      later = setTimeout(look, anewMs);
    });
  };
  const letGo = () => {
    stopWaiting();
    source?.close();
    source = undefined;
    setLiveState('polling');
  };
  const look = () => {
    stopWaiting();
    if (document.visibilityState === 'hidden') later = setTimeout(letGo, hiddenMs);
    else if (!source || source.readyState === EventSource.CLOSED) open(true);
  };
  document.addEventListener('visibilitychange', look);
  if (document.visibilityState !== 'hidden') open(false);
  return () => {
    document.removeEventListener('visibilitychange', look);
    clearTimeout(timer);
    letGo();
  };
}
