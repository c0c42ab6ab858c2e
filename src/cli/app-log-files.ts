// `heddle app logs --list` and `--out`: which log files there are, and copies of them.

import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { makeFolder } from '../lib/make-folder.ts';
import { systemErrorText } from '../lib/system-error.ts';
import { CommandFailure } from './failure.ts';
import type { FoundLog } from './found-log.ts';
import { printJson, printTable, printText } from './output.ts';

/** Prints the files with their sizes. */
export function listFiles(found: readonly FoundLog[], asJson: boolean): void {
  if (asJson) return printJson(found.map(({ containerId, role, file, bytes }) => ({ containerId, role, file, bytes })));
  printTable(
    ['CONTAINER', 'ROLE', 'FILE', 'BYTES'],
    found.map(({ containerId, role, file, bytes }) => [containerId, role, file, bytes]),
  );
}

/** Names come from servers: none leads out of its folder. */
function safeName(name: string): string {
  if (name === '' || name === '.' || name === '..' || /[/\\\0]/.test(name))
    throw new CommandFailure(`'${name}' is no name for a file here`, 'Print it, without --out.');
  return name;
}

/** @throws CommandFailure where the folder or the file cannot be made */
async function openCopy(folder: string, path: string): Promise<WriteStream> {
  try {
    makeFolder(folder, 0o755);
    const out = createWriteStream(path);
    await once(out, 'open');
    return out;
  } catch (error) {
    throw new CommandFailure(systemErrorText(error), 'Give --out a folder that you may write to.');
  }
}

/** Copies the files, as they are now or their ends, below a folder. @throws CommandFailure */
export async function saveFiles(
  found: readonly FoundLog[],
  folder: string,
  { tail, json }: { readonly tail?: number; readonly json?: boolean },
): Promise<void> {
  const saved: { containerId: string; role: string; file: string; path: string; bytes: number }[] = [];
  for (const { containerId, role, file, logs } of found) {
    const inside = join(folder, safeName(containerId));
    const path = join(inside, safeName(file));
    const out = await openCopy(inside, path);
    await pipeline(Readable.from(logs.read(containerId, file, tail)), out);
    saved.push({ containerId, role, file, path, bytes: out.bytesWritten });
  }
  if (json) return printJson(saved);
  const bytes = saved.reduce((sum, one) => sum + one.bytes, 0);
  printText(`${saved.length} ${saved.length === 1 ? 'file' : 'files'} with ${bytes} bytes lie below ${folder}.\n`);
}
