// How much of submissions is kept in memory: one is bounded, and so is what all of one user and all users together have there.
import { getHeapStatistics } from 'node:v8';

/** Characters of a submission as it is written in JSON. Hadoop keeps no application whose state has more than a million (`zk-max-znode-size.bytes`). */
export const longestSubmission = 2 * 1024 * 1024;

/** Part of the memory of the process that submissions may fill; one user may fill half of that. */
const partOfHeap = 0.25;

/** What is kept of an application's submission. */
interface Submitted {
  readonly user: string;
  readonly submission: object;
}

/** Counts what is kept. */
export class SubmissionRoom {
  readonly #most: number;
  readonly #characters = new WeakMap<object, number>();
  readonly #byUser = new Map<string, number>();
  #total = 0;

  constructor(most = getHeapStatistics().heap_size_limit * partOfHeap) {
    this.#most = most;
  }

  /** Why a submission is not taken; undefined: there is room. */
  refusalOf(user: string, submission: object): string | undefined {
    const characters = this.#charactersOf(submission);
    if (characters > longestSubmission) return `The submission has ${characters} characters, more than ${longestSubmission}`;
    const isFull = this.#total + characters > this.#most;
    if (!isFull && (this.#byUser.get(user) ?? 0) + characters <= this.#most / 2) return undefined;
    const whose = isFull ? 'all users together' : `user ${user}`;
    return `Applications of ${whose} hold as much memory of the resource manager as they may: submit again when some of them have ended, or less with each`;
  }

  add({ user, submission }: Submitted): void {
    this.#change(user, this.#charactersOf(submission));
  }

  remove({ user, submission }: Submitted): void {
    this.#change(user, -this.#charactersOf(submission));
  }

  #change(user: string, characters: number): void {
    this.#total += characters;
    const own = (this.#byUser.get(user) ?? 0) + characters;
    if (own > 0) this.#byUser.set(user, own);
    else this.#byUser.delete(user);
  }

  #charactersOf(submission: object): number {
    const known = this.#characters.get(submission);
    if (known !== undefined) return known;
    const { length } = JSON.stringify(submission);
    this.#characters.set(submission, length);
    return length;
  }
}
