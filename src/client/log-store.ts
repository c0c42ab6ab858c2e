// Where gathered logs lie: in a folder that all servers share, or in a store that speaks S3. Of a store each server keeps copies in a
// folder of its own with the same tree: the node writes there before it uploads, readers bring there what they are asked for.

import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ConfigurationError } from '../config/table.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import { withoutTrailing } from '../lib/trailing.ts';
import { failure } from '../model/errors.ts';
import { type AggregatedLogTree, aggregatedLogTree, applicationLogFolder } from '../wire/files/aggregated-log-folder.ts';
import type { S3Bucket } from './s3.ts';
import type { S3Listing, S3Object } from './s3-listing.ts';

/** Gathered logs, wherever they lie. */
export interface LogStore {
  /** The tree to write to and to read from; `findApplicationLogs` brings what it is asked for. */
  readonly tree: AggregatedLogTree;
  /** Gives a file, complete in the tree, to all readers; a store takes it from here, whether it succeeds or not. @throws Error with the store's reason */
  publish(path: string): Promise<void>;
  /** Names in an application's folder, for all readers. @throws Error where it cannot be told */
  names(folder: string): Promise<string[]>;
  remove(path: string): Promise<void>;
  /** All files by their application, where they are no files of the tree: what is too old is found in them instead of in folders. */
  readonly gathered?: () => Promise<ReadonlyMap<string, readonly GatheredFile[]>>;
}

/** A file of gathered logs. */
export interface GatheredFile {
  /** Where it would lie in the tree. */
  readonly path: string;
  /** ms since the epoch. */
  readonly modifiedMs: number;
}

/** What a store needs. */
export interface LogStoreOptions {
  /** `yarn.nodemanager.remote-app-log-dir`: a folder or `s3a://bucket/prefix`. */
  readonly remoteDirectory: string;
  /** `yarn.nodemanager.remote-app-log-dir-suffix`. */
  readonly suffix: string;
  /** Folder for copies. */
  readonly copies: string;
  readonly property: (key: string) => string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Most bytes of copies that a reader keeps; those longest unread go. */
const maximumCopyBytes = 2 * 1024 ** 3;
/** A request that takes longer is given up; one that carries a file gets more time, by its bytes. */
const requestTimeoutMs = 120_000;
const slowestBytesPerMs = 256;
const timeFor = (fileBytes: number) => AbortSignal.timeout(requestTimeoutMs + Math.ceil(fileBytes / slowestBytesPerMs));
const largestObjectBytes = 5 * 1024 ** 3;

/** The bucket of the settings, and the folder in it; undefined: logs are gathered in a folder. @throws ConfigurationError where it is none, or not configured as one */
export async function logBucket({
  remoteDirectory,
  property,
  clock,
}: Pick<LogStoreOptions, 'remoteDirectory' | 'property' | 'clock'>): Promise<
  { readonly bucket: S3Bucket; readonly prefix: string } | undefined
> {
  const found = /^s3[an]?:\/\/([^/]+)(?:\/(.*))?$/.exec(remoteDirectory);
  if (!found) return undefined;
  const { S3Bucket: Bucket, s3Settings, BadBucket } = await import('./s3.ts');
  try {
    const bucket = new Bucket(found[1]!, s3Settings(property, found[1]!), () => clock.now());
    return { bucket, prefix: withoutTrailing(found[2] ?? '', '/') };
  } catch (error) {
    if (!(error instanceof BadBucket)) throw error;
    const key = 'yarn.nodemanager.remote-app-log-dir';
    throw new ConfigurationError('settings', key, error.message, 'Name a folder or s3a://BUCKET/PREFIX, and see the fs.s3a settings.');
  }
}

/** The store that the settings name. @throws ConfigurationError where it is no bucket, or not configured as one */
export async function openLogStore(options: LogStoreOptions): Promise<LogStore> {
  const found = await logBucket(options);
  return found
    ? new ObjectLogStore(found.bucket, found.prefix, aggregatedLogTree(options.copies, options.suffix), options)
    : folderStore(aggregatedLogTree(options.remoteDirectory, options.suffix));
}

const folderStore = (tree: AggregatedLogTree): LogStore => ({
  tree,
  publish: async () => {},
  names: (folder) =>
    readdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
      throw error;
    }),
  remove: (path) => rm(path, { force: true }),
});

/** Objects below a prefix of a bucket, copied to a folder. */
class ObjectLogStore implements LogStore {
  readonly tree: AggregatedLogTree;
  readonly #bucket: S3Bucket;
  readonly #prefix: string;
  readonly #copies: AggregatedLogTree;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #bringing = new Map<string, Promise<void>>();

  constructor(bucket: S3Bucket, prefix: string, copies: AggregatedLogTree, { clock, logger }: Pick<LogStoreOptions, 'clock' | 'logger'>) {
    this.#bucket = bucket;
    this.#prefix = prefix;
    this.#copies = copies;
    this.#clock = clock;
    this.#logger = logger;
    this.tree = { ...copies, bring: (applicationId, owner) => this.#bring(applicationId, owner) };
  }

  async publish(path: string): Promise<void> {
    try {
      await this.#upload(path);
    } finally {
      await rm(path, { force: true });
    }
  }

  async #upload(path: string): Promise<void> {
    const { size } = await stat(path);
    if (size > largestObjectBytes) throw new Error(`${size} bytes of logs are more than one object of a store can be; have them rolled`);
    const key = this.#keyOf(path);
    const { status, text } = await this.#bucket.putFile(key, path, timeFor(size));
    if (status < 200 || status > 299) throw await this.#refusal(key, status, text);
  }

