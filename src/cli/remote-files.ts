// Files that nodes will read from other machines, looked at before anything is submitted: a wrong address would fail each container later.
import type { Patience, RemoteEntry, RemoteReader } from '../batch/tasks/remote/remote-store.ts';
import { isRemote, openRemote, remoteParts } from '../batch/tasks/remote/store.ts';
import { CommandFailure } from './failure.ts';
import type { BroughtFile } from './files.ts';

/** A look, while somebody waits: nodes are more patient. */
const patience: Patience = { answerMs: 10_000, stallMs: 10_000, attempts: 2, waitMs: 500 };

/** Which remote files nodes will find; a sentence for each that only they can look at, by their own settings and place. @throws CommandFailure for one that is not there */
export async function lookAtAddresses(files: readonly BroughtFile[], reader: Omit<RemoteReader, 'patience'>): Promise<string[]> {
  const notes: string[] = [];
  for (const { uri, said = `--file ${uri}`, exitCode = 2 } of files) {
    if (uri === undefined || !isRemote(uri)) continue;
    let found: RemoteEntry | undefined;
    try {
      const { root, path } = remoteParts(uri.split('#', 1)[0]!);
      found = await (await openRemote(root, { ...reader, patience })).status(decodedPath(path, root));
    } catch (error) {
      notes.push(`${said}: it cannot be looked at from here (${(error as Error).message}); nodes read it by their own settings`);
      continue;
    }
    if (found === undefined)
      throw new CommandFailure(`${said}: there is no such file`, 'Correct the address: no node would find it.', exitCode);
    if (found.isFolder && !/^s?webhdfs:/i.test(uri))
      throw new CommandFailure(`${said}: is not a file`, 'Pack a folder into an archive and give it as ADDRESS#NAME/.', exitCode);
  }
  return notes;
}

/** A path as its store has it: those of web servers stay as they are written. */
function decodedPath(path: string, root: string): string {
  if (/^http/i.test(root)) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
