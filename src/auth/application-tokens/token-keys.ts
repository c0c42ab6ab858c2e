// The keys under which tokens of applications are signed. A key is derived from a root that outlives restarts and from the time at which
// its turn began: whoever holds the root knows every key, and none has to be kept or sent (Hadoop sends random keys to its nodes with each
// roll: BaseContainerTokenSecretManager, BaseNMTokenSecretManager, AMRMTokenSecretManager).
import { createHmac } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';

/** Key ids are counted from here, so that they fit an int32 until 2088. */
const countedFromMs = Date.UTC(2020, 0, 1);

/** What keys are derived from, and how long each has its turn. */
export interface TokenKeyOptions {
  readonly root: Buffer;
  /** The kind of token that is signed: keys of one kind say nothing about those of another. */
  readonly kind: string;
  /** How long a key has its turn, ms; at least a second. */
  readonly rollingMs: number;
  /** Since when this process knows how long that is, ms since the epoch. */
  readonly sinceMs: number;
  readonly clock: Clock;
}

/** The keys of one kind of token. */
export class TokenKeys {
  readonly #options: TokenKeyOptions;
  #latest: { readonly id: number; readonly secret: Buffer } | undefined;

  /** What `Clock.steadyMs` was when it was `sinceMs`. */
  readonly #sinceSteadyMs: number;

  constructor(options: TokenKeyOptions) {
    this.#options = options;
    this.#sinceSteadyMs = options.clock.steadyMs();
  }

  /** The id of the key whose turn it is: when the turn began, in seconds. */
  get currentId(): number {
    const { clock, rollingMs } = this.#options;
    const turnMs = Math.max(1000, Math.floor(rollingMs / 1000) * 1000);
    return (Math.floor((clock.now() - countedFromMs) / turnMs) * turnMs) / 1000;
  }

  /** The password of an identifier under a key: HMAC-SHA1, 20 bytes (SecretManager.createPassword). */
  password(id: number, identifier: Uint8Array): Buffer {
    return createHmac('sha1', this.#secretOf(id)).update(identifier).digest();
  }

  /**
   * Whether tokens of a key still count: while it has its turn and the turn after, in which their holders get new ones. Keys from before
   * this process count as if their turn had begun with it: while it was not there nobody could get another. A clock that is set takes no turn from
   * anybody: what it would show by now if nobody had set it counts, too. One of a time to come is of a server whose clock is ahead, or was.
   */
  counts(id: number): boolean {
    const { clock, rollingMs, sinceMs } = this.#options;
    const begunMs = Math.max(countedFromMs + id * 1000, sinceMs);
    const nowMs = Math.min(clock.now(), sinceMs + clock.steadyMs() - this.#sinceSteadyMs);
    return nowMs - begunMs < 2 * Math.max(1000, rollingMs);
  }

  #secretOf(id: number): Buffer {
    if (this.#latest?.id === id) return this.#latest.secret;
    const secret = createHmac('sha256', this.#options.root).update(`${this.#options.kind}:${id}`).digest();
    if (id === this.currentId) this.#latest = { id, secret };
    return secret;
  }
}
