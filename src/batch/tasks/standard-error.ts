// How diagnostics of an attempt hand on what its command said last.

/** The line before the last lines of a command's standard error. */
export const standardErrorHead = 'The last lines of its standard error:';
