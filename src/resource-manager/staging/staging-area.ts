// Files that clients leave here for their applications, so that nodes need no disk in common with them:
// <folder>/<user>/<application>/<name>/<sha256>. A file is there whole or not at all. What belongs to an application goes a while after it has
// ended, if it is small, else with it; what belongs to none goes after a while. The tree itself is all that is remembered.
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, type ReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import { folderInside } from '../../lib/folder-inside.ts';
import type { Logger } from '../../lib/log.ts';
import { type Repetition, repeat } from '../../lib/repeat.ts';
import { Tally } from '../../lib/tally.ts';
import { appendWhole, syncFolder } from '../../lib/whole-writes.ts';
import { Failure, failure } from '../../model/errors.ts';
import { InvalidId, usualApplicationId } from '../../model/ids.ts';
import type { StagedFile } from '../../wire/cluster/staging.ts';
import { EndedFolders } from './ended-folders.ts';
import { amountBelow, StagedAmounts } from './staged-amounts.ts';

/** Which file. */
export interface StagedPlace {
  readonly user: string;
  readonly applicationId: string;
  readonly name: string;
}

/** What the staging area needs. */
export interface StagingOptions {
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly maximumFileBytes: number;
  /** Bytes of all files of one user. */
  readonly userQuotaBytes: number;
  /** Bytes of all files of all users. */
  readonly totalQuotaBytes: number;
  /** How long files of applications that were never submitted stay. */
  readonly unusedRetentionMs: number;
  /** How long files of applications that have ended stay. */
  readonly endedRetentionMs: number;
  /** What the cluster knows of an application; `endedMs`: when it ended, ms since the epoch. */
  readonly applicationOf: (applicationId: string) => { readonly user: string; readonly endedMs: number | undefined } | undefined;
}

/** Most files of one user: small ones fill a disk too. */
const maximumUserFiles = 10_000;
const maximumFiles = 100_000;
const longestNameBytes = 200;
const longestSweepIntervalMs = 600_000;
const incoming = '.incoming';

/** `staging:/user/application/name`. */
export const stagingUri = ({ user, applicationId, name }: StagedPlace): string =>
  `staging:/${[user, applicationId, name].map(encodeURIComponent).join('/')}`;

/** The files that clients left. */
export class StagingArea {
  readonly #options: StagingOptions;
  /** Bytes and files that are on their way, by user. */
  readonly #coming = new Map<string, { bytes: number; files: number }>();
  readonly #amounts: StagedAmounts;
  /** Folders of applications for which something is on its way, and how much. */
  readonly #receiving = new Tally<string>();
  /** Folders with files, so that the end of an application that staged none costs nothing. */
  readonly #filled = new Set<string>();
  readonly #ended: EndedFolders;
  #sweeping: Repetition | undefined;

  constructor(options: StagingOptions) {
    this.#options = options;
    this.#ended = new EndedFolders(options.endedRetentionMs);
    this.#amounts = new StagedAmounts(options.folder, (name) => name !== incoming);
  }

  /** Removes what an earlier process left half, then looks again and again for what is no longer needed. */
  async begin(): Promise<void> {
    await rm(join(this.#options.folder, incoming), { recursive: true, force: true });
    const { clock, logger, unusedRetentionMs } = this.#options;
    this.#sweeping = repeat({
      clock,
      firstMs: 0,
      intervalMs: Math.max(1000, Math.min(unusedRetentionMs, longestSweepIntervalMs)),
      run: () => this.sweep(),
      failed: (error) => logger.warn({ err: error }, 'the staging area could not be swept'),
    });
  }

  async close(): Promise<void> {
    await this.#sweeping?.close();
  }

