// Where things lie on a node: Hadoop's tree below the local and the log folders. Users and ids never leave it.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { folderInside, type HeldFolder } from '../lib/folder-inside.ts';
import { failure } from '../model/errors.ts';
import { parseApplicationId, parseContainerId } from '../model/ids.ts';
import { removeBelow, removeFolder } from './remove-folder.ts';

/** A user name as the name of one folder: what is not plainly harmless is percent-encoded. */
export function folderOfUser(user: string): string {
  if (/^[A-Za-z0-9_][A-Za-z0-9_.@-]{0,200}$/.test(user)) return user;
  return [...Buffer.from(user, 'utf8')]
    .map((byte) =>
      /[A-Za-z0-9_@-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`,
    )
    .join('')
    .slice(0, 240);
}

/** A folder as paths below it begin. */
const baseOf = (folder: string): string => resolve(folder).replace(/\/$/, '');

/** The folders of one node. The constructor takes absolute paths. */
export class NodeFolders {
  readonly local: readonly string[];
  readonly logs: readonly string[];
  /** State that survives restarts: the store, the engine's files. */
  readonly recovery: string;

  /** Containers run as other users, who own their applications' folders: root puts nothing in these and is careful when it deletes. */
  readonly separateUsers: boolean;
  /** Containers have this process's user, but not all of its rights: no link that one left may lead it anywhere. */
  readonly #isGuarded: boolean;
  /** Each folder as its paths begin: every container has dozens of them, and joining them anew costs more than many of the calls that they are for. */
  readonly #bases: ReadonlyMap<string, string>;
  readonly #realBases = new Map<string, string>();

  constructor(
    local: readonly string[],
    logs: readonly string[],
    recovery: string,
    { separateUsers = false, isGuarded = false }: { readonly separateUsers?: boolean; readonly isGuarded?: boolean } = {},
  ) {
    this.separateUsers = separateUsers;
    this.#isGuarded = isGuarded;
    this.local = local;
    this.logs = logs;
    this.recovery = recovery;
    this.#bases = new Map([...local, ...logs].map((folder) => [folder, baseOf(folder)]));
  }

  /** A path below a local or log folder. */
  #below(folder: string, path: string): string {
    return `${this.#bases.get(folder) ?? baseOf(folder)}/${path}`;
  }

  /** Folders of either kind that nothing new may use, as the checks of the disks say. */
  bad: ReadonlySet<string> = new Set();
  /** Where containers lie that this process knows: which folders are good may change while they run. */
  readonly #places = new Map<string, { readonly local: string; readonly logs: readonly string[] }>();

  /** Local folders that can be used now; all of them where none can. */
  get usableLocal(): readonly string[] {
    return this.#usable(this.local);
  }

  #usable(folders: readonly string[]): readonly string[] {
    if (this.bad.size === 0) return folders;
    const good = folders.filter((folder) => !this.bad.has(folder));
    return good.length > 0 ? good : folders;
  }

  /** Chooses where a new container lies. */
  place(containerId: string): void {
    const logs = this.#usable(this.logs);
    const first = this.#choose(logs, containerId);
    this.#places.set(containerId, {
      local: this.#choose(this.usableLocal, containerId),
      logs: [first, ...logs.filter((log) => log !== first)],
    });
  }

  /** Finds where a container of an earlier process of the node manager lies. */
  adopt(user: string, applicationId: string, containerId: string): void {
    parseContainerId(containerId);
    const local = this.local.find((folder) => existsSync(join(this.application(folder, user, applicationId), containerId)));
    const isFirst = (log: string) => existsSync(join(this.applicationLogs(log, applicationId), containerId, 'prelaunch.out'));
    const first = this.logs.find(isFirst) ?? this.#choose(this.logs, containerId);
    this.#places.set(containerId, {
      local: local ?? this.#choose(this.usableLocal, containerId),
      logs: [first, ...this.logs.filter((log) => log !== first)],
    });
  }

  /** A container is no longer known here. */
  forget(containerId: string): void {
    this.#places.delete(containerId);
  }

  /** One of the local folders that can be used; for a container the one it was placed in. */
  localFor(id: string): string {
    return this.#places.get(id)?.local ?? this.#choose(this.usableLocal, id);
  }

  #choose(folders: readonly string[], id: string): string {
    let hash = 0;
    for (let i = 0; i < id.length; i++) hash = (Math.imul(hash, 31) + id.charCodeAt(i)) >>> 0;
    return folders[hash % folders.length]!;
  }

  /** Where files are brought to before they come to their place: nothing that containers could write to. */
  bringing(local: string): string {
    return this.#below(local, 'bringing');
  }
  /** Files of all users (PUBLIC). */
  publicCache(local: string): string {
    return this.#below(local, 'filecache');
  }
  /** Files of one user. */
  userCache(local: string, user: string): string {
    return this.#below(local, `usercache/${folderOfUser(user)}`);
  }
  /** Files of one application, deleted with it. */
  application(local: string, user: string, applicationId: string): string {
    parseApplicationId(applicationId);
    return `${this.userCache(local, user)}/appcache/${applicationId}`;
  }
  /** Files that are brought for one application. */
  applicationCache(local: string, user: string, applicationId: string): string {
    if (!this.separateUsers) return `${this.application(local, user, applicationId)}/filecache`;
    parseApplicationId(applicationId);
    return `${this.userCache(local, user)}/appfilecache/${applicationId}`;
  }
  /**
   * Opens a folder below a local or a log folder, made where it is absent and `make` is a mode. What is written by the `path` that this gives
   * stays in it, where containers could have put a link there; elsewhere that is the path itself. @throws Error where a link leads out of its place
   */
  async hold(path: string, make?: number, { isNew = false }: { readonly isNew?: boolean } = {}): Promise<HeldFolder> {
    if (!this.#isGuarded) {
      if (make !== undefined) await mkdir(path, { recursive: true, mode: make });
      return { path, [Symbol.dispose]: () => undefined };
    }
    const [base, prefix = ''] = [...this.#bases].find(([, above]) => `${path}/`.startsWith(`${above}/`)) ?? [];
    if (base === undefined) throw new Error(`${path} is in no folder of this node`);
    const names = path === prefix ? [] : path.slice(prefix.length + 1).split('/');
    const inside = async () => folderInside(base, names, { make, isNew, realRoot: await this.#realBase(base) });
    try {
      return await inside();
    } catch (error) {
      if (make === undefined || existsSync(base)) throw error;
      await mkdir(base, { recursive: true });
      return inside();
    }
  }
  /** Where a local or log folder really lies: looked for once, as somebody may only get there slower when it moves. */
  async #realBase(base: string): Promise<string> {
    const known = this.#realBases.get(base);
    if (known !== undefined) return known;
    const real = await realpath(base);
    this.#realBases.set(base, real);
    return real;
  }
  /** Where a folder below a local or a log folder really lies, as long as no link stands on the way to it. */
  async realOf(path: string): Promise<string> {
    const base = [...this.#bases.values()].find((above) => path.startsWith(`${above}/`));
    return base === undefined ? realpath(path) : `${await realpath(base)}${path.slice(base.length)}`;
  }
  /** Deletes a folder that containers could write to. `rm` holds on to what it looked at, so that links put there meanwhile lead nowhere. */
  async remove(path: string): Promise<void> {
    if (!this.separateUsers && !this.#isGuarded) return removeFolder(path);
    // A process of its own costs more than all the rest of a short container's end.
    if (!this.#isGuarded || !(await this.#removeHeld(path))) await promisify(execFile)('rm', ['-rf', '--', path]);
  }
  /** False where there is more than a container mostly leaves, or it changes meanwhile. */
  async #removeHeld(path: string): Promise<boolean> {
    try {
      using above = await this.hold(dirname(path));
      return await removeBelow(above, basename(path));
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOENT' && !existsSync(path);
    }
  }
  /** A container's working directory. */
  work(user: string, applicationId: string, containerId: string): string {
    parseContainerId(containerId);
    return `${this.application(this.localFor(containerId), user, applicationId)}/${containerId}`;
  }
  /** Logs of an application in one log folder. */
  applicationLogs(log: string, applicationId: string): string {
    parseApplicationId(applicationId);
    return this.#below(log, applicationId);
  }
  /** A container's log folders on all disks that could be used when it was placed, the one it is told as `<LOG_DIR>` first. */
  containerLogs(applicationId: string, containerId: string): string[] {
    parseContainerId(containerId);
    const first = this.#choose(this.logs, containerId);
    const logs = this.#places.get(containerId)?.logs ?? [first, ...this.logs.filter((log) => log !== first)];
    return logs.map((log) => `${this.applicationLogs(log, applicationId)}/${containerId}`);
  }
}

/** Checks that a name below a folder stays there; for names of local resources and log files. */
export function checkInside(name: string, what: string): string {
  if (name === '' || name.includes('\0') || name.startsWith('/') || name.split('/').includes('..'))
    throw failure('NODE_NAME_ESCAPES', { what, name });
  return name;
}
