// The files of this node among an application's gathered logs, each written once and never replaced (P13 of docs/protocol.md). What is about to be written is noted durably first: whether
// the file is there tells a later process whether that came to its end, so nothing is gathered twice and no file is written over.
import { mkdir, rm } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { LogStore } from '../../client/log-store.ts';
import { folderInside } from '../../lib/folder-inside.ts';
import { type AggregatedLogContents, listAggregatedLog, writeAggregatedLog } from '../../wire/files/aggregated-log.ts';
import { applicationLogFolder } from '../../wire/files/aggregated-log-folder.ts';
import { UnreadableTfile } from '../../wire/files/tfile.ts';
import type { Application } from '../applications/application.ts';
import { folderOfUser } from '../folders.ts';
import type { LogFile } from './container-logs.ts';

/** A file to take, from the byte at which the last time ended. */
export interface Piece {
  readonly containerId: string;
  readonly file: LogFile;
  readonly start: number;
  /** The container has ended: nothing is written to it any more. */
  readonly final: boolean;
}

/** What uploads need. */
export interface UploadOptions {
  readonly store: LogStore;
  /** The node's file, `host_port`. */
  readonly name: string;
  readonly now: () => number;
  /** Resolves when the application's record is durable. */
  readonly save: (application: Application) => Promise<void>;
}

/** The files of the node that hold what was rolled away, or what a later one added, the oldest first. */
export const rolledFiles = async (store: LogStore, folder: string, name: string): Promise<string[]> =>
  (await store.names(folder)).filter((file) => file.startsWith(`${name}_`) && /^\d+$/.test(file.slice(name.length + 1))).sort();

/** Takes note of an upload of an earlier process or an earlier try: it came to its end where its file is there. Otherwise nothing of it is left. */
export async function settleUpload(application: Application, { store, save }: UploadOptions): Promise<void> {
  const { upload } = application;
  if (!upload) return;
  const folder = applicationLogFolder(store.tree, folderOfUser(application.user), application.id);
  if ((await store.names(folder)).includes(upload.file)) take(application);
  else {
    using held = await folderInside(store.tree.root, relative(store.tree.root, folder).split(sep), { ownersOnly: true }).catch(
      () => undefined,
    );
    if (held) for (const file of [upload.file, `${upload.file}.tmp`]) await rm(join(held.path, file), { force: true });
  }
  application.upload = undefined;
  await save(application);
}

/** Writes pieces into a file of this node and notes that they were taken; resolves when both are durable. `ended`: it is the last one. */
export async function upload(application: Application, pieces: readonly Piece[], ended: boolean, options: UploadOptions): Promise<void> {
  const { store, name, now, save } = options;
  const { tree } = store;
  const user = folderOfUser(application.user);
  const folder = applicationLogFolder(tree, user, application.id);
  const own = await store.names(folder);
  const rolled = await rolledFiles(store, folder, name);
  const rest = own.includes(name) ? await notThere(application, pieces, store, folder, name) : pieces;
  // The names of all pieces sort by time: readers put them together in that order.
  const latest = rolled.at(-1);
  const time = Math.max(now(), latest === undefined ? 0 : Number(latest.slice(name.length + 1)) + 1);
  const isWhole = ended && latest === undefined && !own.includes(name);
  const taken = ended ? [] : pieces.map(({ file: { path, identity, bytes } }) => [path, identity, bytes] as const);
  application.upload = { file: isWhole ? name : `${name}_${time}`, isLast: ended, taken };
  await save(application);
  if (rest.length > 0) {
    await mkdir(tree.root, { recursive: true, mode: 0o1777 });
    // Where others may write to the tree, one of them could have made the user's folder, with a link in it.
    using held = await folderInside(tree.root, relative(tree.root, folder).split(sep), { make: 0o770, ownersOnly: true });
    await writeAggregatedLog(join(held.path, application.upload.file), contentsOf(application, rest));
    await store.publish(join(folder, application.upload.file));
  }
  take(application);
  application.upload = undefined;
  await save(application);
}

/** What the upload held counts as gathered. */
function take(application: Application): void {
  const { upload: noted, rolledLogs } = application;
  if (noted?.isLast) application.logsGathered = true;
  for (const [path, identity, bytes] of noted?.taken ?? []) rolledLogs.set(path, { identity, bytes });
}

/** What of the pieces the node's file does not hold, which was written there by a process that left no note of it. */
async function notThere(
  application: Application,
  pieces: readonly Piece[],
  { tree }: LogStore,
  folder: string,
  name: string,
): Promise<readonly Piece[]> {
  await tree.bring?.(application.id, folderOfUser(application.user));
  const { containers } = await listAggregatedLog(join(folder, name)).catch((error: unknown) => {
    if (error instanceof UnreadableTfile) return { containers: [] };
    throw error;
  });
  const held = new Map<string, number[]>();
  for (const { containerId, files } of containers)
    for (const file of files) {
      const key = `${containerId}/${file.name}`;
      const sizes = held.get(key);
      if (sizes) sizes.push(file.sizeBytes);
      else held.set(key, [file.sizeBytes]);
    }
  return pieces.flatMap((piece) => {
    const sizes = held.get(`${piece.containerId}/${piece.file.name}`) ?? [];
    if (sizes.includes(piece.file.bytes)) return [];
    // One that has grown since goes on where the held part ends.
    const [size = 0] = sizes;
    return [sizes.length === 1 && size < piece.file.bytes ? { ...piece, start: Math.max(piece.start, size) } : piece];
  });
}

function contentsOf(application: Application, pieces: readonly Piece[]): AggregatedLogContents {
  const acls = Object.fromEntries(Object.entries(application.acls).filter((entry): entry is [string, string] => entry[1] !== undefined));
  const containers = [...Map.groupBy(pieces, ({ containerId }) => containerId)].map(([containerId, own]) => ({
    containerId,
    files: own.map(({ file: { name, path, below, bytes, modifiedMs }, start }) => ({
      name,
      path,
      below,
      start,
      size: bytes - start,
      modified: modifiedMs,
    })),
  }));
  return { applicationOwner: application.user, acls, containers };
}
