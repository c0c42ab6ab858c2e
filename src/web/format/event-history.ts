// The events of one application as a history: put together, counted over time, narrowed to a stretch of it. Pure.
import type { Stretch } from './stretch.ts';

/** What came at a time, ms. */
interface Timed {
  readonly time: number;
}

/** An event, as far as it is read here. */
interface Told extends Timed {
  readonly id: string;
  readonly kind: string;
  readonly [fact: string]: unknown;
}

/** What one line of a history stands for; `events` in the order in which they came. */
export interface HistoryLine<Event extends Told> {
  readonly events: readonly Event[];
  /** The last one says how it stands. */
  readonly last: Event;
}

/** Steps that the events around them tell, too. */
const isStep = ({ kind }: Told): boolean => kind === 'application.state' || kind === 'application.updated';
/** What an event is one of several about: a container. */
const subjectOf = ({ kind, containerId }: Told): string | undefined => (kind.startsWith('container.') ? String(containerId) : undefined);

/** One line an event. */
export const everyLine = <Event extends Told>(events: readonly Event[]): HistoryLine<Event>[] =>
  events.map((event) => ({ events: [event], last: event }));

/** One line for what belongs together: all of a container stands where it was last heard of, steps of the application are left out. */
export function compactLines<Event extends Told>(events: readonly Event[]): HistoryLine<Event>[] {
  const subjects = Map.groupBy(events, subjectOf);
  return events.flatMap((event): HistoryLine<Event>[] => {
    if (isStep(event)) return [];
    const subject = subjectOf(event);
    const own = subject === undefined ? [event] : subjects.get(subject)!;
    return own.at(-1) === event ? [{ events: own, last: event }] : [];
  });
}

/** The events of a stretch; all of them without one. */
export const within = <Event extends Timed>(events: readonly Event[], stretch: Stretch | undefined): readonly Event[] =>
  stretch ? events.filter(({ time }) => time >= stretch.fromMs && time < stretch.toMs) : events;

/** A part of a stretch with how many events came in it. */
export interface Part extends Stretch {
  readonly count: number;
}

/** A stretch, or all that the events span, in at most so many even parts of whole milliseconds. */
export function partsOf(events: readonly Timed[], stretch: Stretch | undefined, most: number): Part[] {
  const first = events[0];
  if (!first) return [];
  const fromMs = stretch?.fromMs ?? events.reduce((least, { time }) => Math.min(least, time), first.time);
  const toMs = stretch?.toMs ?? events.reduce((largest, { time }) => Math.max(largest, time), first.time) + 1;
  const widthMs = Math.max(1, Math.ceil((toMs - fromMs) / most));
  const parts = Array.from({ length: Math.ceil((toMs - fromMs) / widthMs) }, (_, index) => ({
    fromMs: fromMs + index * widthMs,
    toMs: fromMs + (index + 1) * widthMs,
    count: 0,
  }));
  for (const { time } of within(events, { fromMs, toMs })) parts[Math.floor((time - fromMs) / widthMs)]!.count++;
  return parts;
}
