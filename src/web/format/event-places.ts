// Places in the log of events: when the resource manager started, and the number of an event. Pure.

/** The place so many events before another; `oldest` where there are fewer. */
export function placeBefore(place: string, events: number): string {
  const [, started, number] = /^(\d+)-(\d+)$/.exec(place) ?? [];
  const before = Number(number) - events;
  return before > 0 ? `${started}-${before}` : 'oldest';
}
