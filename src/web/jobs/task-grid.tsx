// Tasks as small squares, thousands of them on one canvas. What has not begun is hollow, what runs fills up, a failure has a cross.
import { type KeyboardEvent, type MouseEvent, useEffect, useRef, useState } from 'react';
import type { PlainTask } from '../api/jobs.ts';
import { counted, percent } from '../format/amounts.ts';
import { squareOfState, squareWords, taskWord } from '../format/jobs.ts';
import { colours, useCanvas } from './canvas.ts';

/** Width of a square with its gap, px, by how many there are. */
const cellOf = (tasks: number): number => (tasks > 4000 ? 8 : tasks > 800 ? 11 : tasks > 120 ? 15 : 20);

export interface TaskGridProps {
  readonly label: string;
  readonly tasks: readonly PlainTask[];
  /** Ids of tasks that pass the filter; others are faint. */
  readonly passes: ReadonlySet<string>;
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
}

export function TaskGrid({ label, tasks, passes, chosen, onChoose }: TaskGridProps) {
  const cell = cellOf(tasks.length);
  const [at, setAt] = useState<number>();
  const [hasFocus, setFocus] = useState(false);
  const columns = useRef(1);
  const heightOf = (width: number) => {
    columns.current = Math.max(1, Math.floor(width / cell));
    return Math.ceil(tasks.length / columns.current) * cell;
  };
  const chosenAt = tasks.findIndex(({ id }) => id === chosen);
  const { canvas, redraw } = useCanvas(heightOf, (context) => {
    const palette = colours();
    tasks.forEach((task, index) => {
      const x = (index % columns.current) * cell;
      const y = Math.floor(index / columns.current) * cell;
      context.globalAlpha = passes.has(task.id) ? 1 : 0.14;
      drawSquare(context, task, { x, y, size: cell - 2 }, palette);
      context.globalAlpha = 1;
      if (index === chosenAt || index === at) {
        context.strokeStyle = palette.text;
        context.lineWidth = index === chosenAt ? 2 : 1;
        context.strokeRect(x - 0.5, y - 0.5, cell - 1, cell - 1);
      }
    });
  });
  useEffect(redraw);
  const place = (event: MouseEvent) => {
    const { nativeEvent } = event;
    const index = Math.floor(nativeEvent.offsetY / cell) * columns.current + Math.floor(nativeEvent.offsetX / cell);
    return Math.floor(nativeEvent.offsetX / cell) < columns.current && index < tasks.length ? index : undefined;
  };
  const press = (event: KeyboardEvent) => {
    const here = at ?? Math.max(0, chosenAt);
    const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns.current, ArrowUp: -columns.current };
    const step = steps[event.key];
    if (step !== undefined) setAt(Math.min(tasks.length - 1, Math.max(0, here + step)));
    else if (event.key === 'Home') setAt(0);
    else if (event.key === 'End') setAt(tasks.length - 1);
    else if (event.key === 'Enter' || event.key === ' ') onChoose(tasks[here]!.id);
    else return;
    event.preventDefault();
  };
  const told = at === undefined ? undefined : tasks[at];
  return (
    <div className="task-grid">
      <h3>
        {label} <span className="quiet">{counted(tasks.length, 'task')}</span>
        <span className="told" role={hasFocus ? 'status' : undefined}>
          {told && `${taskWord(told.id)}: ${wordsOf(told)}`}
        </span>
      </h3>
      <div
        role="application"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: squares are gone through by arrow keys; the list below says the same
        tabIndex={0}
        aria-label={`${label} as squares: arrows go through them, Enter opens one`}
        onKeyDown={press}
        onFocus={() => setFocus(true)}
        onBlur={() => {
          setFocus(false);
          setAt(undefined);
        }}
        onMouseMove={(event) => setAt(place(event))}
        onMouseLeave={() => setAt(undefined)}
        onClick={(event) => {
          const index = place(event);
          if (index !== undefined) onChoose(tasks[index]!.id);
        }}
      >
        <canvas ref={canvas} />
      </div>
    </div>
  );
}

function wordsOf({ state, progress, attempts }: PlainTask): string {
  const square = squareOfState(state);
  const tried = attempts.length > 1 ? `, ${counted(attempts.length, 'attempt')}` : '';
  const node = attempts.at(-1)?.node;
  return `${squareWords[square]}${square === 'running' ? ` ${percent(progress)}` : ''}${tried}${node ? `, on ${node}` : ''}`;
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly size: number;
}

function drawSquare(context: CanvasRenderingContext2D, task: PlainTask, { x, y, size }: Box, palette: ReturnType<typeof colours>): void {
  const square = squareOfState(task.state);
  const colour = palette[square];
  context.strokeStyle = colour;
  context.fillStyle = colour;
  context.lineWidth = 1;
  if (square === 'good' || square === 'stopped' || square === 'bad') context.fillRect(x, y, size, size);
  else context.strokeRect(x + 0.5, y + 0.5, size - 1, size - 1);
  if (square === 'running') {
    const height = Math.max(2, Math.round((size - 2) * task.progress));
    context.fillRect(x + 1, y + size - 1 - height, size - 2, height);
  }
  context.strokeStyle = palette.surface;
  if (square === 'bad') {
    context.lineWidth = Math.max(1, size / 9);
    const inset = size * 0.25;
    context.beginPath();
    context.moveTo(x + inset, y + inset);
    context.lineTo(x + size - inset, y + size - inset);
    context.moveTo(x + size - inset, y + inset);
    context.lineTo(x + inset, y + size - inset);
    context.stroke();
  }
  if (square === 'stopped') {
    context.fillStyle = palette.surface;
    context.fillRect(x + size * 0.25, y + size * 0.42, size * 0.5, Math.max(1, size * 0.16));
  }
  // It took more than one attempt: a corner says so.
  if (square === 'good' && task.attempts.some(({ state }) => state === 'FAILED')) {
    context.fillStyle = palette.bad;
    context.beginPath();
    context.moveTo(x + size, y);
    context.lineTo(x + size, y + size * 0.55);
    context.lineTo(x + size * 0.45, y);
    context.fill();
  }
}
