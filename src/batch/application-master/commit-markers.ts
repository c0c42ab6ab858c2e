// Files in the staging folder that tell the next master how far the job's commit got (MRAppMaster, CommitterEventHandler).
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const startedFile = 'COMMIT_STARTED';
const successFile = 'COMMIT_SUCCESS';
const failFile = 'COMMIT_FAIL';

/** How a master before this one left the commit. */
export type EarlierCommit = 'NONE' | 'STARTED' | 'SUCCEEDED' | 'FAILED';

/** The markers of one job. */
export class CommitMarkers {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }

  get earlier(): EarlierCommit {
    if (existsSync(this.#path(successFile))) return 'SUCCEEDED';
    if (existsSync(this.#path(failFile))) return 'FAILED';
    return existsSync(this.#path(startedFile)) ? 'STARTED' : 'NONE';
  }

  /** Forgets a commit that may be done again. */
  clear(): void {
    rmSync(this.#path(startedFile), { force: true });
  }
  started(): void {
    writeFileSync(this.#path(startedFile), '', { mode: 0o600 });
  }
  succeeded(): void {
    writeFileSync(this.#path(successFile), '', { mode: 0o600 });
  }
  failed(): void {
    writeFileSync(this.#path(failFile), '', { mode: 0o600 });
  }
}
