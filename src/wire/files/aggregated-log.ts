// Aggregated container logs: one file per node and application that holds the log files of every container that ran there,
// in the form of Hadoop's AggregatedLogFormat (TFile controller), so that either side reads what the other wrote.
import { constants } from 'node:fs';
import { type FileHandle, open, readlink, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isForeignLink } from '../../lib/foreign-link.ts';
import { syncFolder } from '../../lib/whole-writes.ts';
import { fromModifiedUtf8, writeUtf } from './java-data.ts';
import { readTfile, type TfileValue, TfileWriter, UnreadableTfile } from './tfile.ts';

/** What is put into an aggregated log. */
export interface AggregatedLogContents {
  readonly applicationOwner: string;
  /** Access lists by kind (`VIEW_APP`, `MODIFY_APP`). */
  readonly acls: Readonly<Record<string, string>>;
  readonly containers: readonly {
    readonly containerId: string;
    /** `size` bytes are taken from byte `start` (default 0) of the file at `path`; `modified` (ms) is not kept by this format. */
    readonly files: readonly {
      readonly name: string;
      readonly path: string;
      /** The folder, without links, in which it has to be found when it is opened: where others could put a link in the place of one above it. */
      readonly below?: string;
      readonly start?: number;
      readonly size: number;
      readonly modified?: number;
    }[];
  }[];
}

const keys = { version: 'VERSION', acl: 'APPLICATION_ACL', owner: 'APPLICATION_OWNER' } as const;
const formatVersion = Buffer.from([0, 0, 0, 1]);
const copyBytes = 256 * 1024;

/**
 * Writes an aggregated log, mode 0640 whatever the umask, under `<path>.tmp` and renames it when it is complete and durable.
 * A log file that cannot be read is replaced by a sentence that says so; one that shrank is filled up with NUL.
 * Files of a container are written in order of their names, as Hadoop does.
 * @throws the file system's error when the target cannot be written; then nothing is left behind.
 */
