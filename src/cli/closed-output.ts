// Whoever reads the beginning of an output alone (`| head`) is no failure. What becomes of what the command looked after is said then.
let farewell: string | undefined;

/** What to say, on the error stream, where nobody reads the output any more; undefined: nothing. */
export function sayOfClosedOutput(sentence: string | undefined): void {
  farewell = sentence;
}

/** What is to be said. */
export const closedOutputFarewell = (): string | undefined => farewell;
