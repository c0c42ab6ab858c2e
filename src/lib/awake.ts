// Keeps the process running while something is awaited that only a timer of the clock will bring about: those keep no process alive.

const longestTimeoutMs = 2_147_483_647;

/** Resolves or rejects as `work` does; until then the process does not end for want of anything to do. */
export async function awakeWhile<T>(work: Promise<T>): Promise<T> {
  const handle = setTimeout(() => undefined, longestTimeoutMs);
  try {
    return await work;
  } finally {
    clearTimeout(handle);
  }
}