export async function writeAggregatedLog(path: string, contents: AggregatedLogContents): Promise<void> {
  const temporary = `${path}.tmp`;
  // What an earlier process left, or somebody else put there: a link would be followed.
  await rm(temporary, { force: true });
  const file = await open(temporary, 'wx', 0o640);
  try {
    const writer = new TfileWriter(file);
    await writer.append(writeUtf(keys.version), [formatVersion]);
    await writer.append(
      writeUtf(keys.acl),
      Object.entries(contents.acls).flatMap(([kind, list]) => [writeUtf(kind), writeUtf(list)]),
    );
    await writer.append(writeUtf(keys.owner), [writeUtf(contents.applicationOwner)]);
    for (const { containerId, files } of contents.containers) {
      const ordered = files.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
      await writer.append(writeUtf(containerId), containerValue(ordered));
    }
    await writer.finish();
    await file.chmod(0o640);
    await file.sync();
    await file.close();
    await rename(temporary, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Opens a file that is no link of any kind to another user's. @throws the file system's errors; EPERM for a hard link, or a link above it */
async function openOwn(path: string, below: string | undefined): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  // What was opened is looked at, not what the name leads to by now.
  const opened = below === undefined ? undefined : await readlink(`/proc/self/fd/${file.fd}`).catch(() => undefined);
  const isElsewhere = opened !== undefined && !opened.startsWith(`${below}/`);
  if (!isElsewhere && !isForeignLink(await file.stat(), await stat(dirname(path)))) return file;
  await file.close();
  throw Object.assign(new Error(`${path} is a link to a file of another user`), { code: 'EPERM' });
}

async function* containerValue(files: AggregatedLogContents['containers'][number]['files']): AsyncGenerator<Uint8Array> {
  for (const { name, path, below, start = 0, size } of files) {
    let source: FileHandle;
    try {
      // A container may have put a link or a pipe where its log was.
      source = await openOwn(path, below);
    } catch (error) {
      const sentence = Buffer.from(
        `Error aggregating log file. Log file : ${name}. ${error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.message) : error}`,
      );
      yield Buffer.concat([writeUtf(name), writeUtf(String(sentence.length)), sentence]);
      continue;
    }
    try {
      yield Buffer.concat([writeUtf(name), writeUtf(String(size))]);
      for (let left = size; left > 0; ) {
        const bytes = Buffer.allocUnsafe(Math.min(left, copyBytes));
        const { bytesRead } = await source.read(bytes, 0, bytes.length, start + size - left).catch(() => ({ bytesRead: 0 }));
        const part = bytesRead > 0 ? bytes.subarray(0, bytesRead) : bytes.fill(0);
        left -= part.length;
        yield part;
      }
    } finally {
      await source.close();
    }
  }
}

/** A log file inside an aggregated log. */
export interface AggregatedFile {
  readonly name: string;
  readonly sizeBytes: number;
}
/** The log files of one container. */
export interface AggregatedContainer {
  readonly containerId: string;
  readonly files: readonly AggregatedFile[];
}
/** What an aggregated log holds. */
export interface AggregatedLogListing {
  readonly owner: string;
  readonly acls: Readonly<Record<string, string>>;
  readonly containers: readonly AggregatedContainer[];
}

/** Files, containers and lists of users that a listing may have: a compressed file of a few kilobytes could tell of millions. */
const mostListed = 100_000;

const keyText = (key: Buffer): string => fromModifiedUtf8(key.subarray(2));
const readUtf = async (value: TfileValue): Promise<string> => fromModifiedUtf8(await value.read((await value.read(2)).readUInt16BE(0)));

async function fileHeader(value: TfileValue): Promise<AggregatedFile | undefined> {
  if (await value.ended()) return undefined;
  const name = await readUtf(value);
  const size = Number(await readUtf(value));
  return { name, sizeBytes: Number.isSafeInteger(size) && size >= 0 ? size : 0 };
}

/** Opens a file for the length of `use`. */
async function withFile<Result>(path: string, use: (file: FileHandle) => Promise<Result>): Promise<Result> {
  const file = await open(path, 'r');
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

/**
 * Lists what an aggregated log holds, its contents unread. @throws UnreadableTfile when it is none.
 * @param only names the one container that matters; reading stops behind it.
 */
export function listAggregatedLog(path: string, only?: string, most = mostListed): Promise<AggregatedLogListing> {
  return withFile(path, async (file) => {
    let owner = '';
    const acls: Record<string, string> = {};
    const containers: AggregatedContainer[] = [];
    let listed = 0;
    const count = () => {
      if (++listed > most) throw new UnreadableTfile(`The file tells of more than ${most} logs`);
    };
    for await (const { key, value } of readTfile(file)) {
      count();
      const name = keyText(key);
      if (name === keys.version) continue;
      if (name === keys.owner) owner = await readUtf(value);
      else if (name === keys.acl) {
        while (!(await value.ended())) {
          count();
          acls[await readUtf(value)] = await readUtf(value);
        }
      } else if (only === undefined || name === only) {
        const files: AggregatedFile[] = [];
        for (let header = await fileHeader(value); header; header = await fileHeader(value)) {
          count();
          files.push(header);
          await value.skip(header.sizeBytes);
        }
        containers.push({ containerId: name, files });
        if (only !== undefined) break;
      }
    }
    return { owner, acls, containers };
  });
}

/** Which bytes of a log file: the first (positive) or last (negative) so many, or a range; nothing: all. */
export interface AggregatedRange {
  readonly size?: number;
  /** First byte wanted; negative counts from the end. Default 0. */
  readonly start?: number;
  /** First byte no longer wanted; negative counts from the end. Default: the length. */
  readonly end?: number;
}

/** The first byte and the first byte behind of a range in a file of `sizeBytes`. */
export function rangeOf(sizeBytes: number, { size, start = 0, end = sizeBytes }: AggregatedRange): { from: number; to: number } {
  if (size !== undefined)
    return size >= 0 ? { from: 0, to: Math.min(size, sizeBytes) } : { from: Math.max(0, sizeBytes + size), to: sizeBytes };
  const place = (at: number) => Math.max(0, Math.min(sizeBytes, at < 0 ? sizeBytes + at : at));
  const from = place(start);
  return { from, to: Math.max(from, place(end)) };
}

/**
 * The contents of a container's log files, one after the other, as the file holds them.
 * @param wanted says which files to give; the others are passed over.
 * @throws UnreadableTfile when the file is none or breaks off.
 */
export async function* readAggregatedFiles(
  path: string,
  containerId: string,
  wanted: (file: AggregatedFile) => boolean,
  range: AggregatedRange = {},
): AsyncGenerator<{ readonly file: AggregatedFile; readonly bytes: AsyncIterable<Buffer> }> {
  const file = await open(path, 'r');
  try {
    for await (const { key, value } of readTfile(file)) {
      if (keyText(key) !== containerId) continue;
      for (let header = await fileHeader(value); header; header = await fileHeader(value)) {
        const { sizeBytes } = header;
        if (!wanted(header)) {
          await value.skip(sizeBytes);
          continue;
        }
        const { from, to } = rangeOf(sizeBytes, range);
        await value.skip(from);
        let given = 0;
        const bytes = async function* () {
          for (; given < to - from; ) {
            const part = await value.some(Math.min(to - from - given, 64 * 1024));
            given += part.length;
            yield part;
          }
        };
        yield { file: header, bytes: bytes() };
        await value.skip(sizeBytes - from - given);
      }
      return;
    }
  } finally {
    await file.close();
  }
}
