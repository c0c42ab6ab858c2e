// Folders with files of applications that have ended: they stay for a while, so that what was submitted can be submitted again. Few and small ones
// do; the oldest go for the newest.
import type { Amount } from './staged-amounts.ts';

/** What may stay. An application's files may be as long as those that a submission brings along. */
const mostOfApplication: Amount = { bytes: 8 << 20, files: 1000 };
const mostOfUser = { bytes: 64 << 20, folders: 50 };
const mostOfAll = { bytes: 1 << 30, folders: 1000 };

/** A folder of the staging area. */
interface EndedFolder {
  readonly path: string;
  readonly userFolder: string;
  readonly bytes: number;
  /** When its files go, ms since the epoch. */
  readonly untilMs: number;
}

/** Those that stay. */
export class EndedFolders {
  readonly #retentionMs: number;
  /** By their paths, in the order in which they came. */
  readonly #folders = new Map<string, EndedFolder>();

  /** @param retentionMs how long they stay after the end of their applications; 0: not at all */
  constructor(retentionMs: number) {
    this.#retentionMs = retentionMs;
  }

  has(path: string): boolean {
    return this.#folders.has(path);
  }

  /** Takes one in, if it may stay: which folders have to go now, itself where it may not. */
  add(path: string, userFolder: string, { bytes, files }: Amount, endedMs: number, nowMs: number): string[] {
    const untilMs = endedMs + this.#retentionMs;
    if (untilMs <= nowMs || bytes > mostOfApplication.bytes || files > mostOfApplication.files) return [path];
    this.#folders.set(path, { path, userFolder, bytes, untilMs });
    const own = [...this.#folders.values()].filter((each) => each.userFolder === userFolder);
    const gone = this.#beyond(own, mostOfUser);
    return [
      ...gone,
      ...this.#beyond(
        [...this.#folders.values()].filter((each) => !gone.includes(each.path)),
        mostOfAll,
      ),
    ];
  }

  /** What has stayed for long enough. */
  due(nowMs: number): string[] {
    return [...this.#folders.values()].filter(({ untilMs }) => untilMs <= nowMs).map(({ path }) => path);
  }

  /** Those of a user, or all: where room is short what lives comes first. */
  of(userFolder?: string): string[] {
    return [...this.#folders.values()].filter((each) => userFolder === undefined || each.userFolder === userFolder).map(({ path }) => path);
  }

  /** It is gone. */
  remove(path: string): void {
    this.#folders.delete(path);
  }

  /** The oldest, as far as all together are more than may be. */
  #beyond(folders: readonly EndedFolder[], most: { readonly bytes: number; readonly folders: number }): string[] {
    let bytes = folders.reduce((sum, each) => sum + each.bytes, 0);
    let left = folders.length;
    const gone: string[] = [];
    for (const each of folders) {
      if (bytes <= most.bytes && left <= most.folders) break;
      gone.push(each.path);
      bytes -= each.bytes;
      left--;
    }
    return gone;
  }
}
