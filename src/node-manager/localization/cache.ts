// The files that containers asked for, fetched once and shared: of all users (PUBLIC), of one user (PRIVATE), of one application.
// An entry is kept while containers refer to it; beyond the target size the longest unused ones go.
import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import { fields, type JsonOf, number, optional, text, whole } from '../../lib/json-shape.ts';
import type { Logger } from '../../lib/log.ts';
import { syncTree } from '../../lib/sync-tree.ts';
import { syncFolder } from '../../lib/whole-writes.ts';
import type { LocalResource } from '../../wire/cluster/launch-context.ts';
import type { NodeFolders } from '../folders.ts';
import type { NodeMetrics } from '../metrics.ts';
import { asLocalizationFailure, LocalizationFailure } from './errors.ts';
import { fetchResource } from './fetch.ts';
import type { FetchSources } from './fetch-options.ts';
import type { LocalizationLimits } from './limits.ts';
import type { LocalizationCounts } from './localization-counts.ts';
import { settle } from './settle.ts';
import { unpack } from './unpack.ts';

/** Whose request it is. */
export interface LocalizationOwner {
  readonly containerId: string;
  readonly applicationId: string;
  readonly user: string;
  /** Hadoop credentials file content, base64; opens sources that ask for tokens. */
  readonly tokens?: string | undefined;
}

/** What of an entry survives a restart. */
export const localizedRecord = fields({
  id: whole(),
  key: text(),
  /** Absent for what all applications share. */
  applicationId: optional(text()),
  /** Absent for what all users share. */
  user: optional(text()),
  path: text(),
  bytes: number(),
  /** ms since the epoch. */
  lastUseMs: optional(number()),
  /** Absent once it is on the disk: until then it is there for this boot of the machine only. */
  boot: optional(text()),
});
export type LocalizedRecord = JsonOf<typeof localizedRecord>;

/** Where entries are remembered; without `await` for the caller. */
export interface LocalizedStore {
  saveLocalized(record: LocalizedRecord): void;
  removeLocalized(id: number): void;
}

/** What a cache needs. */
export interface LocalCacheOptions {
  readonly folders: NodeFolders;
  readonly store: LocalizedStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told what was here and what not; absent: nobody counts. */
  readonly metrics?: NodeMetrics | undefined;
  /** Bytes to which unused entries of single users and of all users are cut. */
  readonly targetBytes: number;
  readonly limits: LocalizationLimits;
  /** Fetches at a time for the files of all users, and for those of each user: no user waits for the slow server of another. */
  readonly concurrentFetches: number;
  readonly sources: FetchSources;
  /** This boot of the machine. */
  readonly boot?: string | undefined;
}

/** The fetches of one user, or of the files of all users. */
interface Lane {
  running: number;
  readonly waiting: (() => void)[];
}

interface Entry {
  readonly id: number;
  readonly key: string;
  /** The disk's folder it lies in; empty for one of an earlier process, which is here. */
  readonly local: string;
  readonly folder: string;
  readonly path: string;
  readonly owner: { readonly user: string | undefined; readonly applicationId: string | undefined };
  readonly users: Set<string>;
  readonly aborting: AbortController;
  fetched: Promise<void>;
  ready: boolean;
  bytes: number;
  lastUseMs: number;
  /** The boot in which it came, while it is not known to be on the disk. */
  boot: string | undefined;
}

/** The cache of a node. */
export class LocalCache {
  readonly #options: LocalCacheOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #lanes = new Map<string, Lane>();
  #nextId = 10;
  /** What was brought is brought to the disk one after the other; containers do not wait for that. */
  #synced: Promise<void> = Promise.resolve();

  constructor(options: LocalCacheOptions, records: readonly LocalizedRecord[] = []) {
    this.#options = options;
    for (const { id, key, user, applicationId, path, bytes, lastUseMs, boot } of records) {
      this.#nextId = Math.max(this.#nextId, id + 1);
      const folder = join(path, '..');
      const entry: Entry = {
        id,
        key,
        local: '',
        folder,
        path,
        owner: { user, applicationId },
        users: new Set(),
        aborting: new AbortController(),
        fetched: Promise.resolve(),
        ready: true,
        bytes,
        lastUseMs: lastUseMs ?? options.clock.now(),
        boot,
      };
      this.#entries.set(key, entry);
    }
  }

