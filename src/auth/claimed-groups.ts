// Groups of users by what an issuer of tokens says of them. They are a user's own: nothing of one user's token counts for another.
import { BoundedMap } from '../lib/bounded-map.ts';
import type { Clock } from '../lib/clock.ts';
import type { GroupsOf } from './access-lists.ts';

interface Claim {
  readonly groups: readonly string[];
  /** When the issuer said so, ms since the epoch. */
  readonly saidMs: number;
  readonly untilMs: number;
}

/** Most users who are remembered; the one heard of first goes first. */
const mostUsers = 10_000;

/** What was claimed of each user last. */
export class ClaimedGroups {
  readonly #clock: Clock;
  readonly #claims = new BoundedMap<string, Claim>(mostUsers);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes a claim that was proven. What was said later counts: an older token brings no group back that its user has left. */
  learn(user: string, claim: Claim): void {
    const known = this.#claims.get(user);
    if (known && known.untilMs > this.#clock.now() && known.saidMs > claim.saidMs) return;
    this.#claims.delete(user);
    this.#claims.set(user, claim);
  }

  /** The groups of a user as far as they are claimed now; of nobody else. */
  readonly of: GroupsOf = (user) => {
    const claim = this.#claims.get(user);
    return claim && claim.untilMs > this.#clock.now() ? claim.groups : [];
  };
}
