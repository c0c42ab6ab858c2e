// When each attempt ran on which node: bars in lanes, reduces by their phases. A stretch that is drawn with the pointer is enlarged.

import { type PointerEvent, useEffect, useMemo, useRef, useState } from 'react';
import { type Job, type JobSource, type PlainAttempt, type PlainTask, tasksQuery } from '../api/jobs.ts';
import { useAnswer } from '../api/use-answer.ts';
import { useSearchState } from '../app/address.ts';
import { useNow } from '../app/clock.ts';
import { count } from '../format/amounts.ts';
import { attemptNumber, taskWord } from '../format/jobs.ts';
import { type Bar, lanesOf, marksOf } from '../format/lanes.ts';
import { duration } from '../format/times.ts';
import { Panel, Status } from '../parts/basics.tsx';
import { Loading, Problem } from '../parts/problem.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { AttemptButton } from './attempt-button.tsx';
import { colours, useCanvas } from './canvas.ts';

interface AttemptBar extends Bar {
  readonly task: PlainTask;
  readonly attempt: PlainAttempt;
}

/** Height of a lane with its gap, px, by how many there are. */
const laneHeight = (lanes: number): number => (lanes > 1200 ? 4 : lanes > 300 ? 7 : lanes > 80 ? 11 : 16);
const nodeGap = 22;
const axisHeight = 26;

const phases = [
  ['good', 'map'],
  ['third', 'shuffle'],
  ['second', 'merge'],
  ['wait', 'reduce'],
  ['running', 'running'],
  ['bad', 'failed'],
  ['stopped', 'killed'],
] as const;
type Colour = (typeof phases)[number][0];

/** The parts of a bar: from, to, colour. A reduce's phases, as far as they are known. */
function partsOf({ task, attempt, from, to }: AttemptBar): [number, number, Colour][] {
  if (attempt.state === 'FAILED') return [[from, to, 'bad']];
  if (attempt.state === 'KILLED') return [[from, to, 'stopped']];
  if (task.kind === 'MAP') return [[from, to, attempt.finishTime === undefined ? 'running' : 'good']];
  const { shuffleFinishTime: shuffled = to, sortFinishTime: sorted = attempt.shuffleFinishTime === undefined ? to : shuffled } = attempt;
  return [
    [from, shuffled, 'third'],
    [shuffled, sorted, 'second'],
    [sorted, to, 'wait'],
  ];
}

export function AttemptTimeline({ source, job }: { readonly source: JobSource; readonly job: Job }) {
  const { data: tasks, error, refetch } = useAnswer(tasksQuery(source));
  const now = useNow();
  const isOpen = source.isRunning && job.finishTime <= 0;
  const until = isOpen ? now : job.finishTime;
  const bars = useMemo(() => (tasks ? barsOf(tasks, until) : []), [tasks, until]);
  if (error && !tasks) return <Problem error={error} retry={() => void refetch()} />;
  if (!tasks) return <Loading />;
  if (bars.length === 0) return <p className="empty">No attempt has begun.</p>;
  return (
    <>
      <Panel title="Attempts by node" aside={<Legend bars={bars} />}>
        <Gantt
          bars={bars}
          from={Math.min(job.startTime > 0 ? job.startTime : Number.POSITIVE_INFINITY, ...ends(bars, 'from'))}
          to={Math.max(until, ...ends(bars, 'to'))}
        />
      </Panel>
      <Slowest bars={bars} />
    </>
  );
}

/** The least or greatest time, without an argument for each of many bars. */
const ends = (bars: readonly AttemptBar[], name: 'from' | 'to'): [number] => [
  bars.reduce((found, bar) => (name === 'from' ? Math.min(found, bar.from) : Math.max(found, bar.to)), bars[0]![name]),
];

const barsOf = (tasks: readonly PlainTask[], until: number): AttemptBar[] =>
  tasks.flatMap((task) =>
    task.attempts.flatMap((attempt) => {
      const { startTime: from, finishTime: to = until, node = 'not on a node' } = attempt;
      return from === undefined ? [] : [{ task, attempt, node, from, to: Math.max(to, from + 1) }];
    }),
  );

function Legend({ bars }: { readonly bars: readonly AttemptBar[] }) {
  const used = new Set(
    bars.flatMap((bar) =>
      partsOf(bar)
        .filter(([a, b]) => b > a)
        .map(([, , colour]) => colour),
    ),
  );
  return (
    <span className="legend">
      {phases
        .filter(([colour]) => used.has(colour))
        .map(([colour, word]) => (
          <span key={colour}>
            <i className={`square phase-${colour}`} aria-hidden="true" />
            {word}
          </span>
        ))}
    </span>
  );
}

