// The clock of the pages: one tick a second for everything that says how long ago something was. It is the server's, by what its answers say: that of
// the browser may be wrong.
import { useSyncExternalStore } from 'react';
import { clockOffset } from '../format/clock-offset.ts';

const listeners = new Set<() => void>();
let offsetMs = 0;
let nowMs = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function follow(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) nowMs = Date.now() + offsetMs;
  timer ??= setInterval(() => {
    nowMs = Date.now() + offsetMs;
    for (const each of listeners) each();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time, ms since the epoch; changes each second. */
export const useNow = (): number => useSyncExternalStore(follow, () => nowMs);

/** A request leaves now; what it gives is told the header `date` of its answer. */
export function serverTimeAsked(): (date: string | null) => void {
  const askedMs = Date.now();
  return (date) => {
    if (date !== null) offsetMs = clockOffset(offsetMs, askedMs, Date.now(), Date.parse(date));
  };
}
