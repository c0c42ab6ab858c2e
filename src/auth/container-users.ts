// For whom containers run on this machine as which unix user: the node managers that switch users say so in a folder that only they and the
// servers of the same data folder can read. A container that calls may then be the user it runs for, and nobody else.
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../lib/make-folder.ts';

/** Longest name of a file; a user with a longer one is not noted, so its containers need tokens. */
const longestName = 255;

/** The notes, kept as empty files `NUMBER/CONTAINER.USER`. */
export class ContainerUsers {
  readonly #folder: string;

  constructor(dataDir: string) {
    this.#folder = join(dataDir, 'secrets', 'container-users');
  }

  /** A container of `user` is about to run as the unix user with this number. @throws Error when it cannot be written down */
  hold(containerId: string, user: string, userId: number): void {
    const name = fileName(containerId, user);
    if (name.length > longestName) return;
    const folder = join(this.#folder, String(userId));
    makeFolder(folder, 0o700);
    writeFileSync(join(folder, name), '', { mode: 0o600 });
  }

  /** Nothing of the container runs any more. */
  release(containerId: string, user: string): void {
    for (const userId of names(this.#folder)) rmSync(join(this.#folder, userId, fileName(containerId, user)), { force: true });
  }

  /** The users for whom containers run as the unix user with this number. */
  usersOf(userId: number): ReadonlySet<string> {
    const found = names(join(this.#folder, String(userId))).map((name) => decodeURIComponent(name.slice(name.indexOf('.') + 1)));
    return new Set(found);
  }
}

const fileName = (containerId: string, user: string): string => `${containerId}.${encodeURIComponent(user)}`;

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
