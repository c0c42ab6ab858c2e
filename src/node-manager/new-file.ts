// Files that the node puts where containers may write, too.
import { closeSync, open as openAndTell, write as writeAndTell } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { appendWhole } from '../lib/whole-writes.ts';

// Numbers, not handles, as many are written for each container.
const open = promisify(openAndTell);
const write = promisify(writeAndTell);

/** A file that its owner alone reads, unless it has another mode. */
export interface NewFile {
  readonly path: string;
  readonly content: Buffer | string;
  readonly mode?: number;
}

/** Writes a new file. What stands in its place, of an earlier start in the same folder or a link that the container left, gives way to it at once. */
export async function writeNew({ path, content, mode = 0o600 }: NewFile): Promise<void> {
  const bytes = Buffer.from(content);
  try {
    await create(path, bytes, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const beside = `${path}.new`;
    await rm(beside, { force: true });
    await create(beside, bytes, mode);
    await rename(beside, path);
  }
}

async function create(path: string, bytes: Buffer, mode: number): Promise<void> {
  const file = await open(path, 'wx', mode);
  try {
    await appendWhole({ write: (piece, offset) => write(file, piece, offset) }, bytes);
  } finally {
    closeSync(file);
  }
}
