// Files in the staging folder that tell the next master how far the job's commit got (MRAppMaster, CommitterEventHandler): on the disk before what
// they tell of goes on.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeDurably } from '../../lib/whole-writes.ts';
import type { JobCommitter } from '../tasks/output/job-committer.ts';

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

  /**
   * Runs the job's commit between its markers. A commit that cannot be repeated is begun by the creation of its marker: where the marker is
   * there already, another master has begun, and nothing is done. How it ended stands in markers where the disk takes them: without one the next
   * master finds out by itself.
   * @throws what the commit throws, after the marker of its failure is written; EEXIST where another master has begun
   */
  async around(committer: Pick<JobCommitter, 'commitRepeatable' | 'commitJob'>): Promise<void> {
    writeDurably(this.#path(startedFile), '', { mode: 0o600, flag: committer.commitRepeatable ? 'w' : 'wx' });
    try {
      await committer.commitJob();
    } catch (error) {
      this.#note(failFile);
      throw error;
    }
    this.#note(successFile);
  }

  #note(name: string): void {
    try {
      writeDurably(this.#path(name), '', { mode: 0o600 });
    } catch (error) {
      // A full disk changes nothing in what was committed.
      if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    }
  }
}