  async names(folder: string): Promise<string[]> {
    const prefix = `${this.#keyOf(folder)}/`;
    return (await this.#list(prefix)).objects.map(({ key }) => key.slice(prefix.length)).filter((name) => !name.includes('/'));
  }

  async gathered(): Promise<Map<string, GatheredFile[]>> {
    const { root } = this.#copies;
    const files = new Map<string, GatheredFile[]>();
    for (const { key, modifiedMs } of (await this.#list(this.#prefix === '' ? '' : `${this.#prefix}/`)).objects) {
      const below = this.#prefix === '' ? key : key.slice(this.#prefix.length + 1);
      const [user = '', , , applicationId = '', name = '', ...deeper] = below.split('/');
      if (name === '' || deeper.length > 0 || !/^application_\d+_\d+$/.test(applicationId) || /^\.{0,2}$/.test(user)) continue;
      const path = join(root, below);
      if (dirname(path) !== applicationLogFolder(this.#copies, user, applicationId)) continue;
      const own = files.get(applicationId);
      if (own) own.push({ path, modifiedMs });
      else files.set(applicationId, [{ path, modifiedMs }]);
    }
    return files;
  }

  async remove(path: string): Promise<void> {
    await this.#answer('DELETE', this.#keyOf(path));
    await rm(path, { force: true });
  }

  /** Copies what the store has of an application, for readers; two calls at once wait for the same. */
  #bring(applicationId: string, owner: string | undefined): Promise<void> {
    const known = this.#bringing.get(applicationId);
    if (known) return known;
    const bringing = this.#copy(applicationId, owner)
      .catch((error: unknown) => {
        this.#logger.warn({ err: error, application: applicationId }, 'the store of logs did not answer');
        throw failure('UNAVAILABLE', { what: 'The store of gathered logs' });
      })
      .finally(() => this.#bringing.delete(applicationId));
    this.#bringing.set(applicationId, bringing);
    return bringing;
  }

  async #copy(applicationId: string, owner: string | undefined): Promise<void> {
    const users = owner ? [owner] : (await this.#list(this.#prefix === '' ? '' : `${this.#prefix}/`, '/')).folders;
    let any = false;
    for (const user of users) {
      const folder = applicationLogFolder(this.#copies, user, applicationId);
      const prefix = `${this.#keyOf(folder)}/`;
      for (const { key, bytes, modifiedMs } of (await this.#list(prefix)).objects) {
        const name = key.slice(prefix.length);
        if (name === '' || name.includes('/') || name === '.' || name === '..') continue;
        any = true;
        const path = join(folder, name);
        const facts = await stat(path).catch(() => undefined);
        if (facts?.size === bytes && Math.trunc(facts.mtimeMs / 1000) === Math.trunc(modifiedMs / 1000)) continue;
        await this.#fetch(key, path, { bytes, modifiedMs });
      }
      if (any) await utimes(folder, this.#clock.now() / 1000, this.#clock.now() / 1000).catch(() => undefined);
    }
    if (owner && !any) return this.#copy(applicationId, undefined);
    if (any) await this.#trim();
  }

  async #fetch(key: string, path: string, { bytes, modifiedMs }: Omit<S3Object, 'key'>): Promise<void> {
    const answer = await this.#answer('GET', key, { fileBytes: bytes });
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const part = `${path}.tmp`;
    try {
      await pipeline(Readable.fromWeb(answer.body as never), createWriteStream(part, { mode: 0o600 }));
      await utimes(part, modifiedMs / 1000, modifiedMs / 1000);
      await rename(part, path);
    } finally {
      await rm(part, { force: true });
    }
  }

  /** Deletes the copies of the applications that no reader has asked for the longest time. */
  async #trim(): Promise<void> {
    const folders = new Map<string, { bytes: number; readMs: number }>();
    for (const entry of await readdir(this.#copies.root, { recursive: true, withFileTypes: true }).catch(() => [])) {
      if (!entry.isFile()) continue;
      const known = folders.get(entry.parentPath) ?? {
        bytes: 0,
        readMs: (await stat(entry.parentPath).catch(() => undefined))?.mtimeMs ?? 0,
      };
      known.bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => undefined))?.size ?? 0;
      folders.set(entry.parentPath, known);
    }
    let bytes = [...folders.values()].reduce((sum, one) => sum + one.bytes, 0);
    for (const [folder, one] of [...folders].sort(([, a], [, b]) => a.readMs - b.readMs).slice(0, -1)) {
      if (bytes <= maximumCopyBytes) return;
      bytes -= one.bytes;
      await rm(folder, { recursive: true, force: true });
    }
  }

  #keyOf(path: string): string {
    const below = relative(this.#copies.root, path);
    return this.#prefix === '' ? below : `${this.#prefix}/${below}`;
  }

  async #answer(
    method: string,
    key: string,
    { fileBytes = 0, ...options }: { query?: Record<string, string>; fileBytes?: number } = {},
  ): Promise<Response> {
    const answer = await this.#bucket.request(method, key, { ...options, signal: timeFor(fileBytes) });
    if (answer.ok) return answer;
    throw await this.#refusal(key, answer.status, await answer.text());
  }

  async #refusal(key: string, status: number, text: string): Promise<Error> {
    const { s3Refusal } = await import('./s3.ts');
    const { code, message } = s3Refusal(status, text.slice(0, 4000));
    return new Error(`s3a://${this.#bucket.name}/${key}: ${message} (${code})`);
  }

  async #list(prefix: string, delimiter?: string): Promise<S3Listing> {
    const { listObjects } = await import('./s3-listing.ts');
    return listObjects(async (query) => (await this.#answer('GET', '', { query })).text(), prefix, delimiter);
  }
}
