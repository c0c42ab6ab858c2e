// Hears of changes in folders that users of the machine may write to. Not by a recursive watch of Node.js: on Linux that looks into each new folder
// itself, and where it may not, it throws where nobody can catch it, which would end the server.
import { type FSWatcher, watch } from 'node:fs';
import { BoundedMap } from '../../lib/bounded-map.ts';

/** A folder, and which one it is: another may take its place under the same path. */
export interface WatchedFolder {
  readonly path: string;
  readonly inode: number;
}

/** Folders that are watched at most: each takes one of the few watches that the system gives a user. */
const mostFolders = 1000;

/** Watches one folder, and those in it that it is told to follow. */
export class FolderWatch {
  readonly #heard: () => void;
  readonly #root: FSWatcher;
  readonly #followed = new Map<string, { readonly inode: number; readonly watcher: FSWatcher }>();
  /** Those that the system does not let be watched, with their numbers: they are not tried again. */
  readonly #closed = new BoundedMap<string, number>(mostFolders);

  /** Watches the folder `root`; `failed` is told when that ends by itself. @throws Error where it cannot be watched */
  constructor(root: string, heard: () => void, failed: (error: Error) => void) {
    this.#heard = heard;
    this.#root = watch(root, { persistent: false }, heard);
    this.#root.on('error', failed);
  }

  /** Watches exactly these folders besides; true where one is new, of which changes may have gone unheard. */
  follow(folders: readonly WatchedFolder[]): boolean {
    const wanted = new Map(folders.map(({ path, inode }) => [path, inode]));
    for (const [path, { inode }] of this.#followed) if (wanted.get(path) !== inode) this.#leave(path);
    let isNew = false;
    for (const [path, inode] of wanted) {
      if (this.#followed.size >= mostFolders) break;
      if (this.#followed.has(path) || this.#closed.get(path) === inode) continue;
      try {
        const watcher = watch(path, { persistent: false }, this.#heard);
        watcher.on('error', () => this.#leave(path));
        this.#followed.set(path, { inode, watcher });
        isNew = true;
      } catch {
        this.#closed.set(path, inode);
      }
    }
    return isNew;
  }

  #leave(path: string): void {
    this.#followed.get(path)?.watcher.close();
    this.#followed.delete(path);
  }

  close(): void {
    this.#root.close();
    for (const path of [...this.#followed.keys()]) this.#leave(path);
  }
}
