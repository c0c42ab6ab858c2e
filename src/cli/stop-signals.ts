// The first signal to stop asks for an orderly end, the second ends at once.

const numbers = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
type StopSignal = keyof typeof numbers;

/** Hears of the first of these signals, by default of all that mean to stop; one after it exits with 128 + its number. The answer takes that back. */
export function onStopSignal(
  heard: (signal: StopSignal) => void,
  signals: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'],
): () => void {
  let isAsked = false;
  const hear = (signal: NodeJS.Signals): void => {
    if (isAsked) process.exit(128 + numbers[signal as StopSignal]);
    isAsked = true;
    heard(signal as StopSignal);
  };
  for (const signal of signals) process.on(signal, hear);
  return () => {
    for (const signal of signals) process.off(signal, hear);
  };
}

/** Resolves with the first signal to stop. */
export const stopSignal = (): Promise<StopSignal> => new Promise((resolve) => void onStopSignal(resolve));
