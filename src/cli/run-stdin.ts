// `heddle run --stdin --workdir`: what is piped in goes along as a file, and a shell begins the command with it, in the folder that is wanted.
import { createWriteStream, fstatSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CommandFailure } from './failure.ts';
import type { BroughtFile } from './files.ts';

const stdinName = '.heddle-stdin';

/**
 * Says that what is piped in goes nowhere; undefined where nothing seems to be piped in. Where machines start commands (`CI`) a pipe that
 * nobody writes to is usual. It is not read: it may be the list of a loop around this command.
 */
export function unreadInput(descriptor = 0, isMachine = (process.env['CI'] ?? '') !== ''): string | undefined {
  if (isMachine) return undefined;
  try {
    const input = fstatSync(descriptor);
    if (!input.isFIFO() && !(input.isFile() && input.size > 0)) return undefined;
  } catch {
    // It is closed.
    return undefined;
  }
  return 'standard input is not passed on to the command; --stdin does that';
}

/** Reads what is piped in to its end. Dispose of the file when it was brought. @throws CommandFailure at a terminal */
export async function stdinFile(): Promise<{ readonly file: BroughtFile } & AsyncDisposable> {
  if (process.stdin.isTTY) throw new CommandFailure('--stdin: nothing is piped in', 'Write COMMAND | heddle run --stdin -- …', 2);
  const folder = mkdtempSync(join(tmpdir(), 'heddle-stdin-'));
  const dispose = async (): Promise<void> => rmSync(folder, { recursive: true, force: true });
  const path = join(folder, 'stdin');
  try {
    await pipeline(process.stdin, createWriteStream(path, { mode: 0o600 }));
  } catch (error) {
    await dispose();
    throw error;
  }
  return { file: { name: stdinName, type: 'FILE', path }, [Symbol.asyncDispose]: dispose };
}

/** The command with what comes before it. The file lies in the container's own folder: it is opened before the shell leaves that. */
export function wrapped(
  command: readonly string[],
  { stdin, workdir }: { readonly stdin: boolean | undefined; readonly workdir: string | undefined },
): readonly string[] {
  if (!stdin && workdir === undefined) return command;
  const steps = [
    ...(stdin ? [`exec <${stdinName}`] : []),
    ...(workdir === undefined ? [] : ['cd -- "$1" || exit 126', 'shift']),
    'exec "$@"',
  ];
  return ['/bin/sh', '-c', steps.join('; '), 'sh', ...(workdir === undefined ? [] : [workdir]), ...command];
}
