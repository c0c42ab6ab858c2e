// Whether the server answers at all, and whether it knows who asks: every request says so.

let isAway = false;
const listeners = new Set<() => void>();

export const serverIsAway = (): boolean => isAway;

/** A request was answered, whatever with, or by nobody. */
export function noteAnswer(cameFrom: 'server' | 'nobody'): void {
  if (isAway === (cameFrom === 'nobody')) return;
  isAway = cameFrom === 'nobody';
  for (const listener of listeners) listener();
}

export function onPresence(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

const unknownListeners = new Set<() => void>();

/** A request was refused because the server does not know who asks: a session may have ended. */
export function noteUnknownCaller(): void {
  for (const listener of unknownListeners) listener();
}

export function onUnknownCaller(listener: () => void): () => void {
  unknownListeners.add(listener);
  return () => void unknownListeners.delete(listener);
}
