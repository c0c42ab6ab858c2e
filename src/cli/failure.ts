// How a command fails: one clear line, a remedy, and an exit code (2 for wrong usage, 1 for everything else).
import { ConfigurationError } from '../config/table.ts';

/** A failure of a command, told to the user as it is. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly remedy: string | undefined;
  readonly exitCode: number;

  constructor(message: string, remedy?: string, exitCode = 1) {
    super(message);
    this.remedy = remedy;
    this.exitCode = exitCode;
  }
}

/** The line and exit code for an error of a command. Errors nobody expected keep their stack. */
export function describeFailure(error: unknown): { text: string; exitCode: number } {
  if (error instanceof CommandFailure)
    return { text: `heddle: ${error.message}${error.remedy ? `\n  ${error.remedy}` : ''}`, exitCode: error.exitCode };
  if (error instanceof ConfigurationError) return { text: `heddle: ${error.message}`, exitCode: 1 };
  const known = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (known?.code === 'EADDRINUSE') {
    const where = known.port === undefined ? 'an address' : `port ${known.port} on ${known.address ?? 'this machine'}`;
    return {
      text: `heddle: ${where} is in use.\n  Stop the program that uses it, set another address, or run "heddle up --ports auto".`,
      exitCode: 1,
    };
  }
  if (known?.code === 'EACCES' || known?.code === 'EADDRNOTAVAIL' || known?.code === 'ENOENT' || known?.code === 'ENOTDIR') {
    return { text: `heddle: ${known.message}`, exitCode: 1 };
  }
  return { text: `heddle: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`, exitCode: 1 };
}