  /**
   * Removes entries of an earlier process whose files are gone, or were not known to be on the disk when the machine was started anew (they may
   * be short, or empty), and files without an entry.
   */
  async verify(): Promise<void> {
    const kept = new Set<string>();
    for (const entry of [...this.#entries.values()]) {
      const isWhole = entry.boot === undefined || entry.boot === this.#options.boot;
      if (isWhole && (await isThere(entry))) {
        kept.add(entry.folder);
        this.#bringToDisk(entry);
      } else this.#forget(entry);
    }
    const { folders } = this.#options;
    for (const local of folders.local) {
      const caches = [folders.bringing(local), folders.publicCache(local)];
      for (const user of await readdir(join(local, 'usercache')).catch(() => [])) {
        caches.push(join(local, 'usercache', user, 'filecache'));
        const applications = join(local, 'usercache', user, folders.separateUsers ? 'appfilecache' : 'appcache');
        for (const application of await readdir(applications).catch(() => []))
          caches.push(folders.separateUsers ? join(applications, application) : join(applications, application, 'filecache'));
      }
      for (const cache of caches)
        for (const name of await readdir(cache).catch(() => [])) if (!kept.has(join(cache, name))) await this.#remove(join(cache, name));
    }
  }

  /** Brings a resource here and gives its path; the container refers to it until `release`. @throws LocalizationFailure */
  async acquire(resource: LocalResource, owner: LocalizationOwner, signal: AbortSignal, counts?: LocalizationCounts): Promise<string> {
    const key = this.#key(resource, owner);
    const ended = () => new LocalizationFailure('the container was ended');
    if (signal.aborted) throw ended();
    let entry = this.#entries.get(key);
    // An administrator may have cleaned the disk by hand.
    if (entry?.ready && !existsSync(entry.path)) {
      this.#forget(entry);
      entry = undefined;
    }
    const isHit = entry !== undefined;
    if (!entry) {
      entry = this.#begin(key, resource, owner);
      this.#entries.set(key, entry);
    }
    const current = entry;
    current.users.add(owner.containerId);
    current.lastUseMs = this.#options.clock.now();
    let leave = () => {};
    const left = new Promise<never>((_resolve, reject) => {
      leave = () => {
        this.#leave(current, owner.containerId);
        reject(ended());
      };
    });
    signal.addEventListener('abort', leave, { once: true });
    try {
      await Promise.race([current.fetched, left]);
      this.#options.metrics?.wanted(isHit, current.bytes);
      counts?.wanted(isHit, current.bytes);
      return current.path;
    } catch (error) {
      this.#leave(current, owner.containerId);
      throw error;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /** Takes up again what a container of an earlier process of the node manager refers to. */
  adopt(resource: LocalResource, owner: LocalizationOwner): void {
    this.#entries.get(this.#key(resource, owner))?.users.add(owner.containerId);
  }

  /** Ends all references of a container. */
  release(containerId: string): void {
    for (const entry of [...this.#entries.values()]) if (entry.users.has(containerId)) this.#leave(entry, containerId);
  }

  /** Forgets the entries of an ended application; its folders are deleted by its owner. */
  applicationEnded(applicationId: string): void {
    for (const entry of [...this.#entries.values()]) {
      if (entry.owner.applicationId !== applicationId) continue;
      entry.aborting.abort();
      this.#forget(entry);
    }
  }

  /** Deletes unused entries, longest unused first, until what is kept is below the target size. */
  async evict(): Promise<void> {
    const shared = [...this.#entries.values()].filter((entry) => entry.ready && entry.owner.applicationId === undefined);
    const before = shared.reduce((sum, entry) => sum + entry.bytes, 0);
    const deleted = { publicBytes: 0, privateBytes: 0 };
    let bytes = before;
    this.#options.metrics?.cleaned(before, deleted);
    for (const entry of shared.filter(({ users }) => users.size === 0).sort((a, b) => a.lastUseMs - b.lastUseMs)) {
      if (bytes <= this.#options.targetBytes) return;
      bytes -= entry.bytes;
      deleted[entry.owner.user === undefined ? 'publicBytes' : 'privateBytes'] += entry.bytes;
      this.#forget(entry);
      await this.#remove(entry.folder);
    }
  }

  /** The same request by path, time, kind and pattern (LocalResourceRequest.equals) within its scope. */
  #key(resource: LocalResource, owner: LocalizationOwner): string {
    const scope = { PUBLIC: [], PRIVATE: [owner.user], APPLICATION: [owner.user, owner.applicationId] }[resource.visibility];
    return JSON.stringify([resource.visibility, ...scope, resource.resource, resource.timestamp, resource.type, resource.pattern ?? '']);
  }

  #begin(key: string, resource: LocalResource, owner: LocalizationOwner): Entry {
    const { folders, clock } = this.#options;
    const id = this.#nextId++;
    const local = folders.localFor(key);
    const root = {
      PUBLIC: () => folders.publicCache(local),
      PRIVATE: () => join(folders.userCache(local, owner.user), 'filecache'),
      APPLICATION: () => folders.applicationCache(local, owner.user, owner.applicationId),
    }[resource.visibility]();
    const folder = join(root, String(id));
    const path = join(folder, resourceName(resource.resource));
    const entry: Entry = {
      id,
      key,
      local,
      folder,
      path,
      owner: {
        user: resource.visibility === 'PUBLIC' ? undefined : owner.user,
        applicationId: resource.visibility === 'APPLICATION' ? owner.applicationId : undefined,
      },
      users: new Set(),
      aborting: new AbortController(),
      fetched: Promise.resolve(),
      ready: false,
      bytes: 0,
      lastUseMs: clock.now(),
      boot: this.#options.boot,
    };
    entry.fetched = this.#fetch(entry, resource, owner);
    entry.fetched.catch(() => undefined);
    return entry;
  }

  async #fetch(entry: Entry, resource: LocalResource, owner: LocalizationOwner): Promise<void> {
    const lane = await this.#enter(entry.owner.user ?? '');
    const { signal } = entry.aborting;
    const { folders, limits, clock, sources, concurrentFetches } = this.#options;
    const coming = join(folders.bringing(entry.local), String(entry.id));
    try {
      signal.throwIfAborted();
      await mkdir(dirname(coming), { recursive: true, mode: 0o700 });
      await mkdir(coming, { mode: 0o755 });
      const part = join(coming, '.part');
      const path = join(coming, basename(entry.path));
      await fetchResource(resource, part, { signal, limits, clock, sources, owner });
      await unpack(resource, part, path, { signal, limits });
      entry.bytes = await settle(path, resource.visibility === 'PUBLIC');
      await rm(part, { force: true, recursive: true });
      signal.throwIfAborted();
      await this.#place(entry, coming);
      entry.ready = true;
      this.#save(entry);
      this.#bringToDisk(entry);
    } catch (error) {
      if (this.#entries.get(entry.key) === entry) this.#entries.delete(entry.key);
      for (const folder of [coming, entry.folder]) await this.#remove(folder).catch(() => undefined);
      throw asLocalizationFailure(error, resource.resource);
    } finally {
      lane.running--;
      while (lane.running < concurrentFetches && lane.waiting.length > 0) {
        lane.running++;
        lane.waiting.shift()!();
      }
    }
  }

  /** Brings a whole entry to where containers find it, which may be a folder in which they can write: a link there leads it nowhere. */
  async #place({ folder }: Entry, coming: string): Promise<void> {
    const { folders } = this.#options;
    using held = await folders.hold(dirname(folder), 0o755);
    const isTaken = await lstat(join(held.path, basename(folder))).then(
      () => true,
      () => false,
    );
    if (isTaken) await folders.remove(folder);
    await rename(coming, join(held.path, basename(folder)));
  }

  /** Waits until one more fetch may run for this user. */
  async #enter(user: string): Promise<Lane> {
    const lane = this.#lanes.get(user) ?? { running: 0, waiting: [] };
    this.#lanes.set(user, lane);
    if (lane.running < this.#options.concurrentFetches) lane.running++;
    else await new Promise<void>((resolve) => lane.waiting.push(resolve));
    return lane;
  }

  /** From then on it outlives the machine. Where it cannot be, it is there for this boot only. */
  #bringToDisk(entry: Entry): void {
    if (entry.boot === undefined) return;
    const isHere = () => this.#entries.get(entry.key) === entry;
    this.#synced = this.#synced
      .then(async () => {
        if (!isHere()) return;
        await syncTree(entry.folder);
        await syncFolder(dirname(entry.folder));
        entry.boot = undefined;
        if (isHere()) this.#save(entry);
      })
      .catch((error: unknown) => {
        if (isHere()) this.#options.logger.warn({ err: error, path: entry.path }, 'a local resource could not be brought to the disk');
      });
  }

  /** Resolves when what was brought so far is on the disk, as far as it can be. */
  synced(): Promise<void> {
    return this.#synced;
  }

  #save({ id, key, path, bytes, lastUseMs, owner, boot }: Entry): void {
    this.#options.store.saveLocalized({ id, key, path, bytes, lastUseMs, ...owner, boot });
  }

  #leave(entry: Entry, containerId: string): void {
    entry.users.delete(containerId);
    entry.lastUseMs = this.#options.clock.now();
    if (entry.users.size > 0) return;
    // An application's entries go with it; their time of use never matters.
    if (entry.ready) {
      if (entry.owner.applicationId === undefined && this.#entries.get(entry.key) === entry) this.#save(entry);
      return;
    }
    entry.aborting.abort();
    this.#forget(entry);
  }

  /** Removes a folder with all in it, which may belong to containers' users by now; an archive may have brought folders that may not be written. */
  async #remove(path: string): Promise<void> {
    const { folders } = this.#options;
    await folders.remove(path).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EACCES') throw error;
      await settle(path, false);
      await folders.remove(path);
    });
  }

  #forget(entry: Entry): void {
    if (this.#entries.get(entry.key) === entry) this.#entries.delete(entry.key);
    if (entry.ready) this.#options.store.removeLocalized(entry.id);
  }
}

/** Whether the files of an entry are there; of earlier versions, which knew nothing of boots, they may be empty. */
async function isThere({ path, bytes }: Entry): Promise<boolean> {
  const facts = await lstat(path).catch(() => undefined);
  return facts !== undefined && (!facts.isFile() || facts.size > 0 || bytes === 0);
}

/** The last part of a URI's path, as the name of the file here. */
function resourceName(uri: string): string {
  const path = /^[a-z][a-z0-9+.-]*:/i.test(uri) ? (URL.parse(uri)?.pathname ?? uri) : uri;
  let name = basename(path);
  try {
    name = decodeURIComponent(name);
  } catch {
    // Not encoded: the name as it is.
  }
  return name === '' || name === '.' || name === '..' || name === '.part' || name.includes('/') || name.includes('\0') ? 'resource' : name;
}
