// What is wrong with a file that a simulation was given.

/** A file that cannot be simulated: where in it, what is wrong, what mends it. */
export class BadInput extends Error {
  readonly remedy: string;

  constructor(file: string, position: string | undefined, problem: string, remedy: string) {
    super(`${file}${position === undefined ? '' : `, ${position}`}: ${problem}`);
    this.remedy = remedy;
  }
}