interface Shown {
  readonly bar: AttemptBar;
  readonly x: number;
  readonly y: number;
}

function Gantt({ bars, from, to }: { readonly bars: readonly AttemptBar[]; readonly from: number; readonly to: number }) {
  const [, setSearch] = useSearchState();
  const [stretch, setStretch] = useState<readonly [number, number]>();
  const [drawn, setDrawn] = useState<readonly [number, number]>();
  const [shown, setShown] = useState<Shown>();
  const width = useRef(1);
  const nodes = useMemo(() => lanesOf(bars), [bars]);
  const lanes = nodes.reduce((sum, each) => sum + each.lanes.length, 0);
  const height = laneHeight(lanes);
  const [begin, end] = stretch ?? [from, to];
  const timeAt = (x: number) => begin + (x / width.current) * (end - begin);
  const xOf = (time: number) => ((time - begin) / (end - begin)) * width.current;
  const { canvas, redraw } = useCanvas(
    () => axisHeight + nodes.reduce((sum, each) => sum + nodeGap + each.lanes.length * height, 0),
    (context, own, all) => {
      width.current = own;
      const palette = colours();
      drawAxis(context, { begin, end, origin: from, width: own, height: all, palette });
      let y = axisHeight;
      for (const { node, lanes: ownLanes } of nodes) {
        context.fillStyle = palette.quiet;
        context.font = palette.font;
        context.fillText(`${node}, ${count(ownLanes.flat().length)} attempts, ${ownLanes.length} at once`, 0, y + 15);
        y += nodeGap;
        for (const lane of ownLanes) {
          for (const bar of lane) {
            if (bar.to < begin || bar.from > end) continue;
            for (const [a, b, colour] of partsOf(bar)) {
              if (b <= a) continue;
              context.fillStyle = palette[colour];
              const x = Math.max(0, xOf(a));
              context.fillRect(x, y, Math.max(1, Math.min(own, xOf(b)) - x - (height > 6 ? 0.5 : 0)), height - (height > 6 ? 2 : 1));
            }
            if (bar === shown?.bar) {
              context.strokeStyle = palette.text;
              context.strokeRect(xOf(bar.from) - 0.5, y - 0.5, Math.max(2, xOf(bar.to) - xOf(bar.from)), height - 1);
            }
          }
          y += height;
        }
      }
      if (drawn) {
        context.globalAlpha = 0.15;
        context.fillStyle = palette.text;
        context.fillRect(Math.min(...drawn), 0, Math.abs(drawn[1] - drawn[0]), all);
        context.globalAlpha = 1;
      }
    },
  );
  useEffect(redraw);
  const barAt = (x: number, y: number): AttemptBar | undefined => {
    let top = axisHeight;
    for (const { lanes: own } of nodes) {
      top += nodeGap;
      const lane = own[Math.floor((y - top) / height)];
      if (y >= top && lane) return lane.find((bar) => xOf(bar.from) - 2 <= x && x <= Math.max(xOf(bar.to), xOf(bar.from) + 2));
      top += own.length * height;
    }
    return undefined;
  };
  const move = ({ nativeEvent: { offsetX, offsetY } }: PointerEvent) => {
    if (drawn) return setDrawn([drawn[0], offsetX]);
    const bar = barAt(offsetX, offsetY);
    setShown(bar && { bar, x: offsetX, y: offsetY });
  };
  const lift = ({ nativeEvent: { offsetX, offsetY } }: PointerEvent) => {
    setDrawn(undefined);
    if (drawn && Math.abs(drawn[1] - drawn[0]) > 8) {
      const [a, b] = [timeAt(Math.min(...drawn)), timeAt(Math.max(...drawn))];
      return setStretch([Math.max(from, a), Math.min(to, b)]);
    }
    const bar = barAt(offsetX, offsetY);
    if (bar) setSearch({ tab: undefined, task: bar.task.id });
  };
  return (
    <>
      <p className="quiet inline">
        {stretch ? (
          <>
            From {duration(begin - from)} to {duration(end - from)} after the start.
            <button type="button" className="small" onClick={() => setStretch(undefined)}>
              Show all
            </button>
          </>
        ) : (
          'Draw over a stretch to enlarge it; press a bar for its task.'
        )}
      </p>
      <div
        className="gantt"
        onPointerMove={move}
        onPointerLeave={() => {
          setShown(undefined);
          setDrawn(undefined);
        }}
        onPointerDown={(event) => event.pointerType === 'mouse' && setDrawn([event.nativeEvent.offsetX, event.nativeEvent.offsetX])}
        onPointerUp={lift}
      >
        <canvas
          ref={canvas}
          role="img"
          aria-label={`${count(bars.length)} attempts on ${count(nodes.length)} nodes over time; the list below has the slowest`}
        />
        {shown && <BarWords {...shown} width={width.current} />}
      </div>
    </>
  );
}

