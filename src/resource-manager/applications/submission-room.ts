// How much of submissions is kept in memory: one is bounded, and so is what all of one user and all users together have there.
import { getHeapStatistics } from 'node:v8';
import { jsonLength } from '../../lib/json-length.ts';
import { Tally } from '../../lib/tally.ts';

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
  readonly #byUser = new Tally<string>();
  #total = 0;

  constructor(most = getHeapStatistics().heap_size_limit * partOfHeap) {
    this.#most = most;
  }

  /** Why a submission is not taken; undefined: there is room. */
  refusalOf(user: string, submission: object): string | undefined {
    const characters = jsonLength(submission);
    if (characters > longestSubmission) return `The submission has ${characters} characters, more than ${longestSubmission}`;
    const isFull = this.#total + characters > this.#most;
    if (!isFull && this.#byUser.of(user) + characters <= this.#most / 2) return undefined;
    const whose = isFull ? 'all users together' : `user ${user}`;
    return `Applications of ${whose} hold as much memory of the resource manager as they may: submit again when some of them have ended, or less with each`;
  }

  add({ user, submission }: Submitted): void {
    const characters = jsonLength(submission);
    this.#total += characters;
    this.#byUser.add(user, characters);
  }

  remove({ user, submission }: Submitted): void {
    const characters = jsonLength(submission);
    this.#total -= characters;
    this.#byUser.remove(user, characters);
  }
}
