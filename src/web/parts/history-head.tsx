// How a history is shown, which its address says: compact or whole, in which order, of which stretch of time; and what stands above it.
import { type ReactNode, useMemo } from 'react';
import { oneOf, useSearchState } from '../app/address.ts';
import { type Stretch, stretchOf, stretchText } from '../format/stretch.ts';
import { clockTime } from '../format/times.ts';
import { Choice } from './choice.tsx';

/** How one history is shown. */
export interface ShownHistory {
  readonly shows: 'compact' | 'all';
  readonly order: 'latest' | 'earliest';
  readonly stretch: Stretch | undefined;
  readonly zoom: (stretch: Stretch | undefined) => void;
  readonly change: (change: Readonly<Record<string, string | undefined>>) => void;
}

export function useShownHistory(): ShownHistory {
  const [search, change] = useSearchState();
  return {
    shows: oneOf(search['events'], ['compact', 'all']),
    order: oneOf(search['order'], ['latest', 'earliest']),
    stretch: useMemo(() => stretchOf(search['stretch']), [search['stretch']]),
    zoom: (next) => change({ stretch: next && stretchText(next) }),
    change,
  };
}

interface HeadProps {
  readonly history: ShownHistory;
  /** Further choices, between what is shown and its order. */
  readonly choices?: ReactNode;
  /** How much there is, of the whole time and of a stretch. */
  readonly whole: string;
  readonly ofStretch: string;
  readonly children?: ReactNode;
}

export function HistoryHead({ history: { shows, order, stretch, zoom, change }, choices, whole, ofStretch, children }: HeadProps) {
  return (
    <div className="inline">
      <Choice
        label="Events"
        value={shows}
        options={[
          ['compact', 'compact'],
          ['all', 'all'],
        ]}
        onChange={(next) => change({ events: next === 'compact' ? undefined : next })}
      />
      {choices}
      <Choice
        label="Order"
        value={order}
        options={[
          ['latest', 'latest first'],
          ['earliest', 'earliest first'],
        ]}
        onChange={(next) => change({ order: next === 'latest' ? undefined : next })}
      />
      <span className="quiet">{stretch ? `${clockTime(stretch.fromMs)} to ${clockTime(stretch.toMs)}, ${ofStretch}` : whole}</span>
      {stretch && (
        <button type="button" className="small" onClick={() => zoom(undefined)}>
          Whole time
        </button>
      )}
      {children}
    </div>
  );
}
