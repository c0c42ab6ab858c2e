// The first SIGINT, SIGTERM or SIGHUP asks for an orderly end, the second ends at once.

/** Resolves with the first signal to stop. A second signal exits with 128 + its number. */
export function stopSignal(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  const numbers = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const;
  let asked = false;
  for (const signal of Object.keys(numbers) as (keyof typeof numbers)[]) {
    process.on(signal, () => {
      if (asked) process.exit(128 + numbers[signal]);
      asked = true;
      resolve(signal);
    });
  }
  return promise;
}
