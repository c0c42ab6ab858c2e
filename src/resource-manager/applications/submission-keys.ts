// Keys under which users submit once: the same key again names the application that it was taken for. A key is written together with its
// application, so that after any death both are there, or neither (docs/protocol.md, P17).
import { fields, type JsonOf, number, text } from '../../lib/json-shape.ts';

/** What is kept of a key. */
export const keptSubmissionKey = fields({
  applicationId: text({ minLength: 1, maxLength: 64 }),
  user: text({ minLength: 1, maxLength: 1024 }),
  key: text({ minLength: 1, maxLength: 255 }),
  /** What tells one request from another: SHA-256 of it. */
  digest: text({ minLength: 43, maxLength: 43 }),
  /** When it was taken, ms since the epoch. */
  takenMs: number(),
});
export type KeptSubmissionKey = JsonOf<typeof keptSubmissionKey>;

interface KeyBounds {
  readonly maximumAgeMs: number;
  readonly mostOfUser: number;
}

/** For how long a key names its application, ms, and how many of a user do, the newest. */
export const submissionKeyBounds = { maximumAgeMs: 24 * 3_600_000, mostOfUser: 10_000 } as const satisfies KeyBounds;

/** A key that was taken: what has to be written, and how to undo it where that fails. */
export interface TakenKey {
  readonly kept: KeptSubmissionKey;
  /** Applications whose keys count no longer, and need not be kept. */
  readonly dropped: readonly string[];
  undo(): void;
}

/** The keys of one cluster, in memory. */
export class SubmissionKeys {
  /** By user, then by key; the oldest first. */
  readonly #users = new Map<string, Map<string, KeptSubmissionKey>>();
  readonly #bounds: KeyBounds;

  /** `kept`: what an earlier process left, in any order. */
  constructor(kept: readonly KeptSubmissionKey[] = [], bounds: KeyBounds = submissionKeyBounds) {
    this.#bounds = bounds;
    for (const one of kept.toSorted((a, b) => a.takenMs - b.takenMs)) this.#ofUser(one.user).set(one.key, one);
  }

  /** What the key of a user names; undefined where it is free. */
  find(user: string, key: string, nowMs: number): KeptSubmissionKey | undefined {
    const found = this.#users.get(user)?.get(key);
    return found && this.#isOver(found, nowMs) ? undefined : found;
  }

  /** Takes a free key for an application. Keys of the user that are too old, or too many, go. */
  take(kept: KeptSubmissionKey): TakenKey {
    const keys = this.#ofUser(kept.user);
    const gone: KeptSubmissionKey[] = [];
    const before = keys.get(kept.key);
    if (before) gone.push(before);
    keys.delete(kept.key);
    for (const one of keys.values()) {
      if (!this.#isOver(one, kept.takenMs) && keys.size < this.#bounds.mostOfUser) break;
      keys.delete(one.key);
      gone.push(one);
    }
    keys.set(kept.key, kept);
    const undo = () => {
      if (keys.get(kept.key) === kept) keys.delete(kept.key);
      for (const one of gone) if (!keys.has(one.key)) keys.set(one.key, one);
    };
    return { kept, dropped: gone.map(({ applicationId }) => applicationId), undo };
  }

  #isOver({ takenMs }: KeptSubmissionKey, nowMs: number): boolean {
    return nowMs - takenMs > this.#bounds.maximumAgeMs;
  }

  #ofUser(user: string): Map<string, KeptSubmissionKey> {
    const known = this.#users.get(user) ?? new Map<string, KeptSubmissionKey>();
    this.#users.set(user, known);
    return known;
  }
}
