// Outcomes that a caller may wait for and none has to.

/** The promise; where it is rejected and nobody waits for it, the process goes on. */
export function mayGoUnheard<T>(outcome: Promise<T>): Promise<T> {
  outcome.catch(() => undefined);
  return outcome;
}