interface Axis {
  readonly begin: number;
  readonly end: number;
  readonly origin: number;
  readonly width: number;
  readonly height: number;
  readonly palette: ReturnType<typeof colours>;
}

/** Marks count from the start of the job. */
function drawAxis(context: CanvasRenderingContext2D, { begin, end, origin, width, height, palette }: Axis): void {
  context.font = palette.font;
  for (const mark of marksOf(end - origin, ((end - origin) / (end - begin)) * (width / 90))) {
    const x = ((origin + mark - begin) / (end - begin)) * width;
    if (x < 0 || x > width) continue;
    context.fillStyle = palette.line;
    context.fillRect(Math.round(x), 16, 1, height - 16);
    context.fillStyle = palette.quiet;
    const word = mark === 0 ? '0' : duration(mark);
    context.fillText(word, Math.min(x, width - context.measureText(word).width), 11);
  }
}

function BarWords({ bar, x, y, width }: Shown & { readonly width: number }) {
  const words = partsOf(bar)
    .filter(([a, b]) => b > a)
    .map(([a, b, colour]) => `${phases.find(([each]) => each === colour)?.[1]} ${duration(b - a)}`);
  return (
    <div className="bar-words" style={{ left: Math.min(x + 12, Math.max(0, width - 260)), top: y + 14 }}>
      <b>
        {taskWord(bar.task.id)}, attempt {attemptNumber(bar.attempt.id) + 1}
      </b>
      <Status state={bar.attempt.state} /> {duration(bar.to - bar.from)}
      {words.length > 1 && <span className="quiet">{words.join(', ')}</span>}
    </div>
  );
}

const slowestShown = 15;
const columns: readonly Column<AttemptBar & { readonly share: number | undefined }>[] = [
  {
    id: 'attempt',
    title: 'Attempt',
    cell: ({ task, attempt }) => <AttemptButton task={task} attempt={attempt} />,
  },
  { id: 'state', title: 'State', cell: ({ attempt }) => <Status state={attempt.state} /> },
  { id: 'node', title: 'Node', gives: 'soon', cell: ({ node }) => node },
  {
    id: 'took',
    title: 'Took',
    isNumber: true,
    sort: (a, b) => a.to - a.from - (b.to - b.from),
    cell: ({ from, to }) => duration(to - from),
  },
  {
    id: 'share',
    title: 'of the usual',
    isNumber: true,
    gives: 'first',
    sort: (a, b) => (a.share ?? 0) - (b.share ?? 0),
    cell: ({ share }) =>
      share === undefined ? (
        <span className="quiet" title="None of its kind has succeeded yet.">
          –
        </span>
      ) : (
        <span className={share >= 2 ? 'is-warning' : ''}>× {share >= 10 ? Math.round(share) : share.toFixed(1)}</span>
      ),
  },
];

/** Attempts that took longest, beside the median of their kind. */
function Slowest({ bars }: { readonly bars: readonly AttemptBar[] }) {
  const usual = {
    MAP: median(bars.filter(({ task }) => task.kind === 'MAP')),
    REDUCE: median(bars.filter(({ task }) => task.kind === 'REDUCE')),
  };
  const slowest = bars
    .map((bar) => ({ ...bar, share: usual[bar.task.kind] > 0 ? (bar.to - bar.from) / usual[bar.task.kind] : undefined }))
    .toSorted((a, b) => b.to - b.from - (a.to - a.from))
    .slice(0, slowestShown);
  return (
    <Panel title="Slowest attempts" aside={<span className="quiet">beside the median of their kind</span>}>
      <Table label="Slowest attempts" columns={columns} rows={slowest} rowKey={({ attempt }) => attempt.id} empty="None." />
    </Panel>
  );
}

/** Of attempts that succeeded. */
function median(bars: readonly AttemptBar[]): number {
  const times = bars
    .filter(({ attempt }) => attempt.state === 'SUCCEEDED')
    .map(({ from, to }) => to - from)
    .toSorted((a, b) => a - b);
  return times[Math.floor(times.length / 2)] ?? 0;
}
