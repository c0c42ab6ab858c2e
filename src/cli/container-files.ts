// `heddle container files`: what lies in the folder of a running container; a file printed, followed, or copied.
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { ContainerFiles, type WantedBytes } from '../client/container-files.ts';
import { RemoteFailure } from '../client/remote-failure.ts';
import { printable } from '../lib/printable.ts';
import { systemErrorText } from '../lib/system-error.ts';
import type { FileEntry, FolderListing } from '../wire/node/files.ts';
import { byteCount } from './amounts.ts';
import { connect, talk } from './connection.ts';
import { nodeOf } from './container-exec.ts';
import { applicationOf } from './containers.ts';
import { CommandFailure } from './failure.ts';
import { type ClusterFlags, withClusterOptions } from './options.ts';
import { formatTime, printContents, printJson, printNote, printTable, printText } from './output.ts';

interface FilesFlags extends ClusterFlags {
  readonly out?: string;
  readonly follow?: boolean;
  readonly tail?: number;
}

/** Registers `heddle container files`. */
export function addContainerFiles(container: Command): void {
  withClusterOptions(
    container.command('files').argument('<container>', 'its id').argument('[path]', "from the container's folder on; default: that folder"),
  )
    .description('list a folder of a running container, or print a file')
    .option('--out <file>', 'copy the file there, instead of printing it')
    .option('--tail <bytes>', 'only the end of the file, such as 1000 or 64k', byteCount)
    .option('-f, --follow', 'go on as the file grows, until the container has ended')
    .action(show);
}

async function show(id: string, path: string | undefined, flags: FilesFlags): Promise<void> {
  const application = applicationOf(id);
  const ofFileAlone = flags.out !== undefined || flags.follow || flags.tail !== undefined;
  if (path === undefined && ofFileAlone)
    throw new CommandFailure('--out, --tail and --follow are about a file: which?', 'Give its path; without one the folder is listed.', 2);
  if (flags.follow && flags.out !== undefined)
    throw new CommandFailure('--follow prints what comes: it does not go with --out', 'Leave one of them away.', 2);
  const connection = connect(flags);
  const files = await talk(
    async () => new ContainerFiles({ url: await nodeOf(connection, application, id), ...connection.credentials }, id),
  );
  if (path === undefined) return printFolder(await talk(() => files.list('')), flags);
  // Only its node knows what it is; a folder is listed.
  const listing = await talk(() => files.list(path).catch(ofFile));
  if (listing) {
    if (ofFileAlone) throw new CommandFailure(`${path} is a folder`, `"heddle container files ${id} ${path}" lists it.`);
    return printFolder(listing, flags);
  }
  const part = { ...(flags.tail !== undefined && { offset: -flags.tail }), follow: flags.follow ?? false };
  if (flags.out !== undefined) return save(files, path, part, flags.out);
  await print(files, path, part);
}

/** What is no folder is read. */
function ofFile(error: unknown): undefined {
  if (error instanceof RemoteFailure && error.status === 409 && error.message.endsWith('is no folder.')) return undefined;
  throw error;
}

function printFolder({ entries, more, ...facts }: FolderListing, { json }: FilesFlags): void {
  if (json) return printJson({ ...facts, entries, more });
  if (entries.length === 0) return printText('Nothing lies in it.\n');
  printTable(
    ['MODE', 'KIND', 'BYTES', 'CHANGED', 'NAME'],
    entries.map((entry) => [
      ...[entry.mode, entry.kind, entry.kind === 'file' ? entry.bytes : undefined, formatTime(entry.modifiedTime), nameOf(entry)],
    ]),
    ['MODE', 'CHANGED'],
  );
  if (more) printNote(`There is more: the first ${entries.length} are listed.\n`);
}

const nameOf = ({ name, nameBase64, kind, leadsTo }: FileEntry): string =>
  `${name}${kind === 'folder' ? '/' : ''}${leadsTo === undefined ? '' : ` -> ${leadsTo}`}${nameBase64 === undefined ? '' : ` (base64:${nameBase64})`}`;

async function save(files: ContainerFiles, path: string, part: WantedBytes, file: string): Promise<void> {
  const first = await talk(async () => {
    const pieces = files.read(path, part);
    // Nothing is made here before it is known that there is something.
    return { pieces, begin: await pieces.next() };
  });
  const out = createWriteStream(file);
  await once(out, 'open').catch((error: unknown) => {
    throw new CommandFailure(systemErrorText(error), 'Give --out a file that you may write.');
  });
  async function* all() {
    if (!first.begin.done) yield first.begin.value;
    yield* first.pieces;
  }
  await talk(() => pipeline(Readable.from(all()), out));
}

async function print(files: ContainerFiles, path: string, part: WantedBytes): Promise<void> {
  const isTerminal = process.stdout.isTTY;
  const decoder = new TextDecoder();
  await talk(async () => {
    for await (const piece of files.read(path, part)) {
      // A terminal shows what people wrote, and does not do what it says.
      await printContents(isTerminal ? printable(decoder.decode(piece, { stream: true }), true) : piece);
    }
  });
}
