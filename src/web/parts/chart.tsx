// A chart over time: lines and areas by uPlot, in the colours of the style sheet. All charts of a page show one stretch of time, which its address names.
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useSearchState } from '../app/address.ts';
import { type Measured, movedTo, stepsOf, topOf } from '../format/chart-scale.ts';
import { type Stretch, shownStretch, stretchOf, stretchText, zoomedBy } from '../format/stretch.ts';
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
  const [search, setSearch] = useSearchState();
  const stretch = useMemo(() => shownStretch(times, stretchOf(search['stretch'])), [times, search['stretch']]);
  const zoom = (next: Stretch | undefined) => setSearch({ stretch: next && stretchText(next) });
  const shape = lines.map(({ label: name, colour }) => `${name}${colour}`).join();
  const latest = useRef({ times, lines, show, stretch, zoom });
  latest.current = { times, lines, show, stretch, zoom };
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const make = () => {
      plot.current?.destroy();
      plot.current = new uPlot(
        optionsOf(() => latest.current, { width: element.clientWidth, height, measured, point: setPointed }),
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
  // The scale is asked for anew with the data, and with it what is shown of them.
  useEffect(() => plot.current?.setData(dataOf(times, lines)), [times, lines, stretch]);
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
              const zoomed = zoomedBy(event.key, times, stretch, times[pointed ?? times.length - 1] ?? 0);
              if (zoomed) {
                event.preventDefault();
                return zoom(zoomed === 'whole' ? undefined : zoomed);
              }
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
        {stretch && (
          <button type="button" className="small" onClick={() => zoom(undefined)}>
            Whole time
          </button>
        )}
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

/** What a chart shows as it is now. */
interface Shown extends Pick<ChartProps, 'times' | 'lines' | 'show'> {
  readonly stretch: Stretch | undefined;
  readonly zoom: (stretch: Stretch | undefined) => void;
}

/** Less than this, in pixels, is a click that went astray. */
const leastDragged = 6;

/** Shows what was dragged over, in all charts. */
function zoomTo(plot: uPlot, zoom: Shown['zoom']): void {
  const { left, width } = plot.select;
  if (width < leastDragged) return;
  zoom({ fromMs: Math.floor(plot.posToVal(left, 'x') * 1000), toMs: Math.ceil(plot.posToVal(left + width, 'x') * 1000) });
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
}

/** What uPlot is answered that nothing is left to be done. */
function wholeTime(zoom: Shown['zoom']): null {
  zoom(undefined);
  return null;
}

function optionsOf(
  shown: () => Shown,
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
    // One moment is pointed at in all charts of a page. What is dragged over becomes the address's, and by it that of all of them.
    cursor: {
      y: false,
      sync: { key: 'charts', filters: { pub: (type) => type !== 'mouseup' && type !== 'mousedown' && type !== 'dblclick' } },
      drag: { x: true, y: false, setScale: false },
      bind: { dblclick: () => () => wholeTime(shown().zoom) },
    },
    hooks: { setCursor: [({ cursor }) => point(cursor.idx ?? undefined)], setSelect: [(plot) => zoomTo(plot, shown().zoom)] },
    padding: [8, 26, 0, 0],
    scales: {
      x: {
        range: (_plot, low, high) => {
          const { stretch } = shown();
          return stretch ? [stretch.fromMs / 1000, stretch.toMs / 1000] : [low, high];
        },
      },
      y: { range: (_plot, _low, high) => [0, topOf(shown().lines, high ?? 1)] },
    },
    axes: [
      { ...axis, size: 24, space: 70, values: (_plot, seconds) => hours(seconds) },
      {
        ...axis,
        size: 64,
        space: 34,
        incrs: [...stepsOf(measured)],
        values: (_plot, values) => values.map((value) => (value === 0 ? '0' : shown().show(value))),
      },
    ],
    series: [
      {},
      ...shown().lines.map(({ colour, isFilled, isDashed }): uPlot.Series => {
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
