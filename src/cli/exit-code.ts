// The exit code of a command whose result is more than success or failure.
let code: number | undefined;

/** Says with what the process should end. */
export function setExitCode(value: number): void {
  code = value;
}

/** Takes what was said, once. */
export function takeExitCode(): number | undefined {
  const said = code;
  code = undefined;
  return said;
}
