// The history of one application: when how much happened, each event in words and as programs have it, in either order.
import { useMemo, useState } from 'react';
import { eventsQuery, type ToldEvent } from '../api/application.ts';
import { useAnswer } from '../api/use-answer.ts';
import { counted } from '../format/amounts.ts';
import { compactLines, everyLine, type HistoryLine, partsOf, within } from '../format/event-history.ts';
import { clockTime, duration } from '../format/times.ts';
import { Copy } from './basics.tsx';
import { Dialog } from './dialog.tsx';
import { inFull, kindColumn, timeColumn } from './event-list.tsx';
import { EventStrip, mostParts } from './event-strip.tsx';
import { HistoryHead, useShownHistory } from './history-head.tsx';
import { Loading, Problem } from './problem.tsx';
import { type Column, Table } from './table.tsx';

export function EventHistory({ id }: { readonly id: string }) {
  const { data, error } = useAnswer(eventsQuery(id));
  const [opened, setOpened] = useState<readonly ToldEvent[]>();
  const history = useShownHistory();
  const { shows, order, stretch, zoom } = history;
  const lines = useMemo(() => {
    const found = (shows === 'all' ? everyLine : compactLines)(within(data ?? [], stretch));
    return order === 'latest' ? found.toReversed() : found;
  }, [data, stretch, order, shows]);
  const columns = useMemo(() => columnsOf(setOpened), []);
  if (error) return <Problem error={error} />;
  if (!data) return <Loading />;
  return (
    <>
      <HistoryHead history={history} whole={`${counted(data.length, 'event')} of the last hour`} ofStretch={counted(lines.length, 'line')}>
        <button type="button" className="small" onClick={() => setOpened(within(data, stretch))} disabled={data.length === 0}>
          All as JSON
        </button>
      </HistoryHead>
      <EventStrip parts={partsOf(data, stretch, mostParts)} onChoose={zoom} />
      <Table
        label="Events"
        columns={columns}
        rows={lines}
        rowKey={({ last }) => last.id}
        empty={data.length === 0 ? 'Nothing happened to it within the last hour.' : 'Nothing happened to it in this stretch of time.'}
      />
      {opened && <AsJson events={opened} name={id} onClose={() => setOpened(undefined)} />}
    </>
  );
}

type Line = HistoryLine<ToldEvent>;

/** A line in words: of a container what it was given, and how it ended after how long. */
function LineInWords({ events, last }: Line) {
  const [first] = events;
  return (
    <span className="words">
      {events.map((event) => (
        <span key={event.id} className="event-words">
          {inFull(event)}{' '}
        </span>
      ))}
      {first !== undefined && events.length > 1 && <span className="quiet">after {duration(last.time - first.time)}</span>}
    </span>
  );
}

const columnsOf = (open: (events: readonly ToldEvent[]) => void): readonly Column<Line>[] => [
  { id: 'time', title: 'When', cell: ({ last }) => timeColumn.cell(last) },
  { id: 'kind', title: 'What', gives: 'first', cell: ({ last }) => kindColumn.cell(last) },
  { id: 'words', title: 'In words', cell: (line) => <LineInWords {...line} /> },
  {
    id: 'json',
    title: 'As JSON',
    hidesTitle: true,
    cell: ({ events, last }) => (
      <button
        type="button"
        className="small ghost"
        aria-label={`JSON of ${last.kind} at ${clockTime(last.time)}`}
        onClick={() => open(events)}
      >
        JSON
      </button>
    ),
  },
];

/** Events as programs have them. */
function AsJson({ events, name, onClose }: { readonly events: readonly ToldEvent[]; readonly name: string; readonly onClose: () => void }) {
  const text = JSON.stringify(events.length === 1 ? events[0] : events, null, 2);
  return (
    <Dialog title={counted(events.length, 'event')} onClose={onClose}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard */}
      <pre className="told" tabIndex={0}>
        {text}
      </pre>
      <p className="inline">
        <Copy text={text} />
        <a
          className="button small"
          download={`${name}-events.json`}
          href={`data:application/json;charset=utf-8,${encodeURIComponent(text)}`}
        >
          Download
        </a>
        <button type="button" className="small" onClick={onClose}>
          Close
        </button>
      </p>
    </Dialog>
  );
}
