// When how much happened, as a strip of bars: each part of the time leads into it.
import { counted } from '../format/amounts.ts';
import type { Part } from '../format/event-history.ts';
import type { Stretch } from '../format/stretch.ts';
import { clockTime, duration } from '../format/times.ts';
import './event-strip.css';

/** So many parts the time is divided into. */
export const mostParts = 40;

export function EventStrip({ parts, onChoose }: { readonly parts: readonly Part[]; readonly onChoose: (part: Stretch) => void }) {
  const most = Math.max(1, ...parts.map(({ count }) => count));
  if (parts.length < 2) return null;
  return (
    <fieldset className="event-strip">
      <legend className="unseen">Events over time; a part shows its own alone</legend>
      {parts.map((part) => {
        const words = `${clockTime(part.fromMs)}, ${duration(part.toMs - part.fromMs)}: ${counted(part.count, 'event')}`;
        return (
          <button
            key={part.fromMs}
            type="button"
            aria-label={words}
            title={words}
            disabled={part.count === 0 || part.toMs - part.fromMs < 2}
            onClick={() => onChoose(part)}
          >
            <i style={{ height: `${part.count === 0 ? 0 : Math.max(8, (100 * part.count) / most)}%` }} />
          </button>
        );
      })}
    </fieldset>
  );
}
