// The life of an application as bars over time: a row for each attempt and container.
import type { ApplicationLife } from '../../wire/cluster/own-answers.ts';
import { useNow } from '../app/clock.ts';
import { count } from '../format/amounts.ts';
import { containerLabel } from '../format/instance.ts';
import { type Kind, kindOf } from '../format/states.ts';
import { duration, ranSince, timeOfDay } from '../format/times.ts';
import { Empty, Shape } from './basics.tsx';
import './life.css';

/** Rows that are drawn; of more containers the first are. */
const mostRows = 60;
const ticks = 5;

interface Row {
  readonly id: string;
  readonly label: string;
  readonly about: string;
  readonly kind: Kind;
  /** When it was asked for or given, when it ran, when it ended; 0: not yet. */
  readonly givenMs: number;
  readonly startedMs: number;
  readonly endedMs: number;
}

/** `02:34:05.3`: where ticks stand closer than seconds. */
const tenths = (ms: number): string => `${timeOfDay(ms)}.${Math.floor((ms % 1000) / 100)}`;

function kindOfEnd(endedMs: number, outcome: string | undefined, startedMs: number): Kind {
  if (endedMs === 0) return startedMs > 0 ? 'running' : 'waiting';
  return kindOf(outcome ?? 'STOPPED');
}

function rowsOf({ attempts, containers }: ApplicationLife): Row[] {
  return attempts.flatMap((attempt): Row[] => {
    const own = containers
      .filter(({ attemptId }) => attemptId === attempt.id)
      .sort((a, b) => a.createdTime - b.createdTime || (a.id < b.id ? -1 : 1));
    const [first] = own;
    const begun = first?.startedTime || first?.createdTime || attempt.startedTime;
    return [
      {
        id: attempt.id,
        label: `Attempt ${attempt.number}`,
        about: attempt.state.toLowerCase(),
        kind:
          attempt.state === 'KILLED'
            ? 'stopped'
            : attempt.finalStatus === 'SUCCEEDED'
              ? 'good'
              : attempt.finalStatus === 'FAILED'
                ? 'bad'
                : kindOfEnd(attempt.finishedTime, attempt.exitOutcome, attempt.masterContainerId === undefined ? 0 : begun),
        givenMs: attempt.startedTime,
        startedMs: attempt.masterContainerId === undefined ? 0 : begun,
        endedMs: attempt.finishedTime,
      },
      ...own.map(
        (container): Row => ({
          id: container.id,
          label: containerLabel(container),
          about: container.nodeId,
          kind: kindOfEnd(container.finishedTime, container.exitOutcome, container.startedTime),
          givenMs: container.createdTime,
          startedMs: ranSince(container),
          endedMs: container.finishedTime,
        }),
      ),
    ];
  });
}

/** Bars: hatched while it waits or starts, full while it runs; of what ended without its start being known, full. */
export function Life({ life }: { readonly life: ApplicationLife }) {
  const now = useNow();
  const rows = rowsOf(life);
  if (rows.length === 0) return <Empty>Nothing of it has begun yet.</Empty>;
  const begin = Math.min(...rows.map(({ givenMs }) => givenMs));
  const isOver = rows.every(({ endedMs }) => endedMs > 0);
  const end = Math.max(begin + 1000, ...rows.map(({ endedMs }) => endedMs), isOver ? 0 : now);
  const at = (ms: number) => `${(100 * (Math.min(ms, end) - begin)) / (end - begin)}%`;
  const wide = (from: number, to: number) => `${Math.max(0.3, (100 * (Math.min(to, end) - from)) / (end - begin))}%`;
  const shown = rows.slice(0, mostRows);
  return (
    <div className="life">
      <ol aria-label="Attempts and containers over time">
        {shown.map(({ id, label, about, kind, givenMs, startedMs, endedMs }) => {
          const until = endedMs > 0 ? endedMs : end;
          const ran = startedMs > 0 ? Math.max(startedMs, givenMs) : until;
          const words = `${label}, ${about}: ${startedMs > 0 ? `${duration(until - ran)} ${endedMs > 0 ? 'long' : 'until now'}` : 'not started'}`;
          return (
            <li key={id} title={`${id}\n${words}`}>
              <span className={`who is-${kind}`}>
                <Shape kind={kind} /> {label}
              </span>
              <span className="about quiet">{about}</span>
              <span className="track" role="img" aria-label={words}>
                {ran > givenMs && <i className="before" style={{ left: at(givenMs), width: wide(givenMs, ran) }} />}
                {startedMs > 0 && <i className={`bar-${kind}`} style={{ left: at(ran), width: wide(ran, until) }} />}
              </span>
            </li>
          );
        })}
      </ol>
      <div className="axis" aria-hidden="true">
        {Array.from({ length: ticks }, (_, index) => begin + ((end - begin) * index) / (ticks - 1)).map((ms) => (
          <span key={ms}>{end - begin < 2000 * ticks ? tenths(ms) : timeOfDay(ms)}</span>
        ))}
      </div>
      {rows.length > mostRows && <p className="quiet">{count(rows.length - mostRows)} more are in the list of containers.</p>}
    </div>
  );
}
