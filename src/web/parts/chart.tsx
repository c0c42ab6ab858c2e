// A chart over time: lines and areas by uPlot, in the colours of the style sheet.
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { type Measured, movedTo, stepsOf, topOf } from '../format/chart-scale.ts';
import { timeOfDay } from '../format/times.ts';
import './chart.css';

/** A line. `colour`: a custom property of the style sheet, `--run`. */
export interface Line {
  readonly label: string;
  readonly colour: string;
  readonly values: readonly (number | null)[];
  readonly isFilled?: boolean;
  readonly isDashed?: boolean;
  /** What there is of it: where others go far beyond, the chart ends at twice this, so that what is below it can be told apart. */
  readonly isBound?: boolean;
}

/** What a chart is given; `times` in ms. */
export interface ChartProps {
  readonly label: string;
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  readonly show: (value: number) => string;
  readonly height?: number;
  readonly measured: Measured;
}

export function Chart({ label, times, lines, show, height = 150, measured }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  // The sample that is pointed at, in this chart or in one beside it.
  const [pointed, setPointed] = useState<number>();
  const shape = lines.map(({ label: name, colour }) => `${name}${colour}`).join();
  const latest = useRef({ times, lines, show });
  latest.current = { times, lines, show };
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const make = () => {
      plot.current?.destroy();
      plot.current = new uPlot(
        optionsOf(
          () => latest.current.lines,
          (value) => latest.current.show(value),
          { width: element.clientWidth, height, measured, point: setPointed },
        ),
        dataOf(latest.current.times, latest.current.lines),
        element,
      );
    };
    make();
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const observer = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    scheme.addEventListener('change', make);
    addEventListener('heddle-theme', make);
    return () => {
      observer.disconnect();
      scheme.removeEventListener('change', make);
      removeEventListener('heddle-theme', make);
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [shape, height, measured]);
  useEffect(() => plot.current?.setData(dataOf(times, lines)), [times, lines]);
  const now = lines.map(({ label: name, values }) => `${name} ${show(values.at(-1) ?? 0)}`).join(', ');
  return (
    <figure className="chart">
      <div className="chart-place">
        <div ref={place} role="img" aria-label={`${label} over time; now ${now}`} style={{ minHeight: height }} />
        {times.length > 1 && (
          <div
            className="chart-moment"
            role="slider"
            tabIndex={0}
            aria-label={`Moment of ${label}`}
            aria-valuemin={0}
            aria-valuemax={times.length - 1}
            aria-valuenow={pointed ?? times.length - 1}
            aria-valuetext={`${pointed === undefined || times[pointed] === undefined ? 'now' : `at ${timeOfDay(times[pointed])}`}: ${lines
              .map(({ label: name, values }) => `${name} ${valueAt(values, pointed, show)}`)
              .join(', ')}`}
            onKeyDown={(event: KeyboardEvent) => {
              const sample = movedTo(event.key, pointed, times.length);
              if (sample === undefined) return;
              event.preventDefault();
              if (sample === 'now') pointAt(plot.current, undefined);
              else pointAt(plot.current, times[sample]);
            }}
            onBlur={() => pointAt(plot.current, undefined)}
          />
        )}
      </div>
      <figcaption>
        {lines.map(({ label: name, colour, values, isDashed }) => (
          <span key={name}>
            <i className={isDashed ? 'key dashed' : 'key'} style={{ borderColor: `var(${colour})` }} />
            {name} <b>{valueAt(values, pointed, show)}</b>
          </span>
        ))}
        {pointed !== undefined && times[pointed] !== undefined && <time>at {timeOfDay(times[pointed]).slice(0, 8)}</time>}
      </figcaption>
    </figure>
  );
}

/** Points at a moment, ms, in all charts, as who moves the pointer does; undefined: at none. */
function pointAt(plot: uPlot | undefined, timeMs: number | undefined): void {
  const place = timeMs === undefined ? { left: -10, top: -10 } : { left: plot?.valToPos(timeMs / 1000, 'x') ?? -10, top: 0 };
  // The types leave out the last: whether other charts are told.
  (plot?.setCursor as ((at: typeof place, isFired: boolean, isTold: boolean) => void) | undefined)?.(place, true, true);
}

/** A value in words, of the sample that is pointed at or else of the last. */
function valueAt(values: Line['values'], pointed: number | undefined, show: (value: number) => string): string {
  if (pointed === undefined) return show(values.at(-1) ?? 0);
  const value = values[pointed];
  return value === null || value === undefined ? 'not known' : show(value);
}

const dataOf = (times: readonly number[], lines: readonly Line[]): uPlot.AlignedData => [
  times.map((time) => time / 1000),
  ...lines.map(({ values }) => [...values]),
];

/** Times of day to the minute, or to the second where lines stand closer than minutes. */
function hours(seconds: readonly number[]): string[] {
  const isClose = seconds.some((each) => each % 60 !== 0);
  return seconds.map((each) => timeOfDay(each * 1000).slice(0, isClose ? 8 : 5));
}

const colourOf = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim() || '#888';

function optionsOf(
  linesNow: () => readonly Line[],
  show: (value: number) => string,
  {
    width,
    height,
    measured,
    point,
  }: {
    readonly width: number;
    readonly height: number;
    readonly measured: Measured;
    readonly point: (sample: number | undefined) => void;
  },
): uPlot.Options {
  const [text, grid] = [colourOf('--text-quiet'), colourOf('--line')];
  const font = '11px system-ui, sans-serif';
  const axis = { stroke: text, font, grid: { stroke: grid, width: 1 }, ticks: { show: false } };
  return {
    width,
    height,
    legend: { show: false },
    // One moment is pointed at in all charts of a page.
    cursor: { y: false, sync: { key: 'charts' } },
    hooks: { setCursor: [({ cursor }) => point(cursor.idx ?? undefined)] },
    padding: [8, 26, 0, 0],
    scales: { y: { range: (_plot, _low, high) => [0, topOf(linesNow(), high ?? 1)] } },
    axes: [
      { ...axis, size: 24, space: 70, values: (_plot, seconds) => hours(seconds) },
      {
        ...axis,
        size: 64,
        space: 34,
        incrs: [...stepsOf(measured)],
        values: (_plot, values) => values.map((value) => (value === 0 ? '0' : show(value))),
      },
    ],
    series: [
      {},
      ...linesNow().map(({ colour, isFilled, isDashed }): uPlot.Series => {
        const stroke = colourOf(colour);
        return {
          stroke,
          width: 1.6,
          points: { show: false },
          ...(isFilled && { fill: `color-mix(in srgb, ${stroke} 16%, transparent)` }),
          ...(isDashed && { dash: [5, 4] }),
        };
      }),
    ],
  };
}
