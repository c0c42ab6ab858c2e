// How a command fails: one clear line, a remedy, and an exit code (2 for wrong usage, 1 for everything else).
import { ConfigurationError } from '../config/table.ts';
import { systemErrorText } from '../lib/system-error.ts';

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

/** What helps against errors of the operating system, by their codes. */
const systemRemedies: Readonly<Record<string, string>> = {
  EACCES: 'Choose another place with --data, or make this one yours.',
  EPERM: 'Choose another place with --data, or make this one yours.',
  EROFS: 'Choose another place with --data: this one cannot be written.',
  ENOSPC: 'Make room on the disk, or choose another place with --data.',
  EADDRNOTAVAIL: 'Set an address that this machine has.',
  ENOTFOUND: 'Set an address that this machine has.',
  ENOENT: '',
  ENOTDIR: 'Name another place, or move the file away.',
  EEXIST: 'Name another place, or move away what stands there.',
  EISDIR: 'Name another place, or move the folder away.',
  ENOTEMPTY: 'A folder with something in it stands where another is to be put: move it away.',
  EDQUOT: 'Make room in the quota of the disk, or choose another place with --data.',
  EIO: 'Look at the disk, or choose another place with --data.',
  ELOOP: 'Symbolic links lead in a circle: put a file or folder in their place.',
  EMFILE: 'Allow more open files (ulimit -n).',
};

/** Names of errors whose message says all that helps. */
const toldAsTheyAre: ReadonlySet<string> = new Set(['ConfigurationError', 'StoreUnusable', 'SecretUnusable', 'Failure']);

/** The line and exit code for an error of a command. Unexpected errors keep their stack. */
export function describeFailure(error: unknown): { text: string; exitCode: number } {
  if (error instanceof CommandFailure)
    return { text: `heddle: ${error.message}${error.remedy ? `\n  ${error.remedy}` : ''}`, exitCode: error.exitCode };
  // One that comes from a thread has lost its class. The remedy of a store stands in its message.
  if (error instanceof ConfigurationError || (error instanceof Error && toldAsTheyAre.has(error.name)))
    return { text: `heddle: ${error.message}`, exitCode: 1 };
  const known = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (known?.code === 'EADDRINUSE') {
    const where = known.port === undefined ? 'an address' : `port ${known.port} on ${known.address ?? 'this machine'}`;
    return {
      text: `heddle: ${where} is in use.\n  Stop the program that uses it, set another address, or run "heddle up --ports auto".`,
      exitCode: 1,
    };
  }
  const remedy = systemRemedies[known?.code ?? ''];
  if (remedy !== undefined) return { text: `heddle: ${systemErrorText(known)}${remedy && `\n  ${remedy}`}`, exitCode: 1 };
  return { text: `heddle: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`, exitCode: 1 };
}
