// `GET /api/v1/server-log`: the last lines of this server's log, narrowed by level, words and request, for its administrators; as server-sent
// events what comes from then on, too.
import type { Clock } from '../lib/clock.ts';
import { type Logger, lastLines } from '../lib/log.ts';
import { levelOf } from '../lib/log-level.ts';
import type { KeptLine, LogRing } from '../lib/log-ring.ts';
import { woken } from '../lib/woken.ts';
import { failure } from '../model/errors.ts';
import { type LogLevel, logLevels, type ServerLog, type ServerLogLine } from '../wire/cluster/server-log.ts';
import { type Answer, json } from './answers.ts';
import { eventStream } from './event-stream.ts';
import { lastEventByte, wantsEvents } from './log-events.ts';
import { readNumber } from './query-number.ts';
import type { Call, Route } from './route.ts';

/** What the route works on. */
export interface ServerLogOptions {
  /** Whose lines are told. */
  readonly logger: Logger;
  readonly clock: Clock;
  readonly isAdministrator: (user: string) => boolean;
}

const usualLimit = 500;
const mostLimit = 2000;
/** No process writes as many. */
const mostLines = 999_999_999_999_999;
/** How often a silent stream shows that it lives; when a stream ends; how long nobody may take what is told. */
const stillHereMs = 15_000;
const longestStreamMs = 600_000;
const longestStallMs = 30_000;
const togetherMs = 100;
/** Streams of one server at once. */
const mostStreams = 16;

const numbers: Readonly<Record<LogLevel, number>> = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60 };
const leading: ReadonlySet<string> = new Set(['level', 'time', 'name', 'msg']);

/** A line by its parts; undefined where it cannot be read. */
function partsOf({ number, line }: KeptLine): ServerLogLine | undefined {
  try {
    const { level, time, msg, ...others } = JSON.parse(line) as Record<string, unknown>;
    const rest = Object.fromEntries(Object.entries(others).filter(([name]) => !leading.has(name)));
    const word = logLevels.findLast((each) => numbers[each] <= Number(level)) ?? 'trace';
    return {
      number,
      time: Number(time) || 0,
      level: word,
      message: String(msg ?? ''),
      fields: Object.keys(rest).length === 0 ? '' : JSON.stringify(rest),
    };
  } catch {
    return undefined;
  }
}

/** Which lines are wanted. */
interface Wanted {
  readonly level: LogLevel;
  readonly text: string;
  readonly request: string;
  readonly after: number;
  readonly limit: number;
}

const bad = (reason: string) => failure('BAD_REQUEST', { reason });

function wantedOf({ query, headers }: Call): Wanted {
  const level = query.first('level') ?? 'trace';
  const known = logLevels.find((each) => each === level);
  if (known === undefined) throw bad(`level must be one of ${logLevels.join(', ')}`);
  const after = readNumber(query, 'after', { usual: lastEventByte(headers['last-event-id']) ?? 0, most: mostLines });
  const limit = readNumber(query, 'limit', { usual: usualLimit, most: mostLimit });
  return { level: known, text: (query.first('text') ?? '').toLowerCase(), request: query.first('request') ?? '', after, limit };
}

/** Lines beyond a number that are wanted; the raw line is looked at first, which tells most of them apart. */
function* shown(ring: LogRing, { level, text, request }: Wanted, after: number): Generator<ServerLogLine> {
  for (const kept of ring.from(after + 1)) {
    if (text !== '' && !kept.line.toLowerCase().includes(text)) continue;
    if (request !== '' && !kept.line.includes(JSON.stringify(request))) continue;
    const line = partsOf(kept);
    if (line && numbers[line.level] >= numbers[level]) yield line;
  }
}

/** From which level on lines are written. */
function written(logger: Logger): Pick<ServerLog, 'writtenFrom' | 'change'> {
  const { level, change } = levelOf(logger);
  return { writtenFrom: level, ...(change && { change }) };
}

/** Lines beyond which a caller wants to go on: all, where its number is of the time before the server was started anew. */
const placeIn = (ring: LogRing, after: number): number => (after < ring.next ? after : 0);

/** The route of one server. */
export function serverLogRoute({ logger, clock, isAdministrator }: ServerLogOptions): Route<never> {
  let streams = 0;
  const handle = (call: Call): Answer => {
    const { user } = call.caller;
    if (user === undefined || !isAdministrator(user)) throw failure('INSTRUMENTATION_REFUSED', { user: user ?? 'nobody' });
    const ring = lastLines(logger);
    const wanted = wantedOf(call);
    if (!ring) return json({ ...written(logger), lines: [], more: false } satisfies ServerLog);
    if (wantsEvents(call.headers.accept)) {
      if (streams >= mostStreams) throw failure('OVERLOADED', { what: 'The log', seconds: 5 });
      return follow(ring, wanted, call.signal);
    }
    const lines = [...shown(ring, wanted, placeIn(ring, wanted.after))];
    const last = wanted.limit === 0 ? [] : lines.slice(-wanted.limit);
    return json({ ...written(logger), lines: last, more: last.length < lines.length } satisfies ServerLog);
  };
  const follow = (ring: LogRing, wanted: Wanted, signal: AbortSignal): Answer => {
    let isOpen = true;
    streams++;
    const close = async () => {
      if (isOpen) streams--;
      isOpen = false;
    };
    signal.addEventListener('abort', () => void close(), { once: true });
    async function* texts(): AsyncGenerator<string> {
      const untilMs = clock.steadyMs() + longestStreamMs;
      try {
        yield `retry: 1000\nevent: begin\ndata: ${JSON.stringify(written(logger))}\n\n`;
        let after = placeIn(ring, wanted.after);
        let isFirst = true;
        while (!signal.aborted && clock.steadyMs() < untilMs) {
          const found = [...shown(ring, wanted, after)];
          after = ring.next - 1;
          // At first the latest only, afterwards everything.
          const lines = isFirst ? found.slice(Math.max(0, found.length - wanted.limit)) : found;
          isFirst = false;
          // The caller's place moves on past what it does not see.
          yield lines.length === 0
            ? `id: ${after}\n\n`
            : lines.map((line) => `id: ${line.number}\ndata: ${JSON.stringify(line)}\n\n`).join('');
          if (ring.next - 1 > after) continue;
          await woken({ waitMs: stillHereMs, clock, signal }, (wake) => ring.onNext(wake));
          // Lines that come together are told together.
          await new Promise<void>((done) => clock.setTimer(togetherMs, done));
        }
      } finally {
        await close();
      }
    }
    return eventStream(texts(), { clock, longestStallMs, close });
  };
  return {
    method: 'GET',
    path: '/api/v1/server-log',
    about: "The last lines of this server's own log; as server-sent events those that come, too.",
    access: 'admin',
    produces: 'any',
    gzip: false,
    handle,
  };
}
