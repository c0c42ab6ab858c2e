// Long work gives way to what came in meanwhile.

/** Resolves after what waits in the event loop has had its turn. */
export const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
