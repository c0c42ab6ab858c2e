// Whether the server tells this page of changes: `live`, `polling` where it cannot, `lost` while it does not answer.

export type LiveState = 'live' | 'polling' | 'lost';

let state: LiveState = 'polling';
const listeners = new Set<() => void>();

export const liveState = (): LiveState => state;
export const isLive = (): boolean => state === 'live';

/** Tells all who look. */
export function setLiveState(next: LiveState): void {
  if (next === state) return;
  state = next;
  for (const listener of listeners) listener();
}

export function onLiveState(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