  /**
   * Takes a file. The same content again is taken as a repetition; another one replaces it until the application is submitted.
   * @throws Failure STAGING_NAME_BAD, STAGING_ENDED, STAGING_CHANGED, STAGING_TOO_LARGE, STAGING_QUOTA, STAGING_DIGEST, STAGING_DISK_FULL
   */
  async put(
    place: StagedPlace,
    source: AsyncIterable<Uint8Array>,
    expected: { readonly bytes?: number | undefined; readonly sha256?: string | undefined } = {},
  ): Promise<StagedFile> {
    const folder = this.#folderOf(place);
    const application = this.#options.applicationOf(place.applicationId);
    if (application && (application.endedMs !== undefined || application.user !== place.user))
      throw failure('STAGING_ENDED', { id: place.applicationId, user: place.user });
    const { maximumFileBytes, userQuotaBytes, totalQuotaBytes } = this.#options;
    const userFolder = folderName(place.user);
    const coming = this.#coming.get(place.user) ?? { bytes: 0, files: 0 };
    this.#coming.set(place.user, coming);
    // What lies here and what comes is looked at in one moment: what has come in the meantime counts too.
    const isQuotaFull = (moreBytes: number) => {
      const own = this.#amounts.of(userFolder);
      return own.bytes + coming.bytes + moreBytes > userQuotaBytes || own.files + coming.files > maximumUserFiles;
    };
    const isAllFull = (moreBytes: number) => {
      let { bytes: allBytes, files: allFiles } = this.#amounts.total;
      for (const one of this.#coming.values()) {
        allBytes += one.bytes;
        allFiles += one.files;
      }
      return allBytes + moreBytes > totalQuotaBytes || allFiles > maximumFiles;
    };
    const checkRoom = async (moreBytes: number) => {
      await this.#amounts.known();
      if (isQuotaFull(moreBytes)) await this.#removeFolders(this.#ended.of(userFolder));
      else if (isAllFull(moreBytes)) await this.#removeFolders(this.#ended.of());
      await this.#amounts.known();
      if (isQuotaFull(moreBytes))
        throw failure('STAGING_QUOTA', { user: place.user, limitBytes: userQuotaBytes, limitFiles: maximumUserFiles });
      if (isAllFull(moreBytes)) throw failure('STAGING_FULL', { limitBytes: totalQuotaBytes, limitFiles: maximumFiles });
    };
    let bytes = 0;
    coming.files++;
    /** It comes no more: it lies here, or was given up. */
    let isComing = true;
    const settle = () => {
      if (!isComing) return;
      isComing = false;
      coming.bytes -= bytes;
      coming.files--;
      if (coming.files === 0) this.#coming.delete(place.user);
    };
    const applicationFolder = dirname(folder);
    this.#receiving.add(applicationFolder);
    try {
      if ((expected.bytes ?? 0) > maximumFileBytes) throw failure('STAGING_TOO_LARGE', { limitBytes: maximumFileBytes });
      await checkRoom(expected.bytes ?? 0);
      await mkdir(join(this.#options.folder, incoming), { recursive: true, mode: 0o700 });
      const part = join(this.#options.folder, incoming, randomBytes(12).toString('hex'));
      const file = await open(part, 'wx', 0o600);
      try {
        const hash = createHash('sha256');
        for await (const chunk of source) {
          bytes += chunk.length;
          coming.bytes += chunk.length;
          if (bytes > maximumFileBytes) throw failure('STAGING_TOO_LARGE', { limitBytes: maximumFileBytes });
          await checkRoom(0);
          hash.update(chunk);
          await appendWhole(file, chunk);
        }
        const sha256 = hash.digest('hex');
        if (expected.sha256 !== undefined && expected.sha256 !== sha256) throw failure('STAGING_DIGEST', { sha256 });
        await file.sync();
        await this.#amounts.inTurn(() => this.#keep(place, folder, part, { sha256, bytes }, settle));
        return { uri: stagingUri(place), bytes, sha256 };
      } finally {
        await file.close();
        await rm(part, { force: true });
      }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOSPC' || code === 'EDQUOT') throw failure('STAGING_DISK_FULL', { folder: this.#options.folder });
      throw error;
    } finally {
      settle();
      this.#receiving.remove(applicationFolder);
    }
  }

  /** Puts a complete file in its place; `settle` is called in the moment from which it lies there. */
  async #keep(
    place: StagedPlace,
    folder: string,
    part: string,
    { sha256, bytes }: Pick<StagedFile, 'sha256' | 'bytes'>,
    settle: () => void,
  ): Promise<void> {
    // Asked again: much may have happened since the file began to come.
    const application = this.#options.applicationOf(place.applicationId);
    if (application?.endedMs !== undefined) throw failure('STAGING_ENDED', { id: place.applicationId, user: place.user });
    const before = await readdir(folder).catch((): string[] => []);
    const foldersAbove = [folder, dirname(folder), dirname(dirname(folder)), this.#options.folder];
    if (before.includes(sha256)) {
      // Who put it here may have failed at that.
      for (const above of foldersAbove) await syncFolder(above);
      return;
    }
    if (before.length > 0 && application) throw failure('STAGING_CHANGED', { name: place.name, id: place.applicationId });
    const replaced = await amountBelow(folder);
    this.#filled.add(dirname(folder));
    using held = await folderInside(this.#options.folder, relative(this.#options.folder, folder).split(sep), { make: 0o700 });
    await rename(part, join(held.path, sha256));
    const userFolder = folderName(place.user);
    this.#amounts.add(userFolder, { bytes, files: 1 });
    settle();
    // Its name is on the disk before what it replaces goes, and before anybody is told of it.
    for (const above of foldersAbove) await syncFolder(above);
    for (const older of before) await rm(join(held.path, older), { force: true });
    this.#amounts.add(userFolder, { bytes: -replaced.bytes, files: -replaced.files });
  }

  /** Opens a file. The caller reads or destroys the stream. @throws Failure STAGING_NAME_BAD, STAGING_ABSENT */
  async read(place: StagedPlace): Promise<StagedFile & { readonly open: () => ReadStream }> {
    const folder = this.#folderOf(place);
    const sha256 = (await readdir(folder).catch((): string[] => []))[0];
    const path = join(folder, sha256 ?? '');
    const facts = sha256 === undefined ? undefined : await stat(path).catch(() => undefined);
    if (!facts?.isFile()) throw failure('STAGING_ABSENT', { name: place.name, id: place.applicationId, user: place.user });
    return { uri: stagingUri(place), bytes: facts.size, sha256: sha256!, open: () => createReadStream(path) };
  }

  /** Whether a user's file is here; undefined: the address names none of theirs. */
  async has(user: string, address: string): Promise<boolean | undefined> {
    const [, owner, applicationId, name] = /^staging:\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(address) ?? [];
    try {
      const place = { user: decodeURIComponent(owner ?? ''), applicationId: applicationId ?? '', name: decodeURIComponent(name ?? '') };
      if (place.user !== user || stagingUri(place) !== address) return undefined;
      return (await readdir(this.#folderOf(place)).catch((): string[] => [])).length > 0;
    } catch (error) {
      if (error instanceof URIError || error instanceof Failure) return undefined;
      throw error;
    }
  }

  /** Removes the files of an application. */
  async remove(user: string, applicationId: string): Promise<void> {
    await this.#removeFolder(folderName(user), this.#applicationFolder(user, applicationId));
  }

  async #removeFolders(folders: readonly string[]): Promise<void> {
    for (const folder of folders) await this.#removeFolder(basename(dirname(folder)), folder);
  }

  #removeFolder(userFolder: string, folder: string): Promise<void> {
    this.#filled.delete(folder);
    this.#ended.remove(folder);
    return this.#amounts.inTurn(async () => {
      const { bytes, files } = await amountBelow(folder);
      try {
        // Through a link, files would go that are none of this area's.
        using held = await folderInside(this.#options.folder, [userFolder]).catch(ignoreAbsent);
        if (held) await rm(join(held.path, basename(folder)), { recursive: true, force: true });
        this.#amounts.add(userFolder, { bytes: -bytes, files: -files });
      } catch (error) {
        this.#amounts.forget();
        throw error;
      }
    });
  }

  /** Removes the files of an application that has ended, unless they stay for a while. */
  async applicationEnded(user: string, applicationId: string, endedMs: number): Promise<void> {
    const folder = join(this.#options.folder, folderName(user), applicationId);
    if (this.#filled.has(folder)) await this.#hasEnded(folder, endedMs);
  }

  async #hasEnded(folder: string, endedMs: number): Promise<void> {
    const amount = await amountBelow(folder);
    await this.#removeFolders(this.#ended.add(folder, basename(dirname(folder)), amount, endedMs, this.#options.clock.now()));
  }

  /** Removes what belongs to applications that ended long enough ago, and what belongs to none for long enough. */
  async sweep(): Promise<void> {
    const { folder, clock, unusedRetentionMs, applicationOf } = this.#options;
    await this.#removeFolders(this.#ended.due(clock.now()));
    for (const user of await foldersIn(folder)) {
      if (user === incoming) continue;
      for (const applicationId of await readdir(join(folder, user)).catch((): string[] => [])) {
        const path = join(folder, user, applicationId);
        const application = applicationOf(applicationId);
        this.#filled.add(path);
        const isOwners = application !== undefined && folderName(application.user) === user;
        if (isOwners && application.endedMs === undefined) continue;
        // A long file may come for hours after a short one.
        if (this.#receiving.has(path) || this.#ended.has(path)) continue;
        if (isOwners && application.endedMs !== undefined) {
          await this.#hasEnded(path, application.endedMs);
          continue;
        }
        const facts = await stat(path).catch(() => undefined);
        if (application?.endedMs === undefined && !(facts && clock.now() - facts.mtimeMs >= unusedRetentionMs)) continue;
        await this.#removeFolder(user, path);
      }
    }
    this.#amounts.forget();
  }

  #applicationFolder(user: string, applicationId: string): string {
    let id: string;
    try {
      id = usualApplicationId(applicationId);
    } catch (error) {
      if (error instanceof InvalidId) throw failure('STAGING_NAME_BAD', { name: applicationId.slice(0, 200), what: 'an application id' });
      throw error;
    }
    // Written otherwise than the cluster writes it, an id would lie in a folder that is never swept.
    if (id !== applicationId) throw failure('STAGING_NAME_BAD', { name: applicationId.slice(0, 200), what: 'an application id' });
    if (user === '' || Buffer.byteLength(user) > longestNameBytes)
      throw failure('STAGING_NAME_BAD', { name: user.slice(0, 200), what: 'the name of a user' });
    return join(this.#options.folder, folderName(user), id);
  }

  #folderOf({ user, applicationId, name }: StagedPlace): string {
    if (name === '' || name === '.' || name === '..' || /[/\0]/.test(name) || Buffer.byteLength(name) > longestNameBytes)
      throw failure('STAGING_NAME_BAD', { name: name.slice(0, 200), what: 'the name of a file' });
    return join(this.#applicationFolder(user, applicationId), name);
  }
}

/** A user's name as the name of one folder, never that of `.incoming`. */
function folderName(user: string): string {
  return `u-${[...Buffer.from(user)].map((byte) => (/[\w@.-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`)).join('')}`;
}

/** Names of the folders in a folder, links to folders left out. */
const foldersIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { withFileTypes: true }).catch(() => [])).filter((entry) => entry.isDirectory()).map(({ name }) => name);

function ignoreAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
