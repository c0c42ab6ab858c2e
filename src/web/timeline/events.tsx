// What happened to an entity, newest first, each with the time since the one before it.
import type { Published } from '../api/timeline.ts';
import { absolute, duration, isoTime } from '../format/times.ts';
import { Values } from './published.tsx';

/** An event of either version of the timeline. */
export interface ShownEvent {
  readonly name: string;
  readonly timestamp: number;
  readonly info: Readonly<Record<string, Published>>;
}

export function Events({ events }: { readonly events: readonly ShownEvent[] }) {
  if (events.length === 0) return <p className="empty">Nothing has happened to it.</p>;
  const sorted = events.toSorted((a, b) => b.timestamp - a.timestamp);
  return (
    <ol className="events">
      {sorted.map(({ timestamp, name, info }, index) => {
        const before = sorted[index + 1];
        return (
          <li key={`${timestamp} ${name} ${sorted.length - index}`}>
            <b>{name}</b>
            <span className="quiet">
              <time dateTime={isoTime(timestamp)}>{absolute(timestamp)}</time>
              {before && `, ${duration(timestamp - before.timestamp)} after the one before`}
            </span>
            {Object.keys(info).length > 0 && <Values label={`Info of ${name}`} values={info} />}
          </li>
        );
      })}
    </ol>
  );
}
