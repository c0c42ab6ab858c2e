// Whether the server answers at all: every request says so.

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
