// What this server writes to its log, as it is written: by level, by words, by request.
import { useEffect, useRef, useState } from 'react';
import type { ServerLogLine } from '../../wire/cluster/server-log.ts';
import { ApiFailure } from '../api/http.ts';
import { isPassing } from '../api/query-client.ts';
import { readServerLog, type WrittenLevel } from '../api/server-log.ts';
import { useSearchState } from '../app/address.ts';
import { useNow } from '../app/clock.ts';
import { absolute, clockTime } from '../format/times.ts';
import { Empty, PageHead, Panel } from '../parts/basics.tsx';
import { useEndInView } from '../parts/end-in-view.ts';
import { Loading, Problem } from '../parts/problem.tsx';
import './server-log.css';

/** From the least urgent on, as the server has them. */
const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];
const usualLevel = 'info';
/** Lines that the page keeps, and how long it waits until it listens again, ms. */
const mostLines = 2000;
const againMs = 2000;
const unknown: WrittenLevel = { writtenFrom: '' };

interface Shown {
  readonly lines: readonly ServerLogLine[];
  readonly written: WrittenLevel;
  readonly error?: unknown;
}

/** Lines that pass, for as long as nobody pauses them; other filters begin anew. */
function useLines(level: string, text: string, request: string, isPaused: boolean): Shown | undefined {
  const [shown, setShown] = useState<Shown>();
  const place = useRef({ key: '', after: 0 });
  useEffect(() => {
    const key = JSON.stringify([level, text, request]);
    if (place.current.key !== key) {
      place.current = { key, after: 0 };
      setShown(undefined);
    }
    if (isPaused) return;
    const over = new AbortController();
    const listen = async () => {
      while (!over.signal.aborted) {
        const told = readServerLog({ level, text, request, after: place.current.after }, over.signal, ({ lines, upTo, written }) => {
          if (over.signal.aborted) return;
          place.current.after = upTo;
          setShown((before) => ({
            lines: lines.length === 0 ? (before?.lines ?? []) : [...(before?.lines ?? []), ...lines].slice(-mostLines),
            written: written ?? before?.written ?? unknown,
          }));
        });
        await told.catch((error: unknown) => {
          // A stream that broke off is listened to again; that nobody answers the frame says.
          if (error instanceof ApiFailure && !isPassing(error)) throw error;
        });
        await new Promise((resolve) => setTimeout(resolve, againMs));
      }
    };
    listen().catch((error: unknown) => {
      if (!over.signal.aborted) setShown((before) => ({ lines: before?.lines ?? [], written: before?.written ?? unknown, error }));
    });
    return () => over.abort();
  }, [level, text, request, isPaused]);
  return shown;
}

/** Until when the server writes as much as it does. */
function UntilThen({
  from,
  change: { untilMs, afterwards },
}: {
  readonly from: string;
  readonly change: NonNullable<WrittenLevel['change']>;
}) {
  const now = useNow();
  if (now >= untilMs) return null;
  return (
    <p className="quiet">
      It writes lines from {from} on until <time title={absolute(untilMs)}>{clockTime(untilMs)}</time>, and from {afterwards} on afterwards.
    </p>
  );
}

export default function ServerLogPage() {
  const [search, setSearch] = useSearchState();
  const [isPaused, setPaused] = useState(false);
  const level = levels.find((each) => each === search['level']) ?? usualLevel;
  const [text, request] = [search['text'] ?? '', search['request'] ?? ''];
  const shown = useLines(level, text, request, isPaused);
  const place = useEndInView(shown);
  const isLess = shown !== undefined && levels.indexOf(level) < levels.indexOf(shown.written.writtenFrom);
  const change = shown?.written.change;
  return (
    <>
      <PageHead title="Log of this server" />
      <div className="filter log-filter">
        <label>
          Level{' '}
          <select value={level} onChange={({ target }) => setSearch({ level: target.value === usualLevel ? undefined : target.value })}>
            {levels.map((each) => (
              <option key={each} value={each}>
                {each} and above
              </option>
            ))}
          </select>
        </label>
        <label>
          With <input type="search" value={text} onChange={({ target }) => setSearch({ text: target.value || undefined })} />
        </label>
        <label>
          Request <input type="search" value={request} onChange={({ target }) => setSearch({ request: target.value || undefined })} />
        </label>
        <button type="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          {isPaused ? 'Go on' : 'Pause'}
        </button>
      </div>
      {shown?.error !== undefined && <Problem error={shown.error} />}
      {isLess && (
        <p className="quiet">
          This server writes lines from {shown.written.writtenFrom} on: heddle.log.level, and /logLevel while it runs.
        </p>
      )}
      {shown && change && <UntilThen from={shown.written.writtenFrom} change={change} />}
      {!shown ? (
        <Loading />
      ) : shown.lines.length === 0 ? (
        shown.error === undefined && <Empty>No line of the last ones passes the filter; those that come do so here.</Empty>
      ) : (
        <Panel title={isPaused ? 'Lines, paused' : 'Lines, live'}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard */}
          <section className="server-log" ref={place} tabIndex={0} aria-label="Lines of the log">
            {shown.lines.map((line) => (
              <p key={line.number} className={`is-${line.level}`}>
                <time title={absolute(line.time)}>{clockTime(line.time)}</time> <strong>{line.level}</strong> {line.message}{' '}
                <span className="quiet">{line.fields}</span>
              </p>
            ))}
          </section>
        </Panel>
      )}
    </>
  );
}
